"""Forgetting for good: a random marker in every place, then nowhere, git's objects included."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nights import Clock, cards, files, git, new_vault, quotes, say
from noctuary.errors import UsageError, VaultBusy
from noctuary.vault.lock import dream_lock
from noctuary.vault.rewriting import objects

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault

SEED = 9


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    made = new_vault(tmp_path / "vault", clock, git=True)
    made._store = replace(made._store, settle=0.0)
    return made


def marker_of(number: int) -> str:
    dice = random.Random(f"{SEED} {number}")
    return "zq" + "".join(dice.choice("bcdfghjklmnpqrstvwxz") for _ in range(10))


def plant(vault: Vault, clock: Clock, marker: str) -> None:
    """Put a marker into every place where what was said can come to stand."""
    say(
        vault,
        f"We decided to use the {marker} database because it needs no server.",
        f"I prefer {marker} over spaces.",
        f"我们的预算是五万元，代号是{marker}。",
        "My dentist is Dr. Almeida, phone 555-0134.",
    )
    vault.dream()
    vault.recall(marker)
    say(
        vault,
        f"I prefer {marker} over spaces.",
        "The sky is blue.",
        at=clock.next(),
        session="b2b2b2",
    )
    clock.next()
    vault.dream()
    own = next(path for path in sorted((vault.path / "cards").rglob("*.md")) if path.is_file())
    own.write_text(own.read_text("utf-8") + f"\nMy own {marker} line.\n", "utf-8")
    say(vault, f"What is {marker.upper()}?", role="assistant", at=clock.next(), session="c3c3c3")
    (vault.path / "inbox").mkdir(exist_ok=True)
    clock.next(8)
    vault.dream(purge_now=True)
    vault.recall(marker)
    state = vault.path / ".noctuary"
    (state / "stage").mkdir(exist_ok=True)
    (state / "stage" / "left").write_text(f"half {marker}", "utf-8")
    (state / "daemon.log").write_text(f"saw {marker}\nsaw nothing\n", "utf-8")
    (vault.path / "episodes/2026/11").mkdir(parents=True, exist_ok=True)
    (vault.path / "episodes/2026/11/2026-11-29.md").write_text(f"By hand: {marker}.\n", "utf-8")
    say(vault, f"The last word is {marker}.", at=clock.next(), session="d4d4d4")


def places(vault: Vault, marker: str) -> list[str]:
    """Every file of the vault and its cache, and every git object, that holds the marker."""
    roots = (vault.path, vault.path.parent / "cache")
    found = [
        str(path)
        for root in roots
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
        and (marker.encode() in path.read_bytes().lower() or marker in path.name.lower())
    ]  # fmt: skip
    held = (name for name, data in objects(vault._store.history) if marker.encode() in data.lower())
    return [*found, *held]


def assert_nowhere(vault: Vault, clock: Clock, number: int) -> None:
    marker = marker_of(number)
    plant(vault, clock, marker)
    assert len(places(vault, marker)) > 10
    done = vault.forget(matching=marker, rewrite_history=True)
    assert done.left == ()
    assert places(vault, marker) == []
    assert "555-0134" in quotes(vault)
    assert vault.verify().problems == ()


def test_a_marker_in_every_place_is_nowhere_afterwards(vault: Vault, clock: Clock) -> None:
    assert_nowhere(vault, clock, 0)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 20))
def test_twenty_markers_are_nowhere_afterwards(vault: Vault, clock: Clock, number: int) -> None:
    assert_nowhere(vault, clock, number)


def test_nothing_is_forgotten_while_a_dream_thinks(vault: Vault, clock: Clock) -> None:
    """It has read what is to be forgotten, and would write it down afterwards."""
    say(vault, "The gate code of the yard is 4711.", at=clock.next())
    before = files(vault.path)
    vault._store = replace(vault._store, wait=0.0)
    with dream_lock(vault.path / ".noctuary", 0):
        with pytest.raises(VaultBusy, match="dream is under way"):
            vault.forget(matching="gate code")
        assert vault.forget(matching="gate code", dry_run=True).entries == 1
    assert files(vault.path) == before
    assert vault.forget(matching="gate code").entries == 1


def test_without_rewriting_it_says_that_git_has_it(vault: Vault, clock: Clock) -> None:
    marker = marker_of(50)
    plant(vault, clock, marker)
    head = git(vault.path, "rev-parse", "HEAD")
    git(vault.path, "remote", "add", "backup", "https://git.example.org/memory")
    done = vault.forget(matching=marker)
    told = " ".join(done.left)
    assert "--rewrite-history" in told
    assert "backup" in told
    assert git(vault.path, "merge-base", "--is-ancestor", head, "HEAD") == ""
    assert not [place for place in places(vault, marker) if "/" in place]


def test_a_card_goes_with_what_it_rests_on(vault: Vault, clock: Clock) -> None:
    say(vault, "We decided to use SQLite because it needs no server.", "I prefer tabs over spaces.")
    vault.dream()
    clock.next()
    name = next(name for name in cards(vault, "cards") if "sqlite" in name)
    done = vault.forget(name, rewrite_history=True)
    assert done.left == ()
    assert list(cards(vault, "cards")) == ["i-prefer-tabs-over-spaces"]
    assert places(vault, "sqlite") == []
    assert vault.verify().problems == ()
    say(vault, "We decided to use SQLite because it needs no server.", at=clock.next())
    clock.next()
    vault.dream()
    assert "SQLite" not in quotes(vault, "cards")


def test_a_session_goes_with_all_that_came_of_it(vault: Vault, clock: Clock) -> None:
    say(vault, "I prefer tabs over spaces.")
    vault.dream()
    at = clock.next()
    say(vault, "I prefer tabs over spaces.", "My cat Mimi weighs 4.2 kg.", at=at, session="b2b2b2")
    clock.next()
    vault.dream()
    done = vault.forget("b2b2b2", rewrite_history=True)
    assert done.entries == 2
    assert not list((vault.path / "episodes").rglob("*b2b2b2*"))
    assert places(vault, "4.2 kg") == []
    assert "tabs" in quotes(vault, "cards")
    assert all(r.episode != "2026-12-02-b2b2b2" for card in cards(vault, "cards").values()
               for r in card.evidence)  # fmt: skip
    say(vault, "My cat Mimi weighs 4.2 kg.", at=at.replace(minute=13), session="b2b2b2")
    assert not list((vault.path / "episodes").rglob("*b2b2b2*"))


def test_history_can_be_rewritten_later(vault: Vault, clock: Clock) -> None:
    say(vault, "We decided to use SQLite because it needs no server.", "I prefer tabs over spaces.")
    say(vault, "My cat Mimi weighs 4.2 kg.", session="b2b2b2")
    vault.dream()
    clock.next()
    name = next(name for name in cards(vault, "cards") if "sqlite" in name)
    for aim, words in ((name, "sqlite"), ("2026-11-30-b2b2b2", "4.2 kg")):
        assert "--rewrite-history" in vault.forget(aim).left[0]
        assert places(vault, words) != []
        assert vault.forget(aim, rewrite_history=True).left == ()
        assert places(vault, words) == []
    assert list(cards(vault, "cards")) == ["i-prefer-tabs-over-spaces"]


def test_what_is_the_persons_is_said_and_left(vault: Vault, clock: Clock) -> None:
    marker = marker_of(60)
    say(vault, f"I prefer {marker} over spaces.")
    vault.dream()
    page = vault.path / "preferences.md"
    page.write_text(f"{page.read_text('utf-8')}\nI like {marker}.\n", "utf-8")
    before = page.read_bytes()
    done = vault.forget(matching=marker)
    assert any(line.startswith("preferences.md still holds it") for line in done.left)
    assert page.read_bytes() == before


def test_the_persons_work_in_git_survives_a_rewrite(vault: Vault, clock: Clock) -> None:
    marker = marker_of(70)
    say(vault, f"I prefer {marker} over spaces.")
    vault.dream()
    note = vault.path / "own.txt"
    note.write_text("committed\n")
    git(vault.path, "add", "own.txt")
    git(vault.path, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "own work")
    note.write_text("staged\n")
    git(vault.path, "add", "own.txt")
    note.write_text("unstaged\n")
    assert vault.forget(matching=marker, rewrite_history=True).left == ()
    assert git(vault.path, "status", "--porcelain") == "MM own.txt"
    assert "own work" in git(vault.path, "log", "--format=%s")
    assert git(vault.path, "fsck") == ""


def test_a_dry_run_says_and_writes_nothing(vault: Vault, clock: Clock) -> None:
    say(vault, "I prefer tabs over spaces.")
    vault.dream()
    before = files(vault.path)
    told = vault.forget(matching="tabs over", dry_run=True)
    assert (told.entries, len(told.cards)) == (1, 1)
    assert files(vault.path) == before


def test_a_forgetting_that_was_cut_short_is_finished(
    vault: Vault, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = marker_of(80)
    plant(vault, clock, marker)

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("noctuary.care.forget.erase_state", stop)
        with pytest.raises(KeyboardInterrupt):
            vault.forget(matching=marker)
    assert any("forgetting" in problem.where for problem in vault.verify().problems)
    vault.forget(matching="something else", rewrite_history=False)
    assert not [place for place in places(vault, marker) if "/" in place]


@pytest.mark.parametrize("aim", [{"matching": "a"}, {"name": "nothing-of-that-name"}])
def test_what_cannot_be_looked_for_is_said(vault: Vault, aim: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        vault.forget(**aim)  # type: ignore[arg-type]
