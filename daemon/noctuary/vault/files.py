"""The one layer through which a vault's files change: whole, durable, and never over a stranger.

Every mutation is announced to a hook first, so that tests can stop the machine right there.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError
from noctuary.tongue import phrase
from noctuary.vault import platform
from noctuary.vault.layout import STATE_DIR, Layout, OutsideZones, safe_relative

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    Hook: TypeAlias = Callable[[str, Path], None]

_ROOMS = ("stage", "new", "graveyard")
_LOOKS = 20
"""A writer at work may take its second name away between two looks; a stranger's name stays."""


class DiskError(NoctuaryError):
    """The disk refused; what was under way is finished at the next run."""


@contextmanager
def disk_errors() -> Iterator[None]:
    """Say in a sentence what the disk refused.

    Raises:
        DiskError: Instead of any OSError.
    """
    try:
        yield
    except OSError as error:
        raise DiskError(
            phrase(
                "The disk refused ({why}); nothing is lost, and the next run goes on from here once "
                "there is room or access again.",
                why=error.strerror or str(error),
            )
        ) from error


def digest_of(data: bytes) -> str:
    """The digest by which versions of a file are told apart: sha256 in hex."""
    return hashlib.sha256(data).hexdigest()


def _nothing(_action: str, _path: Path) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Disk:
    """Reads and changes the files of one vault.

    Attributes:
        hook: Called with the name of each mutation and its path, before it happens.
    """

    root: Path
    hook: Hook = field(default=_nothing)

    @property
    def layout(self) -> Layout:
        """The paths of the vault."""
        return Layout(self.root)

    # -- reading ------------------------------------------------------------------------------

    def read(self, path: Path) -> bytes | None:
        """The whole file; None when there is none."""
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def digest(self, path: Path) -> str | None:
        """Digest of the file as it is now; None when there is none."""
        data = self.read(path)
        return None if data is None else digest_of(data)

    def guard(self, path: str, *, setup: bool = False) -> Path:
        """The file behind a relative path, once it is sure that writing stays inside the vault.

        Raises:
            OutsideZones: The path leaves the zones, or a link stands in its way.
        """
        target = self.layout.absolute(safe_relative(path, setup=setup))
        for parent in target.relative_to(self.root).parents:
            if (self.root / parent).is_symlink():
                raise OutsideZones(
                    phrase(
                        "{parent} is a link; the program writes to real folders only.",
                        parent=parent,
                    )
                )
        refuse_links(target)
        return target

    # -- single mutations ---------------------------------------------------------------------

    def make_folder(self, folder: Path, mode: int = 0o777) -> None:
        """Make a folder and its parents, each made durable in its own parent."""
        if folder.is_dir():
            return
        self.make_folder(folder.parent, mode)
        self.hook("mkdir", folder)
        folder.mkdir(mode=mode, exist_ok=True)
        self.sync_folder(folder.parent)

    def write_new(self, path: Path, data: bytes, mode: int = 0o600) -> None:
        """Write a file that must not exist, and bring its bytes to the medium; all of it or none."""
        self.hook("write", path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, mode)
        try:
            try:
                write_all(descriptor, data)
                self.sync(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            path.unlink(missing_ok=True)
            raise

    def sync(self, descriptor: int) -> None:
        """Bring an open file's bytes to the medium."""
        platform.sync_file(descriptor)

    def sync_folder(self, folder: Path) -> None:
        """Bring a folder's names to the medium."""
        platform.sync_dir(folder)

    def link(self, source: Path, target: Path) -> bool:
        """Give a file a second name that nobody has yet; False when somebody does.

        Where there are no hard links the file is moved, after a look that nobody has the name.
        """
        self.hook("link", target)
        try:
            target.hardlink_to(source)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in platform.NO_LINKS:
                raise
            return self._move_without_link(source, target)
        return True

    def _move_without_link(self, source: Path, target: Path) -> bool:
        if target.exists():
            return False
        source.rename(target)
        return True

    def rename(self, source: Path, target: Path) -> None:
        """Rename within the vault; replaces a file of the program's own state only."""
        self.hook("rename", source)
        platform.patiently(lambda: _replace(source, target))

    def exchange(self, source: Path, target: Path) -> None:
        """Swap two files; afterwards `source` holds what was at `target`."""
        self.hook("exchange", target)
        if platform.exchange(source, target):
            return
        kept = displaced_name(source)
        self.unlink(kept)
        platform.patiently(lambda: platform.replace_keeping(source, target, kept))
        self.rename(kept, source)

    def unlink(self, path: Path) -> None:
        """Remove a name of the program's own; nothing happens when it is gone already."""
        if not path.exists():
            return
        self.hook("unlink", path)
        platform.patiently(lambda: path.unlink(missing_ok=True))

    # -- state files --------------------------------------------------------------------------

    def put_state(self, path: Path, data: bytes) -> None:
        """Replace one of the program's own files in `.noctuary/`, whole and durable."""
        self.make_folder(path.parent, 0o700)
        fresh = path.with_name(path.name + ".new")
        self.unlink(fresh)
        self.write_new(fresh, data)
        self.rename(fresh, path)
        self.sync_folder(path.parent)

    def append_state(self, path: Path, data: bytes) -> None:
        """Append to one of the program's own logs; a torn last line is closed off first."""
        self.make_folder(path.parent, 0o700)
        self.hook("append", path)
        append_block(path, data, 0o600, self.sync)


def refuse_open_folder(root: Path) -> None:
    """Refuse a vault in which anybody on this machine may put words into memory.

    Raises:
        OutsideZones: Its folder is writable for all.
    """
    if os.name == "posix" and root.stat().st_mode & stat.S_IWOTH:
        raise OutsideZones(
            phrase(
                "Anybody may write to {root}, and so into memory: run `chmod o-w {root}` first.",
                root=root,
            )
        )


def refuse_links(target: Path) -> None:
    """Refuse a target that is a link, a hard link, or no plain file.

    Raises:
        OutsideZones: Replacing it would break the link or write elsewhere.
    """
    for _ in range(_LOOKS):
        found = look(target)
        if found is None:
            return
        if not stat.S_ISREG(found.st_mode):
            raise OutsideZones(
                phrase("{name} is a link or no plain file; it is left alone.", name=target.name)
            )
        if found.st_nlink <= 1 or _named_in_state(target, found):
            return
    raise OutsideZones(
        phrase("{name} has other names (hard links); it is left alone.", name=target.name)
    )


def _named_in_state(target: Path, found: os.stat_result) -> bool:
    """True when the second name is our own: of a writer at work, or left by a crash."""
    states = (folder / STATE_DIR for folder in target.parents)
    ours = (file for state in states for room in _ROOMS for file in (state / room).glob("*"))
    return any(item is not None and os.path.samestat(item, found) for item in map(look, ours))


def look(path: Path) -> os.stat_result | None:
    """What stands under a name, links not followed; None when it is gone, or never was."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def displaced_name(stage: Path) -> Path:
    """Where a file rests for a moment, on systems that cannot swap two names."""
    return stage.with_name(stage.name + ".old")


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, in one call where the system lets us."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def append_block(path: Path, data: bytes, mode: int, sync: Callable[[int], None]) -> None:
    """Append one block in one write, on a fresh line even when the last writer was cut short."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    try:
        write_all(descriptor, b"\n" * (not ends_clean(descriptor)) + data)
        sync(descriptor)
    finally:
        os.close(descriptor)


def ends_clean(descriptor: int) -> bool:
    """True when the file is empty or its last byte ends a line."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def _replace(source: Path, target: Path) -> None:
    source.replace(target)
