from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from noctuary import Vault
from noctuary.errors import UsageError
from noctuary.vault import shelf
from noctuary.vault.reading import MAX_NOTE, Reader

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 11, 30, 12, 0)
SAID = (
    "The hosting budget is at most 40 euros a month.",
    "预算不超过人民币五万元，只能使用开源技术栈。",
    "I prefer short commit messages in English.",
    "Good morning!",
)


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    Vault.create(tmp_path / "v", timezone="UTC")
    vault = Vault.open(tmp_path / "v", clock=lambda: NOON)
    with vault.session(agent="chat", session="s1") as session:
        for text in SAID:
            session.user(text)
    return vault


def card_of(vault: Vault, word: str) -> Path:
    return next(
        path for path in (vault.path / "cards").rglob("*.md") if word in path.read_text("utf-8")
    )


def test_pending_entries_become_cards(opened: Vault) -> None:
    before = opened.status()
    assert (before.pending, before.cards, before.last_dream) == (4, 0, None)
    report = opened.dream()
    after = opened.status()
    assert (after.pending, after.last_dream, after.failures_in_a_row) == (0, report.id, 0)
    assert after.cards == report.count(report.changes[0].kind) > 0
    assert after.problems == ()


def test_stats_count_what_was_logged_and_kept(opened: Vault) -> None:
    opened.dream()
    stats = opened.stats()
    assert stats.entries == 4
    assert stats.raw_kept == stats.raw_logged == sum(len(text.encode()) for text in SAID)
    assert sum(stats.by_type.values()) == sum(stats.by_status.values()) == stats.cards
    assert stats.as_json()["bytes"] == {
        "raw_logged": stats.raw_logged,
        "raw_kept": stats.raw_kept,
        "cards": stats.card_bytes,
    }


def test_stats_read_only_what_changed(opened: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    opened.dream()
    monkeypatch.setattr(shelf, "_FRESH", -60.0)  # as if the cards had rested for a while
    first = opened.stats()
    read: list[str] = []
    bytes_of = Reader.bytes_of

    def noting(reader: Reader, path: str, limit: int = MAX_NOTE) -> bytes | None:
        read.append(path)
        return bytes_of(reader, path, limit)

    monkeypatch.setattr(Reader, "bytes_of", noting)
    assert opened.stats() == first
    assert not [path for path in read if path.startswith(("cards/", "episodes/"))]
    with opened.session(agent="chat", session="s1") as session:
        session.user("The backup runs at 03:15.")
    after = opened.stats()
    assert (after.entries, after.cards) == (first.entries + 1, first.cards)
    assert after.raw_logged == first.raw_logged + len("The backup runs at 03:15.")
    assert len([path for path in read if path.startswith(("cards/", "episodes/"))]) == 1


def test_dreams_and_their_diff(opened: Vault) -> None:
    with pytest.raises(UsageError, match="No dream has changed anything"):
        opened.diff()
    report = opened.dream()
    [note] = opened.dreams()
    assert (note.id, note.result) == (report.id, "done")
    assert note.as_json()["entries"] == report.as_json()["entries"]
    shown = opened.diff()
    assert (shown.dream, shown.commit) == (report.id, report.commit)
    assert "+> 预算不超过人民币五万元" in shown.text
    assert opened.diff(report.id) == shown
    with pytest.raises(UsageError, match="noctuary dreams"):
        opened.diff("2020-01-01T0000")


def test_a_rebuilt_index_is_no_dream(opened: Vault) -> None:
    report = opened.dream()
    assert opened.index().changed == ()
    (opened.path / "index.md").unlink()
    would = opened.index(dry_run=True)
    assert would.changed == ("index.md",)
    assert not (opened.path / "index.md").exists()
    assert opened.index().changed == ("index.md",)
    assert opened.diff().dream == report.id


def test_why_names_the_turn_and_checks_it(opened: Vault) -> None:
    opened.dream()
    path = card_of(opened, "五万元")
    relative = path.relative_to(opened.path).as_posix()
    told = opened.why(path.stem)
    assert told.path == relative
    assert [str(receipt.state) for receipt in told.receipts] == ["verified"]
    assert "五万元" in told.receipts[0].quote
    assert opened.why(relative) == opened.why(told.card.id) == opened.why(told.card.title) == told
    with pytest.raises(UsageError, match="no card 'nope'"):
        opened.why("nope")


def test_verify_finds_an_altered_episode(opened: Vault) -> None:
    opened.dream()
    assert opened.verify().problems == ()
    [episode] = (opened.path / "episodes").rglob("*.md")
    episode.write_text(episode.read_text("utf-8").replace("五万元", "六万元"), "utf-8")
    told = " ".join(map(str, opened.verify().problems))
    assert "not those of the raw text" in told
    assert "no longer matches its id" in told


def test_verify_tells_lost_from_forgotten(opened: Vault) -> None:
    opened.dream()
    [episode] = (opened.path / "episodes").rglob("*.md")
    kept = episode.read_bytes()
    lines = kept.decode().splitlines(keepends=True)
    head = lines.index("---\n", 1) + 1
    episode.write_text("".join(lines[:head]), "utf-8")
    assert any("is gone though nothing forgot it" in str(p) for p in opened.verify().problems)
    episode.unlink()
    [lost] = [p for p in opened.verify().problems if p.where == "episodes"]
    assert (
        "1 episode that memory rests on, and that nothing forgot, cannot be found here" in lost.what
    )
    episode.write_bytes(kept)
    opened.dream(purge_now=True)
    assert "五万元" not in episode.read_text("utf-8")
    assert opened.verify().problems == ()
    states = {str(receipt.state) for receipt in opened.why(card_of(opened, "五万元").stem).receipts}
    assert states == {"forgotten"}


def test_verify_finds_a_card_that_vanished_or_broke(opened: Vault) -> None:
    opened.dream()
    card_of(opened, "五万元").unlink()
    card = card_of(opened, "40 euros")
    card.write_text(card.read_text("utf-8").replace("importance: ", "importance: x"), "utf-8")
    problems = opened.verify().problems
    assert {problem.where for problem in problems if "importance" in problem.what}
    assert any("the card is gone" in problem.what for problem in problems)


def test_bad_settings_are_named_in_status(opened: Vault) -> None:
    with (opened.path / "noctuary.toml").open("a", encoding="utf-8") as stream:
        stream.write("\n[dreams]\nbatch = 3\n")
    problems = Vault.open(opened.path).status().problems
    assert len(problems) == 1
    assert problems[0].startswith("noctuary.toml:")


@pytest.mark.parametrize("question", ["hosting budget", "预算", "what does hosting cost?"])
def test_recall_finds_before_and_after_the_dream(opened: Vault, question: str) -> None:
    before = opened.recall(question)
    assert before.hits[0].kind == "entry"
    opened.dream(purge_now=True)
    after = opened.recall(question)
    assert after.hits[0].kind == "card"
    assert after.tokens <= opened.settings.recall.budget
    assert opened.recall("zebra quagga").hits == ()


def test_what_was_recalled_is_counted_by_the_next_dream(opened: Vault) -> None:
    opened.dream()
    recalled = opened.recall("hosting budget", k=1).hits[0].id
    later = Vault.open(opened.path, clock=lambda: NOON + timedelta(days=1))
    later.log("I moved the site to a new host today, it is called Birch.")
    later.dream()
    assert later.why(recalled).card.references == 1


def test_the_wake_context_holds_the_rules_and_the_own_page(opened: Vault) -> None:
    (opened.path / "preferences.md").write_text("## Goal\n\nShip the bakery site.\n", "utf-8")
    opened.dream()
    wake = opened.context(budget=400)
    assert "五万元" in wake.text
    assert "Ship the bakery site." in wake.text
    assert str(wake) == wake.text
    assert wake.tokens <= 400


def test_a_profile_that_does_not_exist_is_said_before_anything_is_done(opened: Vault) -> None:
    config = opened.path / "noctuary.toml"
    config.write_text(config.read_text("utf-8").replace('"offline"', '"home"'), "utf-8")
    with pytest.raises(UsageError, match="no profile 'home'"):
        Vault.open(opened.path).dream()
    assert opened.status().pending == 4
