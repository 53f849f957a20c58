"""Cards as plain values, for what is kept beside the notes so that none is parsed twice. Pure."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from noctuary.memory.card import Card, CardType, HistoryLine, Origin, Receipt, Status
from noctuary.memory.entry import Role, Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

CARD_FIELDS = tuple(one.name for one in fields(Card))
RECEIPT_FIELDS = tuple(one.name for one in fields(Receipt))
_PLACES = {name: place for place, name in enumerate(CARD_FIELDS)}
_ENUMS = {"type": CardType, "status": Status, "trust": Trust, "origin": Origin}
_MOMENTS = ("created", "updated")
_DAYS = ("last_referenced", "valid_from", "valid_until")
_WORDS = ("source", "aliases", "tags", "supersedes", "superseded_by")


def hollow(card: Card) -> Card:
    """The card without its texts: enough to weigh it and to know what it hangs together with."""
    return replace(
        card, statement="", evidence=(), replaced=(), history=(), source=(), aliases=(), extra={}
    )


def to_plain(card: Card) -> list[object]:
    """The card as values that JSON can hold, in the order of its fields."""
    found: dict[str, object] = {name: getattr(card, name) for name in CARD_FIELDS}
    found |= {name: [_receipt(one) for one in getattr(card, name)] for name in _RECEIPTS}
    found["history"] = [[line.on.isoformat(), line.text] for line in card.history]
    for name in (*_MOMENTS, *_DAYS):
        value = found[name]
        found[name] = value.isoformat() if isinstance(value, date) else None
    return list(found.values())


def told_of(values: Sequence[object], name: str) -> str:
    """A field of a card that was made plain, in words."""
    return str(values[_PLACES[name]])


def from_plain(values: Sequence[Any]) -> Card:
    """The card that was made plain. Raises ValueError, TypeError or KeyError for anything else."""
    found = dict(zip(CARD_FIELDS, values, strict=True))
    for name, kind in _ENUMS.items():
        found[name] = kind(found[name])
    for name in _MOMENTS:
        found[name] = datetime.fromisoformat(found[name])
    for name in _DAYS:
        found[name] = date.fromisoformat(found[name]) if found[name] else None
    for name in _WORDS:
        found[name] = tuple(found[name])
    for name in _RECEIPTS:
        found[name] = tuple(map(_receipt_from, found[name]))
    found["history"] = tuple(
        HistoryLine(date.fromisoformat(on), text) for on, text in found["history"]
    )
    return Card(**found)


_RECEIPTS = ("evidence", "replaced")


def _receipt(one: Receipt) -> list[object]:
    replaced = one.replaced.isoformat() if one.replaced else None
    disputed = one.disputed.isoformat() if one.disputed else None
    return [
        one.episode, one.entry, one.role, one.at.isoformat(), one.quote, one.speaker, one.gloss,
        replaced, one.replaced_by, disputed, one.disputed_by,
    ]  # fmt: skip


def _receipt_from(values: Sequence[Any]) -> Receipt:
    episode, entry, role, at, quote, speaker, gloss, replaced, by, disputed, other = values
    return Receipt(
        episode, entry, Role(role), datetime.fromisoformat(at), quote, speaker, gloss,
        _day(replaced), by, _day(disputed), other,
    )  # fmt: skip


def _day(said: str | None) -> date | None:
    return date.fromisoformat(said) if said else None
