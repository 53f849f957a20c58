"""Forgetting for good: a card, a session, or every place where some words stand.

Cards, raw entries, reports, graves, stage, logs, caches; git's history only when asked. At the
end everything is read again, so that what is still there is said.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noctuary.care.forgetting import Aim, Plan, plan
from noctuary.care.scan import erase_episodes, erase_state, left_in_files, left_in_git
from noctuary.care.writing import Amendments, amend
from noctuary.memory.wiping import Wiper
from noctuary.tongue import phrase
from noctuary.vault.layout import note_name
from noctuary.vault.lock import dream_lock
from noctuary.vault.rewriting import Rewriter

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.config import Settings
    from noctuary.pages import Pages
    from noctuary.vault.store import Store

FORGET = "forget-"
"""How the ids of forgettings begin."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be.

    Attributes:
        cards: Paths of cards that are gone; `changed` of notes that lost words.
        entries: How many raw entries are gone.
        left: Where the words still stand, one sentence each; empty when they are nowhere.
        rewritten: Git's history was rewritten.
    """

    cards: tuple[str, ...]
    changed: tuple[str, ...]
    entries: int
    left: tuple[str, ...] = ()
    rewritten: bool = False

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary forget --json` prints."""
        return {
            "cards": list(self.cards),
            "changed": list(self.changed),
            "entries": self.entries,
            "left": list(self.left),
            "history_rewritten": self.rewritten,
        }


def forget(
    store: Store,
    settings: Settings,
    pages: Pages,
    aim: Aim,
    *,
    rewrite_history: bool = False,
    dry_run: bool = False,
) -> Forgotten:
    """Forget what the aim names, everywhere that is the program's to change.

    No dream may think meanwhile: it would write down, or keep as a model's reply, what it has read.

    Raises:
        UsageError: Nothing is called so, or the words are too short to be looked for.
        VaultBusy: Another process is writing, or dreaming.
        HistoryError: The history cannot be rewritten.
    """
    if dry_run:
        return _told(plan(store, pages, aim))
    with dream_lock(store.layout.state, store.wait):
        return _forget(store, settings, pages, aim, rewrite_history=rewrite_history)


def _told(planned: Plan) -> Forgotten:
    return Forgotten(
        tuple(write.path for write in planned.writes if write.data is None),
        tuple(write.path for write in planned.writes if write.data is not None),
        sum(len(ids) for ids in planned.entries.values()),
    )


def _forget(
    store: Store, settings: Settings, pages: Pages, aim: Aim, *, rewrite_history: bool
) -> Forgotten:
    store.recover()
    _finish(store, rewrite_history=False)
    planned = plan(store, pages, aim)
    told = _told(planned)
    _intend(store, planned)
    found = Amendments(planned.writes, planned.cards, planned.marks, planned.entries)
    said = phrase(
        "Forget {notes} notes, {entries} entries", notes=len(told.cards), entries=told.entries
    )
    amend(store, settings, pages, FORGET, said, found)
    left = _finish(store, rewrite_history=rewrite_history)
    return replace(told, left=tuple(left), rewritten=rewrite_history)


def _intent(store: Store) -> Path:
    return store.layout.state / "forgetting.json"


def _intend(store: Store, planned: Plan) -> None:
    """So that a forgetting that is cut short is finished by the next one."""
    content = {
        "texts": planned.wiper.texts,
        "names": planned.wiper.names,
        "paths": sorted(planned.gone),
        "episodes": sorted(planned.episodes),
        "entries": {name: sorted(ids) for name, ids in planned.entries.items()},
    }
    store.disk.put_state(_intent(store), json.dumps(content).encode())


def _finish(store: Store, *, rewrite_history: bool) -> list[str]:
    """Erase what an intent names from all that is not a note, and say where it still stands."""
    data = store.disk.read(_intent(store))
    if data is None:
        return []
    content = json.loads(data)
    wiper = Wiper(tuple(content["texts"]), tuple(content["names"]))
    gone = set(content["paths"])
    names = {note_name(path) for path in gone}
    with store.lock("forget"):
        erase_episodes(store, wiper, content["entries"], set(content["episodes"]))
        erase_state(store, wiper, gone, content["entries"])
        if rewrite_history:
            Rewriter(store.history, wiper.blank_bytes, lambda path: note_name(path) in names).run()
        store.disk.unlink(_intent(store))
        store.disk.sync_folder(store.layout.state)
    return [*left_in_files(store, wiper), *left_in_git(store, wiper, names)]
