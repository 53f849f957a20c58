"""A passage that matches, with the few numbers that put it in order; the rest is read on demand."""

from __future__ import annotations

import math
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from noctuary.memory.card import Status
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from noctuary.recall.passages import Passage

IMPORTANCE = {1: 0.7, 2: 0.85, 3: 1.0, 4: 1.08, 5: 1.15}
ROLE = {"user": 1.0, "assistant": 0.6, "task": 0.8, "tool": 0.5, "file": 0.6, "web": 0.5}
STATUS = {
    Status.ACTIVE: 1.0,
    Status.OPEN: 1.0,
    Status.DISPUTED: 0.95,
    Status.DONE: 0.85,
    Status.EXPIRED: 0.5,
    Status.SUPERSEDED: 0.5,
    Status.ARCHIVED: 0.6,
}
REFERENCE_GAIN = 0.03


def worth(passage: Passage) -> dict[str, float]:
    """What is known about a line whatever is asked; the product counts."""
    return _worth(passage.importance, passage.role, passage.status, passage.references)


def _worth(importance: int, role: str, status: str, references: int) -> dict[str, float]:
    return {
        "importance": IMPORTANCE.get(importance, 1.0),
        "role": ROLE.get(role, 0.7),
        "status": STATUS.get(Status(status), 1.0),
        "references": 1.0 + REFERENCE_GAIN * math.log1p(references),
    }


@lru_cache(maxsize=4096)
def _prior(importance: int, role: str, status: str, references: int) -> float:
    return math.prod(_worth(importance, role, status, references).values())


@lru_cache(maxsize=4096)
def speaker_key(name: str) -> int:
    """A number for the first name of who speaks; 0 when nobody is named."""
    names = [token for token in content_tokens(name) if len(token) > 1]
    return term_key(names[0]) if names else 0


def term_key(term: str) -> int:
    """The number of a term, as `speaker_key` gives it."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass")) or 1


class Match:
    """A place in the index and its text score.

    Attributes:
        key: The same for the same passage within one search.
        score: How well the text matches.
        meant: What of it comes from nearness in meaning.
        prior: Product of `worth`.
        day: Ordinal of the day on which it was said.
        speaker: See `speaker_key`.
        has_successor: Something newer is named that took its place.
        is_live: As the passage says.
    """

    __slots__ = (
        "_load", "_passage", "_place", "day", "has_successor", "is_live", "key", "meant", "prior",
        "score", "speaker",
    )  # fmt: skip

    def __init__(
        self,
        key: Hashable,
        score: float,
        numbers: Numbers,
        load: Callable[[Any], Passage],
        place: object = None,
        passage: Passage | None = None,
        meant: float = 0.0,
    ) -> None:
        self.key = key
        self.score = score
        self.meant = meant
        self.prior, self.day, self.speaker, self.has_successor, self.is_live = numbers
        self._load = load
        self._place = place
        self._passage = passage

    @classmethod
    def of(cls, score: float, passage: Passage) -> Match:
        """A match whose passage is at hand already."""
        key = (passage.owner, passage.link, passage.text)
        return cls(key, score, numbers(passage), lambda _: passage, passage=passage)

    @property
    def passage(self) -> Passage:
        """The passage, read at the first use."""
        found = self._passage
        if found is None:
            found = self._passage = self._load(self._place)
        return found

    @property
    def has_words(self) -> bool:
        """True unless it was found by its meaning alone."""
        return not self.meant or self.score > self.meant

    def scored(self, score: float, meant: float = 0.0) -> Match:
        """The same passage with another score."""
        numbers = (self.prior, self.day, self.speaker, self.has_successor, self.is_live)
        return Match(self.key, score, numbers, self._load, self._place, self._passage, meant)


Numbers: TypeAlias = tuple[float, int, int, bool, bool]
"""What puts a passage in order: prior, day, speaker, successor, live."""


def numbers(passage: Passage) -> Numbers:
    """The numbers that the index keeps of a passage."""
    known = (passage.importance, passage.role, passage.status, passage.references)
    return (
        _prior(*known),
        passage.at.toordinal(),
        speaker_key(passage.speaker),
        bool(passage.successor),
        passage.is_live,
    )
