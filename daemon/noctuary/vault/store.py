"""The vault as the rest of the program sees it: read, append, apply, recover.

Reading takes no lock. Everything that writes goes through the journal, or appends one block.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.config import HistorySettings
from noctuary.errors import ConflictError, Problem, VaultNotFound
from noctuary.memory.card import Status
from noctuary.memory.ranges import AbsorbedRange, by_episode, ranges_of
from noctuary.resources import cache_folder
from noctuary.tongue import phrase
from noctuary.vault import platform
from noctuary.vault.appending import Appended, Appender
from noctuary.vault.files import disk_errors, refuse_open_folder
from noctuary.vault.graveyard import LATE, Graveyard
from noctuary.vault.ground import Ground, ground_at
from noctuary.vault.history import History
from noctuary.vault.journal import read_journal
from noctuary.vault.lock import episode_lock, vault_lock
from noctuary.vault.pulse import Pulse
from noctuary.vault.reading import CardFile, Reader
from noctuary.vault.rejected import Rejected, card_marks
from noctuary.vault.shelf import Shelf
from noctuary.vault.snapshot import Snapshot
from noctuary.vault.state import DREAM, Ledger, Written, identity, read_ledger, write_ledger
from noctuary.vault.steps import Worker
from noctuary.vault.tally import is_mass, missing_cards, twins, without
from noctuary.vault.transaction import Applied, Transaction, Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from noctuary.memory.card import Card
    from noctuary.memory.entry import Entry
    from noctuary.memory.episode import Episode, EpisodeMeta
    from noctuary.vault.files import Hook
    from noctuary.vault.shelf import Shelved
    from noctuary.vault.survey import Survey

__all__ = ["Appended", "Applied", "CardFile", "Snapshot", "Store", "Write"]

CARD_FOLDERS = ("cards", "inbox", "archive")


@dataclass(frozen=True, slots=True)
class Store(Ground):
    """One vault on disk.

    Attributes:
        settle: Seconds for which a note edited by hand must have been quiet to be touched.
        wait: Seconds to wait for another process to finish writing.
    """

    history: History
    settle: float = 2.0
    wait: float = 5.0
    graveyard_days: int = 30

    @classmethod
    def open(
        cls,
        root: Path,
        *,
        clock: Callable[[], datetime] | None = None,
        history: HistorySettings | None = None,
        hook: Hook | None = None,
        settle: float = 2.0,
        wait: float = 5.0,
        graveyard_days: int = 30,
    ) -> Store:
        """Open the vault at `root`.

        Raises:
            VaultNotFound: There is no `noctuary.toml` in it.
        """
        return cls.on(
            ground_at(root, clock, hook),
            history=history,
            settle=settle,
            wait=wait,
            graveyard_days=graveyard_days,
        )

    @classmethod
    def on(
        cls,
        ground: Ground,
        *,
        history: HistorySettings | None = None,
        settle: float = 2.0,
        wait: float = 5.0,
        graveyard_days: int = 30,
    ) -> Store:
        """The vault that is open already, to be written to as well."""
        git = History(ground.root, history or HistorySettings())
        return cls(ground.disk, ground.clock, git, settle, wait, graveyard_days)

    # -- parts --------------------------------------------------------------------------------

    @property
    def graveyard(self) -> Graveyard:
        """Where displaced and purged bytes rest."""
        return Graveyard(self.disk)

    def marks(self, card: Card) -> tuple[str, ...]:
        """What goes into `Write.marks` for a card."""
        return card_marks(card, identity(self.disk).salt)

    def lock(self, purpose: str) -> AbstractContextManager[None]:
        """Hold the vault for writing; raises VaultBusy when another process does."""
        return vault_lock(self.layout.state, purpose, self.wait)

    # -- reading ------------------------------------------------------------------------------

    def read_cards(self, *folders: str) -> tuple[tuple[CardFile, ...], tuple[Problem, ...]]:
        """Cards below the folders (by default those in use, in the inbox and archived)."""
        reader = Reader(self.root)
        ledger = self._ledger()
        digests = ledger.digests()
        found = [
            CardFile(path, card, digest, _by_person(ledger, digests, path, digest))
            for folder in folders or CARD_FOLDERS
            for path, digest, card in reader.cards(folder)
        ]
        return tuple(found), (*reader.problems, *twins(found))

    def read_episodes(
        self, names: Iterable[str] | None = None
    ) -> tuple[tuple[Episode, ...], tuple[Problem, ...]]:
        """All episodes, or those of these names that exist, in the order of their names."""
        reader = Reader(self.root)
        paths: Iterable[str] = reader.notes("episodes")
        if names is not None:
            paths = [path for path in map(self.layout.episode_path, names) if self._is_file(path)]
        found = [episode for path in paths if (episode := reader.episode(path)) is not None]
        return tuple(found), tuple(reader.problems)

    def read_ranges(self) -> dict[str, list[AbsorbedRange]]:
        """What the dream reports say they absorbed, by episode."""
        from noctuary.memory import document

        reader = Reader(self.root)
        spans: list[AbsorbedRange] = []
        for path in reader.notes("dreams"):
            data = reader.bytes_of(path)
            if data is not None:
                spans.extend(ranges_of(document.read(data.decode("utf-8", "replace")).meta))
        return by_episode(spans)

    def snapshot(self) -> Snapshot:
        """Everything, read from the notes themselves."""
        cards, card_problems = self.read_cards()
        episodes, episode_problems = self.read_episodes()
        ledger = self._ledger()
        missing = self._missing(ledger, cards)
        return Snapshot(
            cards,
            episodes,
            (*card_problems, *episode_problems),
            without(self.read_ranges(), ledger.reopened, episodes),
            missing,
            self._rejected(ledger, cards, missing),
        )

    def pulse(self, survey: Survey | None = None) -> Pulse:
        """Short-term memory in numbers; a survey is brought up to date on the way."""
        return Pulse.taken(self.disk, cache_folder(self.vault_id) / "pulse.json", survey)

    def by_night(self, pulse: Pulse, episodes: Iterable[str], *, cards: bool) -> Snapshot:
        """What a dream starts from, at the cost of what changed since the last one.

        Of the episodes only those at these paths are read; without `cards` none of them.
        """
        reader, ledger = Reader(self.root), self._ledger()
        talk = tuple(told for path in sorted(episodes) if (told := reader.episode(path)))
        absorbed = without(pulse.ranges, ledger.reopened, talk)
        if not cards:
            return Snapshot((), talk, tuple(reader.problems), absorbed)
        by_folder = self.shelved(reader)
        retired = by_folder.pop("archive")
        here = [one for cards in by_folder.values() for one in cards]
        digests = ledger.digests()
        own = {
            one.path
            for one in (*here, *retired)
            if _by_person(ledger, digests, one.path, one.digest)
        }
        found = tuple(CardFile(one.path, one.card, one.digest, one.path in own) for one in here)
        missing = self._missing(ledger, (*here, *retired))
        return Snapshot(
            found,
            talk,
            (*reader.problems, *twins((*here, *retired))),
            absorbed,
            missing,
            self._rejected(ledger, found, missing),
            retired=tuple(retired),
            own=frozenset(one.id for one in retired if one.path in own),
            sizes={one.id: one.size for one in here},
            words={key: words for one in here for key, words in one.known_words()},
        )

    def shelved(self, reader: Reader) -> dict[str, list[Shelved]]:
        """The sound cards of each folder, at the cost of what changed; the archive's in short.

        What is wrong with the others is in the reader.
        """
        cache = cache_folder(self.vault_id)
        shelves = {
            folder: Shelf(self.root, cache / f"{folder}.shelf", whole=folder != "archive")
            for folder in CARD_FOLDERS
        }
        return {folder: shelf.cards(reader, folder) for folder, shelf in shelves.items()}

    def _ledger(self) -> Ledger:
        return read_ledger(self.disk) or self.rebuilt_ledger()

    def rebuilt_ledger(self) -> Ledger:
        """The ledger as far as git remembers it; without git, every card counts as a person's."""
        folders = [name for name in CARD_FOLDERS if (self.root / name).is_dir()]
        ours = self.history.written_by_dreams(folders) if folders else set()
        salt = identity(self.disk).salt
        reader = Reader(self.root)
        cards = [found for folder in folders if ours for found in reader.cards(folder)]
        return Ledger(
            {
                path: Written(digest, DREAM, card.id, card_marks(card, salt))
                for path, digest, card in cards
                if path in ours
            }
        )

    def _is_file(self, path: str) -> bool:
        return platform.is_there(self.layout.absolute(path))

    def _missing(self, ledger: Ledger, cards: Iterable[CardFile | Shelved]) -> tuple[str, ...]:
        """Cards that are gone; those that cannot be read, or are still in the cloud, are not."""
        found = missing_cards(ledger, cards)
        return tuple(path for path in found if not self._is_file(path))

    def _rejected(
        self, ledger: Ledger, cards: Sequence[CardFile], missing: Iterable[str]
    ) -> Rejected:
        salt = identity(self.disk).salt
        marks = set(ledger.rejected)
        if not is_mass(len(ledger.files), len(tuple(missing))):
            marks.update(mark for path in missing for mark in ledger.files[path].marks)
        for _, _, card in Reader(self.root).cards(".trash"):
            marks.update(card_marks(card, salt))
        held = [item.card for item in cards if marks and item.card.status is not Status.ARCHIVED]
        alive = {mark for card in held for mark in card_marks(card, salt)}
        return Rejected(frozenset(marks - alive), salt)

    # -- writing ------------------------------------------------------------------------------

    def append_entries(
        self, meta: EpisodeMeta, entries: Sequence[Entry], *, dry_run: bool = False
    ) -> Appended:
        """Append what is new of these entries to their episode, in one write."""
        refuse_open_folder(self.root)
        with disk_errors():
            return Appender(self.disk, self.wait).append(meta, entries, dry_run=dry_run)

    def apply(
        self,
        dream_id: str,
        writes: Iterable[Write],
        message: str,
        purge: Mapping[str, Iterable[str]] | None = None,
        reject: Iterable[str] = (),
    ) -> Applied:
        """Write a dream: all of it, or what is left of it at the next `recover`.

        `purge` names the entries to forget, by episode; they go only once the commit is made. An
        episode named without any goes whole, if nothing is left in it.
        `reject` are marks (`Store.marks`) of what is not to be learnt again.

        Raises:
            VaultBusy: Another process is writing.
            HistoryError: Git is in the middle of something, before or after the files changed.
            ConflictError: So many cards are gone that the vault may be half synced.
        """
        with self._writing(f"dream {dream_id}"):
            self._recover()
            self.graveyard.sweep(self.clock() - LATE)
            if self.history.require_calm() and self.history.settings.commit_hand_edits:
                self.history.commit_hand_edits(f"Edits by hand before dream {dream_id}")
            transaction = self._transaction()
            self._note_rejections(transaction.ledger)
            applied = transaction.run(
                transaction.plan(dream_id, writes, message, purge or {}, reject)
            )
            self.graveyard.expire(self.clock(), self.graveyard_days)
            return applied

    def recover(self) -> Applied | None:
        """Finish what a crash or a waiting git left; None when there was nothing to finish."""
        if read_journal(self.disk) is None:
            return None
        with self._writing("recovery"):
            return self._recover()

    @contextmanager
    def _writing(self, purpose: str) -> Iterator[None]:
        """Hold the vault, and say in a sentence what the disk refused."""
        if not self.layout.config.is_file():
            raise VaultNotFound(
                phrase("{root} is gone or not mounted; nothing was written.", root=self.root)
            )
        refuse_open_folder(self.root)
        with self.lock(purpose), disk_errors():
            yield

    def _recover(self) -> Applied | None:
        journal = read_journal(self.disk)
        return None if journal is None else self._transaction().run(journal)

    def sweep(self) -> list[str]:
        """Give back late saves, and remove for good what has lain long enough."""
        with self._writing("sweep"):
            rescued = self.graveyard.sweep()
            self._clear_unborn()
            self.graveyard.expire(self.clock(), self.graveyard_days)
        return rescued

    def _clear_unborn(self) -> None:
        """Remove first versions of episodes whose writer was killed before they had their name."""
        for file in (self.layout.state / "new").glob("*.md"):
            with episode_lock(self.layout.state, self.layout.episode_path(file.stem)):
                self.disk.unlink(file)

    def accept_deletions(self) -> tuple[str, ...]:
        """Take cards that are gone as deleted on purpose, however many; returns their paths."""
        with self._writing("doctor"):
            ledger = self._ledger()
            missing = self._missing(ledger, self.read_cards()[0])
            self._bury_names(ledger, missing)
            write_ledger(self.disk, ledger)
        return missing

    def _bury_names(self, ledger: Ledger, missing: Iterable[str]) -> None:
        for path in missing:
            ledger.rejected.update(ledger.files.pop(path).marks)

    def _transaction(self) -> Transaction:
        worker = Worker(self.disk, self.graveyard, self.clock)
        return Transaction(
            self.disk,
            worker,
            self.history,
            self.references,
            self._ledger(),
            self._seams,
            self.settle,
            self.graveyard_days,
        )

    def _seams(self) -> dict[str, set[str]]:
        """Ends of absorbed ranges by episode: a purge must leave them to be found."""
        return {
            name: {entry for span in spans for entry in (span.first, span.last)}
            for name, spans in self.pulse().ranges.items()
        }

    def _note_rejections(self, ledger: Ledger) -> None:
        """Turn cards that a person removed into tombstones, unless far too many are gone at once."""
        if all(self._is_file(path) for path, item in ledger.files.items() if item.card):
            return
        cards, _ = self.read_cards()
        missing = self._missing(ledger, cards)
        if is_mass(len(ledger.files), len(missing)):
            raise ConflictError(
                phrase(
                    "{count} cards are gone since the last dream; if the vault is still being synced wait for it, if they were deleted on purpose run `noctuary doctor --fix`.",
                    count=len(missing),
                )
            )
        self._bury_names(ledger, missing)


def _by_person(ledger: Ledger, digests: set[str], path: str, digest: str) -> bool:
    return ledger.by_person(path, digest) if path in ledger.files else digest not in digests
