"""What a dream says of itself: in its report, in its commit, and when it refuses to write."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from dream_kit import Scripted
from nights import EVENING, Clock, cards, files, git, new_vault, report_meta, report_text, say
from noctuary.dream import ledger
from noctuary.errors import DistillerError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from noctuary.api import Vault
    from noctuary.memory.candidate import Anchor, Score
    from noctuary.memory.entry import Entry


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return new_vault(tmp_path / "vault", clock, git=True)


def a_session(vault: Vault) -> None:
    say(
        vault,
        "We decided to use SQLite because it needs no server.",
        "I prefer tabs over spaces.",
        "The import failed with a timeout; the fix was a larger batch size of 500.",
        "Thanks!",
        step=timedelta(minutes=10),
    )
    vault.log("Ship the page", at=EVENING + timedelta(minutes=35), session="a1b2c3", task="open")
    vault.log("Ship the page", at=EVENING + timedelta(minutes=45), session="a1b2c3", task="done")


def test_each_session_is_summed_up(vault: Vault) -> None:
    a_session(vault)
    report = vault.dream()
    (session,) = report.sessions
    assert (session.messages, session.minutes) == (4, 45)
    assert any("SQLite" in line for line in session.decisions)
    assert any("tabs" in line for line in session.preferences)
    assert any("larger batch size" in line for line in session.errors)
    assert any("Ship the page" in line for line in session.successes)
    text = report_text(vault, report.id)
    assert "4 messages · 45 min" in text
    assert "decisions: We decided to use SQLite" in text


def test_counts_in_the_report_are_those_of_the_dream(vault: Vault) -> None:
    a_session(vault)
    report = vault.dream()
    meta = report_meta(vault, report.id)
    assert meta["entries-seen"] == meta["entries-absorbed"] == 6
    assert meta["entries-noise"] == report.noise == 1
    assert meta["cards-created"] == len(cards(vault)) == len(report.changes)
    assert meta["facts-kept"] == report.facts_kept > 0
    assert meta["facts-lost"] == 0
    assert "`Thanks!`" in report_text(vault, report.id)


def test_every_change_has_its_reason_and_its_turn_in_words(vault: Vault) -> None:
    a_session(vault)
    report = vault.dream()
    text = report_text(vault, report.id)
    for number, change in enumerate(report.changes, start=1):
        assert len(change.why.split()) >= 2
        line = f"- [ ] undo · {number} · {change.kind} · [[{change.card}]] · {change.why}"
        assert line in text
        assert f"{line} · from {change.source}" in text


def test_the_commit_tells_the_dream_in_words(vault: Vault) -> None:
    a_session(vault)
    report = vault.dream()
    message = git(vault.path, "log", "-1", "--format=%B")
    subject, blank, *body = message.splitlines()
    assert subject == f"Dream {report.id}: {len(report.changes)} created"
    assert blank == ""
    assert report.summary in body
    assert sum(line.startswith("- created “") for line in body) == len(report.changes)


def test_a_dream_that_would_lose_facts_writes_nothing_and_can_be_tried_again(
    vault: Vault, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(vault, "The port of the staging server is 5000.")
    before, head = files(vault.path), git(vault.path, "rev-parse", "HEAD")
    careless = Scripted(scores={"The port of the staging server is 5000.": 4})
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "mend", lambda *_: [])
        report = vault.dream(distiller=careless)
    assert report.result == "failed"
    assert any("would lose 1 hard facts" in str(problem) for problem in report.problems)
    assert (files(vault.path), git(vault.path, "rev-parse", "HEAD")) == (before, head)
    clock.next()
    again = vault.dream()
    assert (again.result, again.seen) == ("done", 1)
    assert "5000" in "".join(data.decode() for data in files(vault.path, "cards").values())


def test_what_was_recalled_is_still_counted_after_a_failed_dream(
    vault: Vault, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(vault, "The port of the staging server is 5000.")
    vault.dream()
    assert vault.recall("staging port").hits
    clock.next()
    say(vault, "The port of the shop is 7000.", at=clock.now, session="b")
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "mend", lambda *_: [])
        assert vault.dream(distiller=Scripted()).result == "failed"
    clock.next()
    vault.dream()
    assert sum(card.references for card in cards(vault).values()) == 1


class Down(Scripted):
    """A distiller that cannot be reached on some days."""

    def score(self, entries: Sequence[Entry], anchor: Anchor) -> list[Score]:
        if any("unreachable" in entry.text for entry in entries):
            raise DistillerError("the server does not answer; start it.")
        return super().score(entries, anchor)


def test_a_day_that_could_not_be_thought_about_waits_and_the_rest_is_kept(
    vault: Vault, clock: Clock
) -> None:
    say(vault, "The port is 5000.", session="a")
    say(vault, "The unreachable host is 10.0.0.7.", at=EVENING - timedelta(days=1), session="b")
    report = vault.dream(distiller=Down())
    assert (report.result, report.absorbed, report.failed) == ("partial", 1, 1)
    text = report_text(vault, report.id)
    assert "does not answer" in text
    assert "⚠" in (vault.path / "index.md").read_text("utf-8")
    clock.next()
    again = vault.dream()
    assert (again.result, again.seen) == ("done", 1)
    assert "⚠" not in (vault.path / "index.md").read_text("utf-8")
