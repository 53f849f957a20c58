"""Puts matches in order: text match, then what is known about the card behind each line. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.card import Status
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
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
ROLE = {"user": 1.0, "assistant": 0.6, "task": 0.8, "tool": 0.5, "file": 0.6, "web": 0.5}
SPEAKER_GAIN = 0.2
"""How much more a line counts when the question names who said it."""
PART_LIFT = 1.0
"""How far the parts of a question are made equal: 0 not at all, 1 wholly."""
WHOLE_SHARE = 0.3
"""What a match of the whole question adds to that of its best part."""
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


Match = tuple[float, "Passage"]
"""A text score and what it belongs to."""


def rank(matches: Iterable[Match], named: Container[str], *, now: datetime) -> list[Ranked]:
    """Best first; `named` are the terms of the question."""
    return in_order([weigh(score, passage, named, now) for score, passage in matches])


def joined(whole: Sequence[Match], parts: Sequence[Sequence[Match]]) -> list[Match]:
    """The matches of a question that asks several things: each part gets its share of the top."""
    parts = [found for found in parts if found and found[0][0] > 0]
    tops = [found[0][0] for found in parts]
    if not tops:
        return list(whole)
    scores = {_place(passage): WHOLE_SHARE * score for score, passage in whole}
    passages = {_place(passage): passage for _, passage in whole}
    best: dict[tuple[str, str, str], float] = {}
    for found in parts:
        for score, passage in found:
            lift = (max(tops) / found[0][0]) ** PART_LIFT
            place = _place(passage)
            passages[place] = passage
            best[place] = max(best.get(place, 0.0), score * lift)
    return [(scores.get(place, 0.0) + best.get(place, 0.0), passages[place]) for place in passages]


def _place(passage: Passage) -> tuple[str, str, str]:
    return (passage.owner, passage.link, passage.text)


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first, newer first among equals."""
    return sorted(
        ranked,
        key=lambda one: (-one.score, -one.passage.at.toordinal(), one.passage.owner),
    )


def weigh(score: float, passage: Passage, named: Container[str], now: datetime) -> Ranked:
    """One match with all its signals; their product is its score."""
    age = max(0, (now.date() - passage.at.date()).days)
    signals = {
        "text": score,
        "importance": IMPORTANCE.get(passage.importance, 1.0),
        "speaker": 1.0 + SPEAKER_GAIN * _is_named(passage.speaker, named),
        "role": ROLE.get(passage.role, 0.7),
        "status": STATUS.get(Status(passage.status), 1.0),
        "recency": 1.0 + NEWEST_GAIN * 0.5 ** (age / HALF_LIFE_DAYS),
        "references": 1.0 + REFERENCE_GAIN * math.log1p(passage.references),
    }
    return Ranked(passage, math.prod(signals.values()), signals)


def _is_named(speaker: str, named: Container[str]) -> bool:
    return any(name in named for name in _names(speaker))


@lru_cache(maxsize=4096)
def _names(speaker: str) -> tuple[str, ...]:
    return tuple(token for token in content_tokens(speaker) if len(token) > 1)


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
    place = _place(new)
    known = next((one for one in placed.values() if _place(one.passage) == place), None)
    best = max(old.score, known.score if known else 0.0)
    if known is None or known.score <= old.score:
        known = replace(
            known or Ranked(new, best), score=best, signals={**old.signals, "replaces": best}
        )
        placed[id(known.passage)] = known
    placed[id(old.passage)] = replace(old, score=min(old.score, known.score * JUST_BEHIND))
