"""A vault or a cache in which nothing may be written: whoever asks is answered all the same.

What may not be written to is told by files in the place of folders and the other way round, so
that it holds for every user, the superuser included.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nights import Clock, new_vault, say
from noctuary.api import Vault
from noctuary.care.doctor import examine
from noctuary.doors.cli import run
from noctuary.resources import cache_folder, may_be_made
from noctuary.vault.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Obstacle = Callable[[Path], object]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    clock = Clock()
    made = new_vault(tmp_path / "vault", clock)
    say(made, "The mill costs 700 euros.", "磨坊的门是绿色的。")
    clock.next()
    made.dream()
    return made.path


def no_log(root: Path) -> None:
    (root / ".noctuary" / "references.jsonl").mkdir()


def no_state(root: Path) -> None:
    (root / ".noctuary").rename(root.parent / "state")
    (root / ".noctuary").write_text("in the way", "ascii")


@pytest.mark.parametrize("obstacle", [no_log, no_state])
def test_it_is_asked_where_nothing_may_be_written(root: Path, obstacle: Obstacle) -> None:
    obstacle(root)
    vault = Vault.open(root)
    for question in ("What does the mill cost?", "磨坊的门是什么颜色？"):
        assert vault.recall(question).hits
    assert "mill" in vault.context().text
    assert vault.status().cards == 1


def test_the_inbox_is_shown_where_it_cannot_be_noted(root: Path) -> None:
    (root / ".noctuary" / "shown.json.new").mkdir()
    assert Vault.open(root).review() == []


def test_two_vaults_without_a_name_of_their_own_keep_apart(root: Path, tmp_path: Path) -> None:
    other = new_vault(tmp_path / "other", Clock()).path
    for one in (root, other):
        (one / ".noctuary" / "vault-id").unlink(missing_ok=True)
        (one / ".noctuary" / "vault-id").mkdir()
    assert Vault.open(root).recall("What does the mill cost?").hits
    assert not Vault.open(other).recall("What does the mill cost?").hits


def test_without_a_cache_an_index_is_built_for_the_moment(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = tmp_path / "shut"
    shut.write_text("no folder", "ascii")
    monkeypatch.setenv("NOCTUARY_CACHE", str(shut / "deeper"))
    vault = Vault.open(root)
    assert vault.recall("What does the mill cost?").hits
    assert vault.dream().result == "nothing"
    assert shut.read_text("ascii") == "no folder"
    assert cache_folder("a") == cache_folder("a")
    told = {item.check: item for item in examine(Store.open(root), vault.settings, vault.problems)}
    assert not told["search"].ok
    assert "NOCTUARY_CACHE" in told["search"].mend


def test_a_home_that_may_not_be_looked_into_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.stat

    def refuse(path: str | Path, **how: bool) -> os.stat_result:
        if "locked/" in str(path):
            raise PermissionError(13, "no", str(path))
        return real(path, **how)

    monkeypatch.setattr(os, "stat", refuse)
    (tmp_path / "locked").mkdir()
    assert may_be_made(tmp_path / "locked" / "cache" / "noctuary")


def test_what_the_system_refuses_is_no_bug(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOCTUARY_TRACEBACK", raising=False)
    no_state(root)
    for command in (["verify"], ["dream", "--deep"], ["log", "A word."]):
        assert run([*command, "--vault", str(root)]) == 1
        said = capsys.readouterr().err
        assert "bug" not in said
        assert said.count("\n") == 1
