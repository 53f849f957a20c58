from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from keeper_kit import MONDAY, Sandbox
from nights import cards, new_vault
from noctuary.errors import VaultBusy
from noctuary.service.errands import BUSY, FAILED, Outcome, Task
from noctuary.service.keeper import Keeper
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.heartbeat import heard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from noctuary.api import Vault


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return Sandbox(tmp_path / "cache")


@pytest.fixture
def slow_world(box: Sandbox) -> Sandbox:
    """Looks at the files every ten minutes, for tests of many days."""
    box.poll = 600
    return box


@pytest.fixture
def vault(box: Sandbox, tmp_path: Path) -> Vault:
    return new_vault(tmp_path / "vault", box.local, timezone="UTC")  # type: ignore[arg-type]


@pytest.fixture
def keeper(box: Sandbox, vault: Vault) -> Iterator[Keeper]:
    keeper = Keeper(vault.path, box.world())
    keeper.open()
    yield keeper
    keeper.close()


def talk(vault: Vault, box: Sandbox, minutes: int = 6, session: str = "s1") -> None:
    """Something said every minute, up to now."""
    for back in range(minutes, -1, -1):
        at = box.local() - timedelta(minutes=back)
        vault.log(f"I prefer tea number {at:%H%M} over coffee.", at=at, session=session)


def braked(keeper: Keeper) -> bool:
    return keeper._losses.on


def triggers(box: Sandbox) -> list[str]:
    return [task.trigger for _, task in box.dreams]


def test_a_session_is_dreamt_ten_minutes_after_its_end(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    talk(vault, box)
    ended = box.now
    box.pass_time(keeper, hours=3)
    [(at, task)] = box.dreams
    assert task == Task("dream", "idle", settle=True)
    assert timedelta(minutes=10) <= at - ended < timedelta(minutes=10, seconds=25)
    assert cards(vault)
    assert vault.status().pending == 0


def test_an_open_task_waits_and_closing_it_wakes_a_dream(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    vault.log("Ship the page", task="open", session="s1", at=box.local() - timedelta(hours=1))
    talk(vault, box)
    box.pass_time(keeper, hours=2)
    assert box.dreams == []
    vault.log("ship  the page", task="done", session="s2")
    box.pass_time(keeper, minutes=2)
    assert triggers(box) == ["task done"]


def test_200_entries_wake_a_dream_in_the_middle_of_a_session(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    settings = vault.path / "noctuary.toml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("max_pending = 200", "max_pending = 20"), "utf-8")
    began = box.now
    while not box.dreams:
        vault.log(f"My number {box.now:%H%M%S} is {box.now:%H%M%S}.", session="endless")
        box.pass_time(keeper, seconds=20)
        assert box.now - began < timedelta(hours=1)
    [(_, task)] = box.dreams
    assert task == Task("dream", "count", settle=False)


@pytest.mark.slow
def test_a_month_has_a_dream_a_night_and_a_deep_one_a_week(
    slow_world: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    box = slow_world
    for _ in range(28):
        vault.log(f"On {box.now:%d %B} I paid {box.now:%d} euros.", session=f"s{box.now:%d}")
        box.pass_time(keeper, hours=24)
    deep = [at for at, task in box.dreams if task.deep]
    assert len(box.dreams) == 28
    assert {at.hour for at, _ in box.dreams} == {2}
    assert len(deep) in {3, 4}
    assert all(b - a >= timedelta(days=6.9) for a, b in pairwise(deep))
    assert vault.status().pending == 0


def test_nothing_is_written_while_nothing_happens(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    talk(vault, box)
    box.pass_time(keeper, hours=4)
    before = _everything(vault.path) | _everything(box.folder)
    begun = len(box.tasks)
    box.pass_time(keeper, hours=5)
    assert _everything(vault.path) | _everything(box.folder) == before
    assert len(box.tasks) == begun


def _everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


# -- the clock -----------------------------------------------------------------------------------


def test_a_night_that_the_machine_slept_through_is_caught_up(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    vault.log("My budget is 500 euros.")
    box.pass_time(keeper, minutes=2)
    box.sleep(hours=20)
    woke = box.now
    box.pass_time(keeper, minutes=2)
    [(at, task)] = box.dreams
    assert task.trigger == "night"
    assert at - woke < timedelta(minutes=1)


def test_what_was_missed_while_it_was_off_is_caught_up_at_start(box: Sandbox, vault: Vault) -> None:
    vault.log("My budget is 500 euros.")
    box.now += timedelta(hours=20)
    keeper = Keeper(vault.path, box.world())
    keeper.open()
    box.pass_time(keeper, minutes=1)
    keeper.close()
    assert triggers(box) == ["night"]


@pytest.mark.parametrize("hours", [-30, -2, 2, 30])
def test_setting_the_clock_neither_doubles_nor_loses_a_dream(
    box: Sandbox, vault: Vault, keeper: Keeper, hours: int
) -> None:
    talk(vault, box)
    box.pass_time(keeper, minutes=30)
    assert len(box.dreams) == 1
    talk(vault, box, session="s2")
    box.pass_time(keeper, minutes=1)
    box.set_clock(hours=hours)
    box.pass_time(keeper, hours=1)
    box.pass_time(keeper, hours=1)
    assert vault.status().pending == 0
    assert len(vault.dreams()) == 2


def test_the_repeated_hour_has_one_dream(box: Sandbox, tmp_path: Path) -> None:
    vault = new_vault(tmp_path / "ny", box.local, timezone="America/New_York")  # type: ignore[arg-type]
    box.now = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)
    keeper = Keeper(vault.path, box.world())
    keeper.open()
    box.pass_time(keeper, hours=1)
    vault = _at_zone(vault, box)
    vault.log("My budget is 500 euros.")
    box.pass_time(keeper, hours=12)
    keeper.close()
    assert triggers(box) == ["night"]


def _at_zone(vault: Vault, box: Sandbox) -> Vault:
    zone = vault.settings.vault.zone
    return type(vault).open(
        vault.path, clock=lambda: box.now.astimezone(zone).replace(tzinfo=None, microsecond=0)
    )


# -- failures --------------------------------------------------------------------------------------


def test_a_failed_dream_is_tried_again_ever_later_and_cried_for(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    settings = vault.path / "noctuary.toml"
    settings.write_text(settings.read_text("utf-8").replace("notify = false", "notify = true"))
    box.stands_in = lambda task: Outcome(FAILED, "no tea") if task.kind == "dream" else None
    talk(vault, box)
    box.pass_time(keeper, hours=4)
    times = [at for at, _ in box.dreams]
    gaps = [round((b - a).total_seconds() / 60) for a, b in pairwise(times)]
    assert gaps == [5, 10, 20, 40, 80]
    assert len(box.alarms) == 4
    assert AttemptLog(keeper.store.disk).read().why == "no tea"
    box.stands_in = lambda _task: None
    box.pass_time(keeper, hours=3)
    assert vault.status().pending == 0
    assert AttemptLog(keeper.store.disk).read().failures == 0


def test_a_busy_vault_is_no_failure(box: Sandbox, vault: Vault, keeper: Keeper) -> None:
    answers = [Outcome(BUSY, "busy"), Outcome(BUSY, "busy")]
    box.stands_in = lambda task: answers.pop() if task.kind == "dream" and answers else None
    talk(vault, box)
    box.pass_time(keeper, minutes=15)
    assert len(box.dreams) == 3
    assert AttemptLog(keeper.store.disk).read().failures == 0


def test_a_dream_that_finds_nothing_of_what_is_pending_has_failed(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    nothing = Outcome("done", "nothing", noted=True, data={"seen": 0})
    box.stands_in = lambda task: nothing if task.kind == "dream" else None
    talk(vault, box)
    box.pass_time(keeper, minutes=12)
    assert [task.settle for _, task in box.dreams] == [True, False]
    assert AttemptLog(keeper.store.disk).read().failures == 1


# -- people and files ------------------------------------------------------------------------------


def test_an_edit_by_hand_is_told_and_our_own_writes_are_not(
    box: Sandbox, vault: Vault, keeper: Keeper, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "noctuary.daemon")
    talk(vault, box)
    box.pass_time(keeper, hours=1)
    assert "edited by hand" not in caplog.text
    [card, *_] = sorted((vault.path / "cards").rglob("*.md"))
    before = card.read_bytes()
    card.write_bytes(before + b"\nMy own line.\n")
    box.pass_time(keeper, minutes=1)
    assert f"edited by hand: {card.relative_to(vault.path).as_posix()}" in caplog.text
    assert card.read_bytes() == before + b"\nMy own line.\n"


def test_the_brake_holds_until_the_files_are_back(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    _many_sessions(vault, box)
    box.pass_time(keeper, minutes=1)
    shutil.move(vault.path / "episodes", vault.path.parent / "away")
    box.pass_time(keeper, minutes=1)
    assert "20 files are gone" in keeper._losses.brake.why(keeper.lookout.stamps)
    talk(vault, box, session="new")
    box.pass_time(keeper, hours=3)
    assert box.dreams == []
    shutil.copytree(vault.path.parent / "away", vault.path / "episodes", dirs_exist_ok=True)
    box.pass_time(keeper, hours=1)
    assert vault.status().pending == 0


def test_the_brake_survives_a_restart_and_a_person_can_release_it(
    box: Sandbox, vault: Vault
) -> None:
    _many_sessions(vault, box)
    first = Keeper(vault.path, box.world())
    first.open()
    box.pass_time(first, minutes=2)
    first.close()
    shutil.rmtree(vault.path / "episodes")
    second = Keeper(vault.path, box.world())
    second.open()
    box.pass_time(second, minutes=1)
    second.close()
    assert braked(second)
    third = Keeper(vault.path, box.world())
    third.open()
    box.pass_time(third, minutes=1)
    assert braked(third)
    third._losses.brake.release()
    box.pass_time(third, minutes=2)
    assert not braked(third)
    third.close()


def _many_sessions(vault: Vault, box: Sandbox) -> None:
    for number in range(20):
        vault.log("Thanks!", session=f"many{number}", at=box.local())


def test_notes_that_only_moved_do_not_pull_the_brake(
    box: Sandbox, vault: Vault, keeper: Keeper
) -> None:
    _many_sessions(vault, box)
    box.pass_time(keeper, minutes=1)
    (vault.path / "episodes/2026").rename(vault.path / "episodes/old")
    box.pass_time(keeper, minutes=1)
    assert not braked(keeper)


def test_settings_are_read_when_they_change(box: Sandbox, vault: Vault, keeper: Keeper) -> None:
    settings = vault.path / "noctuary.toml"
    settings.write_text(
        settings.read_text("utf-8").replace("idle_minutes = 10", "idle_minutes = 2")
    )
    talk(vault, box)
    box.pass_time(keeper, minutes=3)
    assert triggers(box) == ["idle"]


def test_a_vault_that_is_gone_is_told(box: Sandbox, vault: Vault, keeper: Keeper) -> None:
    box.pass_time(keeper, minutes=1)
    vault.path.rename(vault.path.with_name("away"))
    with pytest.raises(FileNotFoundError):
        box.pass_time(keeper, minutes=1)
    vault.path.with_name("away").rename(vault.path)


# -- one daemon --------------------------------------------------------------------------------------


def test_two_daemons_cannot_have_one_vault(box: Sandbox, vault: Vault, keeper: Keeper) -> None:
    with pytest.raises(VaultBusy, match="Another daemon"):
        Keeper(vault.path, box.world()).open()
    assert heard(keeper.store.layout.state).word == "running"


def test_what_is_known_of_a_daemon(box: Sandbox, vault: Vault) -> None:
    state = vault.path / ".noctuary"
    assert heard(state).word == "stopped"
    assert not heard(state).silent(MONDAY.timestamp())
    keeper = Keeper(vault.path, box.world())
    keeper.open()
    assert heard(state).mode == "polling"
    keeper.close()
    known = heard(state)
    assert known.word == "stopped"
    assert known.last > 0
    assert known.silent(known.last + 90_000)
    (state / "daemon.json").write_text(json.dumps({"pid": "x"}), "utf-8")
    assert heard(state).last == 0


def test_a_start_reads_only_what_changed(box: Sandbox, vault: Vault) -> None:
    talk(vault, box)
    first = Keeper(vault.path, box.world())
    first.open()
    first.turn()
    first.close()
    second = Keeper(vault.path, box.world())
    second.open()
    assert second.pulse.ready or second.pulse._todo == {}
    assert second.pulse.pending == 7
    second.close()
    vault.log("One more.", session="s1")
    third = Keeper(vault.path, box.world())
    third.open()
    assert list(third.pulse._todo) == ["episodes/2026/11/2026-11-30-s1.md"]
    third.turn()
    assert third.pulse.pending == 8
    third.close()


def test_a_cache_that_cannot_be_read_is_only_slower(box: Sandbox, vault: Vault) -> None:
    talk(vault, box)
    first = Keeper(vault.path, box.world())
    first.open()
    first.turn()
    first.close()
    [cache] = box.folder.rglob("pulse.json")
    cache.write_text('{"version": 1, "beats": {"x": 3}}', "utf-8")
    second = Keeper(vault.path, box.world())
    second.open()
    second.turn()
    assert second.pulse.pending == 7
    second.close()
