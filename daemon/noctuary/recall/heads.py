"""What waking needs to know of a card without reading it again: its head. Pure."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING

from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.dates import resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.memory.card import Card

MOST_RULES = 40
"""Lines that one digest of rules may bring; the rest is found by recall."""


@dataclass(frozen=True, slots=True)
class Head:
    """A card in short.

    Attributes:
        lines: What it says, one thought each: all rules of a rule card, else the newest line.
        on: Day of the newest receipt.
        size: How many receipts hold.
    """

    id: str
    path: str
    type: str
    title: str
    status: str
    importance: int
    trust: str
    on: date
    lines: tuple[str, ...]
    topics: tuple[str, ...]
    user: str
    project: str
    references: int
    size: int
    until: date | None


def head_of(card: Card, path: str) -> Head:
    """The head of a card that lies at `path`."""
    newest = max((receipt.at for receipt in card.evidence), default=card.created)
    return Head(
        id=card.id,
        path=path,
        type=card.type,
        title=card.title,
        status=card.status,
        importance=card.importance,
        trust=card.trust,
        on=newest.date(),
        lines=_lines(card),
        topics=card.topics,
        user=card.user,
        project=card.project,
        references=card.references,
        size=len(card.evidence),
        until=card.valid_until,
    )


def _lines(card: Card) -> tuple[str, ...]:
    if card.statement:
        return (_one_line(card.statement),)
    shown = [_one_line(resolved(receipt.quote, receipt.at)) for receipt in card.evidence]
    kept = shown[-MOST_RULES:] if CardType(card.type) in INSTRUCTION_LIKE else shown[-1:]
    return tuple(dict.fromkeys(kept)) or (card.title,)


def _one_line(text: str) -> str:
    return " ".join(text.split())


_NAMES = tuple(one.name for one in fields(Head))
_TUPLES = (_NAMES.index("lines"), _NAMES.index("topics"))
_DAYS = (_NAMES.index("on"), _NAMES.index("until"))


def pack(head: Head) -> list[object]:
    """A head as plain JSON values."""
    return [_plain(getattr(head, name)) for name in _NAMES]


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def unpack(values: Sequence[object]) -> Head:
    """The head that was packed."""
    found = list(values)
    for place in _TUPLES:
        found[place] = tuple(found[place])  # type: ignore[arg-type]
    for place in _DAYS:
        found[place] = date.fromisoformat(str(found[place])) if found[place] else None
    return Head(*found)  # type: ignore[arg-type]
