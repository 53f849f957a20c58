"""One commit for what a person decided: the cards, the notes about them, the brain map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.dream.brainmap import Placed, map_language
from noctuary.pages.mapping import index_writes
from noctuary.pages.scribe import Scribe
from noctuary.tongue import spoken
from noctuary.vault.layout import dream_id, note_name
from noctuary.vault.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from noctuary.config import Settings
    from noctuary.memory.card import Card
    from noctuary.pages import Pages
    from noctuary.vault.store import Store, Write


@dataclass(frozen=True, slots=True)
class Amendments:
    """What is to be done.

    Attributes:
        cards: Cards in their new state by id; None for those that go.
        marks: What is not to be learnt again.
        purge: Raw entries to forget, by episode.
    """

    writes: Sequence[Write] = ()
    cards: Mapping[str, Card | None] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)
    purge: Mapping[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Amended:
    """What was done: paths, those that somebody changed meanwhile, the commit, the diff.

    Attributes:
        name: By which it can be undone; empty when nothing was done.
    """

    done: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    commit: str = ""
    diff: str = ""
    name: str = ""


def amend(
    store: Store,
    settings: Settings,
    pages: Pages,
    head: str,
    message: str,
    found: Amendments,
    notes: Sequence[Write | None] = (),
    *,
    dry_run: bool = False,
) -> Amended:
    """Write it as one commit, or show it as a diff; nothing happens when there is nothing."""
    looked = Notes(store.disk)
    scribe = Scribe(pages, looked.read, store.marks)
    writes = [*found.writes, *(note for note in notes if note is not None)]
    cards = placed(store, found)
    if found.writes:
        writes += index_writes(looked, settings, scribe, cards, may_be_empty=bool(found.cards))
    diff = scribe.diff(writes)
    if dry_run or not (writes or found.purge):
        return Amended(diff=diff)
    name = head + dream_id(store.clock(), {note_name(path) for path in _named(store, head)})
    language = map_language(settings.vault.language, (item.card for item in cards))
    said = spoken(message, language)
    applied = store.apply(name, writes, said, found.purge, found.marks)
    return Amended(applied.done, applied.dropped, applied.commit or "", diff, name)


def _named(store: Store, head: str) -> list[str]:
    """Ids that earlier amendments have taken, so that each has a commit of its own."""
    return [name.removeprefix(head) for name, _ in store.history.dreams() if name.startswith(head)]


def placed(store: Store, found: Amendments) -> list[Placed]:
    """All cards as they will be, with their note names."""
    files, _ = store.read_cards()
    names = {file.card.id: note_name(file.path) for file in files}
    names |= {write.card: note_name(write.path) for write in found.writes if write.card}
    cards = {file.card.id: file.card for file in files} | dict(found.cards)
    return [Placed(card, names[id_]) for id_, card in cards.items() if card is not None]
