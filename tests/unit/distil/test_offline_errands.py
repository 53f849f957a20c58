"""Several things to do in one sentence are several tasks; one thing with an `and` in it is one."""

from __future__ import annotations

import pytest

from distil_kit import distilled, said
from noctuary.memory.card import CardType


def tasks(text: str) -> list[str]:
    return [item.quotes[0].text for item in distilled([said(text)]) if item.type is CardType.TASK]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "I still have to make a copy of the licence and print the list of March.",
            ["I still have to make a copy of the licence", "print the list of March."],
        ),
        (
            "Remind me to call Ana about the tickets, book the hall and send the invites.",
            ["Remind me to call Ana about the tickets", "book the hall", "send the invites."],
        ),
        (
            "todo: email the landlord and then renew the domain before Friday",
            ["todo: email the landlord", "renew the domain before Friday"],
        ),
        ("记得明天交电费，还要给小满订蛋糕。", ["记得明天交电费", "给小满订蛋糕。"]),
        ("提醒我给客户发合同，再把发票打印了", ["提醒我给客户发合同", "把发票打印了"]),
        ("记得把样张打印出来，再去取信封", ["记得把样张打印出来", "去取信封"]),
    ],
)
def test_each_thing_to_do_is_a_task(text: str, parts: list[str]) -> None:
    assert tasks(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "Need to buy milk and cookies.",
        "We still need to write the migration and test plan.",
        "Remind me to book and pay the hotel.",
        "Don't forget to call Ana, book club is hers.",
        "记得买牛奶和面包。",
        "记得交电费，再晚要罚款。",
        "Remember to clean the press and send it to Rosa.",
        "记得把样张打印出来，再把它寄给小何",
    ],
)
def test_one_thing_to_do_is_one_task(text: str) -> None:
    assert tasks(text) == [text]
