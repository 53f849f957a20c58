"""Where displaced and purged bytes rest until their time is up.

A grave is the old file itself, not a copy: whoever still had it open and saves late, saves into
the grave, and the next sweep gives those words back.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from noctuary.vault.files import Disk, digest_of
from noctuary.vault.layout import RESCUED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STAMP = "%Y%m%dT%H%M%S"
_STAMP_LENGTH = len("20261130T031200")
_SHORT = 16
_MAX_NAME = 240
LATE = timedelta(days=2)
"""For so long a program may keep a file open and still save into its grave."""
_DRAWN = ("index.md", "maps/")
_COPIED = "x"
"""Begins the third part of the name of a copy; those of graves are hex."""


@dataclass(frozen=True, slots=True)
class Grave:
    """One buried file: when, with which digest, and where it lay.

    Attributes:
        copied: Its note was out of sight for a moment and is back: somebody may have read what
            stood there meanwhile, and saved over it.
    """

    file: Path
    buried: datetime
    digest: str
    path: str
    copied: bool = False


@dataclass(frozen=True, slots=True)
class Graveyard:
    """The graveyard of one vault."""

    disk: Disk

    @property
    def folder(self) -> Path:
        """Where the graves are."""
        return self.disk.layout.state / "graveyard"

    def bury(self, source: Path, path: str, digest: str, at: datetime) -> Path:
        """Move a file here; `digest` is what it is believed to hold, `path` where it lay."""
        self.disk.make_folder(self.folder, 0o700)
        grave = self.folder / _grave_name(path, digest, at)
        self.disk.rename(source, grave)
        self.disk.sync_folder(self.folder)
        self.disk.sync_folder(source.parent)
        return grave

    def copy(self, source: Path, path: str, at: datetime) -> None:
        """Keep the bytes of a person's file that is about to go back to its place."""
        data = self.disk.read(source)
        if not data:
            return
        self.disk.make_folder(self.folder, 0o700)
        name = _grave_name(path, digest_of(data), at, _COPIED)
        self.disk.write_new(self.folder / name, data)
        self.disk.sync_folder(self.folder)

    def graves(self, since: datetime | None = None) -> Iterator[Grave]:
        """All graves, oldest first, or those that were buried since."""
        first = since.strftime(_STAMP) if since else ""
        for name in sorted(self._names()):
            grave = _parse(self.folder, name) if name >= first else None
            if grave is not None and (since is None or grave.buried >= since):
                yield grave

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.folder)  # noqa: PTH208 - thousands of them, so quickly
        except (FileNotFoundError, NotADirectoryError):
            return []

    def sweep(self, since: datetime | None = None) -> list[str]:
        """Give back what was saved into a grave after the burial; returns the new notes' paths.

        Graves older than `since` are not looked at.
        """
        found = [self._give_back(grave) for grave in list(self.graves(since))]
        return [path for path in found if path]

    def _give_back(self, grave: Grave) -> str:
        data = self.disk.read(grave.file)
        digest = digest_of(data or b"")
        if not data or (digest.startswith(grave.digest) and not self._is_overwritten(grave, data)):
            return ""
        if self.disk.digest(self.disk.layout.absolute(grave.path)) == digest:
            return ""
        return self.rescue(grave.file, grave.path, digest, copied=grave.copied)

    def _is_overwritten(self, grave: Grave, data: bytes) -> bool:
        """Whether lines of a copied note are in its file no longer."""
        now = self.disk.read(self.disk.layout.absolute(grave.path)) if grave.copied else None
        return now is not None and not _holds_lines(now, data)

    def rescue(self, file: Path, path: str, digest: str, *, copied: bool = False) -> str:
        """Put a person's words beside the note they were meant for, under a name of their own.

        A name that another save has already is left to it, even where both hold the same: whoever
        has this file open may be in the middle of more. Only into a copy of ours nobody writes.
        """
        for number in count(1):
            rescued = _rescued_path(path, digest, number)
            target = self.disk.guard(rescued)
            self.disk.make_folder(target.parent)
            if self.disk.link(file, target) or _is_one_file(file, target):
                break
            if copied and self.disk.digest(target) == digest:
                break
        self.disk.sync_folder(target.parent)
        self.disk.unlink(file)
        self.disk.sync_folder(file.parent)
        return rescued

    def expire(self, now: datetime, days: int) -> int:
        """Remove for good what was buried more than `days` ago; returns how many graves.

        Pages that are drawn anew at each dream rest no longer than somebody may save into them.
        """
        full, short = timedelta(days=days), min(LATE, timedelta(days=days))
        rested = takewhile(lambda grave: now - grave.buried >= short, self.graves())
        old = [
            grave for grave in rested if grave.path.startswith(_DRAWN) or now - grave.buried >= full
        ]
        for grave in old:
            self.disk.unlink(grave.file)
        if old:
            self.disk.sync_folder(self.folder)
        return len(old)


def _is_one_file(file: Path, target: Path) -> bool:
    """Whether two names are of one file, as a rescue that was stopped leaves them."""
    with suppress(FileNotFoundError):  # somebody took it away meanwhile
        return file.samefile(target)
    return False


def _holds_lines(now: bytes, before: bytes) -> bool:
    """Whether the body of a note has every line that it had; the last may have grown."""
    *lines, last = _body(before).rstrip("\n").split("\n")
    here = _body(now).split("\n")
    return set(lines) <= set(here) and any(line.startswith(last) for line in here)


def _body(data: bytes) -> str:
    from noctuary.memory.document import read

    return read(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")).body


def _grave_name(path: str, digest: str, at: datetime, mark: str = "") -> str:
    head = f"{at.strftime(_STAMP)}-{digest[:_SHORT]}-{mark}{secrets.token_hex(3)}-"
    tail = path.replace("%", "%25").replace("/", "%2F")
    while len((head + tail).encode()) > _MAX_NAME:
        stem = tail.removesuffix(".md")
        tail = stem[:-1] + ".md"
    return head + tail


def _parse(folder: Path, name: str) -> Grave | None:
    parts = name.split("-", 3)
    try:
        buried = _moment(parts[0])
        path = parts[3].replace("%2F", "/").replace("%25", "%")
    except (ValueError, IndexError):
        return None
    return Grave(folder / name, buried, parts[1], path, copied=parts[2].startswith(_COPIED))


def _moment(stamp: str) -> datetime:
    """The same as `strptime` reads, which takes ten times as long."""
    if len(stamp) != _STAMP_LENGTH or stamp[8] != "T" or not stamp.replace("T", "").isdecimal():
        raise ValueError(stamp)
    return datetime.fromisoformat(stamp)


def _rescued_path(path: str, digest: str, number: int) -> str:
    place = PurePosixPath(path)
    stem = place.name.removesuffix(".md")
    again = f"-{number}" if number > 1 else ""
    while len(stem.encode()) > 200:
        stem = stem[:-1]
    return (place.parent / f"{stem}{RESCUED}{digest[:8]}{again}.md").as_posix()
