"""A vault that is asked again and again looks at what changed, and misses nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nights import Clock, new_vault, say
from noctuary.api import Vault
from noctuary.recall.recall import Recall

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "What does the mill cost?"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Three cards."""
    clock = Clock()
    made = new_vault(tmp_path / "vault", clock)
    for number, thing in enumerate(("mill", "barn", "tower")):
        say(made, f"The {thing} costs {number + 1}00 euros.", session=thing, project=thing)
    clock.next()
    made.dream()
    return made


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One more number for each time that the index was compared with the vault."""
    done: list[int] = []
    whole = Recall.sync

    def counted(self: Recall, *args: object, **more: object) -> bool:
        done.append(len(done))
        return whole(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Recall, "sync", counted)
    return done


def told(vault: Vault, *, archived: bool = False) -> str:
    return "\n".join(hit.text for hit in vault.recall(QUESTION, archived=archived).hits)


def test_nothing_changed_is_nothing_to_compare(vault: Vault, syncs: list[int]) -> None:
    first = told(vault)
    assert told(vault) == first
    assert "mill costs 100" in first
    assert len(syncs) == 1
    vault.context()
    assert len(syncs) == 1


def test_what_is_logged_between_two_questions_is_found(vault: Vault, syncs: list[int]) -> None:
    told(vault)
    vault.log("The mill costs 700 euros now.", session="new")
    assert "700" in told(vault)
    assert len(syncs) == 2


def test_what_a_person_edits_in_place_is_found(vault: Vault) -> None:
    told(vault)
    [card] = [path for path in (vault.path / "cards").rglob("*.md") if "mill" in path.name]
    card.write_text(card.read_text("utf-8").replace("costs 100", "costs 800"), "utf-8")
    assert "800" in told(vault)


def test_what_is_removed_is_not_told(vault: Vault) -> None:
    told(vault)
    for card in (vault.path / "cards").rglob("*mill*.md"):
        card.unlink()
    assert "mill" not in told(vault)


def test_an_index_that_somebody_removed_is_built_again(vault: Vault) -> None:
    assert "tower" in told(vault)
    vault.forget(matching="tower")
    assert "mill costs 100" in told(vault)
    assert "tower" not in told(vault)


def test_another_vault_object_that_asks_does_not_disturb(vault: Vault) -> None:
    told(vault)
    other = Vault.open(vault.path, clock=Clock())
    other.log("The mill costs 900 euros today.", session="other")
    assert "900" in told(other)
    assert "900" in told(vault)


def test_the_archive_is_asked_when_asked_for_and_stays_out_otherwise(vault: Vault) -> None:
    [card] = [path for path in (vault.path / "cards").rglob("*.md") if "mill" in path.name]
    target = vault.path / "archive" / card.relative_to(vault.path)
    target.parent.mkdir(parents=True)
    target.write_text(
        card.read_text("utf-8").replace("status: active", "status: archived"), "utf-8"
    )
    card.unlink()
    assert "mill" not in told(vault)
    assert "mill costs 100" in told(vault, archived=True)
    assert "mill" not in told(vault)
    assert "mill costs 100" in told(vault, archived=True)


def test_a_card_that_comes_to_the_archive_or_leaves_it_is_seen(vault: Vault) -> None:
    [card] = [path for path in (vault.path / "cards").rglob("*.md") if "mill" in path.name]
    told(vault, archived=True)
    target = vault.path / "archive" / card.relative_to(vault.path)
    target.parent.mkdir(parents=True)
    told(vault, archived=True)
    card.replace(target)
    assert "mill costs 100" in told(vault, archived=True)
    target.unlink()
    assert "mill" not in told(vault, archived=True)


def test_what_a_failed_question_did_not_bring_in_the_next_one_does(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(vault)
    vault.log("The mill costs 800 euros now.", session="new")

    def failing(*_: object, **__: object) -> bool:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Recall, "sync", failing)
        with pytest.raises(OSError, match="no space"):
            told(vault)
    assert "800 euros" in told(vault)
