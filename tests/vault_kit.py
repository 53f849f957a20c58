"""Vaults with a dream to write, for tests that stop, cut, or disturb it at every step."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from noctuary.config import HistorySettings
from noctuary.memory import document
from noctuary.memory.card import Card, CardType, Receipt, Status
from noctuary.memory.cardtext import card_meta, evidence_block, history_block
from noctuary.memory.entry import Entry, Role, Trust, entry_id
from noctuary.memory.episode import EpisodeMeta
from noctuary.vault.files import Disk, digest_of
from noctuary.vault.history import History
from noctuary.vault.store import Store, Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from noctuary.vault.files import Hook

NOON = datetime(2026, 11, 30, 14, 2, 11)
NIGHT = datetime(2026, 12, 1, 3, 12, 0)
DREAM = "2026-12-01T0312"
SESSIONS = ("aa1111", "bb2222")
SHAPES = ("mixed", "growing", "shrinking")


def tell(words: str) -> None:
    """Say what was tried, for `pytest -rP`."""
    sys.stdout.write(words + "\n")


def night() -> datetime:
    return NIGHT


def said(text: str, second: int = 0) -> Entry:
    at = NOON.replace(second=second)
    return Entry(entry_id(Role.USER, at, text), Role.USER, at, text)


def session(name: str) -> EpisodeMeta:
    return EpisodeMeta(name, "chat", "website", "ana", NOON)


def entries(name: str) -> list[Entry]:
    return [said(f"{name} says thing {number}", number) for number in range(4)]


def card(id_: str, statement: str, type_: CardType = CardType.FACT) -> Card:
    entry = said(statement)
    receipt = Receipt("2026-11-30-chat-aa1111", entry.id, Role.USER, entry.at, statement)
    return Card(
        id_, type_, statement.capitalize(), statement, 3, 0.9, Status.ACTIVE, Trust.USER,
        NOON, NOON, NOON.date(), evidence=(receipt,), source=(receipt.link,),
    )  # fmt: skip


def card_bytes(value: Card) -> bytes:
    parts = [
        document.header(card_meta(value)),
        f"# {value.title}\n\n{value.statement}\n\n",
        evidence_block(value),
        history_block(value),
    ]
    return "".join(parts).encode()


def git(root: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=Ana", "-c", "user.email=ana@example.org", *args],
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def empty_vault(root: Path, *, repository: bool = True) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "noctuary.toml").write_text("", encoding="utf-8")
    (root / ".gitignore").write_text(".noctuary/\nepisodes/\n", encoding="utf-8")
    if repository:
        git(root, "init", "-q", "-b", "main")
    return root


class QuickDisk(Disk):
    """Skips the waiting for the medium, which matters only when the power fails."""

    __slots__ = ()

    def sync(self, descriptor: int) -> None:
        os.fstat(descriptor)

    def sync_folder(self, folder: Path) -> None:
        folder.lstat()


def open_store(root: Path, hook: Hook | None = None, *, use_git: bool = True) -> Store:
    disk = QuickDisk(root, hook) if hook else QuickDisk(root)
    return store_on(disk, use_git=use_git)


def store_on(disk: Disk, *, use_git: bool = False) -> Store:
    """A store over a disk of the test's own kind."""
    disk.make_folder(disk.layout.state, 0o700)
    return Store(disk, night, History(disk.root, HistorySettings(git=use_git)), settle=0.0)


OLD = {
    "kept": card("ckept1", "the old budget is 50 yuan"),
    "hand": card("chand1", "ana likes tea"),
    "moved": card("cmoved", "the fair was in may"),
    "gone": card("cgone1", "a passing thing"),
}
PLACES = {name: f"cards/facts/{name}.md" for name in OLD}


def furnished_vault(root: Path, *, use_git: bool = True) -> Path:
    """A vault after its first night, with raw entries, a hand edit, and staged work of the person."""
    empty_vault(root, repository=use_git)
    store = open_store(root, use_git=use_git)
    for name in SESSIONS:
        store.append_entries(session(name), entries(name))
    store.apply("2026-11-30T0300", [*_first_night(store)], "Dream 2026-11-30T0300")
    hand = root / PLACES["hand"]
    hand.write_bytes(hand.read_bytes() + b"\nA line by hand.\n")
    if use_git:
        git(root, "add", "-A")
        git(root, "commit", "-qm", "by hand")
        (root / "user.txt").write_text("staged\n", encoding="utf-8")
        git(root, "add", "user.txt")
        (root / "user.txt").write_text("staged and more\n", encoding="utf-8")
    return root


def _first_night(store: Store) -> Iterable[Write]:
    for name, value in OLD.items():
        marks = store.marks(value)
        yield Write(PLACES[name], card_bytes(value), None, card=value.id, marks=marks)
    yield Write("index.md", b"# Old map\n", None)


@dataclass(frozen=True, slots=True)
class Night:
    """One dream as data."""

    writes: tuple[Write, ...]
    purge: dict[str, list[str]]


def night_of(root: Path, shape: str) -> Night:
    every = {
        "create": [_create("new-one"), _create("new-two")],
        "swap": [_swap(root, "kept"), _hand_patch(root), _index(root)],
        "move": [_move(root)],
        "bury": [_bury(root)],
        "report": [Write(f"dreams/2026/{DREAM}.md", b"---\ntype: dream\n---\nA report.\n", None)],
    }
    wanted = {
        "mixed": ("create", "swap", "move", "bury", "report"),
        "growing": ("create", "swap", "report"),
        "shrinking": ("move", "bury", "report"),
    }[shape]
    writes = tuple(write for part in wanted for write in every[part])
    sessions = SESSIONS if shape != "growing" else SESSIONS[:1]
    purge = {f"2026-11-30-chat-{name}": [item.id for item in entries(name)] for name in sessions}
    return Night(writes, purge)


def _create(name: str) -> Write:
    value = card(f"c{name[-3:]}99", f"statement of {name}")
    return Write(f"cards/decisions/{name}.md", card_bytes(value), None, card=value.id)


def _base(root: Path, path: str) -> str:
    return digest_of((root / path).read_bytes())


def _swap(root: Path, name: str) -> Write:
    value = replace(OLD[name], statement="the new budget is 70 yuan", importance=5)
    path = PLACES[name]
    return Write(path, card_bytes(value), _base(root, path), card=value.id)


def _hand_patch(root: Path) -> Write:
    path = PLACES["hand"]
    data = document.patch((root / path).read_bytes(), {"references": 7})
    return Write(path, data, _base(root, path), card=OLD["hand"].id)


def _index(root: Path) -> Write:
    return Write("index.md", b"# New map\n", _base(root, "index.md"))


def _move(root: Path) -> Write:
    value = replace(OLD["moved"], status=Status.ARCHIVED)
    place = PLACES["moved"]
    return Write(
        f"archive/{place}", card_bytes(value), _base(root, place), moved_from=place, card=value.id
    )


def _bury(root: Path) -> Write:
    return Write(PLACES["gone"], None, _base(root, PLACES["gone"]))


def visible(root: Path) -> dict[str, bytes]:
    """Every file that a person sees, with its bytes."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in {".git", ".noctuary"}
    }


def graves(root: Path) -> list[bytes]:
    return [path.read_bytes() for path in (root / ".noctuary" / "graveyard").glob("*")]


def dream_commits(root: Path, dream: str = DREAM) -> list[str]:
    shape = "--format=%H %(trailers:key=Dream-Id,valueonly,separator=%x2C)"
    lines = git(root, "log", shape).splitlines()
    return [line.split()[0] for line in lines if line.split()[1:] == [dream]]


def counting(limit: int, action: Callable[[], None]) -> Hook:
    """A hook that acts once, just before mutation number `limit`."""
    seen = 0

    def hook(_name: str, _path: Path) -> None:
        nonlocal seen
        seen += 1
        if seen == limit:
            action()

    return hook


def count_mutations(run: Callable[[Hook], object]) -> int:
    """How many mutations a run makes."""
    seen = 0

    def hook(_name: str, _path: Path) -> None:
        nonlocal seen
        seen += 1

    run(hook)
    return seen


def rewrite_in_place(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(0, os.SEEK_END)
        file.write(data)


def append_some(root: Path, writer: int) -> None:
    """What one of several writing processes does."""
    store = open_store(root, use_git=False)
    for number in range(25):
        entry = said(f"writer {writer} number {number}", number)
        store.append_entries(session("aa1111"), [entry])
