"""Where displaced and purged bytes rest until their time is up.

A grave is the old file itself, not a copy: whoever still had it open and saves late, saves into
the grave, and the next sweep gives those words back.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from noctuary.vault.files import Disk, digest_of
from noctuary.vault.layout import RESCUED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STAMP = "%Y%m%dT%H%M%S"
_SHORT = 16
_MAX_NAME = 240


@dataclass(frozen=True, slots=True)
class Grave:
    """One buried file: when, with which digest, and where it lay."""

    file: Path
    buried: datetime
    digest: str
    path: str


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

    def graves(self) -> Iterator[Grave]:
        """All graves, oldest first."""
        for file in sorted(self.folder.glob("*")):
            grave = _parse(file)
            if grave is not None:
                yield grave

    def sweep(self, since: datetime | None = None) -> list[str]:
        """Give back what was saved into a grave after the burial; returns the new notes' paths.

        Graves older than `since` are not looked at.
        """
        fresh = (grave for grave in self.graves() if since is None or grave.buried >= since)
        found = [self._give_back(grave) for grave in fresh]
        return [path for path in found if path]

    def _give_back(self, grave: Grave) -> str:
        data = self.disk.read(grave.file)
        digest = digest_of(data or b"")
        if not data or digest.startswith(grave.digest):
            return ""
        if self.disk.digest(self.disk.layout.absolute(grave.path)) == digest:
            return ""
        return self.rescue(grave.file, grave.path, digest)

    def rescue(self, file: Path, path: str, digest: str) -> str:
        """Put a person's words beside the note they were meant for, under a name of their own."""
        rescued = _rescued_path(path, digest)
        target = self.disk.guard(rescued)
        self.disk.make_folder(target.parent)
        if self.disk.link(file, target) or self.disk.digest(target) == digest:
            self.disk.sync_folder(target.parent)
            self.disk.unlink(file)
            self.disk.sync_folder(file.parent)
            return rescued
        return ""

    def expire(self, now: datetime, days: int) -> int:
        """Remove for good what was buried more than `days` ago; returns how many graves."""
        old = [grave for grave in self.graves() if now - grave.buried >= timedelta(days=days)]
        for grave in old:
            self.disk.unlink(grave.file)
        if old:
            self.disk.sync_folder(self.folder)
        return len(old)


def _grave_name(path: str, digest: str, at: datetime) -> str:
    head = f"{at.strftime(_STAMP)}-{digest[:_SHORT]}-{secrets.token_hex(3)}-"
    tail = path.replace("%", "%25").replace("/", "%2F")
    while len((head + tail).encode()) > _MAX_NAME:
        stem = tail.removesuffix(".md")
        tail = stem[:-1] + ".md"
    return head + tail


def _parse(file: Path) -> Grave | None:
    parts = file.name.split("-", 3)
    try:
        buried = datetime.strptime(parts[0], _STAMP)
        path = parts[3].replace("%2F", "/").replace("%25", "%")
    except (ValueError, IndexError):
        return None
    return Grave(file, buried, parts[1], path)


def _rescued_path(path: str, digest: str) -> str:
    place = PurePosixPath(path)
    stem = place.name.removesuffix(".md")
    while len(stem.encode()) > 200:
        stem = stem[:-1]
    return (place.parent / f"{stem}{RESCUED}{digest[:8]}.md").as_posix()
