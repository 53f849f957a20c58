"""Checks of notes: what the program wrote and how it stands now, links, the brain map."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from noctuary.care.boxes import unticked
from noctuary.care.writing import Amendments, placed
from noctuary.errors import Problem
from noctuary.memory.card import Origin
from noctuary.memory.cardtext import BadCard, parse_card
from noctuary.memory.entry import lowest_trust
from noctuary.pages.mapping import index_writes
from noctuary.pages.scribe import Scribe
from noctuary.tongue import counted, phrase
from noctuary.vault.files import digest_of
from noctuary.vault.forgotten import all_forgotten
from noctuary.vault.layout import note_name
from noctuary.vault.notes import Notes
from noctuary.vault.past import Past
from noctuary.vault.state import Ledger, Written, read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.config import Settings
    from noctuary.memory.card import Card
    from noctuary.pages import Pages
    from noctuary.vault.reading import CardFile
    from noctuary.vault.store import Store

_TARGET = re.compile(r"\[\[([^\]|#]+)")
_PAGES = ("index.md", "maps/")


def note_problems(store: Store, settings: Settings, pages: Pages) -> Iterator[Problem]:
    """What is wrong with the notes of a vault."""
    look = _Look(store)
    yield from look.cards_against_history()
    yield from look.card_sense()
    yield from look.links()
    yield from look.other_notes()
    yield from look.gone_episodes()
    yield from _brain_map(store, settings, pages)


def _brain_map(store: Store, settings: Settings, pages: Pages) -> Iterator[Problem]:
    """The generated part of `index.md`, and `maps/`, byte for byte against a fresh drawing."""
    notes = Notes(store.disk)
    if notes.read("index.md") is None and not notes.paths("dreams"):
        return
    scribe = Scribe(pages, notes.read, store.marks)
    for write in index_writes(notes, settings, scribe, placed(store, Amendments())):
        what = phrase("This is not what the cards give: run `noctuary index`.")
        yield Problem(write.path, what)


@dataclass
class _Look:
    """One look over all notes, reading each thing once."""

    store: Store

    @cached_property
    def ledger(self) -> Ledger:
        return read_ledger(self.store.disk) or Ledger()

    @cached_property
    def files(self) -> tuple[CardFile, ...]:
        return self.store.read_cards()[0]

    @cached_property
    def notes(self) -> Notes:
        return Notes(self.store.disk)

    @cached_property
    def heads(self) -> dict[str, bytes]:
        """Committed bytes by path, of cards that are not as the program left them."""
        wanted = [file.path for file in self.files if self._is_changed(file)]
        if not wanted or not self.store.history.settings.git:
            return {}
        blobs = Past(self.store.disk, self.store.history).blobs([f"HEAD:{path}" for path in wanted])
        return {name.removeprefix("HEAD:"): data for name, data in blobs.items()}

    def _is_changed(self, file: CardFile) -> bool:
        written = self.ledger.files.get(file.path)
        return written is not None and written.digest != file.digest

    # -- cards --------------------------------------------------------------------------------

    def cards_against_history(self) -> Iterator[Problem]:
        """Cards that differ from the committed ones in a way that no hand edit looks like."""
        for file in self.files:
            old = self.heads.get(file.path)
            data = self.notes.read(file.path)
            if old is None or data is None or old == data:
                continue
            restore = phrase("run `git checkout -- {path}`, unless you meant it.", path=file.path)
            if _one_bit_apart(old, data):
                what = phrase(
                    "One single bit differs from what was written: {restore}", restore=restore
                )
                yield Problem(file.path, what)
            for link in _lost_receipts(old, file.card):
                yield Problem(
                    file.path,
                    phrase(
                        "The receipt from {link} is gone: {restore}", link=link, restore=restore
                    ),
                )
        yield from self._unreadable()

    def _unreadable(self) -> Iterator[Problem]:
        """A note of the ledger that is there and no longer a card under its id."""
        here = {file.path: file.card.id for file in self.files}
        for path, written in self.ledger.files.items():
            if written.card and path in here and here[path] != written.card:
                what = phrase(
                    "The ledger knows this card as {card}: give it its id again.", card=written.card
                )
                yield Problem(path, what)

    def card_sense(self) -> Iterator[Problem]:
        """Cards that contradict themselves."""
        for file in self.files:
            card = file.card
            if file.by_person or card.origin is not Origin.DREAM:
                continue
            if not card.evidence and not card.replaced:
                yield Problem(
                    file.path, phrase("No receipt says where this comes from: check it by hand.")
                )
            elif card.evidence:
                believed = lowest_trust([receipt.role for receipt in card.evidence])
                if card.trust.rank > believed.rank:
                    what = phrase(
                        "Its trust is {trust}, its receipts give {believed}: correct it.",
                        trust=card.trust,
                        believed=believed,
                    )
                    yield Problem(file.path, what)

    def links(self) -> Iterator[Problem]:
        """Links of cards that lead nowhere, and sources that no receipt quotes."""
        for file in self.files:
            card = file.card
            listed = (*card.supersedes, *card.superseded_by, *card.source)
            for link in dict.fromkeys(listed):
                if self._is_dead(link):
                    what = phrase(
                        "{link} leads nowhere: restore that note, or take the link out.", link=link
                    )
                    yield Problem(file.path, what)
            quoted = {item.link for item in (*card.evidence, *card.replaced)}
            for link in card.source:
                turn = "#^" in link and card.origin is Origin.DREAM
                if turn and quoted and link not in quoted:
                    what = phrase(
                        "Its source {link} has no receipt: restore the receipt, or take it out.",
                        link=link,
                    )
                    yield Problem(file.path, what)

    @cached_property
    def _names(self) -> set[str]:
        return set(self.notes.names())

    @cached_property
    def _forgotten(self) -> dict[str, set[str]]:
        return all_forgotten(self.store.disk)

    @cached_property
    def _gone(self) -> set[str]:
        cited = {
            item.episode
            for file in self.files
            for item in (*file.card.evidence, *file.card.replaced)
        }
        return (cited | set(self.store.read_ranges())) - self._names - set(self._forgotten)

    def _is_dead(self, link: str) -> bool:
        found = _TARGET.match(link)
        if found is None:
            return True
        name = found[1].rpartition("/")[2]
        return not (name in self._names or name in self._forgotten or name in self._gone)

    # -- other notes --------------------------------------------------------------------------

    def other_notes(self) -> Iterator[Problem]:
        """Reports that are gone, or differ in more than their boxes."""
        for path, written in self.ledger.files.items():
            if written.card or path.startswith((*_PAGES, "episodes/")):
                continue
            data = self.notes.read(path)
            if data is None:
                what = phrase(
                    "This note is gone: run `git checkout -- {path}`, or dream again what it absorbed.",
                    path=path,
                )
                yield Problem(path, what)
            elif not _is_as_written(data, written):
                what = phrase(
                    "This differs from what was written, in more than its boxes: run `git checkout -- {path}`, unless you meant it.",
                    path=path,
                )
                yield Problem(path, what)

    def gone_episodes(self) -> Iterator[Problem]:
        """Episodes that cards or dreams rest on, and that are gone though nothing forgot them."""
        gone = sorted(self._gone)
        if gone:
            what = phrase(
                "{episodes} that memory rests on, and that nothing forgot, cannot be found here, such as "
                "{first}; restore the folder from a backup, or take it from where the vault was "
                "cloned (a clone has raw text only with `track_episodes = true`).",
                episodes=counted(len(gone), "episode", "episodes"),
                first=gone[0],
            )
            yield Problem("episodes", what)


def _is_as_written(data: bytes, written: Written) -> bool:
    if digest_of(data) == written.digest:
        return True
    text = unticked(data.decode("utf-8", "surrogateescape"))
    return digest_of(text.encode("utf-8", "surrogateescape")) == written.digest


def _one_bit_apart(one: bytes, other: bytes) -> bool:
    if len(one) != len(other):
        return False
    different = [a ^ b for a, b in zip(one, other, strict=True) if a != b]
    return len(different) == 1 and different[0].bit_count() == 1


def _lost_receipts(old: bytes, card: Card) -> Iterator[str]:
    try:
        before = parse_card(old.decode("utf-8", "replace"), note_name(""))
    except BadCard:
        return
    here = {item.key for item in (*card.evidence, *card.replaced)}
    for receipt in (*before.evidence, *before.replaced):
        if receipt.key not in here:
            yield receipt.link
