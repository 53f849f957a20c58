from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from dream_kit import NOON, said
from noctuary.dream.collect import absorbed_ranges, pending, settled_before
from noctuary.memory.episode import Episode, EpisodeMeta
from noctuary.memory.ranges import AbsorbedRange, by_episode, covered, parse_range, to_ranges

if TYPE_CHECKING:
    from noctuary.memory.entry import Entry


def episode(name: str, *entries: Entry) -> Episode:
    meta = EpisodeMeta("a1", "chat", "", "", NOON)
    return Episode(name, meta, entries, order=tuple(entry.id for entry in entries))


def run(name: str, *minutes: int) -> Episode:
    return episode(name, *(said(f"word {minute}", minute, episode=name) for minute in minutes))


def test_everything_is_pending_at_first_and_nothing_after_its_dream() -> None:
    one = run("2026-11-30-chat-a1", 0, 1, 2)
    fresh = pending([one], {})
    assert fresh.entries == one.entries
    ranges = absorbed_ranges([one], {one.name: {entry.id for entry in one.entries}})
    assert [(span.count) for span in ranges] == [3]
    assert pending([one], by_episode(ranges)).entries == ()


def test_what_is_appended_later_is_pending_alone() -> None:
    early, late = run("2026-11-30-chat-a1", 0, 1), run("2026-11-30-chat-a1", 0, 1, 2)
    ranges = absorbed_ranges([early], {early.name: {entry.id for entry in early.entries}})
    assert [entry.text for entry in pending([late], by_episode(ranges)).entries] == ["word 2"]


def test_a_session_that_still_speaks_waits_whole() -> None:
    quiet, busy = run("2026-11-30-chat-a1", 0), run("2026-11-30-chat-b2", 0, 30)
    found = pending([quiet, busy], {}, settled_before(NOON + timedelta(minutes=30, seconds=5), 60))
    assert [entry.episode for entry in found.entries] == ["2026-11-30-chat-a1"]
    assert found.waiting == 2


def test_days_come_in_order_with_sessions_together() -> None:
    one, two = run("2026-11-30-chat-a1", 0, 20, 24 * 60), run("2026-11-30-chat-b2", 10, 15)
    days = [
        (day, [entry.episode[-2:] for entry in entries])
        for day, entries in pending([one, two], {}).by_day()
    ]
    assert days == [
        (datetime(2026, 11, 30).date(), ["a1", "a1", "b2", "b2"]),
        (datetime(2026, 12, 1).date(), ["a1"]),
    ]


@given(st.lists(st.booleans(), max_size=40))
def test_ranges_cover_exactly_what_was_absorbed(flags: list[bool]) -> None:
    order = [f"e{number:010x}" for number in range(len(flags))]
    absorbed = {entry for entry, flag in zip(order, flags, strict=True) if flag}
    ranges = to_ranges("2026-11-30", order, absorbed)
    read_back = [parse_range(str(span)) for span in ranges]
    assert read_back == ranges
    assert covered(order, ranges) == absorbed


def test_a_range_without_its_ends_covers_nothing() -> None:
    span = AbsorbedRange("x", "e0000000001", "e0000000009", 5)
    assert covered(["e0000000001", "e0000000002"], [span]) == set()


def test_a_line_that_a_person_changed_beyond_reading_is_passed_over() -> None:
    assert parse_range("whatever") is None
