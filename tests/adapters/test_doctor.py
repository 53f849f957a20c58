from __future__ import annotations

import json
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nights import NIGHT, Clock, new_vault, say
from noctuary.api import Vault
from noctuary.care.health import health
from noctuary.errors import DistillerError, Interrupted
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.brake import Brake
from noctuary.vault.heartbeat import Heartbeat, forget_daemon
from noctuary.vault.journal import Journal, Stage, write_journal

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.care.doctor import Finding


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    vault = new_vault(tmp_path / "vault", Clock())
    say(vault, "My budget is 500 euros.", "I prefer tea over coffee, always.")
    vault.dream()
    return vault


def wrong(vault: Vault, *, fix: bool = False) -> dict[str, Finding]:
    return {item.check: item for item in vault.doctor(fix=fix) if not item.ok}


def test_a_sound_vault_is_well_and_nothing_is_written(vault: Vault) -> None:
    before = _files(vault.path)
    assert wrong(vault) == {}
    assert {item.check for item in vault.doctor()} >= {
        "settings", "permissions", "disk", "clock", "notes", "files", "journal", "locks", "git",
        "distiller", "search", "finding", "daemon", "dreams",
    }  # fmt: skip
    assert _files(vault.path) == before


def _files(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file() and path.suffix != ".lock" and path.name != "lock"
    }


def test_bad_settings_are_named(vault: Vault) -> None:
    (vault.path / "noctuary.toml").write_text("[dream]\nbatch = 0\n", "utf-8")
    found = wrong(Vault.open(vault.path))
    assert "batch" in found["settings"].said
    assert found["settings"].mend


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_state_that_others_can_read_is_closed(vault: Vault) -> None:
    state = vault.path / ".noctuary"
    state.chmod(0o755)
    assert "chmod 700" in wrong(vault)["permissions"].mend
    assert wrong(vault, fix=True) == {}
    assert state.stat().st_mode & 0o777 == 0o700


def test_a_note_from_the_future_points_to_the_clock(vault: Vault) -> None:
    note = vault.path / "preferences.md"
    ahead = time.time() + 7200
    os.utime(note, (ahead, ahead))
    assert "clock" in wrong(vault)


def test_an_interrupted_dream_is_finished(vault: Vault) -> None:
    write_journal(vault._store.disk, Journal("2026-12-02T0300", Stage.PLANNED, "x", (), {}))
    assert "interrupted" in wrong(vault)["journal"].said
    [mended] = [item for item in vault.doctor(fix=True) if item.fixed]
    assert mended.check == "journal"
    assert wrong(vault) == {}


def test_a_lock_of_the_dead_is_removed(vault: Vault) -> None:
    owner = vault.path / ".noctuary" / "owner.json"
    owner.write_text("{}", "utf-8")
    assert "locks" in wrong(vault)
    with vault._store.lock("a test"):
        assert "locks" not in wrong(vault)
    owner.write_text("{}", "utf-8")
    assert wrong(vault, fix=True) == {}
    assert not owner.exists()


def test_the_brake_is_told_and_released_by_a_person(vault: Vault) -> None:
    brake = Brake(vault._store.disk)
    brake.pull([f"episodes/2026/11/{number}.md" for number in range(60)])
    assert "60 files are gone" in wrong(vault)["files"].said
    assert any("60 files" in problem for problem in vault.status().problems)
    assert wrong(vault, fix=True) == {}
    assert brake.why(()) == ""


def test_many_lost_cards_are_told_without_a_daemon_too(vault: Vault) -> None:
    say(vault, *[f"The part number {number} costs {number}0 euros." for number in range(60)],
        session="many")  # fmt: skip
    for number in range(7):
        vault.log(f"I always prefer colour {number} for room {number}.", session=f"room{number}")
    vault.dream(now=NIGHT.replace(day=5))
    count = sum(1 for _ in (vault.path / "cards").rglob("*.md"))
    assert count > 6
    shutil.rmtree(vault.path / "cards")
    assert f"{count} cards are gone" in wrong(vault)["files"].said
    assert wrong(vault, fix=True) == {}


def test_a_profile_that_is_not_there_is_told(vault: Vault) -> None:
    config = vault.path / "noctuary.toml"
    text = config.read_text("utf-8")
    config.write_text(text.replace('distiller = "offline"', 'distiller = "nobody"'), "utf-8")
    found = wrong(Vault.open(vault.path))
    assert "nobody" in found["distiller"].said


def test_a_cue_file_that_cannot_be_read_is_told(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTUARY_CONFIG", str(tmp_path / "own"))
    (tmp_path / "own" / "cues").mkdir(parents=True)
    (tmp_path / "own" / "cues" / "mine.toml").write_text("norm = [", "utf-8")
    assert "mine.toml" in wrong(vault)["distiller"].said


def test_a_damaged_index_is_told_and_removed(vault: Vault, tmp_path: Path) -> None:
    vault.recall("tea")
    for file in (tmp_path / "cache").rglob("index/*"):
        if file.is_file() and file.name != "meta.json":
            file.write_bytes(b"\0" * 40)
    said = [item.said for item in vault.doctor() if item.check == "search"]
    assert "damaged" in said[0]
    assert vault.recall("tea").hits


# -- nights that fail ------------------------------------------------------------------------------


class Refusing:
    """A distiller whose server is away."""

    name = "refusing"
    model = ""

    def __getattr__(self, name: str) -> object:
        raise DistillerError("The server is away; start it.")


def fail(vault: Vault, error: type[DistillerError | Interrupted] = DistillerError) -> None:
    class Broken(Refusing):
        def __getattr__(self, name: str) -> object:
            raise error("The server is away; start it.")

    vault.log(f"I prefer cup {len(vault.dreams())}.", session="x")
    with pytest.raises(error):
        vault.dream(distiller=Broken())  # type: ignore[arg-type]


def test_three_failed_dreams_are_red_and_one_good_one_heals(vault: Vault) -> None:
    for number in (1, 2, 3):
        assert wrong(vault) == {}
        fail(vault)
        assert vault.status().failures_in_a_row == number
    assert "server is away" in wrong(vault)["dreams"].said
    assert any("last 3 dreams failed" in problem for problem in vault.status().problems)
    assert health(vault._store, vault.settings).red
    assert "⚠ 3 dreams in a row failed" not in _map(vault)
    vault.tidy()
    assert "⚠ 3 dreams in a row failed" in _map(vault)
    assert vault.dream().result == "done"
    assert wrong(vault) == {}
    assert vault.status().failures_in_a_row == 0
    assert "in a row failed" not in _map(vault)


def _map(vault: Vault) -> str:
    return (vault.path / "index.md").read_text("utf-8")


def test_an_interrupted_dream_is_no_failure(vault: Vault) -> None:
    fail(vault, Interrupted)
    assert vault.status().failures_in_a_row == 0


def test_a_dry_run_leaves_no_trace(vault: Vault) -> None:
    vault.log("I prefer cups.", session="x")
    before = _files(vault.path)
    vault.dream(dry_run=True)
    assert _files(vault.path) == before


def test_a_deep_dream_is_remembered(vault: Vault) -> None:
    assert AttemptLog(vault._store.disk).read().deep == ""
    vault.dream(deep=True)
    assert AttemptLog(vault._store.disk).read().deep


def test_a_torn_record_of_attempts_is_an_empty_one(vault: Vault) -> None:
    for text in ("{", '{"failures": "x"}', '{"failed": "yesterday"}', "[]"):
        (vault.path / ".noctuary" / "attempts.json").write_text(text, "utf-8")
        assert AttemptLog(vault._store.disk).read().failures == 0


def test_a_daemon_that_fell_silent_is_missed(vault: Vault) -> None:
    state = vault.path / ".noctuary"
    beat = Heartbeat(state)
    beat.take()
    beat.begin("events")
    assert "daemon" not in wrong(vault)
    long_ago = time.time() - 90_000
    os.utime(state / "daemon.json", (long_ago, long_ago))
    assert "has not been heard" in wrong(vault)["daemon"].said
    beat.end()
    os.utime(state / "daemon.json", (long_ago, long_ago))
    assert any("noctuary watch" in problem for problem in vault.status().problems)
    forget_daemon(state)
    assert wrong(vault) == {}


def test_what_is_printed_for_programs(vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
    from noctuary.doors.cli import run

    assert run(["--vault", str(vault.path), "doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert set(told["checks"][0]) == {"check", "ok", "said", "mend", "fixed"}
    (vault.path / ".noctuary" / "owner.json").write_text("{}", "utf-8")
    assert run(["--vault", str(vault.path), "doctor"]) == 1
    assert "→ remove" in capsys.readouterr().out
    assert run(["--vault", str(vault.path), "doctor", "--fix"]) == 0
