"""What a vault lets go of with age, so that it does not grow: all of it told, and nothing by accident."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from nights import Clock, cards, new_vault, report_meta, report_text, say, size
from noctuary.memory.card import Status
from noctuary.vault.reading import Reader

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault
    from noctuary.memory.episode import Episode
    from noctuary.memory.report import DreamReport

THINGS = (
    "mill",
    "barn",
    "tower",
    "bridge",
    "harbour",
    "chapel",
    "market",
    "quarry",
    "kiln",
    "dock",
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def aged(tmp_path: Path, clock: Clock, *, git: bool = False, **settings: object) -> Vault:
    return new_vault(
        tmp_path / "vault", clock, git=git, stale_days=1, max_archive_mb=0.002, **settings
    )


def a_week(vault: Vault, clock: Clock) -> DreamReport:
    """Ten facts, then a deep dream after they have gone stale, and one more for the archive."""
    for number, thing in enumerate(THINGS):
        at = clock.now + timedelta(minutes=number)
        say(vault, f"The {thing} was built in 18{number + 10}.", at=at, session=f"s-{thing}")
    clock.next()
    vault.dream()
    clock.next(3)
    vault.dream(deep=True)
    clock.next()
    return vault.dream(deep=True)


@pytest.mark.parametrize("git", [False, True])
def test_a_full_archive_forgets_its_weakest_and_undo_brings_them_back(
    tmp_path: Path, clock: Clock, git: bool
) -> None:
    vault = aged(tmp_path, clock, git=git)
    report = a_week(vault, clock)
    gone = [change for change in report.changes if change.kind == "forgotten"]
    assert gone
    assert size(vault, "archive") <= 2000
    assert report.as_json()["cards"]["forgotten"] == len(gone)  # type: ignore[index]
    assert not {change.card for change in gone} & set(cards(vault, "archive"))
    assert vault.verify().problems == ()
    vault.undo(report.id)
    assert {change.card for change in gone} <= set(cards(vault, "archive"))
    assert vault.verify().problems == ()


def test_nothing_that_stays_names_a_card_that_was_forgotten(tmp_path: Path, clock: Clock) -> None:
    vault = aged(tmp_path, clock)
    for number in range(8):
        say(
            vault,
            f"The budget for the mill is {number + 2}0 euros.",
            at=clock.now,
            session=f"s{number}",
        )
        clock.next()
        vault.dream()
    clock.next(3)
    for _ in range(3):
        clock.next()
        vault.dream(deep=True)
    names = {path.stem for path in vault.path.rglob("*.md")}
    held = cards(vault, "cards", "archive").values()
    links = {link for card in held for link in (*card.supersedes, *card.superseded_by)}
    assert {link.strip("[]") for link in links} <= names
    assert vault.verify().problems == ()


def test_a_card_in_the_archive_that_a_person_made_their_own_stays(
    tmp_path: Path, clock: Clock
) -> None:
    vault = aged(tmp_path, clock)
    say(vault, "The mill was built in 1810.", at=clock.now)
    clock.next()
    vault.dream()
    clock.next(3)
    vault.dream(deep=True)
    [own] = (vault.path / "archive").rglob("*.md")
    own.write_text(own.read_text("utf-8") + "\nMine.\n", "utf-8")
    report = a_week(vault, clock)
    assert report.as_json()["cards"]["forgotten"]  # type: ignore[index]
    assert own.read_text("utf-8").endswith("\nMine.\n")


def test_an_old_report_keeps_its_numbers_and_a_person_s_report_all(
    tmp_path: Path, clock: Clock
) -> None:
    vault = new_vault(tmp_path / "vault", clock, report_days=10, purge="never")
    ids = []
    for number in range(3):
        say(
            vault,
            f"The mill number {number} has 3{number} wheels.",
            at=clock.now,
            session=f"s{number}",
        )
        clock.next()
        ids.append(vault.dream().id)
    before = [report_meta(vault, one) for one in ids]
    own = next((vault.path / "dreams").rglob(f"{ids[1]}.md"))
    own.write_text(own.read_text("utf-8") + "\nGood night.\n", "utf-8")
    whole = own.read_text("utf-8")
    clock.next(20)
    vault.dream(deep=True)
    assert [report_meta(vault, one) for one in ids] == before
    assert "## " not in report_text(vault, ids[0])
    assert "1 of 1 entry absorbed" in report_text(vault, ids[0])
    assert own.read_text("utf-8") == whole
    assert vault.status().pending == 0
    after = report_text(vault, ids[0])
    clock.next()
    vault.dream(deep=True)
    assert report_text(vault, ids[0]) == after


def test_an_old_report_forgets_ranges_of_episodes_that_are_gone(
    tmp_path: Path, clock: Clock
) -> None:
    vault = new_vault(tmp_path / "vault", clock, report_days=10)
    say(vault, "Thanks!", "OK.", at=clock.now)
    clock.next()
    first = vault.dream(purge_now=True).id
    assert report_meta(vault, first)["absorbed"]
    clock.next(20)
    for _ in range(2):
        clock.next()
        vault.dream(deep=True)
    assert not report_meta(vault, first)["absorbed"]
    assert vault.verify().problems == ()


def test_new_knowledge_finds_room_in_a_full_memory(tmp_path: Path, clock: Clock) -> None:
    vault = new_vault(tmp_path / "vault", clock, max_cards=10)
    for day in range(4):
        for number, thing in enumerate(THINGS[:6]):
            say(
                vault, f"The {thing} {day} was painted in 19{day}{number}.",
                at=clock.now + timedelta(minutes=number), session=f"{day}{number}",
            )  # fmt: skip
        clock.next(31)
        vault.dream()
        for _ in range(9):
            vault.recall("mill 0 painted")
    live = [card for card in cards(vault, "cards").values() if card.status is Status.ACTIVE]
    assert len(live) <= 10
    held = " ".join(receipt.quote for card in live for receipt in card.evidence)
    assert sum(f"The {thing} 3" in held for thing in THINGS[:6]) >= 5


def test_graves_of_drawn_pages_go_after_two_days_those_of_cards_after_thirty(
    tmp_path: Path, clock: Clock
) -> None:
    vault = new_vault(tmp_path / "vault", clock)
    for number in range(4):
        say(vault, "I always want short answers.", at=clock.now, session=f"s{number}")
        clock.next()
        vault.dream()
    graves = vault.path / ".noctuary" / "graveyard"
    assert [file for file in graves.iterdir() if "index.md" in file.name]
    clock.next(4)
    vault.tidy()
    left = [file.name for file in graves.iterdir()]
    assert not [name for name in left if "index.md" in name or "maps%2F" in name]
    assert [name for name in left if "cards%2F" in name]
    clock.next(30)
    vault.tidy()
    assert list(graves.iterdir()) == []


def test_the_log_of_deeds_is_as_long_as_it_is_of_use(tmp_path: Path, clock: Clock) -> None:
    vault = new_vault(tmp_path / "vault", clock)
    say(vault, "I always want short answers.", at=clock.now, session="first")
    clock.next()
    made = vault.dream().id
    say(vault, "I always want short answers.", at=clock.now, session="again")
    clock.next()
    vault.dream()
    clock.next(40)
    say(vault, "The mill has 30 wheels.", at=clock.now, session="late")
    clock.next()
    vault.dream()
    log = (vault.path / ".noctuary" / "deeds.jsonl").read_text("utf-8").splitlines()
    assert len(log) == 2
    assert made in log[0]
    assert "maps/" not in "".join(log)
    assert vault.verify().problems == ()


def test_what_is_recalled_from_the_archive_is_counted_there(tmp_path: Path, clock: Clock) -> None:
    vault = new_vault(tmp_path / "vault", clock, stale_days=1)
    say(vault, "The mill was built in 1810.", at=clock.now)
    clock.next()
    vault.dream()
    clock.next(3)
    vault.dream(deep=True)
    [before] = cards(vault, "archive").values()
    assert vault.recall("When was the mill built?").hits == ()
    assert vault.recall("When was the mill built?", archived=True).hits
    clock.next()
    vault.dream(deep=True)
    [after] = cards(vault, "archive").values()
    assert (after.references, after.evidence) == (before.references + 1, before.evidence)


def test_an_emptied_episode_stays_for_as_long_as_a_card_quotes_it(
    tmp_path: Path, clock: Clock
) -> None:
    vault = new_vault(tmp_path / "vault", clock)
    say(vault, "The mill was built in 1810.", at=clock.now, session="quoted")
    say(vault, "Thanks!", "OK.", at=clock.now, session="chatter")
    quoted, chatter = (next(vault.path.rglob(f"*-{name}.md")) for name in ("quoted", "chatter"))
    clock.next()
    vault.dream(purge_now=True)
    assert "1810" not in quoted.read_text("utf-8")
    assert chatter.exists()
    clock.next()
    vault.dream(deep=True)
    assert quoted.exists()
    assert not chatter.exists()
    assert vault.verify().problems == ()
    say(vault, "Thanks!", at=clock.now - timedelta(days=4), session="chatter")
    say(vault, "And the quay in 1812.", at=clock.now, session="chatter")
    assert "1812" in next((vault.path / "episodes").rglob("*-chatter.md")).read_text("utf-8")


def test_an_emptied_episode_is_not_read_again(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = new_vault(tmp_path / "vault", clock)
    say(vault, "The mill was built in 1810.", at=clock.now, session="quoted")
    vault.dream(purge_now=True)
    clock.next()
    vault.dream()
    read: list[str] = []
    whole = Reader.episode

    def counted(self: Reader, path: str) -> Episode | None:
        read.append(path)
        return whole(self, path)

    monkeypatch.setattr(Reader, "episode", counted)
    clock.next(60)
    say(vault, "Thanks!", at=clock.now, session="new")
    vault.dream()
    assert {path.rpartition("-")[2] for path in read} == {"new.md"}
