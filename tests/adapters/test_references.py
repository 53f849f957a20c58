"""What is recalled or shown at waking is counted by the next dream, never by the asking itself."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from noctuary import Vault

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.memory.card import Card


class Clock:
    now = datetime(2026, 11, 30, 14)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    Vault.create(tmp_path / "memory", timezone="UTC", git=False)
    vault = Vault.open(tmp_path / "memory", clock=Clock())
    vault.log("Please always answer in French.")
    vault.dream()
    return vault


def only_card(vault: Vault) -> Card:
    [file] = vault._store.read_cards()[0]
    return file.card


def next_day(vault: Vault) -> None:
    clock = vault._store.clock
    assert isinstance(clock, Clock)
    clock.now += timedelta(days=1)


def test_each_recall_counts_once_the_next_dream_comes(vault: Vault) -> None:
    for _ in range(3):
        assert vault.recall("which language should answers have? French?").hits
    assert only_card(vault).references == 0
    next_day(vault)
    vault.log("The port is 8443.", session="other")
    vault.dream()
    [card] = [file.card for file in vault._store.read_cards()[0] if "French" in file.card.statement]
    assert card.references == 3
    assert card.last_referenced.isoformat() == "2026-11-30"


def test_what_only_fills_the_room_of_an_answer_is_not_used(vault: Vault) -> None:
    vault.log("The archive of our company is on the server Fir-800.", session="a")
    vault.log("We decided to move the archive page to Caddy because it is simple.", session="b")
    vault.dream()
    hits = vault.recall("on which server is the archive of our company?").hits
    assert len(hits) > 1
    next_day(vault)
    vault.log("The port is 8443.", session="other")
    vault.dream()
    counted = {file.card.title: file.card.references for file in vault._store.read_cards()[0]}
    used = {title for title, count in counted.items() if count}
    assert len(used) == 1
    assert "Fir-800" in used.pop()


def test_waking_counts_once_a_day(vault: Vault) -> None:
    for _ in range(2):
        for _ in range(5):
            assert vault.context().cards
        next_day(vault)
    vault.dream(deep=True)
    assert only_card(vault).references == 2


@pytest.mark.parametrize("way", ["by others", "by hand"])
def test_an_index_that_goes_while_a_vault_is_open_is_made_anew(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    mine = Vault.open(vault.path)
    assert mine.recall("French").hits
    if way == "by hand":
        shutil.rmtree(tmp_path / "cache")
    else:
        mine.log("The port is 8443.", session="other")
        assert Vault.open(vault.path).recall("port 8443").hits
    assert mine.recall("French").hits
    assert mine.recall("port 8443").hits or way == "by hand"
