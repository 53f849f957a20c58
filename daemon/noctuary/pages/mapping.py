"""Draws the brain map from the cards, in a dream and without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.dream.brainmap import Placed, brain_map, map_language
from noctuary.dream.telling import dream_line, health_line
from noctuary.memory.report import report_meta
from noctuary.pages import Pages
from noctuary.pages.scribe import Scribe
from noctuary.tongue import phrase, spoken
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.layout import dream_id, note_name
from noctuary.vault.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.config import Settings
    from noctuary.memory.report import DreamReport
    from noctuary.vault.store import Store, Write

REBUILD = "index-"
"""How the ids of rebuilds begin, so that they are not taken for dreams."""
_LATEST = 5


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Paths whose bytes changed, or would change, and the change as a unified diff.

    Attributes:
        left: Paths that somebody edited just now; nothing was written there.
    """

    changed: tuple[str, ...]
    diff: str
    left: tuple[str, ...] = ()


def rebuild(store: Store, settings: Settings, *, dry_run: bool) -> Rebuilt:
    """Bring `index.md` and `maps/` up to date; what is up to date stays as it is."""
    files, _ = store.read_cards()
    placed = [Placed(file.card, note_name(file.path)) for file in files]
    notes = Notes(store.disk)
    scribe = Scribe(Pages(), notes.read, store.marks)
    writes = index_writes(notes, settings, scribe, placed)
    diff = scribe.diff(writes)
    if dry_run or not writes:
        return Rebuilt(tuple(write.path for write in writes), diff)
    name = REBUILD + dream_id(store.clock())
    language = map_language(settings.vault.language, (item.card for item in placed))
    said = spoken(phrase("Rebuild the brain map"), language)
    applied = store.apply(name, writes, said)
    return Rebuilt(applied.done, diff, applied.dropped)


def index_writes(
    notes: Notes,
    settings: Settings,
    scribe: Scribe,
    cards: Sequence[Placed],
    report: DreamReport | None = None,
    *,
    may_be_empty: bool = False,
) -> list[Write]:
    """What brings `index.md` and `maps/` up to date; nothing when they are.

    Where no card of those on disk can be read, the map stays as it is rather than become empty,
    unless `may_be_empty`: the last cards are on their way out.
    """
    if not (cards or may_be_empty) and notes.paths("cards"):
        return []
    metas = [report_meta(report)] if report else []
    metas += notes.latest_reports(_LATEST)
    metas.sort(key=lambda meta: str(meta.get("dream", "")), reverse=True)
    latest = metas[0] if metas else None
    failures = 0 if report else AttemptLog(notes.disk).read().failures
    health = health_line((item.card for item in cards), latest, failures)
    language = map_language(settings.vault.language, (item.card for item in cards))
    scribe = scribe.speaking(language)
    drawn = brain_map(cards, [dream_line(meta) for meta in metas[:_LATEST]], health, language)
    wanted = {f"maps/{page.name}.md": scribe.pages.map_page(page) for page in drawn.pages}
    writes: list[Write | None] = [scribe.between_marks("index.md", scribe.pages.index(drawn))]
    writes += [scribe.page(path, text) for path, text in wanted.items()]
    writes += [notes.burial(path) for path in notes.paths("maps") if path not in wanted]
    return [write for write in writes if write is not None]
