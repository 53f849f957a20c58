"""What differs between Linux, macOS and Windows when files are written; nothing else does."""

from __future__ import annotations

import errno
import os
import sys
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}
"""What file systems without hard links (exFAT, some network drives) answer."""
_AT_FDCWD = -100
_SWAP_FLAG = 2  # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS are both 2
_SHARING = {5, 32, 33}
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.75, 1.0)


class _Swap(Protocol):
    def __call__(self, one: bytes, other: bytes) -> int: ...


@lru_cache(maxsize=1)
def _swap_call() -> _Swap | None:
    """The system's own exchange of two names; None where there is none."""
    if sys.platform == "win32":
        return None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        return _bound(getattr(libc, "renamex_np", None), "darwin")
    return _bound(getattr(libc, "renameat2", None), "linux")


def _bound(call: Callable[..., int] | None, system: str) -> _Swap | None:
    if call is None:
        return None
    import ctypes

    def swap(one: bytes, other: bytes) -> int:
        if system == "darwin":
            done = call(one, other, _SWAP_FLAG)
        else:
            done = call(_AT_FDCWD, one, _AT_FDCWD, other, _SWAP_FLAG)
        return 0 if done == 0 else ctypes.get_errno()

    return swap


def exchange(one: Path, other: Path) -> bool:
    """Swap two files in one step; False where the system or file system cannot."""
    call = _swap_call()
    if call is None:
        return False
    code = call(os.fsencode(one), os.fsencode(other))
    if code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(one), None, str(other))
    return True


def replace_keeping(new: Path, target: Path, kept: Path) -> None:
    """Put `new` at `target` and the old file at `kept`, where `exchange` is not to be had.

    Not one step everywhere: a save in the microseconds between may be overtaken.
    """
    if sys.platform == "win32":
        _replace_windows(new, target, kept)
        return
    try:
        kept.hardlink_to(target)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        kept.write_bytes(target.read_bytes())
    new.replace(target)


def _replace_windows(new: Path, target: Path, kept: Path) -> None:
    if sys.platform == "win32":
        import ctypes

        call = ctypes.windll.kernel32.ReplaceFileW
        if not call(str(target), str(new), str(kept), 1, None, None):
            raise ctypes.WinError()


def sync_file(descriptor: int) -> None:
    """Bring a file's bytes to the medium itself."""
    if sys.platform == "darwin":
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:  # network volumes know no full sync
            os.fsync(descriptor)
        else:
            return
    else:
        os.fsync(descriptor)


def sync_dir(folder: Path) -> None:
    """Bring a folder's names to the medium; Windows does so by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


def patiently(action: Callable[[], None]) -> None:
    """Run it again while a scanner or reader holds the file, as happens on Windows (2.5 s)."""
    for pause in _PAUSES:
        try:
            return action()
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _SHARING:
                raise
            time.sleep(pause)
    return action()


def is_placeholder(size: int, blocks: int | None) -> bool:
    """True for a file whose bytes a sync client has not brought down yet."""
    return sys.platform == "darwin" and size > 0 and blocks == 0


def is_there(path: Path) -> bool:
    """True for a file that exists, even where only its placeholder of a cloud is on this machine."""
    return path.is_file() or path.with_name(f".{path.name}.icloud").exists()
