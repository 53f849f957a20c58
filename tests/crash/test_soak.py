"""People save without pause while dreams write without pause; every word of theirs is counted."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

import pytest

from noctuary.memory import document
from noctuary.vault.files import digest_of
from noctuary.vault.steps import Worker
from noctuary.vault.store import Write
from vault_kit import card, card_bytes, empty_vault, graves, open_store, tell, visible

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.vault.journal import Step
    from noctuary.vault.store import Store

CARDS = 6


class Ticks:
    """Counts the mutations of the store, so that people can wait for some of them."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.count = 0

    def hook(self, _name: str, _path: Path) -> None:
        with self.changed:
            self.count += 1
            self.changed.notify_all()

    def wait(self, ticks: int) -> None:
        with self.changed:
            goal = self.count + ticks
            self.changed.wait_for(lambda: self.count >= goal, timeout=0.5)


class Person(threading.Thread):
    """Opens a card of their own, adds a word, saves, again and again."""

    def __init__(self, root: Path, name: str, paths: list[str], saves: int, ticks: Ticks) -> None:
        super().__init__()
        self.root, self.nick, self.paths, self.saves = root, name, paths, saves
        self.ticks = ticks
        self.words: list[bytes] = []
        self.dice = random.Random(name)

    def run(self) -> None:
        for number in range(self.saves):
            path = self.root / self.dice.choice(self.paths)
            self.ticks.wait(self.dice.randint(0, 3))
            word = f"<{self.nick}-{number}>".encode()
            text = path.read_bytes() + b"\n" + word
            if self.dice.random() < 0.5:
                self.in_place(path, text)
            else:
                self.whole(path, text)
            self.words.append(word)

    def in_place(self, path: Path, text: bytes) -> None:
        middle = len(text) // 2
        with path.open("wb", buffering=0) as file:
            file.write(text[:middle])
            self.ticks.wait(self.dice.randint(0, 9))
            file.write(text[middle:])

    def whole(self, path: Path, text: bytes) -> None:
        fresh = path.with_name(f".{path.name}.{self.nick}")
        fresh.write_bytes(text)
        fresh.replace(path)


def keep_dreaming(store: Store, paths: list[str], people: list[Person]) -> int:
    dreams = 0
    while any(person.is_alive() for person in people):
        dreams += 1
        store.apply(f"d{dreams}", [*patches(store.root, paths, dreams)], "Dream")
    return dreams


def patches(root: Path, paths: list[str], number: int) -> list[Write]:
    found = []
    for path in paths:
        raw = (root / path).read_bytes()
        try:
            data = document.patch(raw, {"references": number})
        except document.PatchRefused:
            continue
        found.append(Write(path, data, digest_of(raw)))
    return found


def soak(tmp_path: Path, saves: int) -> tuple[list[bytes], bytes, bytes]:
    root = empty_vault(tmp_path / "vault", repository=False)
    ticks = Ticks()
    store = open_store(root, ticks.hook, use_git=False)
    values = [card(f"c{number:05d}", f"statement {number}") for number in range(CARDS)]
    paths = [f"cards/facts/{value.id}.md" for value in values]
    store.apply(
        "d0",
        [Write(path, card_bytes(value)) for path, value in zip(paths, values, strict=True)],
        "Dream",
    )
    people = [Person(root, f"p{n}", paths[n::3], saves, ticks) for n in range(3)]
    for person in people:
        person.start()
    keep_dreaming(store, paths, people)
    for person in people:
        person.join()
    store.sweep()
    words = [word for person in people for word in person.words]
    return words, b"".join(visible(root).values()), b"".join(graves(root))


def test_no_word_is_lost(tmp_path: Path) -> None:
    words, seen, _ = soak(tmp_path, 60)
    assert len(words) == 180
    assert [word for word in words if word not in seen] == []


@pytest.mark.slow
def test_no_word_is_lost_in_thousands_of_saves(tmp_path: Path) -> None:
    words, seen, _ = soak(tmp_path, 1700)
    tell(f"{len(words)} saves of three people while dreams went on")
    assert [word for word in words if word not in seen] == []


@pytest.mark.slow
def test_the_soak_sees_a_store_that_replaces_without_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def naive(self: Worker, step: Step, staged: Path, target: Path) -> bool:
        if self.disk.digest(target) == step.base:
            self.disk.rename(staged, target)
        return True

    monkeypatch.setattr(Worker, "_swap", naive)
    words, seen, buried = soak(tmp_path, 1700)
    assert [word for word in words if word not in seen + buried]
