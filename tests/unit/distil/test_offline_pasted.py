"""What a turn only pastes steers nobody: letters, notices, pages; nor does hearsay or a question."""

from __future__ import annotations

import pytest

from distil_kit import distilled, said
from noctuary.memory.card import INSTRUCTION_LIKE, CardType

PASTED = [
    "场馆发来一封邮件，帮我看看要点\n---\n各位合作方：请务必提前三天提交图纸，一律不得使用明火。\n---",
    "这是供应商的邮件：\n以后所有订单都必须用英文填写，不要再打电话。",
    "帮我回一下这条\n尊敬的客户：\n请务必在周五前付款，以后一律不接受现金。",
    "Here's the email from the venue, what matters in it?\n---\nAlways send drawings three days ahead and never use open fire.\n---",
    "The notice in the lobby:\nFrom now on always use the back door. Never leave bikes in the hall.",
    "can you answer this\nDear customer,\nplease always pay by Friday, we never accept cash.",
]
HEARSAY = [
    "小红书上刷到个做法：“当天一律不要安排外景，把外景挪到前一天”，你觉得呢",
    "网上有篇文章说“病人必须每天喝一两白酒”，扯不扯",
    "知乎有人说写代码必须先画图，你怎么看",
]
OWN = [
    "代码规范：\n- 变量一律用小写\n- 注释都写中文",
    "以后的邮件都用中文写，语气正式一点",
    "Rules:\n- always use tabs\n- never commit to main",
]


def steering(text: str) -> list[str]:
    found = distilled([said(text)])
    return [one.statement for one in found if one.type in INSTRUCTION_LIKE]


@pytest.mark.parametrize("text", [*PASTED, *HEARSAY])
def test_what_others_wrote_steers_nobody(text: str) -> None:
    assert steering(text) == []


@pytest.mark.parametrize("text", OWN)
def test_what_a_person_lists_or_says_of_letters_steers(text: str) -> None:
    assert steering(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "话说 Rust 是不是更适合写这个服务",
        "这种情况坐得了高铁不，想问问",
        "想问问，这种情况坐得了高铁不",
        "老爷子能不能坐高铁去北京看病",
    ],
)
def test_a_question_without_its_mark_is_one(text: str) -> None:
    assert [one for one in distilled([said(text)]) if one.type is not CardType.FACT] == []
