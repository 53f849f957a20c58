"""Checks of the machine state: ledger, journal, logs, stage, graveyard, permissions."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

from noctuary.errors import Problem
from noctuary.tongue import phrase
from noctuary.vault.files import digest_of
from noctuary.vault.forgotten import LOGS
from noctuary.vault.journal import journal_path
from noctuary.vault.state import fingerprint_of, holds_seal, ledger_path, read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.vault.store import Store

SEALED_LINES = (LOGS, "references", "deeds.jsonl")
"""How the names of logs begin whose lines hold a sum of themselves."""
SEALED = ("noise.json",)
REPAIR = phrase("run `noctuary verify --repair`.")
_PUT_RIGHT = phrase("run `noctuary verify --repair`")
_FINISH = phrase("run `noctuary verify --repair`, which finishes it")


def state_problems(store: Store) -> Iterator[Problem]:
    """What is wrong in `.noctuary/`."""
    yield from _permissions(store)
    yield from _vault_id(store)
    yield from _ledger(store)
    yield from _journal(store)
    yield from _forgetting(store)
    yield from _logs(store)
    yield from _stage(store)
    yield from _graveyard(store)


def _permissions(store: Store) -> Iterator[Problem]:
    if os.name != "posix":
        return
    if store.layout.state.stat().st_mode & 0o077:
        yield Problem(
            ".noctuary", phrase("Others may look into the machine state: {repair}", repair=REPAIR)
        )
    if store.root.stat().st_mode & stat.S_IWOTH:
        yield Problem(
            ".", phrase("Anybody may write to the vault: run `chmod o-w {root}`.", root=store.root)
        )


def _vault_id(store: Store) -> Iterator[Problem]:
    data = store.disk.read(store.layout.state / "vault-id")
    if data is None and not ledger_path(store.disk).exists():
        return
    lines = (data or b"").decode("ascii", "replace").split()
    if [len(line) for line in lines] != [16, 32] or not all(map(_is_hex, lines)):
        what = phrase(
            "The vault's own name is damaged, so what you rejected is not known again: restore it."
        )
        yield Problem(".noctuary/vault-id", what)
        return
    content = _json(store.disk.read(ledger_path(store.disk)))
    if content is not None and content.get("vault") != [lines[0], fingerprint_of(lines[1])]:
        what = phrase(
            "The vault's own name is not the one the ledger was written with: restore it."
        )
        yield Problem(".noctuary/vault-id", what)


def _is_hex(word: str) -> bool:
    return all(char in "0123456789abcdef" for char in word)


def _ledger(store: Store) -> Iterator[Problem]:
    data = store.disk.read(ledger_path(store.disk))
    if data is None:
        if (store.layout.state / "deeds.jsonl").exists():
            yield Problem(
                ".noctuary/ledger.json", phrase("The ledger is gone: {repair}", repair=REPAIR)
            )
        return
    content = _json(data)
    if content is None or read_ledger(store.disk) is None:
        yield Problem(
            ".noctuary/ledger.json", phrase("The ledger cannot be read: {repair}", repair=REPAIR)
        )
    elif not holds_seal(content):
        yield Problem(
            ".noctuary/ledger.json", phrase("The ledger is damaged: {repair}", repair=REPAIR)
        )


def _journal(store: Store) -> Iterator[Problem]:
    data = store.disk.read(journal_path(store.disk))
    if data is not None:
        broken = _json(data) is None
        what = (
            phrase("The journal is torn") if broken else phrase("A dream did not come to its end")
        )
        yield Problem(
            ".noctuary/journal.json", phrase("{what}: {finish}.", what=what, finish=_FINISH)
        )
    if (store.layout.state / "journal.damaged").exists():
        what = phrase(
            "A torn journal was put aside; nothing that it would have forgotten is gone: {repair}",
            repair=REPAIR,
        )
        yield Problem(".noctuary/journal.damaged", what)


def _forgetting(store: Store) -> Iterator[Problem]:
    if (store.layout.state / "forgetting.json").exists():
        what = phrase(
            "A forgetting did not come to its end: run `noctuary forget` again, which finishes it."
        )
        yield Problem(".noctuary/forgetting.json", what)


def _logs(store: Store) -> Iterator[Problem]:
    for file in sorted(store.layout.state.glob("*.json*")):
        name = f".noctuary/{file.name}"
        data = store.disk.read(file) or b""
        lines = data.splitlines() if file.suffix == ".jsonl" else [data]
        if file.name in {"ledger.json", "journal.json", "owner.json"} or not data:
            continue
        for number, line in enumerate(lines, 1):
            if _is_broken(file.name, line):
                place = number if file.suffix == ".jsonl" else 0
                yield Problem(name, phrase("This is damaged: {repair}", repair=REPAIR), place)


def _is_broken(name: str, line: bytes) -> bool:
    content = _json(line)
    if content is None:
        return True
    wants_seal = name in SEALED or name.startswith(SEALED_LINES)
    return wants_seal and not holds_seal(content)


def _stage(store: Store) -> Iterator[Problem]:
    if journal_path(store.disk).exists():
        return
    for room in ("stage", "new"):
        for file in sorted((store.layout.state / room).glob("*")):
            what = phrase("Bytes of a write that never finished: {repair}", repair=REPAIR)
            yield Problem(f".noctuary/{room}/{file.name}", what)


def _graveyard(store: Store) -> Iterator[Problem]:
    sound = set()
    for grave in store.graveyard.graves():
        sound.add(grave.file)
        data = store.disk.read(grave.file) or b""
        if not digest_of(data).startswith(grave.digest):
            what = phrase(
                "This is not what was buried of {path}: if somebody saved late, {repair} to get the words back.",
                path=grave.path,
                repair=_PUT_RIGHT,
            )
            yield Problem(f".noctuary/graveyard/{grave.file.name}", what)
    for file in sorted(store.graveyard.folder.glob("*")):
        if file not in sound:
            what = phrase("The graveyard holds only what a dream buried: move this file out of it.")
            yield Problem(f".noctuary/graveyard/{file.name}", what)


def _json(data: bytes | None) -> dict[str, object] | None:
    try:
        content = json.loads(data or b"")
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
