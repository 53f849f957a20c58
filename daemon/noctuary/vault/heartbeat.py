"""One daemon per vault, known by a lock of the system, and when it was last heard of.

The lock goes with its process, however that ends. The time of the file beside it says that the
daemon lives; it is touched at most once an hour, so that an idle daemon writes nothing.
"""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from noctuary.errors import VaultBusy
from noctuary.tongue import phrase
from noctuary.vault.lock import is_held

if TYPE_CHECKING:
    from pathlib import Path

EVERY = 3600.0
SILENT_AFTER = 86_400.0
_WAIT = 2.0


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of the daemon of a vault.

    Attributes:
        running: A process of this machine holds the lock.
        last: Seconds since the epoch when it was last heard; 0 for never.
    """

    running: bool
    last: float = 0.0
    pid: int = 0
    host: str = ""
    mode: str = ""

    @property
    def word(self) -> str:
        """`running` or `stopped`."""
        return "running" if self.running else "stopped"

    def silent(self, now: float) -> bool:
        """There was a daemon, and it has not been heard for a day."""
        return self.last > 0 and now - self.last > SILENT_AFTER


class Heartbeat:
    """Held by the daemon for as long as it lives."""

    def __init__(self, state: Path) -> None:
        self._file = state / "daemon.json"
        self._lock = FileLock(state / "daemon.lock", timeout=_WAIT)
        self._beat = 0.0

    def take(self) -> None:
        """Take the vault.

        Raises:
            VaultBusy: Another daemon has it.
        """
        try:
            self._lock.acquire()
        except Timeout:
            what = phrase(
                "Another daemon (process {pid}) watches this vault already; stop it first.",
                pid=_read(self._file).pid or phrase("unknown"),
            )
            raise VaultBusy(what) from None

    def begin(self, mode: str) -> None:
        """Say who watches, and how: by `events` or by `polling`."""
        known = {"pid": os.getpid(), "host": socket.gethostname(), "mode": mode}
        self._file.write_text(json.dumps(known), encoding="utf-8")
        self._beat = time.monotonic()

    def beat(self) -> None:
        """Say that the daemon lives, when that was not said for an hour."""
        if time.monotonic() - self._beat >= EVERY:
            self._beat = time.monotonic()
            with suppress(OSError):
                os.utime(self._file)

    def end(self) -> None:
        """Let go of the vault; the time of the file then says when the daemon left."""
        if self._beat:
            with suppress(OSError):
                os.utime(self._file)
        self._lock.release()


def heard(state: Path) -> Heard:
    """What is known of the daemon of this vault; looks, and changes nothing."""
    known = _read(state / "daemon.json")
    return replace(known, running=is_held(state, "daemon.lock"))


def forget_daemon(state: Path) -> None:
    """There is no daemon any more, and none is missed."""
    (state / "daemon.json").unlink(missing_ok=True)


def _read(file: Path) -> Heard:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        last = file.stat().st_mtime
        return Heard(False, last, int(content["pid"]), str(content["host"]), str(content["mode"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Heard(False)
