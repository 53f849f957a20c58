"""What a card would be had a dream left it alone, with all that came after kept. Pure."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from noctuary.dream.gate import tidy_title
from noctuary.memory.card import Card, Status, source_links

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctuary.memory.card import Receipt

_WORDS = (
    *("type", "title", "statement", "importance", "confidence", "status", "trust"),
    *("user", "project", "origin", "valid_from", "valid_until"),
)
_LISTS = ("aliases", "tags", "supersedes", "superseded_by")
_NAMES = {"valid_from": "valid-from", "valid_until": "valid-until"}
_BOOKKEEPING = frozenset(
    {"updated", "last_referenced", "references", "seen", "history", "superseded_by", "supersedes"}
    | {"valid_until", "valid_from", "status", "extra"}
)


@dataclass(frozen=True, slots=True)
class PutBack:
    """A card without a change, and the names of what was changed again since and so was left."""

    card: Card
    left: tuple[str, ...] = ()


def put_back(before: Card, after: Card, now: Card) -> PutBack:
    """Take back the change from `before` to `after` on the card as it is `now`."""
    changes: dict[str, Any] = {}
    left: list[str] = []
    for name in _WORDS:
        old, new, here = (getattr(card, name) for card in (before, after, now))
        if old == new or here == old:
            continue
        if here == new:
            changes[name] = old
        else:
            left.append(_NAMES.get(name, name))
    for name in _LISTS:
        changes[name] = _list_back(*(getattr(card, name) for card in (before, after, now)))
    evidence, replaced = _receipts_back(before, after, now)
    changes |= {"evidence": evidence, "replaced": replaced}
    changes["seen"] = max(1, now.seen - (after.seen - before.seen))
    if evidence != now.evidence and evidence:
        changes["source"] = source_links(evidence)
    return PutBack(replace(now, **changes), tuple(left))


def _list_back(
    before: tuple[str, ...], after: tuple[str, ...], now: tuple[str, ...]
) -> tuple[str, ...]:
    kept = [item for item in now if item in before or item not in after]
    return tuple(dict.fromkeys((*kept, *(item for item in before if item not in after))))


def _receipts_back(
    before: Card, after: Card, now: Card
) -> tuple[tuple[Receipt, ...], tuple[Receipt, ...]]:
    held, made = _keys(before.evidence), _keys(after.evidence)
    added = made - held - _keys(before.replaced)
    again = [item for item in before.evidence if item.key not in made | _keys(now.evidence)]
    stale = {item.key for item in again} & _keys(after.replaced)
    was, became = ({item.key: item for item in card.evidence} for card in (before, after))
    evidence = [
        was.get(item.key, item) if became.get(item.key) == item else item
        for item in now.evidence
        if item.key not in added
    ] + again
    replaced = [item for item in now.replaced if item.key not in added | stale]
    if again:
        evidence.sort(key=lambda item: (item.at, item.entry))
    return tuple(evidence), tuple(replaced)


def _keys(receipts: Iterable[Receipt]) -> set[tuple[str, str, str]]:
    return {item.key for item in receipts}


def unmade(after: Card, now: Card) -> Card | None:
    """What is left of a card that a dream made; None when later dreams built on it.

    What was told later on a digest stays there, under other words.
    """
    if not _is_touched(after, now):
        return replace(now, status=Status.ARCHIVED)
    made = _keys((*after.evidence, *after.replaced))
    rest = tuple(item for item in now.evidence if item.key not in made)
    if not (rest and now.is_digest):
        return None
    replaced = tuple(item for item in now.replaced if item.key not in made)
    return replace(now.with_evidence(rest), title=tidy_title(rest[0].quote), replaced=replaced)


def _is_touched(after: Card, now: Card) -> bool:
    """Whether more than bookkeeping was done to a card since."""
    names = [field.name for field in fields(Card) if field.name not in _BOOKKEEPING]
    return any(getattr(after, name) != getattr(now, name) for name in names)


def learnt(before: Card | None, after: Card) -> Card:
    """The card with only what a change put on it: the words not to learn again."""
    if before is None:
        return after
    known = _keys((*before.evidence, *before.replaced))
    return replace(
        after,
        statement="" if after.statement == before.statement else after.statement,
        evidence=tuple(item for item in after.evidence if item.key not in known),
        replaced=(),
    )
