"""Which raw entries a night may forget, and on which day there is something to forget again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.dream.forget import Absorption, Retention, due, next_due, ripe
from noctuary.memory.ranges import AbsorbedRange, covered
from noctuary.vault.forgotten import spent_digest
from noctuary.vault.layout import note_name
from noctuary.vault.noise import NoiseLog

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from noctuary.memory.candidate import Scored
    from noctuary.memory.card import Card
    from noctuary.vault.pulse import Pulse
    from noctuary.vault.snapshot import Snapshot
    from noctuary.vault.store import Store

Ids = Mapping[str, set[str]]


@dataclass(slots=True)
class Forgetting:
    """The raw entries of one night.

    Attributes:
        ranges: What dreams have absorbed of the episodes that are there.
        noise: What of it was noise, by episode.
        absorbed: What tonight's dream absorbs.
        spent: Names of the episodes of which tonight the file goes.
        emptied: Names of those in which there is nothing to forget any more.
    """

    store: Store
    today: date
    retention: Retention
    ranges: Mapping[str, Iterable[AbsorbedRange]]
    noise: dict[str, set[str]]
    absorbed: Ids = field(default_factory=dict)
    spent: dict[str, set[str]] = field(default_factory=dict)
    emptied: frozenset[str] = frozenset()

    @classmethod
    def of(cls, store: Store, pulse: Pulse, today: date, retention: Retention) -> Forgetting:
        """As things are before anything is thought."""
        names = [name for name in map(note_name, pulse.beats) if name in pulse.ranges]
        ranges = {name: pulse.ranges[name] for name in names}
        emptied = frozenset(note_name(path) for path, beat in pulse.beats.items() if not beat.raw)
        noise = NoiseLog(store.disk).read()
        return cls(store, today, retention, ranges, noise, emptied=emptied)

    @property
    def _full(self) -> dict[str, Iterable[AbsorbedRange]]:
        return {name: spans for name, spans in self.ranges.items() if name not in self.emptied}

    @property
    def ripe(self) -> set[str]:
        """Episodes that may hold entries whose time is up."""
        return ripe(self._full, self.noise, self.today, self.retention)

    def add(self, scored: Iterable[Scored]) -> None:
        """What tonight's dream absorbs is forgotten in its turn, at once if so wished."""
        absorbed: dict[str, set[str]] = defaultdict(set)
        for item in scored:
            absorbed[item.entry.episode].add(item.entry.id)
            if item.score.value <= 1:
                self.noise.setdefault(item.entry.episode, set()).add(item.entry.id)
        self.absorbed = dict(absorbed)

    def due(self, snapshot: Snapshot) -> dict[str, set[str]]:
        """Ids to forget now, by episode; none where the whole file goes."""
        return self.spent | due(
            snapshot.episodes, self._standing(snapshot), self.today, self.retention
        )

    def _standing(self, snapshot: Snapshot) -> dict[str, dict[str, Absorption]]:
        """When each entry that still has its text was absorbed, and whether it was noise."""
        found: dict[str, dict[str, Absorption]] = defaultdict(dict)
        for episode in snapshot.episodes:
            there = {entry.id for entry in episode.entries if entry.intact and not entry.by_hand}
            noise = self.noise.get(episode.name, set())
            for span in snapshot.absorbed.get(episode.name, ()):
                for entry in covered(episode.order, [span]) & there:
                    found[episode.name][entry] = Absorption(span.on or self.today, entry in noise)
            for entry in self.absorbed.get(episode.name, set()) & there:
                found[episode.name][entry] = Absorption(self.today, entry in noise)
        return found

    def leave(self, cards: Iterable[Card]) -> None:
        """Episodes go whole in which nothing is left, and that no card quotes."""
        quoted = {one.episode for card in cards for one in (*card.evidence, *card.replaced)}
        left = self.emptied & set(self.ranges) - quoted
        self.spent = {name: set() for name in left if spent_digest(self.store.disk, name)}

    def note(self, purge: Ids) -> None:
        """Remember what is noise, as far as it is not about to be forgotten."""
        here = {*self.ranges, *self.absorbed}
        left = {
            name: ids - purge.get(name, set()) for name, ids in self.noise.items() if name in here
        }
        if left != NoiseLog(self.store.disk).read():
            NoiseLog(self.store.disk).keep(left)
        self.noise = {name: ids for name, ids in left.items() if ids}

    def next_due(self) -> date | None:
        """The first day on which there is something to forget again."""
        fresh = {name: [AbsorbedRange(name, "", "", 0)] for name in self.absorbed}
        ranges = {name: [*spans, *fresh.pop(name, ())] for name, spans in self._full.items()}
        return next_due(ranges | fresh, self.noise, self.today, self.retention)
