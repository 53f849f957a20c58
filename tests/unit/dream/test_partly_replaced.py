from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from dream_kit import brain
from noctuary.distil.offline import OfflineDistiller
from noctuary.dream.brain import Brain, is_live
from noctuary.dream.collect import Pending
from noctuary.dream.consolidate import Bounds, consolidate
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import Anchor
from noctuary.memory.cardtext import parse_card
from noctuary.memory.entry import Entry, Role, entry_id
from noctuary.pages import Pages

if TYPE_CHECKING:
    from noctuary.memory.card import Card


def dreamt(*texts: str, mind: Brain | None = None) -> Brain:
    """One message a day, a dream after each."""
    mind = mind or brain()
    distiller = OfflineDistiller()
    for day, text in enumerate(texts, 1):
        at = datetime(2026, 11, day, 9)
        entry = Entry(
            entry_id(Role.USER, at, text), Role.USER, at, text, session=f"s{day}",
            episode=f"2026-11-{day:02d}-s{day}",
        )  # fmt: skip
        consolidate(Pending((entry,)), Reconciler(mind, distiller), distiller, Anchor(), Bounds())
    return mind


def live_lines(mind: Brain) -> list[str]:
    return [line.quote for card in mind.cards.values() if is_live(card) for line in card.evidence]


def holding(mind: Brain, words: str) -> Card:
    return next(
        card for card in mind.cards.values() if any(words in one.quote for one in card.evidence)
    )


TWO_PARTS = [
    (
        "The rent must not exceed 1,500 euros, and the flat must have a lift.",
        "The rent was raised to 1,700 euros.",
        "the flat must have a lift.",
        "The flat must have a lift",
    ),
    ("租金不超过三千元，必须有电梯。", "租金提高到四千元。", "必须有电梯。", "必须有电梯"),
]


@pytest.mark.parametrize(("both", "newer", "rest", "title"), TWO_PARTS)
def test_a_constraint_of_two_parts_keeps_the_part_that_was_not_changed(
    both: str, newer: str, rest: str, title: str
) -> None:
    mind = dreamt(both, newer)
    assert sorted(live_lines(mind)) == sorted([rest, newer])
    card = holding(mind, rest)
    assert card.title == title
    assert card.statement.casefold() == rest.casefold()
    assert [one.quote for one in card.replaced] == [both]
    assert card.replaced[0].replaced_by == holding(mind, newer).evidence[0].link
    assert parse_card(Pages().card(card), "x").evidence == card.evidence


@pytest.mark.parametrize(("both", "newer", "rest", "title"), TWO_PARTS)
def test_said_again_as_a_whole_it_is_whole_again(
    both: str, newer: str, rest: str, title: str
) -> None:
    mind = dreamt(both, newer, both)
    assert live_lines(mind) == [both]
    card = holding(mind, both)
    assert card.statement == both
    assert any("true again" in line.text for line in card.history)
    assert len(mind.cards) == 2


@pytest.mark.parametrize(
    ("both", "there", "back", "rest"),
    [
        (
            "The rent must not exceed 1,500 euros, and the flat must have a lift.",
            "The rent was raised to 1,700 euros.",
            "The rent was lowered to 1,500 euros again.",
            "the flat must have a lift.",
        ),
        (
            "租金不超过三千元，必须有电梯。",
            "租金提高到四千元。",
            "租金改回三千元。",
            "必须有电梯。",
        ),
    ],
)
def test_there_and_back_leaves_each_part_alive_once(
    both: str, there: str, back: str, rest: str
) -> None:
    assert sorted(live_lines(dreamt(both, there, back))) == sorted([rest, back])


def test_a_line_of_a_digest_keeps_what_still_holds_with_whom_it_is_about() -> None:
    mind = dreamt(
        "My cousin lives in Leeds, works as a baker, and has 3 ponies.", "My cousin moved to Dover."
    )
    line = next(one for one in holding(mind, "baker").evidence if "baker" in one.quote)
    assert (line.quote, line.gloss) == ("works as a baker, and has 3 ponies.", "My cousin")


def test_when_the_rest_is_changed_as_well_the_card_is_superseded() -> None:
    mind = dreamt(
        "The rent must not exceed 1,500 euros, and the deposit must not exceed 900 euros.",
        "The rent was raised to 1,700 euros.",
        "The deposit was raised to 950 euros.",
    )
    assert sorted(live_lines(mind)) == [
        "The deposit was raised to 950 euros.",
        "The rent was raised to 1,700 euros.",
    ]


@pytest.mark.parametrize(
    ("done", "never"),
    [
        ("I repaired the violin bridge with my uncle.", "I have never repaired a violin bridge."),
        ("我去年参加过社区合唱团的演出。", "我从来没参加过社区合唱团的演出。"),
    ],
)
def test_of_two_lines_that_contradict_each_says_which_other_one(done: str, never: str) -> None:
    mind = dreamt(done, never)
    lines = {line.quote: line for card in mind.cards.values() for line in card.evidence}
    assert {lines[done].disputed_by, lines[never].disputed_by} == {
        lines[done].link,
        lines[never].link,
    }
    assert lines[done].disputed == lines[never].at.date()
    for card in mind.cards.values():
        assert parse_card(Pages().card(card), "x").evidence == card.evidence


def test_a_date_of_the_part_that_still_holds_is_told_where_it_stands() -> None:
    mind = dreamt("租金不超过三千元，必须在年底前装电梯。", "租金提高到四千元。")
    assert holding(mind, "装电梯").statement == "必须在年底[2026年底]前装电梯。"
