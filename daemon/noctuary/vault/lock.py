"""One writer at a time: per vault for dreams, per episode file for log lines."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noctuary.errors import VaultBusy
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT = 5.0
_SHARDS = 64


@contextmanager
def vault_lock(state: Path, purpose: str, wait: float = WAIT) -> Iterator[None]:
    """Hold the vault for writing.

    Raises:
        VaultBusy: Another process holds it, and still did after `wait` seconds.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(state / "lock", timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise VaultBusy(_busy(state)) from None
    owner = state / "owner.json"
    try:
        owner.write_text(json.dumps(_owner(purpose)), encoding="utf-8")
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


@contextmanager
def dream_lock(state: Path, wait: float = WAIT) -> Iterator[None]:
    """Hold the vault's dreams: one at a time, from the first thought to the commit.

    Raises:
        VaultBusy: Another dream is under way, and still was after `wait` seconds.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(state / "dream.lock", timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise VaultBusy(
            phrase("Another dream is under way; try again when it has ended.")
        ) from None
    try:
        yield
    finally:
        lock.release()


def is_held(state: Path, name: str) -> bool:
    """Whether a living process holds the lock of this name; looks, and changes nothing."""
    from filelock import FileLock, Timeout

    probe = FileLock(state / name, timeout=0)
    try:
        if not (state / name).exists():
            return False
        probe.acquire()
    except Timeout:
        return True
    except OSError:
        return False
    probe.release()
    return False


def _owner(purpose: str) -> dict[str, object]:
    import socket

    return {"pid": os.getpid(), "host": socket.gethostname(), "purpose": purpose}


def _busy(state: Path) -> str:
    try:
        owner = json.loads((state / "owner.json").read_text(encoding="utf-8"))
        who = phrase(
            "{purpose}, process {pid} on {host}",
            purpose=owner["purpose"],
            pid=owner["pid"],
            host=owner["host"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        who = phrase("another process")
    return phrase("The vault is busy ({who}); try again when it has finished.", who=who)


@contextmanager
def episode_lock(state: Path, name: str, wait: float = WAIT) -> Iterator[None]:
    """Hold one episode file for appending or purging; a few lock files serve all episodes."""
    from filelock import FileLock, Timeout

    shard = hashlib.sha256(name.encode()).digest()[0] % _SHARDS
    folder = state / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    lock = FileLock(folder / f"{shard:02d}.lock", timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        raise VaultBusy(
            phrase("The episode {name} is being written to; try again.", name=name)
        ) from None
    try:
        yield
    finally:
        lock.release()
