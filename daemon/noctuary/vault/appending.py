"""Appending to episodes: only what is new, the whole block in one write, never over anybody."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.vault.files import append_block
from noctuary.vault.forgotten import forgotten_ids
from noctuary.vault.lock import episode_lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from noctuary.memory.entry import Entry
    from noctuary.memory.episode import EpisodeMeta
    from noctuary.vault.files import Disk

_ID = re.compile(rb"^\^(e[0-9a-f]{10})[ \t\r]*$", re.MULTILINE)
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did: the episode's path, and how many entries were new or known."""

    path: str
    added: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Appender:
    """Appends to the episodes of one vault."""

    disk: Disk
    wait: float

    def append(
        self, meta: EpisodeMeta, entries: Sequence[Entry], *, dry_run: bool = False
    ) -> Appended:
        """Append the entries that the episode neither holds nor held once."""
        from noctuary.memory.episode import episode_name

        name = episode_name(meta)
        path = self.disk.layout.episode_path(name)
        target = self.disk.guard(path)
        unique = {entry.id: entry for entry in entries}
        with episode_lock(self.disk.layout.state, path, self.wait):
            known = _ids(self.disk.read(target)) | forgotten_ids(self.disk, name)
            fresh = [entry for entry in unique.values() if entry.id not in known]
            self.disk.unlink(self._unborn(target))
            if fresh and not dry_run:
                self._until_there(target, meta, fresh)
        return Appended(path, len(fresh), len(entries) - len(fresh))

    def _until_there(self, target: Path, meta: EpisodeMeta, fresh: list[Entry]) -> None:
        """Write, then look whether an editor replaced the file meanwhile; if so, write again."""
        missing = fresh
        for _ in range(_ROUNDS):
            self._write(target, meta, missing)
            there = _ids(self.disk.read(target))
            missing = [entry for entry in fresh if entry.id not in there]
            if not missing:
                return

    def _write(self, target: Path, meta: EpisodeMeta, entries: Iterable[Entry]) -> None:
        from noctuary.memory.episode import render_entry, render_head

        block = "".join(render_entry(entry, meta.started.date()) for entry in entries)
        if not target.exists() and self._create(target, render_head(meta) + block):
            return
        self.disk.hook("append", target)
        append_block(target, _encode(block), 0o666, self.disk.sync)

    def _unborn(self, target: Path) -> Path:
        """Where an episode is written before it gets its name."""
        return self.disk.layout.state / "new" / target.name

    def _create(self, target: Path, text: str) -> bool:
        self.disk.make_folder(target.parent)
        fresh = self._unborn(target)
        self.disk.make_folder(fresh.parent, 0o700)
        self.disk.write_new(fresh, _encode(text), 0o666)
        made = self.disk.link(fresh, target)
        self.disk.unlink(fresh)
        self.disk.sync_folder(target.parent)
        return made


def _ids(data: bytes | None) -> set[str]:
    return {found.decode() for found in _ID.findall(data or b"")}


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
