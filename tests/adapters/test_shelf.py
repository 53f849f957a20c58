from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from noctuary.vault.reading import Reader
from noctuary.vault.shelf import Shelf
from vault_kit import card, card_bytes

if TYPE_CHECKING:
    from pathlib import Path

LONG_AGO = time.time() - 3600


def put(root: Path, name: str, text: str, *, at: float = LONG_AGO) -> Path:
    file = root / "cards" / "facts" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(card_bytes(card(f"c{name}", text)))
    os.utime(file, (at, at))
    return file


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two cards, on a system on which an hour has passed since they were written."""
    later = time.time() + 3600
    monkeypatch.setattr("noctuary.vault.shelf.time.time", lambda: later)
    put(tmp_path, "one", "the port is 5000")
    put(tmp_path, "two", "预算不超过五万元")
    return tmp_path


class Counting(Reader):
    """Counts the notes that are read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.read: list[str] = []

    def bytes_of(self, path: str, limit: int = 1 << 20) -> bytes | None:
        self.read.append(path)
        return super().bytes_of(path, limit)


def look(root: Path, *, whole: bool = True) -> tuple[list[str], dict[str, str]]:
    """What was read, and the statements that were found."""
    reader = Counting(root)
    found = Shelf(root, root / f"{whole}.shelf", whole=whole).cards(reader, "cards")
    return reader.read, {one.path: one.card.statement for one in found}


def test_a_second_look_reads_nothing(root: Path) -> None:
    read, before = look(root)
    assert len(read) == 2
    assert look(root) == ([], before)


def test_what_changed_is_read_again_and_what_is_gone_is_gone(root: Path) -> None:
    _, before = look(root)
    put(root, "one", "the port is 6000", at=LONG_AGO + 1)
    (root / "cards/facts/two.md").unlink()
    read, after = look(root)
    assert read == ["cards/facts/one.md"]
    assert after == {"cards/facts/one.md": "the port is 6000"}
    assert len(before) == 2


def test_a_change_that_keeps_size_and_time_is_seen(root: Path) -> None:
    look(root)
    put(root, "one", "the port is 7000")
    assert look(root)[1]["cards/facts/one.md"] == "the port is 7000"


def test_a_file_that_was_written_just_now_is_not_trusted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = (root / "cards/facts/one.md").stat().st_ctime + 1
    monkeypatch.setattr("noctuary.vault.shelf.time.time", lambda: now)
    look(root)
    assert len(look(root)[0]) == 2


@pytest.mark.parametrize("at", [0, 70, 200, -5])
def test_a_damaged_shelf_is_worth_nothing(root: Path, at: int) -> None:
    _, before = look(root)
    file = root / "True.shelf"
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
    read, after = look(root)
    assert len(read) == 2
    assert after == before


def test_a_card_that_cannot_be_read_is_told_each_time(root: Path) -> None:
    (root / "cards/facts/bad.md").write_text("no header", "utf-8")
    for _ in range(2):
        reader = Reader(root)
        Shelf(root, root / "x.shelf", whole=True).cards(reader, "cards")
        assert [problem.where for problem in reader.problems] == ["cards/facts/bad.md"]


def test_the_archive_is_kept_in_short(root: Path) -> None:
    assert look(root, whole=False)[1] == {"cards/facts/one.md": "", "cards/facts/two.md": ""}
    text = (root / "False.shelf").read_text("ascii")
    assert "5000" not in text.casefold().replace("the port is 5000", "")
    assert look(root, whole=False)[0] == []


def test_what_a_person_added_comes_back_as_it_was(root: Path) -> None:
    file = root / "cards/facts/one.md"
    text = file.read_text("utf-8")
    file.write_text(text.replace("seen: 1", "seen: 1\nmine:\n  1: [a, 2.50]"), "utf-8")
    os.utime(file, (LONG_AGO, LONG_AGO))
    for _ in range(2):
        [one] = [
            item
            for item in Shelf(root, root / "m.shelf", whole=True).cards(Reader(root), "cards")
            if item.path == "cards/facts/one.md"
        ]
        [expected] = [card for path, _, card in Reader(root).cards("cards") if "one" in path]
        assert one.card == expected
