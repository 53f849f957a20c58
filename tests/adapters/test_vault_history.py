from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import replace
from socket import gethostname
from typing import TYPE_CHECKING

import pytest

from noctuary.config import HistorySettings
from noctuary.errors import HistoryError
from noctuary.vault.history import GitState, History
from noctuary.vault.store import Write
from vault_kit import (
    DREAM,
    dream_commits,
    empty_vault,
    entries,
    furnished_vault,
    git,
    open_store,
)

if TYPE_CHECKING:
    from pathlib import Path

REPORT = Write("dreams/2026/d.md", b"A report.\n", None)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = empty_vault(tmp_path / "vault")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    return root


def dream(root: Path, *writes: Write) -> str | None:
    return open_store(root).apply(DREAM, writes or (REPORT,), "Dream").commit


def test_a_dream_is_one_commit_with_its_id(vault: Path) -> None:
    commit = dream(vault)
    assert dream_commits(vault) == [commit]
    assert History(vault).find(DREAM) == commit
    assert "+A report." in History(vault).diff(DREAM)
    assert History(vault).dreams() == [(DREAM, commit)]


def test_staged_and_unstaged_work_stays_as_it_is(tmp_path: Path) -> None:
    root = furnished_vault(tmp_path / "vault")
    before = git(root, "status", "--porcelain")
    dream(root)
    assert git(root, "status", "--porcelain") == before == "AM user.txt\n"
    assert "user.txt" not in git(root, "show", "--name-only", "HEAD")


def test_edits_by_hand_get_a_commit_of_their_own(vault: Path) -> None:
    (vault / "preferences.md").write_text("I like tea.\n", encoding="utf-8")
    commit = dream(vault)
    assert commit is not None
    assert git(vault, "show", "--format=", "--name-only", commit).split() == ["dreams/2026/d.md"]
    assert git(vault, "show", "--format=%s", "--name-only", f"{commit}~").split("\n")[0] == (
        f"Edits by hand before dream {DREAM}"
    )


def test_a_note_staged_in_part_is_left_to_the_person(vault: Path) -> None:
    note = vault / "preferences.md"
    note.write_text("one\n", encoding="utf-8")
    git(vault, "add", "preferences.md")
    note.write_text("one\ntwo\n", encoding="utf-8")
    dream(vault)
    assert git(vault, "status", "--porcelain") == "AM preferences.md\n"


def test_raw_episodes_are_not_tracked(tmp_path: Path) -> None:
    root = furnished_vault(tmp_path / "vault")
    dream(root)
    assert "episodes/" not in git(root, "log", "--format=", "--name-only")


@pytest.mark.parametrize(
    ("mark", "word"),
    [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    ],
)
def test_a_dream_waits_while_git_is_busy(vault: Path, mark: str, word: str) -> None:
    (vault / ".git" / mark).write_text(git(vault, "rev-parse", "HEAD"), encoding="utf-8")
    with pytest.raises(HistoryError, match=word):
        dream(vault)
    assert not (vault / "dreams").exists()


def test_a_dream_waits_while_no_branch_is_checked_out(vault: Path) -> None:
    git(vault, "checkout", "-q", "--detach")
    with pytest.raises(HistoryError, match="git switch"):
        dream(vault)


def test_a_foreign_lock_is_respected_and_the_dream_committed_later(vault: Path) -> None:
    lock = vault / ".git" / "index.lock"
    store = open_store(vault)
    lock.touch()
    history = History(vault, HistorySettings(commit_hand_edits=False), wait=0.2)
    impatient = type(store)(store.disk, store.clock, history, 0.0)
    with pytest.raises(HistoryError, match="Another git"):
        impatient.apply(DREAM, (REPORT,), "Dream")
    assert lock.exists()
    assert dream_commits(vault) == []
    lock.unlink()
    applied = store.recover()
    assert applied is not None
    assert dream_commits(vault) == [applied.commit]


def test_what_a_person_changes_before_the_commit_is_committed_as_theirs(vault: Path) -> None:
    lock = vault / ".git" / "index.lock"
    store = open_store(vault)
    history = History(vault, store.history.settings, wait=0.2)
    lock.touch()
    impatient = type(store)(store.disk, store.clock, history, 0.0)
    page, gone, left = (Write(f"dreams/2026/{name}.md", b"Dreamt.\n", None) for name in "abc")
    with pytest.raises(HistoryError, match="Another git"):
        impatient.apply(DREAM, (page, gone, left), "Dream")
    (vault / page.path).write_text("Mine.\n", encoding="utf-8")
    (vault / gone.path).unlink()
    lock.unlink()
    applied = store.recover()
    assert applied is not None
    assert dream_commits(vault) == [applied.commit]
    assert git(vault, "show", "--format=", "--name-only", str(applied.commit)).split() == [
        left.path
    ]
    assert git(vault, "log", "-1", "--format=%s") == f"Edits by hand during dream {DREAM}\n"
    assert git(vault, "show", f"HEAD:{page.path}") == "Mine.\n"
    assert git(vault, "status", "--porcelain") == ""
    assert store.history.written_by_dreams(["dreams"]) == {left.path}


def test_only_locks_born_in_our_own_run_are_removed(vault: Path) -> None:
    lock = vault / ".git" / "index.lock"
    lock.touch()
    old = time.time() - 1000
    os.utime(lock, (old, old))
    History(vault).break_own_locks(since=old + 500)
    assert lock.exists()
    History(vault).break_own_locks(since=old - 1)
    assert not lock.exists()


def test_no_git_at_all_still_dreams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert History(root).standing().state is GitState.NONE
    assert dream(root) is None
    assert (root / "dreams/2026/d.md").read_bytes() == b"A report.\n"


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    root = empty_vault(tmp_path / "vault", repository=False)
    standing = History(root).standing()
    assert standing.state is GitState.NONE
    assert "git init" in standing.why
    assert History(root).init()
    assert History(root).standing().state is GitState.READY


def test_a_vault_inside_a_larger_repository(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    root = empty_vault(outer / "notes" / "vault", repository=False)
    (outer / "other.txt").write_text("not ours", encoding="utf-8")
    assert not History(root).init()
    commit = dream(root)
    assert commit is not None
    assert git(outer, "show", "--format=", "--name-only", commit).split() == [
        "notes/vault/dreams/2026/d.md"
    ]
    assert git(outer, "status", "--porcelain") == "?? other.txt\n"


def test_a_vault_that_an_outer_repository_ignores(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    (outer / ".gitignore").write_text("vault/\n", encoding="utf-8")
    root = empty_vault(outer / "vault", repository=False)
    assert "ignores" in History(root).standing().why
    assert dream(root) is None


def test_a_linked_worktree(vault: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(vault, "worktree", "add", "-q", "-b", "side", str(tree))
    commit = dream(tree)
    assert git(vault, "rev-parse", "side").strip() == commit


def test_hooks_and_signing_do_not_stop_a_dream(vault: Path) -> None:
    hook = vault / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    git(vault, "config", "commit.gpgsign", "true")
    assert dream(vault)


def test_hooks_run_when_the_person_wants_them(vault: Path) -> None:
    hook = vault / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    with pytest.raises(HistoryError, match="hook"):
        History(vault, HistorySettings(hooks=True)).commit(["noctuary.toml", _touched(vault)], "x")


def test_a_refused_commit_leaves_nothing_staged(vault: Path) -> None:
    hook = vault / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    (vault / "preferences.md").write_text("I like tea.\n", encoding="utf-8")
    with pytest.raises(HistoryError):
        History(vault, HistorySettings(hooks=True)).commit(["preferences.md", _touched(vault)], "x")
    assert git(vault, "diff", "--cached", "--name-only") == ""
    hook.unlink()
    assert History(vault).commit(["preferences.md", "index.md"], "x")
    assert git(vault, "status", "--porcelain") == ""


@pytest.mark.parametrize("odd", ["a\0b", "half an emoji \ud83d", "\udcff"])
def test_any_words_can_be_a_message(vault: Path, odd: str) -> None:
    assert History(vault).commit([_touched(vault)], f"Dream of {odd}", DREAM)
    assert "Dream of" in git(vault, "log", "-1", "--format=%s")


def _touched(vault: Path) -> str:
    (vault / "index.md").write_text("map", encoding="utf-8")
    return "index.md"


@pytest.mark.parametrize("name", [":(top)x", "-dash", "star*", "预算 上限", 'quo"te', "[[x]]"])
def test_names_are_taken_literally(vault: Path, name: str) -> None:
    path = f"cards/facts/{name}.md"
    (vault / "cards" / "facts").mkdir(parents=True)
    (vault / "cards" / "facts" / "star-other.md").write_text("not this", encoding="utf-8")
    (vault / path).write_text("this", encoding="utf-8")
    commit = History(vault).commit([path], "one", "d1")
    assert git(vault, "show", "--format=", "--name-only", "-z", commit).strip("\0\n") == path


def test_line_ends_are_kept(vault: Path) -> None:
    git(vault, "config", "core.autocrlf", "input")
    dream(vault, Write("cards/facts/a.md", b"one\r\ntwo\r\n", None))
    shown = subprocess.run(
        ["git", "-C", str(vault), "show", "HEAD:cards/facts/a.md"], capture_output=True, check=True
    )
    assert shown.stdout == b"one\r\ntwo\r\n"


def test_a_removed_file_is_committed_as_removed(vault: Path) -> None:
    dream(vault, Write("cards/facts/a.md", b"one", None))
    from noctuary.vault.files import digest_of

    store = open_store(vault)
    store.apply("2026-12-02T0300", [Write("cards/facts/a.md", None, digest_of(b"one"))], "Dream")
    assert git(vault, "show", "--format=", "--name-status", "HEAD").split() == [
        "D",
        "cards/facts/a.md",
    ]


def test_a_dream_that_changed_nothing_makes_no_commit(vault: Path) -> None:
    before = git(vault, "rev-parse", "HEAD")
    assert open_store(vault).apply(DREAM, (), "Dream").commit is None
    assert git(vault, "rev-parse", "HEAD") == before


def test_git_variables_of_a_surrounding_hook_do_not_mislead(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    commit = History(vault).commit([_touched(vault)], "one", "d1")
    monkeypatch.undo()
    assert git(vault, "rev-parse", "HEAD").strip() == commit


def test_a_lock_that_our_own_killed_commit_left_is_removed(vault: Path) -> None:
    mark = vault / ".noctuary" / "git-call.json"
    mark.parent.mkdir()
    mark.write_text(json.dumps([time.time(), gethostname()]), encoding="utf-8")
    (vault / ".git" / "index.lock").touch()
    commit = dream(vault)
    assert dream_commits(vault) == [commit]
    assert not mark.exists()


def test_a_mark_from_another_machine_breaks_no_lock(vault: Path) -> None:
    mark = vault / ".noctuary" / "git-call.json"
    mark.parent.mkdir()
    mark.write_text(json.dumps([time.time(), "another-machine"]), encoding="utf-8")
    (vault / ".git" / "index.lock").touch()
    with pytest.raises(HistoryError):
        History(vault, wait=0.1).commit([_touched(vault)], "one", "d1")
    assert not mark.exists()


def test_nothing_is_forgotten_until_the_commit_is_made(tmp_path: Path) -> None:
    root = furnished_vault(tmp_path / "vault")
    lock = root / ".git" / "index.lock"
    store = open_store(root)
    history = History(root, HistorySettings(commit_hand_edits=False), wait=0.1)
    impatient = replace(store, history=history)
    ids = [entry.id for entry in entries("aa1111")]
    lock.touch()
    with pytest.raises(HistoryError):
        impatient.apply(DREAM, (REPORT,), "Dream", {"2026-11-30-chat-aa1111": ids})
    assert len(store.read_episodes(["2026-11-30-chat-aa1111"])[0][0].entries) == 4
    lock.unlink()
    store.recover()
    assert len(dream_commits(root)) == 1
    assert store.read_episodes(["2026-11-30-chat-aa1111"])[0][0].entries == ()


def test_a_new_dream_first_finishes_the_one_that_waits(vault: Path) -> None:
    lock = vault / ".git" / "index.lock"
    store = open_store(vault)
    history = History(vault, HistorySettings(commit_hand_edits=False), wait=0.1)
    lock.touch()
    with pytest.raises(HistoryError):
        replace(store, history=history).apply(DREAM, (REPORT,), "Dream")
    lock.unlink()
    store.apply("2026-12-02T0300", [Write("dreams/2026/e.md", b"Another.\n", None)], "Dream")
    assert [found for found, _ in History(vault).dreams()] == ["2026-12-02T0300", DREAM]
