from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from noctuary import SessionTracker, Vault
from noctuary.memory.report import Result

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Clock:
    now: datetime = datetime(2026, 11, 30, 14)

    def __call__(self) -> datetime:
        return self.now

    def wait(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock) -> Vault:
    Vault.create(tmp_path / "memory", timezone="UTC", git=False)
    return Vault.open(tmp_path / "memory", clock=clock)


@pytest.fixture
def tracker(vault: Vault) -> SessionTracker:
    return SessionTracker(vault, agent="tester", project="shop")


def talk(tracker: SessionTracker, clock: Clock, minutes: float) -> None:
    tracker.user("Please always answer in French.")
    clock.wait(minutes)
    tracker.assistant("Entendu.")


def test_it_is_time_after_a_session_of_five_minutes_and_ten_quiet_ones(
    tracker: SessionTracker, clock: Clock
) -> None:
    talk(tracker, clock, 6)
    assert not tracker.should_sleep()
    clock.wait(9.9)
    assert "10 minutes ago" in tracker.awake_because()
    clock.wait(0.2)
    assert tracker.should_sleep()


def test_a_short_session_is_no_reason_to_sleep(tracker: SessionTracker, clock: Clock) -> None:
    talk(tracker, clock, 4)
    clock.wait(60)
    assert "shorter than 5 minutes" in tracker.awake_because()


def test_nothing_said_nothing_to_dream(tracker: SessionTracker) -> None:
    assert not tracker.should_sleep()


def test_an_open_task_keeps_awake(tracker: SessionTracker, clock: Clock) -> None:
    with tracker.task("ship the page"):
        talk(tracker, clock, 6)
        clock.wait(30)
        assert tracker.open_tasks == ("ship the page",)
        assert tracker.awake_because() == "a task is open: ship the page"
    clock.wait(30)
    assert tracker.should_sleep()


def test_a_task_that_fails_stays_open_until_it_is_finished(
    tracker: SessionTracker, clock: Clock
) -> None:
    with pytest.raises(ValueError, match="no"), tracker.task("deploy"):
        raise ValueError("no")
    tracker.begin("write the notes")
    assert list(tracker.open_tasks) == ["deploy", "write the notes"]
    tracker.finish("deploy")
    assert list(tracker.open_tasks) == ["write the notes"]


def test_sleeping_dreams_sums_the_session_up_and_begins_anew(
    tracker: SessionTracker, clock: Clock
) -> None:
    talk(tracker, clock, 6)
    tracker.user("We decided to use Caddy 2.8 because nginx needs 3 reloads.")
    assert tracker.messages == 3
    clock.wait(20)
    report = tracker.sleep()
    assert report.result is Result.DONE
    [session] = report.sessions
    assert session.messages == 3
    assert session.minutes == 6
    assert "Caddy" in session.decisions[0]
    assert "French" in session.preferences[0]
    assert tracker.last_sleep is report
    assert tracker.sleeps == 1
    assert tracker.messages == 0
    assert not tracker.should_sleep()
    assert "French" in tracker.wake().text


def test_the_rules_of_the_vault_hold(vault: Vault, clock: Clock) -> None:
    (vault.path / "noctuary.toml").write_text(
        "[triggers]\nidle_minutes = 1\nmin_session_minutes = 0\n"
    )
    tracker = SessionTracker(Vault.open(vault.path, clock=clock))
    tracker.user("Hello there.")
    clock.wait(1)
    assert tracker.should_sleep()


def test_many_threads_log_and_ask_at_the_same_time(vault: Vault, tracker: SessionTracker) -> None:
    def work(number: int) -> int:
        tracker.user(f"The port of service {number} is {8000 + number}.")
        return len(vault.recall(f"port of service {number}").hits)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(40)))
    assert all(found)
    assert vault.stats().entries == tracker.messages == 40


def test_an_event_loop_is_not_held_up(vault: Vault, tracker: SessionTracker) -> None:
    async def day() -> int:
        said = [asyncio.to_thread(tracker.user, f"Room {n} has {n + 2} chairs.") for n in range(10)]
        await asyncio.gather(*said)
        answers = await asyncio.gather(
            *(asyncio.to_thread(vault.recall, f"chairs in room {n}") for n in range(5))
        )
        await asyncio.to_thread(tracker.sleep)
        return sum(bool(answer.hits) for answer in answers)

    assert asyncio.run(day()) == 5
