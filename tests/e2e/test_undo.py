"""Undoing dreams and single changes: at once, months later, by box, with and without git."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nights import EVENING, Clock, cards, files, git, new_vault, report_text, say
from noctuary.errors import UsageError
from noctuary.memory.card import Status

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from noctuary.api import Vault
    from noctuary.memory.card import Card

FIRST = (
    "We decided to use SQLite because it needs no server.",
    "I prefer tabs over spaces.",
    "My dentist is Dr. Almeida, phone 555-0134.",
    "The deploy limit is 50 MB.",
    "我们决定用上海的机房，因为延迟低。",
)
SECOND = (
    "We decided to use Postgres instead of SQLite because we need concurrency.",
    "I prefer tabs over spaces.",
    "The deploy limit is now 70 MB.",
)
SQLITE = "we-decided-to-use-sqlite"
POSTGRES = "we-decided-to-use-postgres-instead-of-sqlite"
TABS = "i-prefer-tabs-over-spaces"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=[True, False], ids=["git", "graveyard"])
def vault(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return new_vault(tmp_path / "vault", clock, git=request.param)


def two_nights(vault: Vault, clock: Clock) -> tuple[str, dict[str, bytes]]:
    """Id of the second dream, and the cards as they were before it."""
    say(vault, *FIRST)
    vault.dream()
    before = files(vault.path, "cards")
    say(vault, *SECOND, at=clock.next(), session="b2b2b2")
    clock.next()
    return vault.dream().id, before


def number_of(vault: Vault, dream: str, card: str, kind: str = "") -> int:
    for line in report_text(vault, dream).splitlines():
        parts = line.split(" · ")
        if parts[0].endswith("undo") and f"[[{card}]]" in line and kind in parts[2]:
            return int(parts[1])
    raise AssertionError(card)


def everything(vault: Vault) -> dict[str, Card]:
    return cards(vault, "cards", "inbox", "archive")


def test_an_undone_dream_leaves_the_cards_as_they_were(vault: Vault, clock: Clock) -> None:
    dream, before = two_nights(vault, clock)
    done = vault.undo(dream)
    assert done.left == ()
    now = files(vault.path, "cards")
    assert {path: now[path] for path in before} == before
    assert set(now) == set(before)
    made = everything(vault)[POSTGRES]
    assert made.status is Status.ARCHIVED


def test_an_undone_dream_is_one_commit_that_names_itself(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    vault = new_vault(tmp_path / "vault", clock, git=True)
    dream, _ = two_nights(vault, clock)
    before = int(git(vault.path, "rev-list", "--count", "HEAD"))
    done = vault.undo(dream)
    assert int(git(vault.path, "rev-list", "--count", "HEAD")) == before + 1
    message = git(vault.path, "log", "-1", "--format=%H %s %(trailers:key=Dream-Id,valueonly)")
    assert message.startswith(f"{done.commit} Undo dream {dream} undo-")
    assert git(vault.path, "status", "--porcelain") == ""


def test_one_change_is_undone_with_what_stepped_aside_for_it(vault: Vault, clock: Clock) -> None:
    dream, before = two_nights(vault, clock)
    done = vault.undo(f"{dream}#{number_of(vault, dream, POSTGRES)}")
    assert {item.card for item in done.changes} == {POSTGRES, SQLITE}
    now = everything(vault)
    assert (now[POSTGRES].status, now[SQLITE].status) == (Status.ARCHIVED, Status.ACTIVE)
    path = next(path for path in before if SQLITE in path)
    assert files(vault.path, "cards")[path] == before[path]
    assert now[TABS].seen == 2
    index = (vault.path / "index.md").read_text("utf-8")
    assert f"[[{SQLITE}|" in index
    assert f"[[{POSTGRES}|" not in index


def test_a_card_that_speaks_again_is_no_longer_said_to_be_replaced(
    vault: Vault, clock: Clock
) -> None:
    dream, _ = two_nights(vault, clock)
    vault.undo(f"{dream}#{number_of(vault, dream, SQLITE)}")
    now = everything(vault)
    assert now[SQLITE].status is now[POSTGRES].status is Status.ACTIVE
    assert now[POSTGRES].supersedes == now[SQLITE].superseded_by == ()


def test_months_and_dreams_later_what_came_after_stays(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    for month in range(3):
        say(vault, "I prefer tabs over spaces.", at=clock.next(7), session=f"c{month}c1c1")
        clock.next()
        vault.dream()
    before = everything(vault)[TABS]
    done = vault.undo(f"{dream}#{number_of(vault, dream, TABS)}")
    assert [item.outcome for item in done.changes] == ["undone"]
    after = everything(vault)[TABS]
    gone = {item.key for item in before.evidence} - {item.key for item in after.evidence}
    assert {episode for episode, _, _ in gone} == {"2026-12-02-b2b2b2"}
    assert after.seen == before.seen - 1
    assert after.history[:-1] == before.history


def test_what_was_told_later_on_a_page_outlives_the_undoing_of_its_making(
    vault: Vault, clock: Clock
) -> None:
    def talk(at: datetime, session: str, **lines: str) -> list[str]:
        for user, line in lines.items():
            vault.log(line, at=at, session=session, user=user)
        return list(lines.values())

    first = talk(EVENING, "t1", Ana="My harp has 47 strings.", Ben="My kiln holds 30 pots.")
    dream = vault.dream().id
    ((name, page),) = cards(vault, "cards").items()
    second = talk(
        clock.next(), "t2", Ana="My harp was sold to Elgin.", Ben="My kiln cracked in Oulu."
    )
    clock.next()
    vault.dream()
    grown = cards(vault, "cards")[name]
    assert {line.quote for line in grown.evidence} == {*first, *second}
    vault.undo(f"{dream}#{number_of(vault, dream, name)}")
    left = cards(vault, "cards")[name]
    assert {line.quote for line in left.evidence} == set(second)
    assert left.title.rstrip(".") in {line.rstrip(".") for line in second}
    assert left.id == page.id


def test_a_persons_lines_outlive_an_undo(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    path = next((vault.path / "cards").rglob(f"{TABS}.md"))
    path.write_bytes(path.read_bytes() + b"\n## My own\nA line by hand.\n")
    settle(vault)
    before = path.read_bytes()
    done = vault.undo(f"{dream}#{number_of(vault, dream, TABS)}")
    text = path.read_text("utf-8")
    assert text.endswith("## My own\nA line by hand.\n")
    if vault.settings.history.git:
        assert [item.outcome for item in done.changes] == ["undone"]
        assert "2026-12-02-b2b2b2" not in text.split("## Evidence")[1]
    else:
        assert [item.outcome for item in done.changes] == ["left"]
        assert path.read_bytes() == before


def settle(vault: Vault) -> None:
    """Let a person's last save count as quiet."""
    vault._store = replace(vault._store, settle=0.0)


def test_what_a_person_made_their_own_is_said_and_left(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    path = next((vault.path / "cards").rglob(f"{POSTGRES}.md"))
    path.write_bytes(path.read_bytes().replace(b"concurrency", b"speed"))
    done = vault.undo(f"{dream}#{number_of(vault, dream, POSTGRES)}")
    left = {item.card: item.words for item in done.left}
    assert "your own" in left[POSTGRES]
    assert b"speed" in path.read_bytes()
    assert f"· {number_of(vault, dream, POSTGRES)} · left: " in report_text(vault, dream)


def test_an_undone_change_is_not_learnt_again(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    vault.undo(f"{dream}#{number_of(vault, dream, POSTGRES)}")
    say(vault, SECOND[0], at=clock.next(), session="d4d4d4")
    clock.next()
    report = vault.dream()
    assert report.absorbed == 1
    now = everything(vault)
    assert (now[SQLITE].status, now[POSTGRES].status) == (Status.ACTIVE, Status.ARCHIVED)
    assert not [change for change in report.changes if "Postgres" in change.title]


def test_undoing_twice_changes_nothing_more(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    vault.undo(dream)
    before = files(vault.path)
    again = vault.undo(dream)
    assert {item.outcome for item in again.changes} == {"already undone"}
    assert files(vault.path, "cards", "archive") == {
        path: data for path, data in before.items() if path.startswith(("cards", "archive"))
    }


def test_ticked_boxes_are_carried_out_by_the_next_dream(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    report = next((vault.path / "dreams").rglob(f"{dream}.md"))
    number = number_of(vault, dream, POSTGRES)
    report.write_text(report.read_text("utf-8").replace(
        f"- [ ] undo · {number} ·", f"- [x] undo · {number} ·"), "utf-8")  # fmt: skip
    assert vault.ticked() == [f"{dream}#{number}"]
    settle(vault)
    clock.next()
    assert vault.dream().result == "nothing"
    assert everything(vault)[POSTGRES].status is Status.ARCHIVED
    assert f"- [x] undone {clock.now.date()} · {number} · created" in report.read_text("utf-8")
    assert vault.ticked() == []


def test_a_dry_run_shows_and_writes_nothing(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    before = files(vault.path)
    done = vault.undo(dream, dry_run=True)
    assert "+status: active" in done.diff
    assert files(vault.path) == before


def test_an_undo_can_be_undone(vault: Vault, clock: Clock) -> None:
    dream, _ = two_nights(vault, clock)
    before = everything(vault)
    vault.undo(dream)
    undoing = next(name for name in _deeds(vault) if name.startswith("undo-"))
    vault.undo(undoing)
    now = everything(vault)
    assert {name: card.status for name, card in now.items()} == {
        name: card.status for name, card in before.items()
    }


def _deeds(vault: Vault) -> list[str]:
    lines = (vault.path / ".noctuary/deeds.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["dream"] for line in lines]


@pytest.mark.parametrize(
    ("what", "word"),
    [("1999-01-01T0000", "no dream"), ("{}#99", "no change 99"), ("{}#x", "no change")],
)
def test_what_is_not_there_is_said(vault: Vault, clock: Clock, what: str, word: str) -> None:
    dream, _ = two_nights(vault, clock)
    with pytest.raises(UsageError, match=word):
        vault.undo(what.format(dream))
