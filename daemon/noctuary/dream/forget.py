"""Which raw entries may go, and which cards step back: forgetting by rule, never by accident.

Pure. Raw entries go only after the dream that absorbed them is committed; cards are archived,
never deleted.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from heapq import nlargest
from math import exp
from typing import TYPE_CHECKING

from noctuary.memory.card import Card, CardType, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from noctuary.memory.episode import Episode
    from noctuary.memory.ranges import AbsorbedRange

_HALF_LIFE_DAYS = 60.0
_NEVER_NONE = 0.05
"""Even what was not needed for years weighs something, but less than what was said this month."""
_YOUNG_DAYS = 30
_STEERING = frozenset({CardType.CONSTRAINT, CardType.PREFERENCE, CardType.TASK})
IMPORTANT = 4


class _Place(IntEnum):
    """Which cards stay longest when there are too many; the lowest go first.

    Young are those that have had no time yet to be recalled: their strength says little.
    """

    OVER = 0
    SETTLED = 1
    YOUNG = 2
    STEERING = 3


@dataclass(frozen=True, slots=True)
class Retention:
    """How long raw entries rest after they were absorbed.

    Attributes:
        purge: `grace` (by days), `immediate`, or `never`.
    """

    purge: str = "grace"
    noise_days: int = 7
    entry_days: int = 30


@dataclass(frozen=True, slots=True)
class Absorption:
    """When an entry was absorbed, and whether it was noise."""

    on: date
    noise: bool = False


def due(
    episodes: Iterable[Episode],
    absorbed: Mapping[str, Mapping[str, Absorption]],
    today: date,
    retention: Retention,
) -> dict[str, set[str]]:
    """Ids to purge, by episode. What a person wrote or changed by hand is never among them."""
    if retention.purge == "never":
        return {}
    found: dict[str, set[str]] = defaultdict(set)
    for episode in episodes:
        known = absorbed.get(episode.name, {})
        for entry in episode.entries:
            since = known.get(entry.id)
            if since and entry.intact and not entry.by_hand and _over(since, today, retention):
                found[episode.name].add(entry.id)
    return dict(found)


def ripe(
    ranges: Mapping[str, Iterable[AbsorbedRange]],
    noise: Collection[str],
    today: date,
    retention: Retention,
) -> set[str]:
    """Names of the episodes that may hold entries whose time is up; `noise` those that hold noise."""
    found = set()
    for name, spans in ranges.items():
        for span in spans:
            since = Absorption(span.on or today, name in noise)
            if retention.purge != "never" and _over(since, today, retention):
                found.add(name)
    return found


def next_due(
    ranges: Mapping[str, Iterable[AbsorbedRange]],
    noise: Collection[str],
    today: date,
    retention: Retention,
) -> date | None:
    """The first day after today on which one of these episodes is ripe; None when none ever will."""
    if retention.purge == "never":
        return None
    waits = {
        name: {
            retention.entry_days,
            retention.noise_days if name in noise else retention.entry_days,
        }
        for name in ranges
    }
    days = (
        (span.on or today) + timedelta(days=wait)
        for name, spans in ranges.items()
        for span in spans
        for wait in waits[name]
    )
    return min((day for day in days if day > today), default=None)


def _over(since: Absorption, today: date, retention: Retention) -> bool:
    if retention.purge == "immediate":
        return True
    days = retention.noise_days if since.noise else retention.entry_days
    return today - since.on >= timedelta(days=days)


def strength(card: Card, today: date) -> float:
    """How strongly a card is remembered: importance × recency × references."""
    quiet = max(0, (today - card.last_referenced).days)
    recency = exp(-quiet / _HALF_LIFE_DAYS)
    return (
        card.importance * (_NEVER_NONE + recency) * (1 + 0.2 * min(card.references + card.seen, 20))
    )


def over_capacity(
    sized: Iterable[tuple[Card, int]], today: date, max_cards: int, max_bytes: int
) -> list[str]:
    """Ids of those that go so that cards fit: the expired and superseded first, then the weakest.

    `sized` are cards, each with the bytes of its file.
    """
    cards = list(sized)
    count, size = len(cards), sum(bytes_ for _, bytes_ in cards)
    if count <= max_cards and size <= max_bytes:
        return []
    places = _places([card for card, _ in cards], today, max_cards)
    going: list[str] = []

    def rank(item: tuple[Card, int]) -> tuple[_Place, float, str]:
        card = item[0]
        return (places[card.id], strength(card, today), card.id)

    for card, bytes_ in sorted(cards, key=rank):
        if count <= max_cards and size <= max_bytes:
            break
        going.append(card.id)
        count, size = count - 1, size - bytes_
    return going


def _places(cards: Sequence[Card], today: date, most: int) -> dict[str, _Place]:
    """In which order cards go.

    What steers an agent comes first, but fills half of the memory at most, lest years of rules
    and tasks leave no room for what happens; the newest get half of the rest.
    """

    def worth(card: Card) -> tuple[float, str]:
        return (strength(card, today), card.id)

    places = {card.id: _Place.OVER if _is_over(card) else _Place.SETTLED for card in cards}
    live = [card for card in cards if not _is_over(card)]
    steering = nlargest(most // 2, filter(_steers, live), key=worth)
    places |= {card.id: _Place.STEERING for card in steering}
    rest = (card for card in live if places[card.id] is _Place.SETTLED)
    fresh = (card for card in rest if (today - _newest(card)).days < _YOUNG_DAYS)
    young = nlargest((most - len(steering)) // 2, fresh, key=lambda card: (_newest(card), card.id))
    return places | {card.id: _Place.YOUNG for card in young}


def _is_over(card: Card) -> bool:
    ended = card.status in {Status.EXPIRED, Status.SUPERSEDED, Status.DONE}
    return ended or bool(card.superseded_by)


def _steers(card: Card) -> bool:
    return card.type in _STEERING and card.importance >= IMPORTANT


def _newest(card: Card) -> date:
    return max((receipt.at for receipt in card.evidence), default=card.created).date()


def stale(card: Card, today: date, days: int) -> bool:
    """True for a card that was neither important nor recalled for so many days."""
    if card.status in {Status.SUPERSEDED, Status.EXPIRED, Status.DONE}:
        ended = card.valid_until or card.updated.date()
        return (today - ended).days >= days
    if card.status is not Status.ACTIVE or card.importance >= IMPORTANT:
        return False
    return card.references == 0 and (today - card.last_referenced).days >= days


def expired(card: Card, today: date) -> bool:
    """True for an active card whose time was over before today."""
    return (
        card.status is Status.ACTIVE and card.valid_until is not None and card.valid_until < today
    )
