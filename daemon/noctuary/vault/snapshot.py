"""The vault at one moment, as those who think about it are given it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.vault.rejected import Rejected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from noctuary.errors import Problem
    from noctuary.memory.episode import Episode
    from noctuary.memory.ranges import AbsorbedRange
    from noctuary.vault.reading import CardFile
    from noctuary.vault.shelf import Shelved


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The vault at one moment.

    Attributes:
        cards: Cards in use, waiting in the inbox, and retired; see `CardFile`.
        absorbed: Runs of entries that dreams have absorbed, by episode.
        missing: Paths of cards that the program wrote and that are gone now.
        rejected: Answers what a person threw away.
        retired: Cards of the archive in short, where `cards` leaves them out; `own` are the ids
            of those among them that a person made their own.
        sizes: Bytes of the files of `cards`, by id.
        words: Telling words of receipts by their keys, as far as they are known already.
    """

    cards: tuple[CardFile, ...] = ()
    episodes: tuple[Episode, ...] = ()
    problems: tuple[Problem, ...] = ()
    absorbed: Mapping[str, Sequence[AbsorbedRange]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    rejected: Rejected = field(default_factory=Rejected)
    retired: tuple[Shelved, ...] = ()
    own: frozenset[str] = frozenset()
    sizes: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
