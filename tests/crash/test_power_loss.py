"""What a sudden loss of power may leave of a dream: a disk that forgets what was not synced."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from noctuary.vault import platform
from noctuary.vault.files import Disk, digest_of
from vault_kit import (
    DREAM,
    SESSIONS,
    SHAPES,
    Night,
    furnished_vault,
    graves,
    night_of,
    open_store,
    store_on,
    tell,
    visible,
)


@dataclass(slots=True)
class Medium:
    """Files and names as the program sees them, and what of it would survive."""

    data: dict[int, bytes] = field(default_factory=dict)
    safe_data: dict[int, bytes] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    safe_names: dict[str, int] = field(default_factory=dict)
    waiting: list[tuple[str, str, str]] = field(default_factory=list)

    def do(self, action: str, one: str, other: str = "") -> None:
        self.waiting.append((action, one, other))
        change(self.names, action, one, other)

    def sync_folder(self, folder: str) -> None:
        kept = []
        for item in self.waiting:
            if folder in {str(Path(name).parent) for name in item[1:] if name}:
                change(self.safe_names, *item)
            else:
                kept.append(item)
        self.waiting = kept

    def after_loss(self, dice: random.Random) -> dict[str, bytes]:
        names = dict(self.safe_names)
        for item in self.waiting:
            if dice.random() < 0.5:
                change(names, *item)
        return {name: self._bytes(inode, dice) for name, inode in names.items()}

    def _bytes(self, inode: int, dice: random.Random) -> bytes:
        whole, safe = self.data[inode], self.safe_data.get(inode, b"")
        if whole == safe:
            return whole
        return dice.choice([safe, whole, whole[: len(whole) // 2], bytes(len(whole))])


def change(names: dict[str, int], action: str, one: str, other: str) -> None:
    """Apply one change of names; what it needs may be missing after a loss."""
    if action == "new":
        names[one] = int(other)
    elif action == "unlink":
        names.pop(one, None)
    elif one not in names or (action == "exchange" and other not in names):
        return
    elif action == "link":
        names.setdefault(other, names[one])
    elif action == "rename":
        names[other] = names.pop(one)
    else:
        names[one], names[other] = names[other], names[one]


class PowerCut(Exception):
    pass


class FrailDisk(Disk):
    """Does everything for real and tells a medium; stops dead at mutation `limit`."""

    def __init__(self, root: Path, limit: int, *, honest: bool = True) -> None:
        super().__init__(root, self.count)
        object.__setattr__(self, "medium", Medium())
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "seen", 0)
        object.__setattr__(self, "honest", honest)
        self.take_in()

    medium: Medium
    limit: int
    seen: int
    honest: bool

    def count(self, _name: str, _path: Path) -> None:
        object.__setattr__(self, "seen", self.seen + 1)
        if self.seen == self.limit:
            raise PowerCut

    def rel(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def take_in(self) -> None:
        for path in self.root.rglob("*"):
            if path.is_file():
                inode = path.stat().st_ino
                self.medium.data[inode] = self.medium.safe_data[inode] = path.read_bytes()
                self.medium.names[self.rel(path)] = inode
        self.medium.safe_names = dict(self.medium.names)

    def write_new(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        super().write_new(path, data, mode)
        inode = path.stat().st_ino
        self.medium.data[inode] = data
        if self.honest:
            self.medium.safe_data[inode] = data
        else:
            self.medium.safe_data.pop(inode, None)
        self.medium.do("new", self.rel(path), str(inode))

    def sync(self, descriptor: int) -> None:
        os.fstat(descriptor)

    def sync_folder(self, folder: Path) -> None:
        if self.honest:
            self.medium.sync_folder(self.rel(folder))

    def link(self, source: Path, target: Path) -> bool:
        made = super().link(source, target)
        if made:
            self.medium.do("link", self.rel(source), self.rel(target))
        return made

    def rename(self, source: Path, target: Path) -> None:
        super().rename(source, target)
        self.medium.do("rename", self.rel(source), self.rel(target))

    def exchange(self, source: Path, target: Path) -> None:
        self.hook("exchange", target)
        assert platform.exchange(source, target)
        self.medium.do("exchange", self.rel(source), self.rel(target))

    def unlink(self, path: Path) -> None:
        there = path.exists()
        super().unlink(path)
        if there:
            self.medium.do("unlink", self.rel(path))

    def append_state(self, path: Path, data: bytes) -> None:
        super().append_state(path, data)
        inode = path.stat().st_ino
        self.medium.data[inode] = path.read_bytes()
        if self.honest:
            self.medium.safe_data[inode] = self.medium.data[inode]
        self.medium.do("new", self.rel(path), str(inode))


class Lab:
    def __init__(self, tmp_path: Path, shape: str) -> None:
        self.start = furnished_vault(tmp_path / "start", use_git=False)
        self.root = tmp_path / "vault"
        self.night: Night = night_of(self.start, shape)
        self.before = visible(self.start)
        self.fresh()
        disk = FrailDisk(self.root, 0)
        self.dream(disk)
        self.mutations = disk.seen
        self.after = visible(self.root)

    def fresh(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.start, self.root)

    def dream(self, disk: Disk) -> None:
        store_on(disk).apply(DREAM, self.night.writes, "Dream", self.night.purge)

    def cut(self, point: int, *, honest: bool) -> Medium:
        self.fresh()
        disk = FrailDisk(self.root, point, honest=honest)
        with pytest.raises(PowerCut):
            self.dream(disk)
        return disk.medium

    def wake(self, files: dict[str, bytes]) -> None:
        shutil.rmtree(self.root)
        for name, data in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def wrong(self) -> list[str]:
        """Files must be old or new, and the next dream must come to the same end."""
        now = visible(self.root)
        found = [
            f"{path} is neither old nor new"
            for path, data in now.items()
            if data not in (self.before.get(path), self.after.get(path))
        ]
        if self.is_purged() and any(now.get(path) != self.after[path] for path in self.cards()):
            found.append("purged, but the cards are not there")
        self.dream(open_store(self.root, use_git=False).disk)
        found += [] if visible(self.root) == self.after else ["the end differs"]
        buried = set(map(digest_of, graves(self.root)))
        return found + [
            f"{path} is gone"
            for path, data in self.before.items()
            if self.after.get(path) != data and digest_of(data) not in buried
        ]

    def cards(self) -> list[str]:
        return [path for path in self.after if path.startswith(("cards/", "archive/"))]

    def is_purged(self) -> bool:
        texts = [
            path.read_text(encoding="utf-8", errors="replace")
            for path in self.root.glob("episodes/**/*.md")
        ]
        said = [f"{name} says thing" for name in SESSIONS[: len(self.night.purge)]]
        return not all(any(words in text for text in texts) for words in said)


def failures(lab: Lab, seeds: int, share: float, *, honest: bool = True) -> tuple[int, list[str]]:
    dice = random.Random(11)
    found, runs = [], 0
    for point in range(1, lab.mutations + 1):
        if dice.random() >= share:
            continue
        medium = lab.cut(point, honest=honest)
        for seed in range(seeds):
            lab.wake(medium.after_loss(random.Random(f"{point} {seed}")))
            runs += 1
            if wrong := lab.wrong():
                found.append(f"point {point} seed {seed}: {wrong}")
    tell(f"seed 11: {runs} power losses, {len(found)} wrong")
    return runs, found


def test_power_loss_leaves_old_or_new(tmp_path: Path) -> None:
    runs, wrong = failures(Lab(tmp_path, "mixed"), 1, 0.4)
    assert runs > 10
    assert wrong == []


def test_the_power_loss_test_sees_a_disk_that_does_not_sync(tmp_path: Path) -> None:
    runs, wrong = failures(Lab(tmp_path, "mixed"), 1, 0.4, honest=False)
    assert len(wrong) >= 0.3 * runs


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_power_loss_at_every_point(tmp_path: Path, shape: str) -> None:
    _, wrong = failures(Lab(tmp_path, shape), 5, 1.0)
    assert wrong == []
