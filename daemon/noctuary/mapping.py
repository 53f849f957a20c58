"""Rebuilds the brain map from the cards, without a dream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.dream.brainmap import Placed
from noctuary.night import index_writes
from noctuary.pages import Pages
from noctuary.scribe import Scribe
from noctuary.vault.layout import dream_id, note_name
from noctuary.vault.notes import Notes

if TYPE_CHECKING:
    from noctuary.config import Settings
    from noctuary.vault.store import Store

REBUILD = "index-"
"""How the ids of rebuilds begin, so that they are not taken for dreams."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Paths whose bytes changed, or would change, and the change as a unified diff."""

    changed: tuple[str, ...]
    diff: str


def rebuild(store: Store, settings: Settings, *, dry_run: bool) -> Rebuilt:
    """Bring `index.md` and `maps/` up to date; what is up to date stays as it is."""
    files, _ = store.read_cards()
    placed = [Placed(file.card, note_name(file.path)) for file in files]
    notes = Notes(store.disk)
    scribe = Scribe(Pages(), notes.read, store.marks)
    writes = index_writes(notes, settings, scribe, placed)
    rebuilt = Rebuilt(tuple(write.path for write in writes), scribe.diff(writes))
    if writes and not dry_run:
        store.apply(REBUILD + dream_id(store.clock()), writes, "Rebuild the brain map")
    return rebuilt
