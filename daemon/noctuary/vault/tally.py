"""What a comparison of the ledger with the notes shows: cards that are gone, ids that are double."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from noctuary.errors import Problem
from noctuary.memory.ranges import AbsorbedRange, covered, to_ranges
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from noctuary.memory.episode import Episode
    from noctuary.vault.state import Ledger

MANY = 50
SHARE = 0.2
FEW = 5


class Named(Protocol):
    """A card that has been found somewhere."""

    @property
    def path(self) -> str:
        """Relative to the vault, with `/`."""
        ...

    @property
    def id(self) -> str:
        """The card's id."""
        ...


def missing_cards(ledger: Ledger, cards: Iterable[Named]) -> tuple[str, ...]:
    """Cards of the ledger that are neither in their place nor, by their id, anywhere else."""
    listed = list(cards)
    paths = {item.path for item in listed}
    ids = {item.id for item in listed}
    return tuple(
        path
        for path, item in ledger.files.items()
        if item.card and path not in paths and item.card not in ids
    )


def is_mass(known: int, gone: int) -> bool:
    """Whether so many are gone that a half synced vault is likelier than a person.

    More than 50, or more than a fifth of them, but never a handful.
    """
    return gone > MANY or (gone > FEW and gone > SHARE * known)


def twins(cards: Iterable[Named]) -> Iterator[Problem]:
    """A card id that two notes have."""
    seen: dict[str, str] = {}
    for item in cards:
        other = seen.setdefault(item.id, item.path)
        if other != item.path:
            what = phrase(
                "Has the same id {id} as {other}: delete one, or give it another id.",
                id=item.id,
                other=other,
            )
            yield Problem(item.path, what)


def without(
    ranges: Mapping[str, Sequence[AbsorbedRange]],
    reopened: Mapping[str, set[str]],
    episodes: Iterable[Episode],
) -> dict[str, Sequence[AbsorbedRange]]:
    """The ranges less the entries whose card could not be written."""
    kept = dict(ranges)
    for episode in episodes:
        again = reopened.get(episode.name)
        if again and episode.name in kept:
            absorbed = covered(episode.order, kept[episode.name]) - again
            kept[episode.name] = to_ranges(episode.name, episode.order, absorbed)
    return kept
