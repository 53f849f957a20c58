"""A card that a person edits while a dream is about to replace it: both cards tell the same story."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nights import EVENING, Clock, cards, new_vault, say, with_status
from noctuary.memory.card import Status

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return new_vault(tmp_path / "vault", clock)


def edits(vault: Vault, words: str) -> None:
    """Write into the card that holds these words, as a person does."""
    for path in (vault.path / "cards").rglob("*.md"):
        text = path.read_text("utf-8")
        if words in text:
            path.write_text(text.replace("# ", "# By hand: ", 1), "utf-8")
            os.utime(path, (1, 1))


PAIRS = [
    ("My favourite drink is coffee.", "My favourite drink is tea."),
    ("我最喜欢的饮料是咖啡。", "我最喜欢的饮料是茶。"),
]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_what_a_person_edited_meanwhile_is_disputed_by_both_the_next_night(
    vault: Vault, clock: Clock, old: str, new: str
) -> None:
    say(vault, old)
    vault.dream()
    say(vault, new, at=EVENING + timedelta(days=1))
    clock.next(2)
    report = vault.dream(progress=lambda done, total: edits(vault, old))
    assert any("changed while" in problem.what for problem in report.problems)
    clock.next()
    vault.dream()
    mine, theirs = (
        next(card for card in cards(vault, "cards").values() if words in card.statement)
        for words in (old, new)
    )
    assert mine.title.startswith("By hand")
    assert {mine.status, theirs.status} == {Status.DISPUTED}
    assert theirs.supersedes == ()
    assert mine.superseded_by == ()
    (proposal,) = with_status(vault, Status.QUARANTINED)
    assert proposal.evidence[0].quote == new
    before = {path: path.read_bytes() for path in (vault.path / "cards").rglob("*.md")}
    clock.next()
    vault.dream()
    assert before == {path: path.read_bytes() for path in (vault.path / "cards").rglob("*.md")}


def test_a_task_whose_card_was_edited_meanwhile_is_closed_the_next_night(
    vault: Vault, clock: Clock
) -> None:
    say(vault, "Remind me to renew the domain.")
    vault.dream()
    say(vault, "I renewed the domain this morning.", at=EVENING + timedelta(days=1))
    clock.next(2)
    vault.dream(progress=lambda done, total: edits(vault, "Remind me to renew"))
    assert len(with_status(vault, Status.OPEN)) == 1
    clock.next()
    vault.dream()
    assert with_status(vault, Status.OPEN) == []
