"""Items of a list are what its head says: requirements, or rules of style."""

from __future__ import annotations

import pytest

from distil_kit import distilled, said
from noctuary.memory.card import CardType


@pytest.mark.parametrize(
    ("text", "type_", "statements"),
    [
        (
            "New press for the abbey. Requirements from Rosa:\n- ink lasts 30 years\n- no lead in the ink",
            CardType.CONSTRAINT,
            [
                "Requirements from Rosa: Ink lasts 30 years.",
                "Requirements from Rosa: No lead in the ink.",
            ],
        ),
        (
            "House rules:\n1. one page per chapter\n2. titles in small caps",
            CardType.PREFERENCE,
            ["House rules: One page per chapter.", "House rules: Titles in small caps."],
        ),
        (
            "排版规范：\n1. 标题用宋体\n2. 每章一页",
            CardType.PREFERENCE,
            ["排版规范：标题用宋体。", "排版规范：每章一页。"],
        ),
        (
            "客户的要求：\n- 三十天内交货\n- 不用含铅的油墨",
            CardType.CONSTRAINT,
            ["客户的要求：三十天内交货。", "客户的要求：不用含铅的油墨。"],
        ),
    ],
)
def test_items_are_told_with_their_head(text: str, type_: CardType, statements: list[str]) -> None:
    found = [each for each in distilled([said(text)]) if each.type is not CardType.FACT]
    assert {each.type for each in found} == {type_}
    assert [each.statement for each in found] == statements
    assert all(len(each.quotes) == 2 for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "What I bought:\n- two lamps\n- a ladder",
        "Are these the requirements:\n- two lamps\n- a ladder?",
        "The requirements are strict.\n- two lamps\n- a ladder",
        "Requirements:\n" + "\n".join(f"- lamp number {n} of the hall" for n in range(40)),
        "买了这些：\n- 两盏灯\n- 一架梯子",
    ],
)
def test_items_of_other_lists_are_no_rules(text: str) -> None:
    steering = {CardType.CONSTRAINT, CardType.PREFERENCE}
    assert [each for each in distilled([said(text)]) if each.type in steering] == []
