"""What leaves for good at a deep dream: cards that the archive has no room for, lists of old reports.

All of it goes by way of the graveyard, stands in the report, and stays in git where there is git.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from noctuary.dream.forget import over_capacity
from noctuary.memory import document
from noctuary.memory.document import PatchRefused
from noctuary.memory.report import Change, ChangeKind, shortened
from noctuary.tongue import phrase
from noctuary.vault.files import digest_of
from noctuary.vault.layout import note_name
from noctuary.vault.notes import Notes
from noctuary.vault.reading import Reader
from noctuary.vault.state import read_ledger
from noctuary.vault.store import Write

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from noctuary.config import Settings
    from noctuary.dream.brain import Brain
    from noctuary.memory.document import Value
    from noctuary.vault.shelf import Shelved
    from noctuary.vault.snapshot import Snapshot
    from noctuary.vault.store import Store

FEWEST = 20
"""So many cards may leave the archive in one dream, however few there are."""


@dataclass(slots=True)
class Leaving:
    """Collects what leaves: the writes that do it, and the changes in words."""

    store: Store
    settings: Settings
    now: datetime
    writes: list[Write] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    @property
    def _notes(self) -> Notes:
        return Notes(self.store.disk)

    # -- the archive --------------------------------------------------------------------------

    def cards(self, brain: Brain, snapshot: Snapshot) -> None:
        """The weakest cards leave a full archive; nothing that stays names them any more."""
        going = self._going(snapshot)
        links = {f"[[{note_name(item.path)}]]" for item in going}
        for item in going:
            self.writes.append(Write(item.path, None, item.digest))
            why = phrase("forgotten for good: the archive is full, and this was its weakest memory")
            name = note_name(item.path)
            self.changes.append(Change(ChangeKind.FORGOTTEN, name, item.card.title, why))
        for card in list(brain.cards.values()):
            if links and links & {*card.supersedes, *card.superseded_by}:
                supersedes, superseded_by = _without(links, card.supersedes, card.superseded_by)
                brain.put(replace(card, supersedes=supersedes, superseded_by=superseded_by))
        gone = {item.id for item in going}
        self.writes += [
            write
            for item in snapshot.retired
            if links and item.id not in gone
            for write in self._unlinked(item, links)
        ]

    def _going(self, snapshot: Snapshot) -> list[Shelved]:
        room = int(1_000_000 * self.settings.retention.max_archive_mb)
        room -= sum(item.size for item in snapshot.retired if item.id in snapshot.own)
        theirs = {item.id: item for item in snapshot.retired if item.id not in snapshot.own}
        if sum(item.size for item in theirs.values()) <= room:
            return []
        sized = [(item.card, item.size) for item in theirs.values()]
        most = max(FEWEST, int(len(theirs) * self.settings.dream.max_changed_share))
        weakest = over_capacity(sized, self.now.date(), len(sized), room)
        return [theirs[card] for card in weakest[:most]]

    def _unlinked(self, item: Shelved, links: set[str]) -> Iterator[Write]:
        card = item.card
        if not links & {*card.supersedes, *card.superseded_by}:
            return
        held = {"supersedes": card.supersedes, "superseded-by": card.superseded_by}
        kept = dict(zip(held, _without(links, *held.values()), strict=True))
        wanted: dict[str, Value] = {key: list(kept[key]) for key in held if kept[key] != held[key]}
        raw = self._notes.read(item.path) or b""
        whole = Reader(self.store.root).card(item.path, raw)
        try:
            data = document.patch(raw, wanted)
        except PatchRefused:
            return
        if whole is not None:
            yield Write(item.path, data, item.digest, card=item.id, marks=self.store.marks(whole))

    # -- reports ------------------------------------------------------------------------------

    def reports(self, episodes: Collection[str]) -> None:
        """Old reports keep their numbers and their summary, and what they absorbed of `episodes`."""
        ledger = read_ledger(self.store.disk)
        for path in self._notes.paths("dreams"):
            day = _day(path)
            if ledger is None or day is None or not self._is_old(day):
                continue
            raw = self._notes.read(path) or b""
            if ledger.by_person(path, digest_of(raw)):
                continue
            data = shortened(raw, episodes)
            if data != raw:
                self.writes.append(Write(path, data, digest_of(raw)))

    def _is_old(self, day: date) -> bool:
        return (self.now.date() - day).days >= self.settings.retention.report_days


def _without(links: set[str], *lists: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (tuple(link for link in listed if link not in links) for listed in lists)


def _day(path: str) -> date | None:
    try:
        return date.fromisoformat(note_name(path)[:10])
    except ValueError:
        return None
