"""Cards that a person renamed, moved or put away between two dreams, as one does in Obsidian."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nights import Clock, new_vault, say
from noctuary.memory.report import ChangeKind

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault

FIRST = ("The budget for the kitchen is 14,500 euros.", "以后都用中文给我写购物清单。")
LATER = (
    "We changed the budget for the kitchen to 16,000 euros.",
    "以后都用英文给我写购物清单。",
)
ASKED = ("What is the budget for the kitchen?", "购物清单用什么语言写？")
CASES = tuple(zip(FIRST, LATER, ASKED, strict=True))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock) -> Vault:
    made = new_vault(tmp_path / "vault", clock, git=True)
    say(made, *FIRST)
    clock.next()
    made.dream()
    return made


def card_of(vault: Vault, text: str) -> Path:
    """The note that holds this line."""
    notes = [*vault.path.glob("cards/**/*.md"), *vault.path.glob("archive/**/*.md")]
    return next(file for file in notes if f"\n\n{text}" in file.read_text("utf-8"))


def sleep(vault: Vault, clock: Clock, text: str) -> int:
    """Hear a line, dream, and tell how many cards stepped aside."""
    say(vault, text, at=clock.now, session=f"s{clock.now:%d%H}")
    clock.next()
    report = vault.dream()
    assert report.problems == ()
    assert vault.verify().problems == ()
    return report.count(ChangeKind.SUPERSEDED)


@pytest.mark.parametrize(("first", "later", "asked"), CASES)
def test_a_card_keeps_the_name_and_folder_that_a_person_gave_it(
    vault: Vault, clock: Clock, first: str, later: str, asked: str
) -> None:
    mine = vault.path / "cards" / "家 home" / "my own name.md"
    mine.parent.mkdir()
    card_of(vault, first).rename(mine)
    assert "[[my own name]]" in str(vault.recall(asked, k=1).framed())
    vault.index()
    assert sleep(vault, clock, later) == 1
    assert card_of(vault, first) == mine
    assert "status: superseded" in mine.read_text("utf-8")
    assert first not in vault.context().text


@pytest.mark.parametrize(("first", "later", "asked"), CASES)
def test_a_card_that_is_moved_into_the_archive_is_retired(
    vault: Vault, clock: Clock, first: str, later: str, asked: str
) -> None:
    away = vault.path / "archive" / "put away.md"
    away.parent.mkdir(exist_ok=True)
    card_of(vault, first).rename(away)
    assert first not in vault.context().text
    assert not vault.recall(asked).hits
    assert vault.recall(asked, archived=True).hits
    sleep(vault, clock, later)
    assert card_of(vault, first) == away
    assert later in vault.context().text
    assert first not in vault.context().text
