"""A task is closed by what a person says they did, and by nothing that only looks like it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from distil_kit import distilled, distiller, known_line, said
from noctuary.memory.candidate import Quote
from noctuary.memory.card import CardType

if TYPE_CHECKING:
    from noctuary.memory.candidate import Known

DAYS = 60 * 24


def closed(words: str, *tasks: str, after: int = 3 * DAYS) -> list[str]:
    open_tasks = [task_line(text, number) for number, text in enumerate(tasks)]
    found = distiller().finished(Quote(said(words, after), words), open_tasks)
    return [task.receipt.quote for task in found]


def task_line(text: str, number: int = 0) -> Known:
    known = known_line(text, type_=CardType.TASK)
    return replace(known, card=replace(known.card, id=f"c{number:05}"))


DOMAIN = "Todo: renew the domain before that."
PAGE = "We still need to write the privacy page."
FLIGHT = "Don't forget to book the flight to Lisbon."
CAKE = "I still need to buy a birthday cake for Mia."
LIST = "Still open: the waiting list for full courses."
BILL = "Remind me to pay the electricity bill."


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (DOMAIN, "I renewed the domain this morning, so that is done."),
        (DOMAIN, "I managed to renew the domain."),
        ("gotta send Ana the contract before thursday", "sent ana the contract. she likes it"),
        ("Need to renew the certificate asap.", "Renewed the certificate."),
        ("We gotta fix the winch base.", "done with the winch base, it holds"),
        ("记得周五之前把合同草稿发给周老师", "合同草稿已经发给周老师了，他说第三条要放宽"),
        ("记得把合同草稿发给周老师", "我给周老师发了合同草稿。"),
        (DOMAIN, "The domain renewal is done."),
        (DOMAIN, "Helena was here. I've renewed the domain, and Jonas sent his pictures."),
        ("Remind me to call the plumber tomorrow.", "I called the plumber."),
        (PAGE, "We've finished the privacy page."),
        (PAGE, "I finished writing the privacy page yesterday evening."),
        (PAGE, "The privacy page is done now."),
        (PAGE, "Privacy page written, looks fine."),
        (FLIGHT, "The flight to Lisbon is booked."),
        (FLIGHT, "By the way, I've booked the flight."),
        (CAKE, "I bought Mia's birthday cake and it looks great."),
        (CAKE, "I ordered the cake for Mia."),
        (LIST, "The waiting list is done."),
        (LIST, "We built the waiting list for full courses."),
        (BILL, "I paid the electricity bill today."),
        (BILL, "Got the electricity bill paid."),
        (BILL, "I took care of the electricity bill."),
        ("Remember to send the contract to Ana.", "I've already sent Ana the contract."),
        ("Todo: pick up the parcel.", "Picked up the parcel on the way home."),
        ("Make a note to fix the printer.", "The printer's fixed."),
        ("I must until Wednesday send the INTRASTAT report.", "INTRASTAT is sent."),
        ("Also somebody needs to write the store page.", "store page is written"),
        ("Don't let me forget the ice for the first-aid kit.", "got the ice"),
        ("Remind me to bump versionCode before the release.", "versionCode is 141 now"),
        ("Todo: ask legal if the postcode is ok.", "legal says no to the postcode, so drop it"),
        ("Ask for the certificate from Bo.", "Bo has sent the certificate."),
        ("Ask for the certificate from Bo.", "I wrote to Bo about the certificate."),
        ("Ring Maureen about the seed swap.", "Maureen says the seed swap is the 26th"),
        ("I still have to order garlic.", "the garlic's come"),
        ("Mrs Holt's brakes need doing by Thursday.", "holt's brakes are done"),
        ("Todo: order 20 inner tubes 28 inch.", "tubes ordered"),
        ("Check with Ana whether the hall is free.", "Ana confirmed the hall."),
        ("给小满订生日蛋糕", "蛋糕订好了，八寸无奶，268元，11月21日下午三点取。"),
        ("给图书角采购两把扫码枪", "扫码枪买好了，两把一共498元。"),
        ("预约11月18日的体检", "体检约好了。"),
        ("给陈默买一支钢笔", "我给陈默买了一支钢笔。"),
        ("给陈默买一支钢笔", "钢笔已经买到了。"),
        ("待办：续费域名。", "今天上午把域名续费了。"),
        ("待办：续费域名。", "域名续费的事办好了。"),
        ("提醒我明天去银行交电费。", "电费交了。"),
        ("别忘了给妈妈打电话。", "给妈妈打过电话了。"),
        ("还要写隐私页面。", "隐私页面写完了。"),
        ("化妆师还没定，这周内得定下来", "化妆师定了，叫Mia，跟妆到晚宴结束"),
        ("得有个线输入的口，记得跟音响师傅说一声", "音响师傅我说过了，没问题"),
        ("伴手礼还没下单，最晚11月1号得下", "伴手礼下单了，80份，58一份"),
        ("提醒我下周一跟小杜过一遍接口文档", "跟小杜过完接口文档了，他去改"),
        ("手册还差一章“消费者卡住怎么办”，我周五前写完", "手册写完了，放 wiki 了"),
        ("得空给居委会打个电话问问护理补贴", "居委会问了，下个月才能办"),
        ("扶手买了，还没装，等我连襟来装", "扶手装上了"),
        ("密封条我明天去买，装上大概得周四", "密封条装完了"),
        ("布草该换了，6套，找老段订", "布草订了，8套，一套210"),
        ("还要预约体检", "更正一下，体检改到11月25日上午八点，18日我要出差。"),
        ("还要写隐私页面。", "隐私页面搞定了。"),
        ("12月1日带小满打第二针疫苗", "今天带小满打了第二针疫苗。"),
        ("记得要提交报销单。", "我已经把报销单交了。"),
    ],
)
def test_what_is_said_to_be_done_closes_its_task(task: str, words: str) -> None:
    assert closed(words, task) == [task]


@pytest.mark.parametrize(
    "words",
    [
        "I will renew the domain tomorrow.",
        "Did I renew the domain?",
        "I renewed the domain?",
        "I have not renewed the domain yet.",
        "I haven't renewed the domain.",
        "The domain is not renewed yet.",
        "I want to have the domain renewed.",
        "Once the domain is renewed we can ship.",
        "If I renewed the domain, it would cost 30 euros.",
        "I nearly renewed the domain.",
        "I tried to renew the domain.",
        "I should have renewed the domain.",
        "The domain must be renewed by Friday.",
        "I think I renewed the domain.",
        "Helena says she renewed the domain.",
        "My neighbour renewed his domain.",
        "I renewed the domain last year.",
        "I renewed the domain, but the payment failed.",
        "I renewed the certificate this morning.",
        "I renewed the other domain.",
        "I renewed half of the domains.",
        "I looked at the domain.",
        "That is done.",
    ],
)
def test_plans_doubts_denials_and_other_things_leave_a_task_open(words: str) -> None:
    assert closed(words, DOMAIN) == []


@pytest.mark.parametrize(
    "words",
    [
        "蛋糕还没订好。",
        "蛋糕订好了吗？",
        "明天去订蛋糕。",
        "等蛋糕订好了再说。",
        "想订生日蛋糕了。",
        "蛋糕快订好了。",
        "要是订了蛋糕就好了。",
        "忘了订蛋糕。",
        "他说蛋糕订好了。",
        "去年给小满订了生日蛋糕。",
        "蛋糕订好了，不过被取消了。",
        "给小红订了生日蛋糕。",
        "餐厅订好了。",
        "蛋糕吃完了。",
    ],
)
def test_plans_doubts_denials_and_other_things_leave_a_chinese_task_open(words: str) -> None:
    assert closed(words, "给小满订生日蛋糕") == []


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("Remind me to call customer 12.", "I called customer 13."),
        ("Send the report to Ana.", "I sent the report to Ben."),
        ("Order the printer paper.", "I ordered the printer."),
        ("Buy a birthday cake.", "I bought a birthday card."),
        ("Buy a birthday cake.", "I bought a cheese cake."),
        ("Remember to buy a car.", "I bought a toy car."),
        ("Remind me to water the plants every week.", "I watered the plants."),
        ("Call the plumber and book the flight.", "I called the plumber."),
        ("Todo: ask legal if the postcode is ok.", "legal says they will look at the postcode"),
        ("Todo: ask legal if the postcode is ok.", "legal says no to the photos"),
        ("Todo: ask legal if the postcode is ok.", "Ana says the postcode is ok"),
        ("Ask for the certificate from Bo.", "I wrote to Ana about the certificate."),
        ("Send the INTRASTAT report.", "Balance is sent."),
        ("Update the budget sheet.", "The budget is 500 now."),
        ("给陈默买一支钢笔", "给小满买了一支钢笔。"),
        ("给陈默买一支钢笔", "邻居买了钢笔。"),
        ("买打印机纸", "打印机买好了。"),
        ("别忘了给妈妈打电话。", "给爸爸打过电话了。"),
        ("提醒我给客户12发通知", "给客户13发通知了。"),
        ("提醒我去银行交电费。", "水费交了。"),
        ("每周浇花", "花浇好了。"),
    ],
)
def test_another_object_leaves_a_task_open(task: str, words: str) -> None:
    assert closed(words, task) == []


def test_words_that_fit_several_tasks_close_only_the_one_they_name() -> None:
    tasks = ("Send the report to Ana.", "Send the report to Ben.")
    assert closed("I sent the report.", *tasks) == []
    assert closed("I sent the report to Ben.", *tasks) == [tasks[1]]
    chinese = ("给客户12发合同", "给客户13发合同")
    assert closed("合同发了。", *chinese) == []
    assert closed("给客户13发了合同。", *chinese) == [chinese[1]]


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("Remind me to call customer {n}.", "I called customer {n} this morning."),
        ("Todo: send invoice {n} to the bank.", "Invoice {n} is sent."),
        ("We still need to write chapter {n} of the manual.", "I finished writing chapter {n}."),
        ("给客户{n}发合同", "给客户{n}发了合同。"),
        ("采购{n}号机的墨盒", "{n}号机的墨盒买好了。"),
    ],
)
def test_of_a_hundred_look_alikes_only_the_one_that_is_named_closes(task: str, words: str) -> None:
    tasks = [task.format(n=n) for n in range(100, 200)]
    for n in range(100, 200):
        assert closed(words.format(n=n), *tasks) == [tasks[n - 100]]
    assert closed(words.format(n=77), *tasks) == []


@pytest.mark.parametrize(
    "text",
    ["The last action item is done.", "The todo for the page is finished.", "待办都完成了。"],
)
def test_what_is_said_to_be_done_is_no_new_task(text: str) -> None:
    assert not [item for item in distilled([said(text)]) if item.type is CardType.TASK]


@pytest.mark.parametrize(
    "text", ["Remind me to send the finished report to Ana.", "提醒我把写好了的报告发给安娜。"]
)
def test_a_task_about_something_done_is_open(text: str) -> None:
    (task,) = distilled([said(text)])
    assert (task.type, task.closes) == (CardType.TASK, False)
