"""Deep dreams and forgetting: merged, lifted, archived, purged; and otherwise byte for byte the same."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from nights import (
    EVENING,
    NIGHT,
    Clock,
    cards,
    dead_links,
    files,
    git,
    new_vault,
    quotes,
    report_text,
    row,
    say,
    take_in,
)
from noctuary.memory.card import INSTRUCTION_LIKE
from noctuary.memory.report import ChangeKind

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.api import Vault

WISHES = (
    "I prefer that you start directly without a preamble.",
    "I prefer replies without a preamble that start directly.",
    "I like it when answers start directly with no preamble.",
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return new_vault(tmp_path / "vault", clock)


def some_days(vault: Vault, clock: Clock, days: int = 3) -> None:
    """A few ordinary days, dreamt night by night."""
    for day in range(days):
        at = EVENING + timedelta(days=day)
        say(
            vault,
            f"Project p{day} has its repository at git.example.com/p{day}.",
            f"We decided to use tool{day} because it is fast in case {day}.",
            f"Always run check{day} before you push to branch{day}.",
            f"The API of p{day} answers within {100 + day} ms on host h{day}.",
            "Thanks!",
            at=at,
            session=f"s{day}",
        )
        clock.now = at + timedelta(hours=18)
        assert vault.dream().result == "done"


def test_a_deep_dream_with_nothing_to_change_writes_nothing_and_says_so(
    tmp_path: Path, clock: Clock, vault: Vault
) -> None:
    vault = new_vault(tmp_path / "with git", clock, git=True)
    some_days(vault, clock)
    before, head = files(vault.path), git(vault.path, "rev-parse", "HEAD")
    clock.next()
    report = vault.dream(deep=True)
    assert (report.result, report.commit, report.changes) == ("nothing", "", ())
    assert "nothing was written" in report.summary
    assert (files(vault.path), git(vault.path, "rev-parse", "HEAD")) == (before, head)


def test_a_deep_dream_in_a_dry_run_writes_nothing(vault: Vault, clock: Clock) -> None:
    some_days(vault, clock)
    clock.next(100)
    before = files(vault.path)
    assert "archive/cards/" in vault.dream(deep=True, dry_run=True).preview
    assert files(vault.path) == before


@pytest.mark.parametrize("nights", [4, pytest.param(30, marks=pytest.mark.slow)])
def test_deep_dreams_do_not_drift(vault: Vault, clock: Clock, nights: int) -> None:
    some_days(vault, clock)
    clock.next()
    vault.dream(deep=True)
    cards_then, map_then = files(vault.path, "cards", "archive"), files(vault.path, "maps")
    for night in range(nights):
        clock.next()
        if night % 2:
            say(
                vault,
                f"Visitor v{night} has badge {7000 + night}.",
                at=clock.now,
                session=f"v{night}",
            )
            clock.next(0.5)
        vault.dream(deep=True)
        after = files(vault.path, "cards", "archive")
        kept = {path: after[path] for path in cards_then if b"badge" not in after[path]}
        assert kept == {path: cards_then[path] for path in kept}
        assert len(kept) == len(cards_then)
    assert all(
        "visitor" in text.decode()
        for path, text in files(vault.path, "maps").items()
        if map_then.get(path) != text
    )
    assert vault.verify().problems == ()


def twins(vault: Vault, clock: Clock) -> None:
    """Two cards that say the same, as when two machines dreamt apart and were synced."""
    say(vault, "My dentist is called Almeida and sits in Porto.", at=EVENING)
    say(vault, "I prefer tabs over spaces.", at=EVENING, session="one")
    vault.dream()
    path = next(p for p in (vault.path / "cards").rglob("*.md") if "tabs" in p.name)
    text = path.read_text("utf-8")
    ledger = vault.path / ".noctuary" / "ledger.json"
    kept = ledger.read_bytes()
    say(vault, "I prefer tabs over spaces.", at=EVENING + timedelta(days=1), session="two")
    path.unlink()
    ledger.unlink()
    clock.next()
    vault.dream()
    fresh = next(p for p in (vault.path / "cards").rglob("*.md") if "tabs" in p.name)
    other = fresh.with_name("synced-" + fresh.name)
    fresh.rename(other)
    path.write_text(text, "utf-8")
    _remember(ledger, kept, other, vault.path)


def _remember(ledger: Path, before: bytes, other: Path, root: Path) -> None:
    import json

    now, then = json.loads(ledger.read_bytes()), json.loads(before)
    moved = {
        path.replace("/i-prefer", "/synced-i-prefer"): item
        for path, item in now["files"].items()
        if "tabs" in path
    }
    rest = {path: item for path, item in now["files"].items() if "tabs" not in path}
    now["files"] = {**then["files"], **rest, **moved}
    assert other.relative_to(root).as_posix() in now["files"]
    ledger.write_text(json.dumps(now), "utf-8")


def test_two_cards_that_say_the_same_become_one(vault: Vault, clock: Clock) -> None:
    twins(vault, clock)
    assert len([card for card in cards(vault).values() if "tabs" in card.title]) == 2
    clock.next()
    report = vault.dream(deep=True)
    assert (report.result, report.seen) == ("done", 0)
    (kept,) = [card for card in cards(vault, "cards").values() if "tabs" in card.title]
    assert len(kept.evidence) == 2
    assert kept.seen == 2
    (gone,) = cards(vault, "archive").values()
    assert gone.superseded_by
    assert "says the same" in report_text(vault, report.id)
    assert dead_links(vault) == set()
    before = files(vault.path)
    clock.next()
    assert vault.dream(deep=True).result == "nothing"
    assert files(vault.path) == before


def test_a_wish_in_many_words_is_counted_and_never_lost(vault: Vault, clock: Clock) -> None:
    say(vault, "My dentist is called Almeida and sits in Porto.", at=EVENING, session="x")
    for day, wish in enumerate(WISHES):
        say(vault, wish, at=EVENING + timedelta(days=day), session=f"s{day}")
        clock.now = EVENING + timedelta(days=day, hours=18)
        vault.dream()
    bystander = {path: data for path, data in files(vault.path, "cards").items() if "fact" in path}
    clock.next()
    vault.dream(deep=True)
    steering = [card for card in cards(vault, "cards").values() if card.type in INSTRUCTION_LIKE]
    assert sum(card.seen for card in steering) == len(WISHES)
    assert len(steering) < len(WISHES)
    held = quotes(vault)
    assert all(wish in held for wish in WISHES)
    now = files(vault.path, "cards")
    assert {path: now[path] for path in bystander} == bystander
    steady = files(vault.path)
    clock.next()
    assert vault.dream(deep=True).result == "nothing"
    assert files(vault.path) == steady


def test_rules_that_only_sound_alike_are_no_pattern(vault: Vault, clock: Clock) -> None:
    some_days(vault, clock, 4)
    for day, thing in enumerate(("tests", "docs", "logs", "diagrams")):
        at = EVENING + timedelta(days=10 + day)
        say(vault, f"Always write {thing} for parsers.", at=at, session=f"w{day}")
        clock.now = at + timedelta(hours=18)
        vault.dream()
    before = files(vault.path)
    clock.next()
    assert vault.dream(deep=True).result == "nothing"
    assert files(vault.path) == before
    rules = vault.context().text
    assert all(f"check{day}" in rules for day in range(4))


def test_what_was_neither_important_nor_recalled_is_archived_not_lost(
    vault: Vault, clock: Clock
) -> None:
    facts = (
        "My cousin Miguel moved to Lisbon in 2019.",
        "The coffee machine in the lobby was made by Acme.",
        "Our printer stands in room 214.",
    )
    for day, fact in enumerate(facts):
        say(
            vault,
            fact,
            "Always lock the door.",
            at=EVENING + timedelta(days=day),
            session=f"s{day}",
        )
        clock.now = EVENING + timedelta(days=day, hours=18)
        vault.dream()
    rules = {card.id for card in cards(vault).values() if card.importance >= 4}
    recalled = vault.recall("Where does Miguel live?").hits[0].id
    before = quotes(vault)
    clock.next(61)
    report = vault.dream(deep=True)
    assert report.count(ChangeKind.ARCHIVED) > 0
    kept = {card.id for card in cards(vault, "cards").values()}
    assert {*rules, recalled} <= kept
    assert sorted(quotes(vault).split("\n")) == sorted(before.split("\n"))
    (gone,) = [fact for fact in facts if fact not in quotes(vault, "cards")][:1]
    assert all(gone not in hit.text for hit in vault.recall(gone).hits)
    assert gone in vault.recall(gone, archived=True).hits[0].text
    assert dead_links(vault) == set()
    assert vault.verify().problems == ()


def test_capacity_is_kept_by_archiving_the_weakest(
    tmp_path: Path, vault: Vault, clock: Clock
) -> None:
    vault = new_vault(tmp_path / "small", clock, max_cards=10, purge="never")
    said = []
    for day in range(8):
        at = EVENING + timedelta(days=day)
        texts = [f"We decided to use tool{day}{n} because it is good at {day}{n}." for n in "ab"]
        texts.append(f"Always run check{day} before pushing to branch{day}.")
        said += texts
        say(vault, *texts, at=at, session=f"s{day}")
        clock.now = at + timedelta(hours=18)
        vault.dream()
        assert len(cards(vault, "cards")) <= 10
    held = quotes(vault)
    assert all(text in held for text in said)
    rules = [card for card in cards(vault, "cards").values() if "check" in card.statement]
    assert len(rules) == 8
    assert dead_links(vault) == set()
    assert vault.verify().problems == ()


def raw(vault: Vault) -> str:
    return "".join(path.read_text("utf-8") for path in (vault.path / "episodes").rglob("*.md"))


@pytest.mark.parametrize(
    ("purge", "noise_left", "rest_left"),
    [("grace", (True, False, False), (True, True, False)),
     ("immediate", (False, False, False), (False, False, False)),
     ("never", (True, True, True), (True, True, True))],
)  # fmt: skip
def test_raw_entries_rest_as_long_as_is_set(
    tmp_path: Path, vault: Vault, clock: Clock, purge: str,
    noise_left: tuple[bool, ...], rest_left: tuple[bool, ...],
) -> None:  # fmt: skip
    vault = new_vault(tmp_path / purge, clock, purge=purge)
    say(vault, "The API of p1 answers within 100 ms.", "Hi!", "Thanks, bye!")
    for day, noise, rest in zip((0, 8, 31), noise_left, rest_left, strict=True):
        clock.now = NIGHT + timedelta(days=day)
        vault.dream()
        assert ("bye" in raw(vault), "100 ms" in raw(vault)) == (noise, rest)
        assert "100 ms" in quotes(vault)
    assert vault.verify().problems == ()


def test_a_quiet_night_says_what_it_forgot(vault: Vault, clock: Clock) -> None:
    say(vault, "The API of p1 answers within 100 ms.", "Thanks, bye!")
    vault.dream()
    clock.next(8)
    report = vault.dream()
    assert (report.result, report.purged) == ("nothing", 1)
    assert "forgotten" in report.summary


def test_purge_now_forgets_what_earlier_dreams_absorbed(vault: Vault, clock: Clock) -> None:
    some_days(vault, clock)
    clock.next()
    report = vault.dream(purge_now=True)
    assert report.purged == 15
    assert "git.example.com" not in raw(vault)
    assert all(f"git.example.com/p{day}" in quotes(vault) for day in range(3))
    assert vault.verify().problems == ()
    before = files(vault.path)
    assert vault.dream().result == "nothing"
    assert files(vault.path) == before


def test_what_a_person_deletes_is_not_learned_again(vault: Vault, clock: Clock) -> None:
    some_days(vault, clock, 1)
    wish = "I prefer tabs over spaces."
    say(vault, wish, at=EVENING + timedelta(days=1), session="w1")
    clock.next()
    vault.dream()
    next(p for p in (vault.path / "cards").rglob("*.md") if "tabs" in p.name).unlink()
    for night in range(2):
        say(vault, wish, at=clock.now, session=f"w{night + 2}")
        clock.next()
        vault.dream(deep=bool(night))
        assert "tabs" not in quotes(vault, "cards", "inbox")


def test_a_card_changed_while_the_dream_thinks_is_the_persons_and_nothing_is_lost(
    vault: Vault, clock: Clock
) -> None:
    wish = "I prefer tabs over spaces."
    say(vault, wish, at=EVENING)
    vault.dream()
    path = next((vault.path / "cards").rglob("*.md"))
    full = "I prefer tabs over spaces, and they are 4 columns wide."
    say(vault, full, at=EVENING + timedelta(days=1), session="b")
    clock.next(2)

    def meddle(_done: int, _total: int) -> None:
        path.write_text(
            path.read_text("utf-8").replace("# I prefer", "# By hand: I prefer"), "utf-8"
        )
        os.utime(path, (1, 1))

    report = vault.dream(progress=meddle)
    assert report.result == "partial"
    assert any("changed while" in str(problem) for problem in report.problems)
    assert "By hand" in path.read_text("utf-8")
    clock.next()
    again = vault.dream()
    assert again.seen == 1
    assert "By hand" in path.read_text("utf-8")
    assert "4 columns" in quotes(vault)
    clock.next()
    assert vault.dream().result == "nothing"
    assert dead_links(vault) == set()


def many(vault: Vault, count: int) -> None:
    """So many cards in few dreams, straight through the front door."""
    rows = []
    start = datetime(2026, 11, 1, 9, 0)
    for n in range(count):
        text = f"Always run check{n} before you push to branch{n}."
        if n % 3 == 0:
            text = f"We decided to use tool{n} for job{n} because it is good at work{n}."
        project = {"project": f"project {n % 23}"}
        rows.append(row(text, start + timedelta(minutes=n), session=f"s{n % 23}", **project))
    take_in(vault, rows)


@pytest.mark.parametrize("count", [10, 120, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_map_on_disk_fits_links_only_to_notes_and_stays(
    tmp_path: Path, vault: Vault, clock: Clock, count: int
) -> None:
    vault = new_vault(tmp_path / "many", clock, max_cards_per_100_entries=100, max_cards=20_000)
    many(vault, count)
    vault.dream()
    assert len(cards(vault)) >= count * 0.9
    text = (vault.path / "index.md").read_text("utf-8")
    assert (len(text.splitlines()) < 200, len(text) < 20_000) == (True, True)
    assert dead_links(vault) == set()
    assert vault.index().changed == ()
    before = files(vault.path, "index.md", "maps")
    clock.next()
    vault.dream(deep=True)
    assert dict(files(vault.path, "index.md", "maps").items()) == before


def test_maps_that_are_no_longer_needed_go_to_the_graveyard(
    tmp_path: Path, vault: Vault, clock: Clock
) -> None:
    vault = new_vault(tmp_path / "many", clock, max_cards_per_100_entries=100)
    many(vault, 150)
    vault.dream()
    maps = files(vault.path, "maps")
    assert maps
    paths = sorted((vault.path / "cards").rglob("*.md"))
    for path in paths[5:]:
        text = path.read_text("utf-8").replace("\nstatus: active\n", "\nstatus: expired\n")
        path.write_text(text, "utf-8")
        os.utime(path, (1, 1))
    changed = set(vault.index().changed)
    assert set(maps) <= changed
    assert files(vault.path, "maps") == {}
    assert dead_links(vault) == set()
    graves = b"".join(p.read_bytes() for p in (vault.path / ".noctuary").rglob("*") if p.is_file())
    assert all(data in graves for data in maps.values())
