"""What a distiller hands back: scores, candidates for cards, and how new lines relate to old ones.

Pure values, shared by every distiller and by the dream around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from noctuary.memory.card import Card, CardType, Receipt
    from noctuary.memory.entry import Entry


@dataclass(frozen=True, slots=True)
class Anchor:
    """What scores are measured against: the person's own page `preferences.md`, by section."""

    goal: str = ""
    profile: str = ""
    stage: str = ""
    preferences: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """How much an entry matters, 1 (noise) to 5 (keep in detail), and why.

    Attributes:
        signals: What gave the number, strongest first, such as `("states a preference", 2.0)`.
        sure: False when a larger model should look again.
    """

    value: int
    signals: tuple[tuple[str, float], ...] = ()
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry with its score."""

    entry: Entry
    score: Score


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of an entry, verbatim, that a candidate rests on."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may become a card, or a part of one.

    Attributes:
        statement: One thought that can be understood alone, relative dates resolved in brackets;
            empty for a digest, whose quotes are its content.
        quotes: At least one; for a digest one per line, in order of time.
        seen: How many times the same thing was said among the entries at hand.
        reason: Why, where it is a decision.
        closes: True when it reports that a task is finished.
    """

    type: CardType
    title: str
    statement: str
    quotes: tuple[Quote, ...]
    importance: int
    confidence: float = 0.8
    topics: tuple[str, ...] = ()
    reason: str = ""
    user: str = ""
    project: str = ""
    seen: int = 1
    valid_from: date | None = None
    valid_until: date | None = None
    closes: bool = False


class RelationKind(StrEnum):
    """How a new line stands to a known one.

    `OUTDATED` is a line that comes late: what it says was replaced by the known, later one.
    """

    DUPLICATE = "duplicate"
    REFINES = "refines"
    SUPERSEDES = "supersedes"
    RETRACTS = "retracts"
    DISPUTES = "disputes"
    OUTDATED = "outdated"
    DISTINCT = "distinct"


@dataclass(frozen=True, slots=True)
class Known:
    """A line that memory already holds: a receipt and the card it stands on."""

    card: Card
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Rest:
    """A part of a line that still holds when the line as a whole no longer does.

    Attributes:
        text: Verbatim.
        about: Whom or what it speaks of, where only the part that fell says so.
    """

    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """How a quote of a candidate relates to one known line, with the reason in words.

    Attributes:
        rest: What still holds of the line that steps aside (the known one; of an outdated quote
            the quote itself); empty when nothing of it does.
    """

    kind: RelationKind
    known: Known | None = None
    why: str = ""
    rest: tuple[Rest, ...] = ()


DISTINCT = Relation(RelationKind.DISTINCT)


@dataclass(frozen=True, slots=True)
class Usage:
    """What thinking has cost so far, failed calls included. Money in the profile's currency."""

    calls: int = 0
    failed_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
