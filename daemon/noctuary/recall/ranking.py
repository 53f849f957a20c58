"""Puts matches in order: text match, then what is known about the card behind each line. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.memory.card import Status
from noctuary.recall.match import term_key, worth
from noctuary.recall.passages import session_names

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable, Iterable, Sequence
    from datetime import date, datetime

    from noctuary.recall.match import Match
    from noctuary.recall.passages import Passage


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is restricted to; empty means everything.

    A project or user also takes what belongs to none; a session only what was said in it.

    Attributes:
        session: As its note is named, see `session_part`.
        before: What newer knowledge took the place of is shown too.
    """

    types: frozenset[str] = frozenset()
    project: str = ""
    user: str = ""
    session: str = ""
    archived: bool = False
    as_of: date | None = None
    before: bool = False

    def admit(self, passage: Passage) -> bool:
        """True when the passage may be shown."""
        return (
            (not self.types or passage.type in self.types)
            and passage.project in {"", self.project or passage.project}
            and passage.user in {"", self.user or passage.user}
            and (not self.session or self.session in session_names(passage.link))
            and self._in_time(passage)
        )

    def scopes(self) -> list[list[str]]:
        """Groups of terms, of each of which a passage must have one."""
        groups = [
            [f"type:{name}" for name in sorted(self.types)],
            [f"project:{self.project}", "project:"] if self.project else [],
            [f"user:{self.user}", "user:"] if self.user else [],
            [f"session:{self.session}"] if self.session else [],
        ]
        return [group for group in groups if group]

    def test(self) -> Callable[[Match], bool]:
        """`admit` for matches; without any restriction no passage is read for it."""
        if self == NO_FILTERS:
            return lambda match: match.is_live
        return lambda match: self.admit(match.passage)

    def _in_time(self, passage: Passage) -> bool:
        if passage.status == Status.QUARANTINED:
            return False
        if self.as_of is not None:
            return holds_on(passage, self.as_of)
        return self.archived or passage.is_live or (self.before and passage.was_true)


def holds_on(passage: Passage, day: date) -> bool:
    """True when the line was said by that day and not yet replaced on it."""
    since = passage.since or passage.at.date()
    return min(since, passage.at.date()) <= day and (passage.until is None or day < passage.until)


NO_FILTERS = Filters()


@dataclass(slots=True)
class Ranked:
    """A match with its place in the order.

    Attributes:
        speaker: Factor for a speaker whom the question names.
        recency: Factor for what was said lately.
        replaces: Score taken over from a line that this one took the place of; 0 if none.
    """

    match: Match
    score: float
    speaker: float = 1.0
    recency: float = 1.0
    replaces: float = 0.0

    @property
    def passage(self) -> Passage:
        """The line itself."""
        return self.match.passage

    @property
    def signals(self) -> dict[str, float]:
        """Every signal that put it there, by name."""
        first = {"replaces": self.replaces} if self.replaces else self._matching
        own = {"speaker": self.speaker, "recency": self.recency}
        return first | own | worth(self.passage)

    @property
    def _matching(self) -> dict[str, float]:
        meant = self.match.meant
        text = {"text": self.match.score - meant}
        return text | {"semantic": meant} if meant else text


SPEAKER_GAIN = 1.0
"""How much more a line counts when the question names who said it."""
PART_LIFT = 1.0
"""How far the parts of a question are made equal: 0 not at all, 1 wholly."""
WHOLE_SHARE = 1.0
"""What a match of the whole question adds to that of its best part: as much again."""
MEANING_SHARE = {"card": 0.6, "entry": 0.15}
"""What the line nearest in meaning counts beside the one whose words match best. Lines of cards
can be understood alone; what a turn means often hangs on those around it."""
NEWEST_GAIN = 0.08
"""How much more a line of today counts than one of long ago."""
HALF_LIFE_DAYS = 90.0
JUST_BEHIND = 0.999


def rank(matches: Iterable[Match], named: Iterable[str], *, now: datetime) -> list[Ranked]:
    """Best first; `named` are the terms of the question."""
    found, today = list(matches), now.toordinal()
    speaks = any(match.speaker for match in found)
    speakers = {term_key(term) for term in named} if speaks else set()
    return in_order([_weigh(match, speakers, today) for match in found])


def _weigh(match: Match, speakers: Container[int], today: int) -> Ranked:
    speaker = 1.0 + SPEAKER_GAIN if match.speaker in speakers else 1.0
    recency = 1.0 + NEWEST_GAIN * 0.5 ** (max(0, today - match.day) / HALF_LIFE_DAYS)
    return Ranked(match, match.score * match.prior * speaker * recency, speaker, recency)


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first, newer first among equals."""
    return sorted(ranked, key=lambda one: (-one.score, -one.match.day))


def joined(whole: Sequence[Match], parts: Sequence[Sequence[Match]]) -> list[Match]:
    """The matches of a question that asks several things: each part gets its share of the top."""
    parts = [found for found in parts if found and found[0].score > 0]
    if not parts:
        return list(whole)
    top = max(found[0].score for found in parts)
    matches = {match.key: match for match in whole}
    shares = {match.key: WHOLE_SHARE * match.score for match in whole}
    best: dict[Hashable, float] = {}
    for found in parts:
        lift = (top / found[0].score) ** PART_LIFT
        for match in found:
            matches.setdefault(match.key, match)
            best[match.key] = max(best.get(match.key, 0.0), match.score * lift)
    return [
        match.scored(shares.get(key, 0.0) + best.get(key, 0.0)) for key, match in matches.items()
    ]


def blended(matches: Sequence[Match], near: Iterable[Match]) -> list[Match]:
    """Matches by their words and lines near in meaning as one; `near` are scored 0 to 1."""
    top = max((match.score for match in matches), default=0.0) or 1.0
    found = {match.key: match for match in matches}
    for match in near:
        by_words = found[match.key].score if match.key in found else 0.0
        meant = MEANING_SHARE[match.passage.kind] * top * match.score
        found[match.key] = match.scored(by_words + meant, meant)
    return list(found.values())


def newest_first(
    ranked: Sequence[Ranked], successors: Callable[[str], Sequence[Match]]
) -> list[Ranked]:
    """Lets what replaced a line stand in front of it.

    Whatever replaced a line that matches takes over its score when that is better, even if it
    does not match itself; the replaced line comes right behind.
    """
    old = [one for one in ranked if one.match.has_successor]
    if not old:
        return list(ranked)
    placed = {one.match.key: one for one in ranked}
    for one in old:
        for new in successors(one.passage.successor):
            _place_before(placed, new, one)
    return in_order(placed.values())


def _place_before(placed: dict[Hashable, Ranked], new: Match, old: Ranked) -> None:
    known = placed.get(new.key)
    if known is None or known.score <= old.score:
        known = Ranked(new, old.score, replaces=old.score)
        placed[new.key] = known
    placed[old.match.key] = replace(old, score=min(old.score, known.score * JUST_BEHIND))
