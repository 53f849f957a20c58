"""What a dream is about: entries that no dream has absorbed yet.

Pure: episodes and ranges in, entries out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from noctuary.memory.ranges import AbsorbedRange, covered, to_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime

    from noctuary.memory.entry import Entry
    from noctuary.memory.episode import Episode


@dataclass(frozen=True, slots=True)
class Pending:
    """Short-term memory: entries to dream about now, and how many must settle first."""

    entries: tuple[Entry, ...]
    waiting: int = 0

    def by_day(self) -> Iterator[tuple[date, list[Entry]]]:
        """Days in order, each with its entries, whole sessions together in the order of their start."""
        days: dict[date, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            days[entry.at.date()].append(entry)
        for day in sorted(days):
            yield day, sessions_together(days[day])


def sessions_together(entries: Iterable[Entry]) -> list[Entry]:
    """Entries of one episode side by side, episodes by their first moment, file order inside."""
    episodes: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        episodes[entry.episode].append(entry)
    ordered = sorted(episodes.values(), key=lambda run: (run[0].at, run[0].episode))
    return [entry for run in ordered for entry in run]


def pending(
    episodes: Sequence[Episode],
    ranges: Mapping[str, Sequence[AbsorbedRange]],
    settled_before: datetime | None = None,
) -> Pending:
    """Entries outside all absorbed ranges; sessions that spoke after `settled_before` wait whole."""
    found: list[Entry] = []
    waiting = 0
    for episode in episodes:
        fresh = _fresh(episode, ranges.get(episode.name, ()))
        if fresh and settled_before and max(entry.at for entry in fresh) > settled_before:
            waiting += len(fresh)
        else:
            found.extend(fresh)
    return Pending(tuple(found), waiting)


def _fresh(episode: Episode, ranges: Sequence[AbsorbedRange]) -> list[Entry]:
    if not ranges:
        return list(episode.entries)
    known = covered(episode.order, ranges)
    return [entry for entry in episode.entries if entry.id not in known]


def absorbed_ranges(
    episodes: Sequence[Episode], absorbed: Mapping[str, set[str]]
) -> list[AbsorbedRange]:
    """What a report states: per episode the runs of entries that this dream absorbed."""
    return [
        span
        for episode in episodes
        if episode.name in absorbed
        for span in to_ranges(episode.name, episode.order, absorbed[episode.name])
    ]


def settled_before(now: datetime, settle_seconds: int) -> datetime:
    """The moment since which a session must have been quiet."""
    return now - timedelta(seconds=settle_seconds)
