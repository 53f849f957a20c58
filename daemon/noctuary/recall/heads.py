"""What waking needs to know of a card without reading it again: its head. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.entry import Role
from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from noctuary.memory.card import Card, Receipt

MOST_RULES = 40
"""Lines that one digest of rules may bring; the rest is found by recall."""


class Head(NamedTuple):
    """A card in short; a tuple of plain values, since waking unpacks those of all cards.

    Attributes:
        on: Ordinal of the day of the newest receipt.
        lines: What it says, one thought each: all rules of a rule card, else the line that tells most.
        until: Ordinal of the day from which it no longer holds; None while it does.
    """

    id: str
    type: str
    title: str
    status: str
    importance: int
    on: int
    lines: Sequence[str]
    topics: Sequence[str]
    user: str
    project: str
    until: int | None
    trust: str


def head_of(card: Card) -> Head:
    """The head of a card."""
    newest = max((receipt.at for receipt in card.evidence), default=card.created)
    return Head(
        id=card.id,
        type=card.type,
        title=card.title,
        status=card.status,
        importance=card.importance,
        on=newest.toordinal(),
        lines=_lines(card),
        topics=card.topics,
        user=card.user,
        project=card.project,
        until=card.valid_until.toordinal() if card.valid_until else None,
        trust=card.trust,
    )


def _lines(card: Card) -> tuple[str, ...]:
    if card.statement:
        return (_one_line(card.statement),)
    from noctuary.memory.dates import resolved

    lines = card.evidence[-MOST_RULES:]
    if lines and CardType(card.type) not in INSTRUCTION_LIKE:
        lines = (max(lines, key=_tells),)
    shown = [_one_line(resolved(receipt.quote, receipt.at)) for receipt in lines]
    return tuple(dict.fromkeys(shown)) or (card.title,)


def _tells(receipt: Receipt) -> tuple[bool, int, datetime]:
    """How much a line tells: what a person told first, then how many values and names it has."""
    values = len(_VALUE.findall(receipt.quote[:MOST_READ]))
    long = min(len(receipt.quote) * (2 if not receipt.quote.isascii() else 1) // LONG_ENOUGH, 1)
    told = receipt.role is Role.USER and not _ASKS.match(receipt.quote)
    return told, min(values, ENOUGH) + long, receipt.at


_VALUE = lazily(r"\d[\d.,:/-]*|(?<=[a-z,] )[A-Z]\w+|《[^》]+》|“[^”]+”")
_ASKS = lazily(
    r"(?:please|can you|could you|would you|help me|请|麻烦|帮我|帮忙|查一下|看一下)|.*[?？]\s*$",
    re.IGNORECASE,
)
"""A line that asked for something at its moment says little later."""
MOST_READ, LONG_ENOUGH, ENOUGH = 300, 30, 3


def _one_line(text: str) -> str:
    return " ".join(text.split())
