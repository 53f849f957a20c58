"""Dreams while a person is in the middle of real work with git, not only beside its marks."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from noctuary.api import Vault
from noctuary.errors import HistoryError
from noctuary.memory.report import ChangeKind
from noctuary.vault.history import GitState, History
from noctuary.vault.store import Write
from vault_kit import DREAM, dream_commits, empty_vault, git, open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REPORT = Write("dreams/2026/d.md", b"A report.\n", None)


def dream(root: Path) -> str | None:
    return open_store(root).apply(DREAM, [REPORT], "Dream").commit


def attempt(root: Path, *args: str) -> None:
    """A git command of the person that may stop half way."""
    command = ["git", "-C", str(root), "-c", "user.name=Ana", "-c", "user.email=a@example.org"]
    subprocess.run([*command, *args], capture_output=True, check=False)


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A vault with two branches that contradict each other in a note of the person."""
    root = empty_vault(tmp_path / "vault")
    note = root / "preferences.md"
    for branch, text in (("main", "start\n"), ("other", "theirs\n"), ("main", "mine\n")):
        if branch == "other":
            git(root, "switch", "-qc", branch)
        elif text == "mine\n":
            git(root, "switch", "-q", branch)
        note.write_text(text, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-qm", f"{branch}: {text.strip()}")
    return root


def merge(root: Path) -> None:
    attempt(root, "merge", "other")


def rebase(root: Path) -> None:
    attempt(root, "rebase", "other")


def cherry_pick(root: Path) -> None:
    attempt(root, "cherry-pick", "other")


def revert(root: Path) -> None:
    attempt(root, "revert", "--no-edit", "other")


def bisect(root: Path) -> None:
    attempt(root, "bisect", "start", "HEAD", "HEAD~")


def detach(root: Path) -> None:
    attempt(root, "switch", "--detach", "HEAD")


ABORT: dict[Callable[[Path], None], tuple[str, ...]] = {
    merge: ("merge", "--abort"),
    rebase: ("rebase", "--abort"),
    cherry_pick: ("cherry-pick", "--abort"),
    revert: ("revert", "--abort"),
    bisect: ("bisect", "reset"),
    detach: ("switch", "-q", "main"),
}


@pytest.mark.parametrize("begin", ABORT, ids=lambda begin: begin.__name__)
def test_a_dream_waits_for_real_work_and_is_committed_after_it(
    torn: Path, begin: Callable[[Path], None]
) -> None:
    begin(torn)
    assert History(torn).standing().state is GitState.BUSY
    before = git(torn, "status", "--porcelain"), git(torn, "rev-parse", "HEAD")
    with pytest.raises(HistoryError, match="waits"):
        dream(torn)
    assert (git(torn, "status", "--porcelain"), git(torn, "rev-parse", "HEAD")) == before
    git(torn, *ABORT[begin])
    assert dream(torn)
    assert len(dream_commits(torn)) == 1
    assert git(torn, "show", "--format=", "--name-only", "HEAD").split() == ["dreams/2026/d.md"]


def test_the_first_commit_may_be_a_dream(tmp_path: Path) -> None:
    root = empty_vault(tmp_path / "vault")
    commit = dream(root)
    assert git(root, "rev-parse", "HEAD").strip() == commit


def test_nobody_needs_a_name(torn: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert dream(torn)
    assert git(torn, "log", "-1", "--format=%an").strip() == "Noctuary"


@pytest.mark.parametrize(("key", "value"), [
    ("core.autocrlf", "true"), ("core.autocrlf", "input"), ("commit.gpgsign", "true"),
    ("core.quotepath", "true"), ("status.relativePaths", "false"), ("commit.template", "none"),
    ("core.excludesFile", "none"), ("commit.cleanup", "strip"), ("status.showUntrackedFiles", "no"),
])  # fmt: skip
def test_a_persons_settings_of_git_do_not_stop_a_dream(torn: Path, key: str, value: str) -> None:
    git(torn, "config", key, value)
    write = Write("dreams/2026/夜.md", b"one\r\ntwo\n", None)
    assert open_store(torn).apply(DREAM, [write], "Dream").commit
    kept = subprocess.run(
        ["git", "-C", str(torn), "show", "HEAD:./dreams/2026/夜.md"],
        capture_output=True,
        check=True,
    )
    assert kept.stdout == b"one\r\ntwo\n"


def test_a_clone_that_changes_line_ends_makes_no_card_a_persons(tmp_path: Path) -> None:
    home = Vault.init(tmp_path / "home", timezone="UTC")
    home.log("The budget for the kitchen is 14,500 euros.", session="a", at="2026-11-30T10:00:00")
    home.dream(now="2026-12-01T03:00:00")
    away = tmp_path / "away"
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(home.path), str(away))
    git(away, "config", "core.autocrlf", "true")
    for file in away.rglob("*.md"):
        os.utime(file, (0, 0))
    vault = Vault.open(away)
    vault.log(
        "The budget for the kitchen is 16,000 euros now.", session="b", at="2026-12-01T10:00:00"
    )
    assert vault.dream(now="2026-12-02T03:00:00").count(ChangeKind.SUPERSEDED) == 1
    assert vault.review() == []
    subjects = git(away, "log", "--format=%s").splitlines()
    assert not any("by hand" in subject for subject in subjects)
    assert git(away, "status", "--porcelain") == ""


def test_a_clone_says_once_that_its_raw_text_is_elsewhere(tmp_path: Path) -> None:
    home = Vault.init(tmp_path / "home", timezone="UTC")
    for day in (28, 29, 30):
        home.log(f"The kitchen costs {day} euros.", session=f"s{day}", at=f"2026-11-{day}T10:00:00")
    home.dream(now="2026-12-01T03:00:00")
    assert home.verify().problems == ()
    git(tmp_path, "clone", "-q", str(home.path), str(tmp_path / "away"))
    [told] = Vault.open(tmp_path / "away").verify().problems
    assert told.what.startswith("3 episodes that memory rests on")
    assert "track_episodes" in told.what


def test_a_stash_stays(torn: Path) -> None:
    (torn / "preferences.md").write_text("stashed\n", encoding="utf-8")
    git(torn, "stash")
    dream(torn)
    git(torn, "stash", "pop")
    assert (torn / "preferences.md").read_text(encoding="utf-8") == "stashed\n"


def test_a_submodule_has_its_own_history(torn: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(torn), "mem")
    (outer / "mem" / ".gitignore").write_text(".noctuary/\nepisodes/\n", encoding="utf-8")
    git(outer / "mem", "switch", "-q", "main")
    assert dream(outer / "mem")
    assert len(dream_commits(outer / "mem")) == 1
