"""Checks of what git keeps: whole objects, every dream recorded once, the ledger in step."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from noctuary.errors import Problem
from noctuary.tongue import phrase
from noctuary.vault.history import GitState
from noctuary.vault.state import DREAM, read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.vault.state import Ledger
    from noctuary.vault.store import Store

_OURS = ("cards", "inbox", "archive", "dreams")
_SAID = 3


def git_problems(store: Store) -> Iterator[Problem]:
    """What is wrong with the history of a vault; nothing where there is none."""
    if store.history.standing().state not in {GitState.READY, GitState.BUSY}:
        return
    if store.history.git("rev-parse", "-q", "--verify", "HEAD").code:
        return
    broken = list(_objects(store))
    yield from broken
    if broken:
        return
    ledger = read_ledger(store.disk)
    folders = [name for name in _OURS if (store.root / name).is_dir()]
    if ledger is not None and folders:
        yield from _ledger_in_step(store, ledger, folders)
        yield from _unrecorded(store, ledger, folders)
    yield from _twice(store)


def _objects(store: Store) -> Iterator[Problem]:
    reply = store.history.git("fsck", "--no-dangling", "--no-progress", "--no-reflogs")
    lines = [line for line in (reply.text + "\n" + reply.err).splitlines() if _is_bad(line)]
    for line in lines[:_SAID] or (
        [phrase("exit code {code}", code=reply.code)] if reply.code else []
    ):
        what = phrase(
            "Git finds damage ({line}): clone the repository anew from a copy that is whole.",
            line=line,
        )
        yield Problem(".git", what)


def _is_bad(line: str) -> bool:
    return line.startswith(("error", "fatal", "missing", "broken", "corrupt", "bad"))


def _ledger_in_step(store: Store, ledger: Ledger, folders: list[str]) -> Iterator[Problem]:
    """Notes that a dream wrote last, by the history, and that the ledger has otherwise."""
    known = {item.digest for item in ledger.files.values()}
    for path in sorted(store.history.written_by_dreams(folders)):
        digest = store.disk.digest(store.layout.absolute(path))
        written = ledger.files.get(path)
        if digest is None or (written is None and digest in known):
            continue
        if written is None or (written.digest != digest and written.owner == DREAM):
            what = phrase(
                "The ledger does not know this as the program's: run `noctuary verify --repair`."
            )
            yield Problem(path, what)


def _unrecorded(store: Store, ledger: Ledger, folders: list[str]) -> Iterator[Problem]:
    for path in sorted(store.history.status(folders)):
        written = ledger.files.get(path)
        digest = store.disk.digest(store.layout.absolute(path))
        if written is not None and digest == written.digest:
            what = phrase("A dream wrote this and git does not have it: the next dream records it.")
            yield Problem(path, what)


def _twice(store: Store) -> Iterator[Problem]:
    counted = Counter(name for name, _ in store.history.dreams())
    for name, count in counted.items():
        if count > 1:
            what = phrase(
                "Git has {count} commits of this dream; `git log --grep {name}` shows them.",
                count=count,
                name=name,
            )
            yield Problem(name, what)
