"""Where the lines of a new digest go on: on the page of the same people, or on one of their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from dream_kit import brain, candidate, reconciler, said
from noctuary.dream.forget import stale
from noctuary.dream.gate import check
from noctuary.dream.reconcile import Reconciler

DAY = 24 * 60


def page(work: Reconciler, text: str, day: float = 0, who: str = "", title: str = "") -> None:
    """A digest of one line, said by `who` some days later."""
    minute = int(day * DAY)
    entry = replace(said(text, minute, episode=f"talk-{minute}"), user=who)
    lines = candidate(entry, statement="", title=title or text[:20])
    work.take(check([lines]).passed)


def told(work: Reconciler) -> list[list[str]]:
    return [[line.quote for line in card.evidence] for card in work.brain.cards.values()]


HARP, KILN = "Ana: I tune my harp on Sundays", "Ben: the kiln cracked again"


@pytest.mark.parametrize(
    ("first", "second"),
    [(HARP, "Ana: my harp got new strings"), ("安娜：我学竖琴", "安娜：竖琴换了弦")],
)
def test_what_the_same_people_say_later_goes_on_on_their_page(first: str, second: str) -> None:
    work = reconciler()
    page(work, first, 0, "Ana")
    page(work, second, 9, "Ana")
    assert told(work) == [[first, second]]


def test_a_page_grown_matters_as_much_as_its_most_important_line() -> None:
    work = reconciler()
    for day, importance in enumerate((2, 3)):
        entry = replace(said(f"{HARP} number {day}", day * DAY, episode=f"talk-{day}"), user="Ana")
        lines = candidate(entry, statement="", title=f"harp {day}", importance=importance)
        work.take(check([lines]).passed)
    (card,) = work.brain.cards.values()
    assert card.importance == 3


def test_a_page_that_grows_is_as_young_as_its_newest_lines() -> None:
    work = reconciler()
    page(work, HARP, 0, "Ana")
    work.brain.now += timedelta(days=80)
    page(work, "Ana: my harp is sold", 20, "Ana")
    (card,) = work.brain.cards.values()
    assert len(card.evidence) == 2
    assert not stale(card, work.brain.now.date() + timedelta(days=1), 60)


@pytest.mark.parametrize(
    ("day", "who"),
    [(1, "Ben"), (40, "Ana"), (1, "")],
    ids=["other people", "long after", "somebody without a name"],
)
def test_other_talks_begin_a_page_of_their_own(day: float, who: str) -> None:
    work = reconciler()
    page(work, HARP, 0, "Ana")
    page(work, KILN, day, who)
    assert told(work) == [[HARP], [KILN]]


def test_what_a_person_tells_an_agent_goes_on_within_one_talk_alone() -> None:
    work = reconciler()
    page(work, "The harp has 47 strings", 0)
    entry = said("The kiln takes 9 hours", 5, episode="talk-0")
    work.take(check([candidate(entry, statement="", title="kiln")]).passed)
    page(work, "The ferry leaves at 7", 1)
    assert told(work) == [
        ["The harp has 47 strings", "The kiln takes 9 hours"],
        ["The ferry leaves at 7"],
    ]


def test_a_page_that_a_person_edited_is_left_to_them() -> None:
    first = reconciler()
    page(first, HARP, 0, "Ana")
    (card,) = first.brain.cards.values()
    mind = brain(frozenset({card.id}))
    mind.learn([(card, "harp")])
    page(Reconciler(mind, first.distiller), "Ana: my harp is sold", 2, "Ana")
    assert mind.cards[card.id] == card
    assert len(mind.cards) == 2


def test_of_several_pages_the_latest_with_room_is_taken() -> None:
    work = reconciler()
    page(work, HARP, 0, "Ana")
    (old,) = work.brain.cards.values()
    late = replace(
        old,
        id="clater",
        evidence=(
            replace(old.evidence[0], quote="later", at=old.evidence[0].at + timedelta(days=3)),
        ),
    )
    work.brain.put(late)
    page(work, "Ana: my harp is sold", 5, "Ana")
    assert [line.quote for line in work.brain.cards["clater"].evidence] == [
        "later",
        "Ana: my harp is sold",
    ]
