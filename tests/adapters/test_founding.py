from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from noctuary import Vault
from noctuary.config import parse
from noctuary.errors import UsageError, VaultNotFound

if TYPE_CHECKING:
    from pathlib import Path


def every_file(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def git(root: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=Ana", "-c", "user.email=ana@example.org", *args],
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout


def test_a_new_vault_has_sound_settings_and_a_clean_repository(tmp_path: Path) -> None:
    created = Vault.create(tmp_path / "v", timezone="Asia/Shanghai", language="zh")
    root = tmp_path / "v"
    settings, problems = parse((root / "noctuary.toml").read_text("utf-8"))
    assert (settings.vault.timezone, problems) == ("Asia/Shanghai", ())
    assert "## 目标" in (root / "preferences.md").read_text("utf-8")
    assert {"cards/", "episodes/", "noctuary.toml", ".obsidian/types.json"} <= set(created.made)
    assert git(root, "status", "--porcelain") == ""
    assert Vault.open(root).status().problems == ()


def test_a_second_init_changes_nothing(tmp_path: Path) -> None:
    Vault.create(tmp_path)
    (tmp_path / "preferences.md").unlink()
    before = every_file(tmp_path)
    again = Vault.create(tmp_path)
    assert (again.already, again.made) == (True, ())
    assert every_file(tmp_path) == before


def test_in_an_obsidian_vault_nothing_of_the_person_is_touched(tmp_path: Path) -> None:
    mine = {
        ".obsidian/types.json": "{}",
        ".obsidian/appearance.json": '{"theme":"moonstone"}',
        ".obsidian/graph.json": "{}",
        "preferences.md": "mine",
        "index.md": "my own index",
        ".gitignore": "secret/\n",
        "notes/day.md": "…",
    }
    for name, text in mine.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    created = Vault.create(tmp_path)
    assert {name: (tmp_path / name).read_text("utf-8") for name in mine} == mine
    assert "preferences.md" in created.kept
    assert any("snippet" in note for note in created.notes)
    assert (tmp_path / ".obsidian/daily-notes.json").is_file()


def test_in_a_git_repository_nothing_is_committed_and_raw_text_is_ignored(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("*.log\n", "utf-8")
    (tmp_path / "code.py").write_text("x = 1\n", "utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "mine")
    Vault.init(tmp_path / "memory").log("a secret thought")
    Vault.init(tmp_path).log("another one")
    assert git(tmp_path, "log", "--format=%s").split() == ["mine"]
    untracked = git(tmp_path, "status", "--porcelain", "-uall")
    assert "episodes/2" not in untracked
    assert "vault-id" not in untracked


def test_where_a_repository_ignores_the_folder_it_gets_one_of_its_own(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("/memory/\n", "utf-8")
    created = Vault.create(tmp_path / "memory")
    assert (tmp_path / "memory" / ".git").is_dir()
    assert any("Began a git repository" in note for note in created.notes)


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    created = Vault.create(tmp_path / "v", dry_run=True)
    assert "noctuary.toml" in created.made
    assert not (tmp_path / "v").exists()


def test_a_file_or_an_unknown_zone_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        Vault.create(tmp_path / "file")
    with pytest.raises(UsageError, match="no time zone 'Mars/Olympus'"):
        Vault.create(tmp_path / "v", timezone="Mars/Olympus")
    assert not (tmp_path / "v").exists()


def test_the_vault_is_found_by_variable_and_by_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Vault.create(tmp_path / "v")
    inside = tmp_path / "v" / "cards"
    monkeypatch.delenv("NOCTUARY_VAULT", raising=False)
    monkeypatch.chdir(inside)
    assert Vault.open().path == (tmp_path / "v").resolve()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(VaultNotFound, match="noctuary init"):
        Vault.open()
    monkeypatch.setenv("NOCTUARY_VAULT", str(inside))
    assert Vault.open().path == (tmp_path / "v").resolve()
