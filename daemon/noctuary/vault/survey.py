"""What lies in a vault, told by stat alone: the truth that file events only hint at."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import PurePosixPath
from stat import S_ISREG
from typing import TYPE_CHECKING

from noctuary.vault.layout import CONFIG_FILE, FOLDERS, PAGES
from noctuary.vault.reading import is_leftover, may_be_leftover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from noctuary.vault.alarm import Alarm

    Stamp: TypeAlias = tuple[int, int, int, int]
    """Size, modification and change time in nanoseconds, inode."""

TOP_FILES = (*PAGES, "preferences.md", CONFIG_FILE)


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths that are not as they were."""

    fresh: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.fresh or self.changed or self.gone)

    @property
    def all(self) -> frozenset[str]:
        """Every path that differs."""
        return self.fresh | self.changed | self.gone


@dataclass(slots=True)
class _Here:
    """What lies in one folder."""

    files: dict[str, Stamp] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Survey:
    """The notes of one vault by path, as they were when last looked at.

    Attributes:
        leftovers: What sync clients and our own rescues left behind; never taken in.
        unread: Folders that could not be listed; what was known of them still stands.
        zones: Folders that are looked into; the notes at the top only with all of them.
        resting: Those among them whose files are looked at one by one only when a file has come
            or gone since: an edit in place is seen late there, by whoever looks for the first time.
        alarm: Tells in which folders nothing happened: what they hold is then known already.
    """

    root: Path
    stamps: dict[str, Stamp] = field(default_factory=dict)
    leftovers: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    zones: tuple[str, ...] = FOLDERS
    resting: tuple[str, ...] = ()
    alarm: Alarm | None = None
    _is_whole: bool = False
    _known: dict[str, _Here] = field(default_factory=dict)
    _rests: dict[str, tuple[int, _Here]] = field(default_factory=dict)

    def rescan(self) -> Changes:
        """Look at everything, where anything may have happened."""
        silent = self.alarm is not None and self.alarm.is_silent()
        if silent and self._is_whole and not self.unread:
            return Changes()
        self._is_whole = False  # whatever stops it, the next look finds what this one did not
        before, self.leftovers, self.unread = self.stamps, set(), set()
        self.stamps = self._everything()
        for path, stamp in before.items() if self.unread else ():
            if any(path.startswith(f"{folder}/") for folder in self.unread):
                self.stamps.setdefault(path, stamp)
        self._is_whole = True
        return _differences(before, self.stamps)

    def look(self, paths: Iterable[str]) -> Changes:
        """Look at these files alone."""
        wanted = [path for path in paths if is_watched(path)]
        before = {path: self.stamps[path] for path in wanted if path in self.stamps}
        after = {path: found for path in wanted if (found := self._stamp(path))}
        self.stamps.update(after)
        for path in set(before) - set(after):
            del self.stamps[path]
        return _differences(before, after)

    def folders(self) -> int:
        """How many folders hold notes, which is what a system's watches are counted by."""
        return len({path.rpartition("/")[0] for path in self.stamps})

    def below(self, *folders: str) -> Iterator[str]:
        """Known paths in these folders."""
        heads = tuple(f"{folder}/" for folder in folders)
        return (path for path in self.stamps if path.startswith(heads))

    def _stamp(self, path: str) -> Stamp | None:
        """Of a plain file that no link leads to."""
        parts = PurePosixPath(path).parts
        here = self.root
        try:
            for part in parts[:-1]:
                here = here / part
                if here.is_symlink():
                    return None
            found = (here / parts[-1]).lstat()
        except OSError:
            return None
        return _as_stamp(found) if S_ISREG(found.st_mode) else None

    def _everything(self) -> dict[str, Stamp]:
        tops = TOP_FILES if self.zones == FOLDERS else ()
        found = {name: stamp for name in tops if (stamp := self._stamp(name))}
        if self.alarm is not None:
            self.alarm.set("")
        for zone in self.zones:
            if not (self.root / zone).is_symlink():
                self._walk(zone, found)
        return found

    def _walk(self, folder: str, found: dict[str, Stamp]) -> None:
        here = self._here(folder)
        self.leftovers.update(here.leftovers)
        found.update(here.files)
        for inner in here.folders:
            self._walk(inner, found)

    def _here(self, folder: str) -> _Here:
        """What lies in one folder, which is known where nothing happened there."""
        if self.alarm is None:
            return self._rested(folder)
        if self.alarm.is_silent_in(folder) and folder in self._known:
            return self._known[folder]
        self._known.pop(folder, None)
        self.alarm.set(folder)
        here = self._rested(folder)
        if folder not in self.unread:
            self._known[folder] = here
        return here

    def _rested(self, folder: str) -> _Here:
        """The same; a resting one is looked into when something came or went."""
        if folder.partition("/")[0] not in self.resting:
            return self._looked(folder)
        changed, known = _changed(self.root / folder), self._rests.get(folder)
        if known is None or known[0] != changed:
            known = self._rests[folder] = (changed, self._looked(folder))
        return known[1]

    def _looked(self, folder: str) -> _Here:
        try:
            with os.scandir(self.root / folder) as items:
                return _seen(folder, items)
        except (FileNotFoundError, NotADirectoryError):
            return _Here()
        except OSError:
            self.unread.add(folder)
            return _Here()


def _seen(folder: str, items: Iterable[os.DirEntry[str]]) -> _Here:
    """What lies in a folder; each item is let go at once, which is quicker than to hold them all."""
    here, names = _Here(), []
    for item in items:
        name = item.name
        if item.is_dir(follow_symlinks=False):
            here.folders.extend([] if name.startswith(".") else [f"{folder}/{name}"])
            continue
        names.append(name)
        if is_note(name) and (found := _status(item)) and S_ISREG(found.st_mode):
            here.files[f"{folder}/{name}"] = _as_stamp(found)
    if may_be_leftover("\n".join(names)):
        here.leftovers = [f"{folder}/{name}" for name in names if is_leftover(name)]
        for path in here.leftovers:
            here.files.pop(path, None)
    return here


def _changed(folder: Path) -> int:
    """When something came or went in a folder; 0 where there is none."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _status(item: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return item.stat(follow_symlinks=False)
    except OSError:
        return None


_as_stamp: Callable[[os.stat_result], Stamp] = attrgetter(
    "st_size", "st_mtime_ns", "st_ctime_ns", "st_ino"
)


def _differences(before: dict[str, Stamp], after: dict[str, Stamp]) -> Changes:
    if before == after:
        return Changes()
    if not before:
        return Changes(frozenset(after))
    both = before.keys() & after.keys()
    return Changes(
        frozenset(after.keys() - both),
        frozenset(path for path in both if before[path] != after[path]),
        frozenset(before.keys() - both),
    )


def is_note(name: str) -> bool:
    """A Markdown file that is not hidden."""
    return name.endswith(".md") and name[0] != "."


def is_watched(path: str) -> bool:
    """Whether a change of this file matters: notes in our folders, the person's page, settings."""
    parts = path.split("/")
    if len(parts) == 1:
        return path in TOP_FILES
    hidden = any(part.startswith(".") for part in parts)
    return parts[0] in FOLDERS and is_note(parts[-1]) and not hidden and not is_leftover(parts[-1])
