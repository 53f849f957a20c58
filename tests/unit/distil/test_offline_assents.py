"""Advice that a person agreed to is a decision, with the words of both."""

from __future__ import annotations

import pytest

from distil_kit import distilled, distiller, said, scored
from noctuary.memory.candidate import Anchor
from noctuary.memory.card import CardType
from noctuary.memory.entry import Role

ROOM = "There are two ways: a cache of the client, or Room. I'd go with Room, it is simple to test."
OPTIONS = "Options:\n1. soft delete with a flag\n2. hard delete plus an audit table\n\nI recommend option 2."
POSTGRES = "两种都可以。我建议用Postgres，备份简单。"


def decisions(advice: str, answer: str) -> list[str]:
    turns = [said(advice, 1, role=Role.ASSISTANT), said(answer, 2)]
    found = distiller().distil(scored(turns), Anchor())
    return [item.quotes[0].text for item in found if item.type is CardType.DECISION]


@pytest.mark.parametrize(
    ("advice", "answer", "told"),
    [
        (ROOM, "agreed, room. stale after 6 hours", "Room"),
        (ROOM, "Sounds good.", "Room"),
        (ROOM, "ok go with that", "Room"),
        (OPTIONS, "2 sounds good, go", "audit table"),
        (OPTIONS, "yes, let's do that", "audit table"),
        (OPTIONS, "option 1 is fine", "soft delete"),
        (POSTGRES, "好，就用这个", "Postgres"),
        (POSTGRES, "同意", "Postgres"),
    ],
)
def test_advice_that_was_agreed_to_is_a_decision(advice: str, answer: str, told: str) -> None:
    assert [told in text for text in decisions(advice, answer)] == [True]


@pytest.mark.parametrize(
    ("advice", "answer"),
    [
        (ROOM, "sounds good, but we are not allowed to"),
        (ROOM, "agreed?"),
        (ROOM, "what is Room?"),
        ("The cache is cleared.", "sounds good"),
        (POSTGRES, "同意吗？"),
        (POSTGRES, "不行"),
    ],
)
def test_what_nobody_advised_or_agreed_to_is_none(advice: str, answer: str) -> None:
    assert decisions(advice, answer) == []


@pytest.mark.parametrize("text", ["I'm colourblind, red and green look the same to me"])
def test_what_a_body_cannot_is_a_limit(text: str) -> None:
    assert [item.type for item in distilled([said(text)])] == [CardType.CONSTRAINT]
