"""Does memory still rest on what was said: receipts against raw entries. Reads, never writes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from noctuary.errors import Problem
from noctuary.memory.safe import says
from noctuary.memory.secrets import redact
from noctuary.tongue import phrase
from noctuary.vault.forgotten import all_forgotten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date, datetime

    from noctuary.memory.card import Card, Receipt
    from noctuary.memory.entry import Entry
    from noctuary.memory.episode import Episode
    from noctuary.vault.reading import CardFile
    from noctuary.vault.store import Store


class Standing(StrEnum):
    """What became of a receipt's entry."""

    VERIFIED = "verified"
    FORGOTTEN = "forgotten"
    ALTERED = "altered"
    MISSING = "missing"


WRONG = {
    Standing.ALTERED: phrase(
        "the words or the speaker of {link} are not those of the raw text; check who changed which"
    ),
    Standing.MISSING: phrase(
        "{link} is gone though nothing forgot it; restore the episode from a backup"
    ),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A receipt, checked against its entry."""

    episode: str
    link: str
    role: str
    at: datetime
    quote: str
    replaced: date | None
    state: Standing

    def as_json(self) -> dict[str, object]:
        """One receipt as `noctuary why --json` prints it."""
        return {
            "link": self.link,
            "role": self.role,
            "at": self.at.isoformat(timespec="seconds"),
            "quote": self.quote,
            "replaced": self.replaced.isoformat() if self.replaced else None,
            "state": str(self.state),
        }


@dataclass(frozen=True, slots=True)
class Why:
    """Where a card comes from."""

    card: Card
    path: str
    receipts: tuple[Checked, ...]

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary why --json` prints."""
        return {
            "id": self.card.id,
            "path": self.path,
            "title": self.card.title,
            "trust": str(self.card.trust),
            "receipts": [receipt.as_json() for receipt in self.receipts],
            "history": [f"{line.on} {line.text}" for line in self.card.history],
        }


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check of the whole vault found, and what was rebuilt before it."""

    cards: int
    receipts: int
    entries: int
    problems: tuple[Problem, ...]
    repaired: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary verify --json` prints."""
        return {
            "cards": self.cards,
            "receipts": self.receipts,
            "entries": self.entries,
            "problems": [str(problem) for problem in self.problems],
            "repaired": list(self.repaired),
        }


class _Raw:
    """Raw text, as far as it is still there."""

    def __init__(self, store: Store, episodes: Iterable[Episode]) -> None:
        self._store = store
        self._entries: dict[str, Mapping[str, Entry]] = {
            episode.name: {entry.id: entry for entry in episode.entries} for episode in episodes
        }
        self._with_gaps = {episode.name for episode in episodes if episode.gaps}

    def check(self, receipt: Receipt) -> Checked:
        return Checked(
            receipt.episode,
            receipt.link,
            str(receipt.role),
            receipt.at,
            receipt.quote,
            receipt.replaced,
            self._state(receipt),
        )

    def knows(self, episode: str) -> bool:
        """Whether anything is left of an episode, if only that some of it was forgotten."""
        return episode in self._entries or episode in self._forgotten

    def _state(self, receipt: Receipt) -> Standing:
        entry = self._entries.get(receipt.episode, {}).get(receipt.entry)
        if entry is not None:
            told = _stands_in(receipt.quote, entry.text)
            sound = entry.intact and receipt.role is entry.role and told
            return Standing.VERIFIED if sound else Standing.ALTERED
        return Standing.FORGOTTEN if self._is_forgotten(receipt) else Standing.MISSING

    def _is_forgotten(self, receipt: Receipt) -> bool:
        gone = self._forgotten.get(receipt.episode, set())
        return receipt.entry in gone or receipt.episode in self._with_gaps

    @cached_property
    def _forgotten(self) -> dict[str, set[str]]:
        return all_forgotten(self._store.disk)


def _stands_in(quote: str, text: str) -> bool:
    """On a card secrets are blacked out and active Markdown is broken."""
    return says(quote, text) or says(quote, redact(text))


def why(store: Store, file: CardFile) -> Why:
    """Every receipt of a card, those that newer knowledge replaced included."""
    receipts = (*file.card.evidence, *file.card.replaced)
    episodes, _ = store.read_episodes({receipt.episode for receipt in receipts})
    raw = _Raw(store, episodes)
    return Why(file.card, file.path, tuple(raw.check(receipt) for receipt in receipts))


def verify(store: Store, problems: Iterable[Problem]) -> Verified:
    """Check every card, receipt and episode; `problems` are those of the settings.

    Receipts of episodes of which nothing is left at all are not named one by one: an episode that
    is gone is a thing of its own.
    """
    snapshot = store.snapshot()
    raw = _Raw(store, snapshot.episodes)
    checked = [
        (file.path, raw.check(receipt))
        for file in snapshot.cards
        for receipt in (*file.card.evidence, *file.card.replaced)
    ]
    return Verified(
        len(snapshot.cards),
        len(checked),
        sum(len(episode.entries) for episode in snapshot.episodes),
        (
            *problems,
            *snapshot.problems,
            *_broken(pair for pair in checked if raw.knows(pair[1].episode)),
            *_altered(snapshot.episodes),
            *_vanished(snapshot.missing),
        ),
    )


def _broken(checked: Iterable[tuple[str, Checked]]) -> Iterator[Problem]:
    for path, receipt in checked:
        if receipt.state in WRONG:
            yield Problem(path, WRONG[receipt.state].format(link=receipt.link) + ".")


def _altered(episodes: Iterable[Episode]) -> Iterator[Problem]:
    for episode in episodes:
        for entry in episode.entries:
            if not entry.intact:
                what = phrase(
                    "the text of ^{id} no longer matches its id; undo the edit if unmeant.",
                    id=entry.id,
                )
                yield Problem(episode.name, what)


def _vanished(missing: Iterable[str]) -> Iterator[Problem]:
    for path in missing:
        what = phrase(
            "the card is gone; the next dream takes that as your wish, else restore it from git."
        )
        yield Problem(path, what)
