"""What waking needs to know of a card without reading it again: its head. Pure."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from noctuary.memory.card import INSTRUCTION_LIKE, CardType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.memory.card import Card

MOST_RULES = 40
"""Lines that one digest of rules may bring; the rest is found by recall."""


class Head(NamedTuple):
    """A card in short; a tuple, since waking unpacks those of all cards.

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
    from noctuary.memory.dates import resolved

    shown = [_one_line(resolved(receipt.quote, receipt.at)) for receipt in card.evidence]
    kept = shown[-MOST_RULES:] if CardType(card.type) in INSTRUCTION_LIKE else shown[-1:]
    return tuple(dict.fromkeys(kept)) or (card.title,)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def pack(head: Head) -> list[object]:
    """A head as plain JSON values."""
    until = head.until.isoformat() if head.until else ""
    return list(head._replace(on=head.on.isoformat(), until=until))  # type: ignore[arg-type]


def unpack(values: Sequence[Any]) -> Head:
    """The head that was packed."""
    (
        id_, path, type_, title, status, importance, trust, on, lines, topics, user, project,
        references, size, until,
    ) = values  # fmt: skip
    return Head(
        id_, path, type_, title, status, importance, trust, date.fromisoformat(on), tuple(lines),
        tuple(topics), user, project, references, size,
        date.fromisoformat(until) if until else None,
    )  # fmt: skip
