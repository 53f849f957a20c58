"""File events of one vault, through watchdog: hints where to look, never the truth.

Handlers only put paths into a set. Reading makes no hint, `.git` and the like are not watched at
all, and whoever listens asks `trouble` now and then, since events can stop coming without a word.
"""

from __future__ import annotations

import errno
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from noctuary.vault.survey import is_watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

EVERYTHING = ""
"""A hint that names no file: look at all of them."""
ZONES = ("episodes", "cards", "inbox", "archive")
"""Folders that people and agents write to; the others are covered by the scans."""
MOST_HINTS = 2000
"""So many hints at once are one hint to look at everything."""
_STOP = 2.0


class Hints:
    """Paths that something happened to, collected from any thread."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._paths: set[str] = set()

    def add(self, path: str) -> None:
        """Remember a path relative to the vault; the first one of a batch wakes the listener."""
        with self._lock:
            first = not self._paths
            if len(self._paths) < MOST_HINTS:
                self._paths.add(path)
            else:
                self._paths = {EVERYTHING}
        if first:
            self._wake()

    @property
    def waiting(self) -> bool:
        """Something came that nobody has taken yet."""
        return bool(self._paths)

    def take(self) -> set[str]:
        """All that came since the last call."""
        with self._lock:
            taken, self._paths = self._paths, set()
        return taken


class Watching(Protocol):
    """What tells that files of a vault changed."""

    @property
    def mode(self) -> str:
        """`events` or `polling`."""
        ...

    def trouble(self) -> str:
        """Why no hints can be expected any more; empty when all is well."""
        ...

    def stop(self) -> None:
        """Let go of the vault."""
        ...


@dataclass(frozen=True, slots=True)
class Polling:
    """No events: whoever listens looks by itself, often."""

    why: str = ""
    mode: str = "polling"

    def trouble(self) -> str:
        """Looking cannot break."""
        return ""

    def stop(self) -> None:
        """There is nothing to let go of."""


@dataclass(slots=True)
class Watcher:
    """A running observer over one vault."""

    root: Path
    observer: BaseObserver
    identity: tuple[int, int]
    zones: frozenset[str]
    mode: str = field(default="events", init=False)

    def trouble(self) -> str:
        """Why no events can be expected any more."""
        if identity_of(self.root) != self.identity:
            return "the vault's folder was replaced"
        if not self.observer.is_alive():
            return "the watching thread has died"
        if not all(emitter.is_alive() for emitter in self.observer.emitters):
            return "a watching thread has died"
        if len(self.observer.emitters) != len(self.zones) + 1:
            return "a folder is not watched any more"
        return "" if zones_of(self.root) == self.zones else "a folder came or went"

    def stop(self) -> None:
        """Stop the threads; they are given two seconds."""
        self.observer.stop()
        if self.observer.is_alive():
            self.observer.join(_STOP)


def identity_of(root: Path) -> tuple[int, int] | None:
    """Which folder stands under this name; None when there is none."""
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def zones_of(root: Path) -> frozenset[str]:
    """Names of the folders to watch: those that are there and are no links, with their inodes."""
    found = set()
    for name in ZONES:
        try:
            here = (root / name).lstat()
        except OSError:
            continue
        if (root / name).is_dir() and not (root / name).is_symlink():
            found.add(f"{name}:{here.st_ino}")
    return frozenset(found)


def watch(root: Path, hints: Hints, *, poll: bool = False) -> Watching:
    """Watch a vault; where the system cannot, the answer says why and is one that polls.

    Raises:
        FileNotFoundError: The vault is gone.
    """
    if poll:
        return Polling("as asked")
    identity = identity_of(root)
    if identity is None:
        raise FileNotFoundError(root)
    zones = zones_of(root)
    try:
        observer = _started(root, zones, hints)
    except FileNotFoundError:
        raise
    except OSError as error:
        return Polling(_why_not(error))
    return Watcher(root, observer, identity, zones)


def _started(root: Path, zones: frozenset[str], hints: Hints) -> BaseObserver:
    from watchdog.observers import Observer

    handler, allowed = _handler(root, hints)
    observer = Observer()
    try:
        observer.schedule(handler, str(root), event_filter=allowed)
        for zone in sorted(zones):
            folder = root / zone.partition(":")[0]
            observer.schedule(handler, str(folder), recursive=True, event_filter=allowed)
        observer.start()
    except BaseException:
        observer.unschedule_all()
        if observer.is_alive():
            observer.stop()
        raise
    return observer


def _handler(
    root: Path, hints: Hints
) -> tuple[FileSystemEventHandler, list[type[FileSystemEvent]]]:
    """What turns events to hints, and the kinds of events it wants: those that change something.

    An allow-list, since systems and later versions know kinds that reading alone sets off.
    """
    from watchdog import events

    class Handler(events.FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            for path in (event.src_path, event.dest_path):
                if path:
                    _hint(root, str(path), hints, is_folder=event.is_directory)

    allowed: list[type[FileSystemEvent]] = [
        events.FileCreatedEvent,
        events.FileModifiedEvent,
        events.FileMovedEvent,
        events.FileDeletedEvent,
        events.DirCreatedEvent,
        events.DirMovedEvent,
        events.DirDeletedEvent,
    ]
    return Handler(), allowed


def _hint(root: Path, path: str, hints: Hints, *, is_folder: bool) -> None:
    """Never raises: an exception here would end the observer's thread."""
    try:
        relative = Path(path).relative_to(root).as_posix()
    except ValueError:
        hints.add(EVERYTHING)
        return
    if is_folder:
        if not any(part.startswith(".") for part in relative.split("/")) or relative == ".":
            hints.add(EVERYTHING)
    elif is_watched(relative):
        hints.add(relative)


def _why_not(error: OSError) -> str:
    """Why the system does not let us watch, with the setting that would change it."""
    limits = {
        errno.ENOSPC: "fs.inotify.max_user_watches",
        errno.EMFILE: "fs.inotify.max_user_instances",
    }
    setting = limits.get(error.errno or 0)
    if setting is None:
        return f"the system cannot watch this folder ({error.strerror or error})"
    return (
        f"the system's limit of watches is reached; raise {setting}, for example with "
        f"`sudo sysctl {setting}=524288`, and start again"
    )
