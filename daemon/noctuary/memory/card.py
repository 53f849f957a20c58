"""A card: one experience worth keeping, with the receipts it rests on.

Pure values. `cardtext` turns them to Markdown and back.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from noctuary.memory.entry import Role, Trust, lowest_trust, turn_link

if TYPE_CHECKING:
    from datetime import date, datetime


class CardType(StrEnum):
    """Kinds of knowledge; each has a folder of its own under `cards/`."""

    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    DECISION = "decision"
    FACT = "fact"
    PATTERN = "pattern"
    LESSON = "lesson"
    TASK = "task"

    @property
    def folder(self) -> str:
        """Name of the folder under `cards/`."""
        return f"{self}s"


ENTRY = "entry"
"""Stands where a type is asked for, for what lies in short-term memory."""
INSTRUCTION_LIKE = frozenset({CardType.PREFERENCE, CardType.CONSTRAINT, CardType.PATTERN})
"""Types that steer an agent: only a person's own words may make them active."""


class Status(StrEnum):
    """Where a card stands in its life."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    DISPUTED = "disputed"
    QUARANTINED = "quarantined"
    OPEN = "open"
    DONE = "done"


LIVE = frozenset({Status.ACTIVE, Status.OPEN, Status.DISPUTED})
"""Statuses under which a card speaks for the present."""


class Origin(StrEnum):
    """Who made the card."""

    DREAM = "dream"
    HUMAN = "human"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Receipt:
    """A verbatim quote with the turn it came from.

    Attributes:
        quote: Words exactly as they stand in the entry.
        gloss: What the quote's relative dates mean, `yesterday = 7 May 2023`; empty if it has none.
        speaker: Who said it, if not the owner of the vault.
        replaced: Day on which newer knowledge took this line's place; None while it holds.
        replaced_by: Link to the turn that replaced it.
        disputed: Day on which the contrary was said; None while nothing speaks against it.
        disputed_by: Link to the turn that says the contrary.
    """

    episode: str
    entry: str
    role: Role
    at: datetime
    quote: str
    speaker: str = ""
    gloss: str = ""
    replaced: date | None = None
    replaced_by: str = ""
    disputed: date | None = None
    disputed_by: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two receipts the same one."""
        return (self.episode, self.entry, self.quote)

    @property
    def mark(self) -> str:
        """By which the receipt is known again without its words."""
        basis = "\n".join(self.key).encode("utf-8", "surrogatepass")
        return hashlib.sha256(basis).hexdigest()[:12]

    @property
    def link(self) -> str:
        """Wikilink to the very turn."""
        return turn_link(self.episode, self.entry)


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One dated line about what a dream or a person did to the card."""

    on: date
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """One experience.

    A card has a `statement` of its own, or is a digest: then `statement` is empty and the
    receipts, in order of time, are its content.

    Attributes:
        importance: 1 (noise) to 5 (must never be lost).
        confidence: 0 to 1.
        source: Wikilinks, unquoted; the very turns, or the episodes where there are many.
        references: How often it was recalled.
        seen: How often the same thing was said.
        evidence: Receipts that hold.
        replaced: Receipts that newer knowledge took the place of.
        extra: Keys that a person added to the frontmatter, kept as they are.
    """

    id: str
    type: CardType
    title: str
    statement: str
    importance: int
    confidence: float
    status: Status
    trust: Trust
    created: datetime
    updated: datetime
    last_referenced: date
    evidence: tuple[Receipt, ...] = ()
    replaced: tuple[Receipt, ...] = ()
    history: tuple[HistoryLine, ...] = ()
    user: str = ""
    project: str = ""
    source: tuple[str, ...] = ()
    references: int = 0
    seen: int = 1
    origin: Origin = Origin.DREAM
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    valid_from: date | None = None
    valid_until: date | None = None
    extra: dict[str, object] = field(default_factory=dict)

    @property
    def is_digest(self) -> bool:
        """True when the receipts themselves are the content."""
        return not self.statement

    @property
    def topics(self) -> tuple[str, ...]:
        """Names behind the `topic/` tags."""
        return tuple(tag.removeprefix("topic/") for tag in self.tags if tag.startswith("topic/"))

    def with_evidence(self, evidence: tuple[Receipt, ...]) -> Card:
        """The same card on other receipts; trust and source follow from them."""
        return replace(
            self,
            evidence=evidence,
            trust=lowest_trust([receipt.role for receipt in evidence]) if evidence else self.trust,
            source=source_links(evidence) if evidence else self.source,
        )


MAX_TURN_SOURCES = 3
"""With more receipts than this, `source` names the episodes; each receipt still names its turn."""


def source_links(evidence: tuple[Receipt, ...]) -> tuple[str, ...]:
    """What goes into `source`: unique links, in the order of the receipts."""
    turns = list(dict.fromkeys(receipt.link for receipt in evidence))
    if len(turns) <= MAX_TURN_SOURCES:
        return tuple(turns)
    return tuple(dict.fromkeys(f"[[{receipt.episode}]]" for receipt in evidence))
