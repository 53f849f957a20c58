"""Rebuilds what follows from the rest: unfinished writes, the ledger, logs, the map, the search."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from noctuary.care.checks_state import SEALED, SEALED_LINES, state_problems
from noctuary.pages.mapping import rebuild
from noctuary.resources import cache_folder
from noctuary.tongue import listed, phrase
from noctuary.vault.state import (
    PERSON,
    Ledger,
    Written,
    holds_seal,
    json_lines,
    ledger_path,
    read_ledger,
    write_ledger,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from noctuary.config import Settings
    from noctuary.pages import Pages
    from noctuary.vault.store import Store


def repair(store: Store, settings: Settings, pages: Pages) -> Iterator[str]:
    """Mend what can be; says what was done.

    Raises:
        VaultBusy: Another process is writing.
    """
    del pages
    if store.recover() is not None:
        yield phrase("finished the dream that had not come to its end")
    with store.lock("repair"):
        yield from _state(store)
        yield from _ledger(store)
    for path in store.sweep():
        yield phrase("gave back what was saved late, as {path}", path=path)
    changed = rebuild(store, settings, dry_run=False).changed
    if changed:
        yield phrase("drew anew {paths}", paths=listed(changed))
    cache = cache_folder(store.vault_id)
    if cache.exists():
        shutil.rmtree(cache, ignore_errors=True)
        yield phrase("emptied the cache of the search, which the next question fills")


def _state(store: Store) -> Iterator[str]:
    state = store.layout.state
    if os.name == "posix" and state.stat().st_mode & 0o077:
        state.chmod(0o700)
        yield phrase("closed the machine state to others")
    damaged = state / "journal.damaged"
    if damaged.exists():
        store.disk.unlink(damaged)
        yield phrase("removed the torn journal")
    for file in sorted(state.glob("*.jsonl")):
        if _drop_broken_lines(store, file):
            yield phrase("dropped damaged lines of {name}", name=file.name)
    for name in (*SEALED, "attempts.json", "shown.json"):
        if _is_broken(store, state / name):
            store.disk.unlink(state / name)
            yield phrase("dropped the damaged {name}", name=name)
    yield from _stage(store)


def _stage(store: Store) -> Iterator[str]:
    """What lies on stage may be the only copy of a note that was just displaced: it gets a grave."""
    for file in sorted((store.layout.state / "stage").glob("*")):
        digest = store.disk.digest(file)
        if digest is not None:
            store.graveyard.bury(file, f"cards/{file.name}.md", digest, store.clock())
            yield phrase("buried bytes of a write that never finished")


def _is_broken(store: Store, file: Path) -> bool:
    names = {problem.where for problem in state_problems(store)}
    return file.exists() and f".noctuary/{file.name}" in names


def _drop_broken_lines(store: Store, file: Path) -> bool:
    strict = file.name in SEALED_LINES or file.name.startswith("references.")
    data = store.disk.read(file) or b""
    kept = b"".join(
        line + b"\n"
        for line in data.splitlines()
        if any(not strict or holds_seal(item) for item in json_lines(line))
    )
    if kept == data:
        return False
    store.disk.put_state(file, kept)
    return True


def _ledger(store: Store) -> Iterator[str]:
    """From git; what only the old ledger knew (rejections, a person's cards) is kept where sound."""
    data = store.disk.read(ledger_path(store.disk))
    sound = any(holds_seal(item) for item in json_lines(data))
    old = read_ledger(store.disk) or Ledger()
    merged = Ledger(_from_git(store), set(old.rejected), dict(old.reopened))
    for path, written in old.files.items():
        there = store.layout.absolute(path).is_file()
        unknown = path not in merged.files or written.owner == PERSON
        if unknown and (sound or there):
            merged.files[path] = written
    if not sound or merged != old:
        write_ledger(store.disk, merged)
        yield phrase("rebuilt the ledger")


def _from_git(store: Store) -> dict[str, Written]:
    found = dict(store.rebuilt_ledger().files)
    if (store.root / "dreams").is_dir():
        for path in store.history.written_by_dreams(["dreams"]):
            digest = store.disk.digest(store.layout.absolute(path))
            if digest is not None:
                found[path] = Written(digest)
    return found
