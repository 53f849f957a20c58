from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from dream_kit import NIGHT, NOON, candidate, reconciler, said
from noctuary.dream.forget import (
    Absorption,
    Retention,
    due,
    next_due,
    over_capacity,
    ripe,
    stale,
    strength,
)
from noctuary.dream.gate import check
from noctuary.memory.card import Card, CardType, Status
from noctuary.memory.episode import Episode, EpisodeMeta
from noctuary.memory.ranges import AbsorbedRange

NAME = "2026-11-30-chat-a1"
DAY = date(2026, 12, 1)


def episode() -> Episode:
    kept, noise = said("The port is 5000"), said("thanks!", 1)
    own = replace(said("my own note", 2), by_hand=True)
    changed = replace(said("changed", 3), intact=False)
    meta = EpisodeMeta("a1", "chat", "", "", NOON)
    return Episode(NAME, meta, (kept, noise, own, changed))


def absorbed() -> dict[str, dict[str, Absorption]]:
    ids = [entry.id for entry in episode().entries]
    return {NAME: {entry: Absorption(DAY, noise=entry == ids[1]) for entry in ids}}


def texts(days: int, retention: Retention) -> set[str]:
    one = episode()
    ids = due([one], absorbed(), DAY + timedelta(days=days), retention).get(NAME, set())
    return {entry.text for entry in one.entries if entry.id in ids}


def test_noise_goes_after_seven_days_the_rest_after_thirty() -> None:
    assert texts(6, Retention()) == set()
    assert texts(7, Retention()) == {"thanks!"}
    assert texts(30, Retention()) == {"thanks!", "The port is 5000"}


def test_immediate_and_never() -> None:
    assert texts(0, Retention(purge="immediate")) == {"thanks!", "The port is 5000"}
    assert texts(9999, Retention(purge="never")) == set()


def test_what_no_dream_absorbed_stays() -> None:
    assert due([episode()], {}, DAY, Retention(purge="immediate")) == {}


def card(number: int = 0, **changes: object) -> Card:
    work = reconciler()
    work.take(check([candidate(said(f"The port is {number}"), importance=3)]).passed)
    (made,) = work.brain.cards.values()
    return replace(made, id=f"c{number:06d}", **changes)  # type: ignore[arg-type]


def test_important_recent_recalled_cards_are_stronger() -> None:
    plain, today = card(), NIGHT.date()
    assert strength(card(importance=5), today) > strength(plain, today)
    assert strength(card(references=9), today) > strength(plain, today)
    assert strength(card(last_referenced=today - timedelta(days=90)), today) < strength(
        plain, today
    )


def test_capacity_archives_the_superseded_first_and_rules_last() -> None:
    cards = [
        card(1, importance=1),
        card(2, status=Status.SUPERSEDED, importance=5),
        card(3, type=CardType.CONSTRAINT, importance=5),
    ]
    sized = [(item, 1000) for item in cards]
    today = NIGHT.date()
    assert over_capacity(sized, today, 3, 10_000) == []
    assert over_capacity(sized, today, 2, 10_000) == ["c000002"]
    assert over_capacity(sized, today, 3, 1000) == ["c000002", "c000001"]


def test_only_what_is_neither_important_nor_recalled_goes_stale() -> None:
    later = NIGHT.date() + timedelta(days=60)
    assert stale(card(), later, 60)
    assert not stale(card(), later - timedelta(days=1), 60)
    assert not stale(card(importance=4), later, 60)
    assert not stale(card(references=1), later, 60)


def test_half_of_a_full_memory_is_for_the_young_and_half_for_what_proved_itself() -> None:
    today = NIGHT.date()
    long_ago = NIGHT - timedelta(days=100)
    old = [
        card(number, references=number, created=long_ago, evidence=(), last_referenced=today)
        for number in range(10)
    ]
    fresh = [card(100 + number, evidence=(), created=NIGHT) for number in range(10)]
    gone = set(over_capacity([(one, 1000) for one in (*old, *fresh)], today, 10, 1_000_000))
    assert sum(one.id in gone for one in fresh) == 5
    assert gone >= {one.id for one in old[:5]}
    assert gone.isdisjoint(one.id for one in old[5:])


@pytest.mark.parametrize("type_", [CardType.CONSTRAINT, CardType.PREFERENCE, CardType.TASK])
def test_years_of_rules_leave_room_for_what_happens(type_: CardType) -> None:
    today = NIGHT.date()
    rules = [
        card(
            number, type=type_, importance=5, evidence=(), references=number, last_referenced=today
        )
        for number in range(40)
    ]
    facts = [card(100 + number, evidence=(), created=NIGHT) for number in range(20)]
    sized = [(one, 1000) for one in (*rules, *facts)]
    gone = set(over_capacity(sized, today, 20, 1_000_000))
    assert gone.isdisjoint(one.id for one in rules[-10:]), "what steers, and is used, stays"
    assert sum(one.id not in gone for one in facts) >= 5, "and there is room for the newest"


def test_what_was_used_a_lot_long_ago_gives_way_to_what_is_used_now() -> None:
    today = NIGHT.date()
    once = card(1, importance=5, references=100, last_referenced=today - timedelta(days=500))
    now = card(2, importance=3, references=2, last_referenced=today - timedelta(days=28))
    fresh = card(3, importance=3, last_referenced=today)
    assert strength(once, today) < strength(now, today) < strength(fresh, today)


def test_an_episode_is_ripe_when_the_first_of_its_entries_may_go() -> None:
    spans = {NAME: [AbsorbedRange(NAME, "a", "b", 2, DAY)]}
    for days, noise, expected in ((6, {NAME}, set()), (7, {NAME}, {NAME}), (7, set(), set())):
        today = DAY + timedelta(days=days)
        assert ripe(spans, noise, today, Retention()) == expected
    assert ripe(spans, set(), DAY + timedelta(days=30), Retention()) == {NAME}
    assert ripe(spans, set(), DAY, Retention(purge="immediate")) == {NAME}
    assert ripe(spans, {NAME}, DAY + timedelta(days=999), Retention(purge="never")) == set()


def test_the_next_day_on_which_something_may_go() -> None:
    spans = {NAME: [AbsorbedRange(NAME, "a", "b", 2, DAY)]}
    for days, noise, expected in (
        (0, {NAME}, 7),
        (7, {NAME}, 30),
        (0, set(), 30),
        (30, set(), None),
    ):
        found = next_due(spans, noise, DAY + timedelta(days=days), Retention())
        assert found == (None if expected is None else DAY + timedelta(days=expected))
    assert next_due(spans, {NAME}, DAY, Retention(purge="never")) is None
