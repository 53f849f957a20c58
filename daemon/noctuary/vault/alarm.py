"""In which folders nothing happened since they were looked at, by the word of the system itself.

Linux alone says so at once, without a thread, and only of disks that nobody else writes to; then
a question need not look at each file. Anywhere else, and whatever goes wrong, nothing is promised.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCAL = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"}
)
"""File systems whose every change goes through this system."""
LONGEST = 600.0
"""Seconds after which everything is looked at all the same: what a program writes through a second
hard link, or through memory alone, makes no sound."""
_NONBLOCK, _CLOEXEC = 0o4000, 0o2000000
_MODIFY, _ATTRIB, _CLOSED, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_UNMOUNT, _OVERFLOW, _FOLDER = 0x2000, 0x4000, 0x40000000
_ONLY_FOLDERS, _NO_LINKS = 0x1000000, 0x2000000
_NAMES = _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_ALL = _MODIFY | _ATTRIB | _CLOSED | _NAMES | _DELETE_SELF | _MOVE_SELF
_SHAKEN = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW
"""After these nobody knows which folder a name stands for."""
_EVENT = struct.Struct("iIII")
_ROOM = 1 << 16
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = lazily(r"\\([0-7]{3})")
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class Alarm:
    """Set over the folders of one vault; a folder that rings is looked at, and set again."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._watch: _Watch | None = None
        self._is_off = sys.platform != "linux"
        self._set_at: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._about: tuple[object, ...] = ()
        self._since = 0.0

    def is_silent(self) -> bool:
        """True when nothing happened in any folder since it was set; takes up what did happen."""
        if self._watch is None or self._is_off:
            return False
        about = self._surroundings()
        if about != self._about or time.monotonic() - self._since > LONGEST:
            self._reset()
            return False
        before = len(self._set_at)
        for number, what in self._watch.events():
            if what & _SHAKEN or (what & _FOLDER and what & _NAMES):
                self._reset()
                return False
            self._set_at.pop(self._names.get(number, ""), None)
        return len(self._set_at) == before

    def is_silent_in(self, folder: str) -> bool:
        """The same of one folder, as far as is taken up."""
        return folder in self._set_at

    def set(self, folder: str) -> None:
        """From now on whatever happens in a folder rings; to be called before it is looked at.

        A folder that is not there needs none: when it comes, the one around it rings.
        """
        if self._is_off:
            return
        try:
            if self._watch is None:
                self._begin()
            if self._watch is not None:
                number = self._watch.add(self._root / folder, self._about[1])
                self._names[number], self._set_at[folder] = folder, number
        except OSError as error:
            if error.errno not in _ABSENT:
                self._reset()
                self._is_off = True

    def _begin(self) -> None:
        self._about = self._surroundings()
        if not self._about or _kind_of_disk(self._root) not in _LOCAL:
            self._is_off = True
            return
        self._watch, self._since = _Watch(), time.monotonic()

    def _surroundings(self) -> tuple[object, ...]:
        """Which folder the vault is, its disk, and which process asks: a fork shares its events."""
        try:
            found = self._root.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_dev, os.getpid()

    def _reset(self) -> None:
        self._watch = None
        self._set_at, self._names = {}, {}


class _Watch:
    """One instance of inotify."""

    def __init__(self) -> None:
        import ctypes

        self._libc, self._errno = ctypes.CDLL(None, use_errno=True), ctypes.get_errno
        self._file = self._checked(self._libc.inotify_init1(_NONBLOCK | _CLOEXEC))
        weakref.finalize(self, os.close, self._file)

    def add(self, folder: Path, disk: object) -> int:
        """The number of a folder's watch.

        Raises:
            OSError: It is no folder, lies on another disk, or there are too many watches.
        """
        number = self._libc.inotify_add_watch(
            self._file, os.fsencode(folder), _ALL | _ONLY_FOLDERS | _NO_LINKS
        )
        found = self._checked(number)
        if folder.stat().st_dev != disk:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(folder))
        return found

    def events(self) -> Iterator[tuple[int, int]]:
        """What happened since: the number of the watch, and what it was."""
        while True:
            try:
                told = os.read(self._file, _ROOM)
            except BlockingIOError:
                return
            place = 0
            while place < len(told):
                number, what, _, length = _EVENT.unpack_from(told, place)
                place += _EVENT.size + length
                yield number, what

    def _checked(self, answer: int) -> int:
        if answer < 0:
            number = self._errno()
            raise OSError(number, os.strerror(number))
        return answer


def _kind_of_disk(root: Path) -> str:
    """The file system that a folder lies on; "" when that cannot be told."""
    where, found, kind = f"{root}/", "", ""
    with _MOUNTS.open(encoding="utf-8", errors="surrogateescape") as mounts:
        for line in mounts:
            about, _, how = line.partition(" - ")
            point = _ESCAPED.sub(lambda hit: chr(int(hit[1], 8)), about.split(" ")[4]).rstrip("/")
            if where.startswith(f"{point}/") and len(point) >= len(found):
                found, kind = point, how.split(" ")[0]
    return kind
