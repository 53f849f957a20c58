"""Which bytes each dream found and left, so that it can be undone where there is no git."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from noctuary.vault.state import json_lines, sealed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from noctuary.vault.files import Disk
    from noctuary.vault.journal import Journal

_KEPT_DAYS = 400
_CARDS = ("cards/", "inbox/", "archive/")


@dataclass(frozen=True, slots=True)
class Deed:
    """One file that a dream changed.

    Attributes:
        was: Path before; empty for a new file.
        path: Path after; empty for a file that was removed.
        base: Digest before; empty for a new file.
        digest: Digest after; empty for a file that was removed.
    """

    was: str
    path: str
    base: str
    digest: str


@dataclass(frozen=True, slots=True)
class Deeds:
    """The log of one vault; losing it costs the undoing of dreams that git does not know.

    It is of use for as long as the bytes that were there before rest in the graveyard, which is
    `days`; that a card was made can be undone for longer.
    """

    disk: Disk
    days: int = 30

    @property
    def path(self) -> Path:
        """Where the log lies."""
        return self.disk.layout.state / "deeds.jsonl"

    def note(self, journal: Journal, at: datetime) -> None:
        """Remember what a dream did; said twice after a crash it counts once."""
        done = set(journal.done)
        files = [
            ["" if step.base is None else step.moved_from or step.path,
             "" if step.digest is None else step.path, step.base or "", step.digest or ""]
            for step in journal.steps
            if step.path in done and step.path.startswith(_CARDS)
        ]  # fmt: skip
        if files:
            line = {"dream": journal.dream, "at": at.isoformat(timespec="seconds"), "files": files}
            self._shorten(at)
            self.disk.append_state(self.path, sealed(line) + b"\n")

    def of(self, dream: str) -> tuple[Deed, ...]:
        """What a dream did, empty when it is not known any more."""
        found: tuple[Deed, ...] = ()
        for line in json_lines(self.disk.read(self.path)):
            if line.get("dream") == dream:
                found = tuple(_deeds(line)) or found
        return found

    def _shorten(self, now: datetime) -> None:
        """Forget what can no longer be undone."""
        data = self.disk.read(self.path) or b""
        whole, made = (now - timedelta(days=days) for days in (self.days, _KEPT_DAYS))
        kept = [
            line if str(item.get("at")) >= whole.isoformat() else _creations(item)
            for line in data.splitlines(keepends=True)
            for item in json_lines(line)
            if str(item.get("at")) >= made.isoformat()
        ]
        if (fresh := b"".join(kept)) != data:
            self.disk.put_state(self.path, fresh)


def _creations(item: dict[str, object]) -> bytes:
    """The line of a dream with the cards that it made, and nothing else."""
    files = item.get("files")
    made = (
        [one for one in files if isinstance(one, list) and one[2:3] == [""]]
        if isinstance(files, list)
        else []
    )
    line = {"dream": item.get("dream"), "at": item.get("at"), "files": made}
    return sealed(line) + b"\n" if made else b""


def _deeds(line: dict[str, object]) -> Iterator[Deed]:
    files = line.get("files")
    for item in files if isinstance(files, list) else ():
        if isinstance(item, list) and len(item) == 4:
            yield Deed(*map(str, item))
