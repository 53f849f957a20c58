"""Reading a vault's notes: what is sound comes back as values, the rest as problems."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.errors import Problem
from noctuary.tongue import phrase
from noctuary.vault import platform
from noctuary.vault.files import digest_of
from noctuary.vault.layout import RESCUED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from noctuary.memory.card import Card
    from noctuary.memory.episode import Episode

MAX_NOTE = 8 * 1024 * 1024
MAX_EPISODE = 256 * 1024 * 1024
_LEFTOVER = re.compile(
    r"\.sync-conflict-|conflicted copy|\(conflict|冲突副本|\.icloud$|\.orig\.md$|\.tmp$",
    re.IGNORECASE,
)
_HINTS = ("conflict", "冲突", ".icloud", ".orig.md", ".tmp", RESCUED)


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card as it stands in the vault.

    Attributes:
        path: Relative to the vault, with `/`.
        digest: sha256 of the bytes that were read.
        by_person: The bytes are not what the program wrote: the body is not its to change.
    """

    path: str
    card: Card
    digest: str
    by_person: bool

    @property
    def id(self) -> str:
        """The card's id."""
        return self.card.id

    @property
    def archived(self) -> bool:
        """True for a retired card."""
        return self.path.startswith("archive/")

    @property
    def quarantined(self) -> bool:
        """True for a card that waits for a person's word."""
        return self.path.startswith("inbox/")


@dataclass(slots=True)
class Reader:
    """Reads the notes of one vault and collects what is wrong with them."""

    root: Path
    problems: list[Problem] = field(default_factory=list)

    def notes(self, folder: str) -> Iterator[str]:
        """Relative paths of the notes below a folder, in order; links are not followed."""
        for path in sorted(self._walk(folder)):
            if not self._is_leftover(path):
                yield path

    def _walk(self, folder: str) -> Iterator[str]:
        for item in self._items(folder):
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_dir(follow_symlinks=False) and not item.name.startswith("."):
                yield from self._walk(path)
            elif item.is_symlink() and item.name.endswith(".md"):
                self.note(path, phrase("This is a link, so it is not read."))
            elif _is_note(item.name) or is_leftover(item.name):
                yield path

    def _items(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            return list(os.scandir(self.root / folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.note(
                folder,
                phrase(
                    "Cannot be looked into ({strerror}); check its permissions.",
                    strerror=error.strerror,
                ),
            )
            return []

    def _is_leftover(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if not is_leftover(name):
            return False
        if _LEFTOVER.search(name):
            self.note(
                path, phrase("Left behind by a sync conflict: merge it by hand, then delete it.")
            )
        else:
            what = phrase(
                "Saved by a person while a dream was writing: merge it by hand, then delete it."
            )
            self.note(path, what)
        return True

    def note(self, path: str, what: str) -> None:
        """Remember a problem."""
        self.problems.append(Problem(path, what))

    def bytes_of(self, path: str, limit: int = MAX_NOTE) -> bytes | None:
        """The bytes of a note; None, with a problem, when they are not to be had."""
        file = self.root / path
        try:
            found = file.stat()
            if platform.is_placeholder(found.st_size, getattr(found, "st_blocks", None)):
                self.note(
                    path, phrase("Its bytes are still in the cloud: open it once, then try again.")
                )
            elif found.st_size > limit:
                self.note(
                    path,
                    phrase(
                        "Over {size} MiB: too large to be a note, split it.",
                        size=limit // 1024 // 1024,
                    ),
                )
            else:
                return file.read_bytes()
        except OSError as error:
            self.note(
                path,
                phrase(
                    "Cannot be read ({strerror}); check its permissions.", strerror=error.strerror
                ),
            )
        return None

    def text_of(self, path: str, data: bytes) -> str | None:
        """The text of a note; None, with a problem, when it is not UTF-8."""
        if b"\0" in data[:4096]:
            self.note(
                path, phrase("Holds zero bytes, perhaps from a crash: restore it from a backup.")
            )
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self.note(path, phrase("Is not UTF-8 text: save it as UTF-8."))
            return None

    def card(self, path: str, data: bytes) -> Card | None:
        """The card in a note; None, with a problem, when there is none to be read."""
        from noctuary.memory.cardtext import BadCard, parse_card

        text = self.text_of(path, data)
        if text is None:
            return None
        try:
            return _as_filed(parse_card(text, _note_name(path)), path)
        except BadCard as error:
            self.note(path, error.args[0])
            return None

    def episode(self, path: str) -> Episode | None:
        """The episode in a file; its own problems are collected too."""
        from noctuary.memory.episode import parse_episode

        data = self.bytes_of(path, MAX_EPISODE)
        text = None if data is None else self.episode_text(path, data)
        if text is None:
            return None
        episode = parse_episode(_note_name(path), text)
        self.problems.extend(Problem(path, item.what, item.line) for item in episode.problems)
        return episode

    def episode_text(self, path: str, data: bytes) -> str | None:
        """The text of an episode, any control character included; None when it is not UTF-8."""
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            self.note(path, phrase("Is not UTF-8 text: save it as UTF-8."))
            return None

    def cards(self, folder: str) -> Iterator[tuple[str, str, Card]]:
        """Path, digest and card of every sound card below a folder."""
        for path in self.notes(folder):
            data = self.bytes_of(path)
            card = None if data is None else self.card(path, data)
            if data is not None and card is not None:
                yield path, digest_of(data), card


def _as_filed(card: Card, path: str) -> Card:
    """A person retires a card by moving its file into the archive."""
    from noctuary.memory.card import Status

    retired = path.startswith("archive/") and card.status is not Status.ARCHIVED
    return replace(card, status=Status.ARCHIVED) if retired else card


def is_leftover(path: str) -> bool:
    """True for what sync clients, and our own rescues, leave beside the notes."""
    return may_be_leftover(path) and (bool(_LEFTOVER.search(path)) or RESCUED in path)


def may_be_leftover(names: str) -> bool:
    """False when no name among these can be that of a leftover: told of a whole folder at once."""
    lowered = names.lower()
    return any(hint in lowered for hint in _HINTS)


def _note_name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _is_note(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(".")
