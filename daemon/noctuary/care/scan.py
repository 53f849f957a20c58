"""Where forgotten words may still stand: machine state, caches, every file, every git object."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.resources import cache_folder
from noctuary.tongue import listed, phrase
from noctuary.vault.forgotten import note_forgotten
from noctuary.vault.history import GitState
from noctuary.vault.layout import FOLDERS, PAGES
from noctuary.vault.lock import episode_lock
from noctuary.vault.rewriting import objects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from noctuary.memory.wiping import Wiper
    from noctuary.vault.store import Store

_ROOMS = ("stage", "new")


def erase_episodes(
    store: Store, wiper: Wiper, entries: Mapping[str, Sequence[str]], whole: set[str]
) -> None:
    """Remove episodes that go whole, and words that stand in entries which a person changed."""
    for name, ids in entries.items():
        path = store.layout.episode_path(name)
        file = store.disk.guard(path)
        with episode_lock(store.layout.state, path):
            data = store.disk.read(file)
            if data is None:
                continue
            if name in whole:
                note_forgotten(store.disk, name, ids)
                store.disk.unlink(file)
            elif wiper.hits_bytes(data):
                store.disk.put_state(file, wiper.blank_bytes(data))


def erase_state(
    store: Store, wiper: Wiper, gone: set[str], entries: Mapping[str, Sequence[str]]
) -> None:
    """Take the words out of graves, stage, logs and caches."""
    _erase_graves(store, wiper, gone, entries)
    for room in _ROOMS:
        for file in (store.layout.state / room).glob("*"):
            if _holds(file, wiper):
                store.disk.unlink(file)
    for file in sorted(store.layout.state.glob("*")):
        if file.is_file() and file.name != "forgetting.json" and _holds(file, wiper):
            _clean(store, file, wiper)
    cache = cache_folder(store.vault_id)
    if cache.exists():
        shutil.rmtree(cache, ignore_errors=True)


def _erase_graves(
    store: Store, wiper: Wiper, gone: set[str], entries: Mapping[str, Sequence[str]]
) -> None:
    marks = tuple(f"^{entry}".encode() for ids in entries.values() for entry in ids)
    for grave in list(store.graveyard.graves()):
        data = store.disk.read(grave.file) or b""
        held = wiper.hits(grave.path) or wiper.hits_bytes(data)
        raw = grave.path.startswith("episodes/") and any(mark in data for mark in marks)
        if grave.path in gone or held or raw:
            store.disk.unlink(grave.file)


def _clean(store: Store, file: Path, wiper: Wiper) -> None:
    """Logs lose the lines, the ledger its paths; anything else of the state can be made anew."""
    data = store.disk.read(file) or b""
    if file.name.endswith((".jsonl", ".log")):
        kept = b"".join(
            line for line in data.splitlines(keepends=True) if not wiper.hits_bytes(line)
        )
        store.disk.put_state(file, kept)
    elif file.name != "ledger.json":
        store.disk.unlink(file)


def _holds(file: Path, wiper: Wiper) -> bool:
    try:
        return wiper.hits(file.name) or wiper.hits_bytes(file.read_bytes())
    except OSError:
        return False


def left_in_files(store: Store, wiper: Wiper) -> Iterator[str]:
    """Files of the vault, and of its cache, in which the words still stand."""
    for file in sorted(_files(store.root)):
        if not _holds(file, wiper):
            continue
        path = file.relative_to(store.root).as_posix()
        ours = path in PAGES or path.split("/")[0] in (*FOLDERS, ".noctuary")
        whose = (
            phrase("it was changed at this moment: run the same again")
            if ours
            else phrase("it is yours to edit")
        )
        yield phrase("{path} still holds it; {whose}.", path=path, whose=whose)
    cache = cache_folder(store.vault_id)
    for file in sorted(_files(cache)) if cache.is_dir() else ():
        if _holds(file, wiper):
            yield phrase("{file} still holds it: delete it.", file=file)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            file = Path(folder) / name
            if not file.is_symlink():
                yield file


def left_in_git(store: Store, wiper: Wiper, names: set[str]) -> Iterator[str]:
    """Whether any object of the repository holds the words."""
    if store.history.standing().state not in {GitState.READY, GitState.BUSY}:
        return
    marks = tuple(f"{name}.md".encode("utf-8", "surrogateescape") for name in names)
    count = sum(
        wiper.hits_bytes(data) or any(mark in data for mark in marks)
        for _, data in objects(store.history)
    )
    if not count:
        return
    yield (
        phrase(
            "Git still holds it in {count} objects of its history: `noctuary forget … --rewrite-history` takes it out of every commit, which changes their ids.",
            count=count,
        )
    )
    remotes = store.history.git("remote").text.split()
    if remotes:
        yield phrase("Copies elsewhere may hold it too: {names}.", names=listed(remotes))
