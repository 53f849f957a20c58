"""Puts matches in order: text match, then what is known about the card behind each line. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.memory.card import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date, datetime

    from noctuary.recall.passages import Passage


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is restricted to; empty means everything.

    A project or user also takes what belongs to none; a session only its own entries.
    """

    types: frozenset[str] = frozenset()
    project: str = ""
    user: str = ""
    session: str = ""
    archived: bool = False
    as_of: date | None = None

    def admit(self, passage: Passage) -> bool:
        """True when the passage may be shown."""
        return (
            (not self.types or passage.type in self.types)
            and passage.project in {"", self.project or passage.project}
            and passage.user in {"", self.user or passage.user}
            and (not self.session or passage.session == self.session)
            and self._in_time(passage)
        )

    def _in_time(self, passage: Passage) -> bool:
        if passage.status == Status.QUARANTINED:
            return False
        if self.as_of is not None:
            return holds_on(passage, self.as_of)
        return self.archived or not (passage.is_past or passage.status == Status.ARCHIVED)


def holds_on(passage: Passage, day: date) -> bool:
    """True when the line was said by that day and not yet replaced on it."""
    since = passage.since or passage.at.date()
    return min(since, passage.at.date()) <= day and (passage.until is None or day < passage.until)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with its place in the order and the signals that gave it."""

    passage: Passage
    score: float
    signals: dict[str, float] = field(default_factory=dict)


IMPORTANCE = {1: 0.7, 2: 0.85, 3: 1.0, 4: 1.08, 5: 1.15}
ROLE = {"user": 1.0, "assistant": 0.8, "task": 0.8, "tool": 0.7, "file": 0.7, "web": 0.6}
STATUS = {
    Status.ACTIVE: 1.0,
    Status.OPEN: 1.0,
    Status.DISPUTED: 0.95,
    Status.DONE: 0.85,
    Status.EXPIRED: 0.5,
    Status.SUPERSEDED: 0.5,
    Status.ARCHIVED: 0.6,
}
NEWEST_GAIN = 0.08
"""How much more a line of today counts than one of long ago."""
HALF_LIFE_DAYS = 90.0
REFERENCE_GAIN = 0.03
JUST_BEHIND = 0.999


def rank(matches: Iterable[tuple[float, Passage]], *, now: datetime) -> list[Ranked]:
    """Best first; equal scores keep a fixed order: newer, then by owner."""
    return in_order([weigh(score, passage, now) for score, passage in matches])


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first, newer first among equals."""
    return sorted(
        ranked,
        key=lambda one: (-one.score, -one.passage.at.toordinal(), one.passage.owner),
    )


def weigh(score: float, passage: Passage, now: datetime) -> Ranked:
    """One match with all its signals; their product is its score."""
    age = max(0, (now.date() - passage.at.date()).days)
    signals = {
        "text": score,
        "importance": IMPORTANCE.get(passage.importance, 1.0),
        "role": ROLE.get(passage.role, 0.7),
        "status": STATUS.get(Status(passage.status), 1.0),
        "recency": 1.0 + NEWEST_GAIN * 0.5 ** (age / HALF_LIFE_DAYS),
        "references": 1.0 + REFERENCE_GAIN * math.log1p(passage.references),
    }
    return Ranked(passage, math.prod(signals.values()), signals)


def newest_first(
    ranked: Sequence[Ranked], successors: Callable[[str], Sequence[Passage]]
) -> list[Ranked]:
    """Lets what replaced a line stand in front of it.

    Whatever replaced a line that matches takes over its score when that is better, even if it
    does not match itself; the replaced line comes right behind.
    """
    placed = {id(one.passage): one for one in ranked}
    for old in ranked:
        if not old.passage.successor:
            continue
        for new in successors(old.passage.successor):
            _place_before(placed, new, old)
    return in_order(placed.values())


def _place_before(placed: dict[int, Ranked], new: Passage, old: Ranked) -> None:
    known = next((one for one in placed.values() if _same(one.passage, new)), None)
    best = max(old.score, known.score if known else 0.0)
    if known is None or known.score <= old.score:
        known = replace(
            known or Ranked(new, best), score=best, signals={**old.signals, "replaces": best}
        )
        placed[id(known.passage)] = known
    placed[id(old.passage)] = replace(old, score=min(old.score, known.score * JUST_BEHIND))


def _same(one: Passage, other: Passage) -> bool:
    return one.owner == other.owner and one.link == other.link and one.text == other.text
