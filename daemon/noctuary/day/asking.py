"""Questions to memory: brings the search index up to date, asks it, and notes what was used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from noctuary.care.overview import dream_notes
from noctuary.dream.collect import pending
from noctuary.recall.index import IndexDamagedError
from noctuary.recall.ranking import Filters
from noctuary.recall.recall import Recall
from noctuary.recall.wake import Totals, wake
from noctuary.resources import cache_folder
from noctuary.vault.pulse import Pulse
from noctuary.vault.reading import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from noctuary.config import Settings
    from noctuary.memory.card import Card
    from noctuary.memory.entry import Entry
    from noctuary.recall.answer import Answer
    from noctuary.recall.wake import Wake
    from noctuary.vault.store import Store

FOLDERS = ("cards", "archive")
"""What may be told. Proposals in `inbox/` may not, until a person lets them in."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask, and how much may be told; None takes what the settings say."""

    text: str
    k: int | None = None
    budget: int | None = None
    as_of: date | None = None
    archived: bool = False
    project: str = ""
    user: str = ""


class _Unread:
    """A card on disk, read only when the index does not know its present state."""

    def __init__(self, store: Store, path: str) -> None:
        found = store.layout.absolute(path).stat()
        self.path = path
        self.digest = f"{found.st_size}-{found.st_mtime_ns}-{found.st_ino}"
        self._root = store.root

    @cached_property
    def card(self) -> Card | None:
        reader = Reader(self._root)
        data = reader.bytes_of(self.path)
        return None if data is None else reader.card(self.path, data)


class Asker:
    """Answers from one vault."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._recall = Recall.open(cache_folder(store.vault_id))

    def ask(self, question: Question) -> Answer:
        """The lines that answer best, newest knowledge first; none when nothing matches."""
        self._sync()
        try:
            answer = self._search(question)
        except IndexDamagedError:
            self._sync()
            answer = self._search(question)
        told = [hit.id for hit in answer.hits if hit.kind == "card"]
        self._store.references.append(told, self._store.clock())
        return answer

    def refresh(self) -> None:
        """Bring the index up to date, so that the next question need not."""
        self._sync()

    def _search(self, question: Question) -> Answer:
        return self._recall.search(
            question.text,
            now=self._store.clock(),
            k=question.k,
            budget=question.budget or self._settings.recall.budget,
            filters=Filters(
                project=question.project,
                user=question.user,
                archived=question.archived,
                as_of=question.as_of,
            ),
        )

    def wake(self, budget: int | None, project: str, user: str) -> Wake:
        """What an agent is given before it has asked anything."""
        entries = self._sync()
        notes = dream_notes(self._store)
        page = Reader(self._store.root).bytes_of("preferences.md") or b""
        told = wake(
            self._recall.heads(),
            preferences=page.decode("utf-8", "replace"),
            totals=Totals(len(entries), notes[0].id if notes else ""),
            today=self._store.clock().date(),
            budget=budget or self._settings.recall.wake_budget,
            project=project,
            user=user,
        )
        self._store.references.append_once(told.cards, self._store.clock())
        return told

    def _sync(self) -> tuple[Entry, ...]:
        """Bring the index up to date; gives the entries that no dream has absorbed yet."""
        cache = cache_folder(self._store.vault_id) / "pulse.json"
        pulse = Pulse.taken(self._store.disk, cache)
        reader = Reader(self._store.root)
        waiting = [found for path in sorted(pulse.waiting()) if (found := reader.episode(path))]
        fresh = pending(waiting, pulse.ranges).entries
        self._recall.sync(self._cards(), fresh)
        return fresh

    def _cards(self) -> Iterator[_Unread]:
        for folder in FOLDERS:
            for path in Reader(self._store.root).notes(folder):
                yield _Unread(self._store, path)
