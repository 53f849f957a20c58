"""The real process: logged to, edited under, killed, and asked to leave."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nights import cards
from noctuary.api import Vault
from noctuary.vault.heartbeat import heard
from watch_kit import until

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parents[2] / "daemon"
SHORT = {
    "idle_minutes": "1",
    "min_session_minutes": "0",
    "max_pending": "3",
    "settle_seconds": "0",
    "night_window": '""',
}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    return made(tmp_path / "vault")


def made(root: Path, **settings: str) -> Vault:
    Vault.create(root, timezone="UTC", language="en")
    config = root / "noctuary.toml"
    text = config.read_text("utf-8")
    for key, value in (SHORT | settings).items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    config.write_text(text, "utf-8")
    return Vault.open(root)


class Daemon:
    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "noctuary", "watch", *arguments, "--log-json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
        )

    def leave(self, number: int = signal.SIGTERM) -> tuple[int, list[str], float]:
        begun = time.monotonic()
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=30)
        lines = errors.decode().splitlines()
        took = time.monotonic() - begun
        return self.process.returncode, [json.loads(line)["message"] for line in lines], took


@contextmanager
def running(vault: Vault, *arguments: str) -> Iterator[Daemon]:
    daemon = Daemon(str(vault.path), *arguments)
    try:
        until(lambda: is_up(vault, daemon), "the daemon is up")
        yield daemon
    finally:
        if daemon.process.poll() is None:
            daemon.process.kill()
        daemon.process.communicate()


def is_up(vault: Vault, daemon: Daemon) -> bool:
    assert daemon.process.poll() is None, daemon.process.communicate()[1].decode()
    log = vault.path / ".noctuary" / "log" / "daemon.log"
    return log.exists() and heard(vault.path / ".noctuary").pid == daemon.process.pid


def three(vault: Vault, what: str) -> None:
    for number in (1, 2, 3):
        vault.log(f"The {what} number {number} costs {number}00 euros.", session=what)


def dreamt(vault: Vault, number: int = 1) -> bool:
    return len(vault.dreams()) >= number and vault.status().pending == 0


def test_a_session_becomes_cards_by_itself(vault: Vault) -> None:
    with running(vault) as daemon:
        assert vault.status().daemon == "running"
        three(vault, "lamp")
        until(lambda: dreamt(vault), "the dream")
        assert "300 euros" in str([card.evidence for card in cards(vault).values()])
        assert vault.dreams()[0].trigger == "count"
        code, log, took = daemon.leave()
    assert code == 0
    assert took < 5
    assert log[-1] == "leaving"
    assert vault.status().daemon == "stopped"
    kept = (vault.path / ".noctuary/log/daemon.log").read_text("utf-8")
    assert "dreaming: count" in kept


def test_a_card_edited_meanwhile_stays_as_edited(vault: Vault) -> None:
    with running(vault) as daemon:
        three(vault, "lamp")
        until(lambda: dreamt(vault), "the first dream")
        [card, *_] = sorted((vault.path / "cards").rglob("*.md"))
        mine = card.read_bytes() + b"\nMy own words.\n"
        card.write_bytes(mine)
        three(vault, "chair")
        until(lambda: dreamt(vault, 2), "the second dream")
        until(lambda: "edited by hand" in _log(vault), "telling of the edit")
        assert card.read_bytes().endswith(b"\nMy own words.\n")
        daemon.leave()


def _log(vault: Vault) -> str:
    return (vault.path / ".noctuary/log/daemon.log").read_text("utf-8")


def test_killed_and_started_again_nothing_is_lost(vault: Vault) -> None:
    with running(vault) as daemon:
        three(vault, "lamp")
        until(lambda: "dreaming" in _log(vault), "the beginning of a dream")
        daemon.process.send_signal(signal.SIGKILL)
        daemon.process.communicate()
        three(vault, "chair")
    with running(vault) as daemon:
        until(lambda: vault.status().pending == 0, "dreaming what was left")
        daemon.leave()
    told = str([card.evidence for card in cards(vault).values()])
    assert all(
        f"{what} number {number}" in told for what in ("lamp", "chair") for number in (1, 2, 3)
    )
    assert vault.verify().problems == ()


def test_a_second_daemon_is_turned_away(vault: Vault) -> None:
    with running(vault) as daemon:
        second = Daemon(str(vault.path))
        _, errors = second.process.communicate(timeout=30)
        assert second.process.returncode == 75
        assert f"process {daemon.process.pid}" in errors.decode()
        assert daemon.leave()[0] == 0


@pytest.mark.slow
def test_one_daemon_keeps_two_vaults(vault: Vault, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    with running(vault, str(other.path)) as daemon:
        three(vault, "lamp")
        three(other, "chair")
        until(lambda: dreamt(vault) and dreamt(other), "both dreams")
        assert "chair" not in str(cards(vault))
        daemon.leave()


@pytest.mark.slow
def test_sigint_leaves_and_sighup_reads_settings(tmp_path: Path, vault: Vault) -> None:
    quiet = made(tmp_path / "quiet", max_pending="1000", min_session_minutes="60")
    with running(quiet, "--poll") as daemon:
        three(quiet, "lamp")
        config = quiet.path / "noctuary.toml"
        stamp = config.stat()
        config.write_text(config.read_text("utf-8").replace("1000", "0003"), "utf-8")
        os.utime(config, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        config.write_text(config.read_text("utf-8").replace("0003", "3"), "utf-8")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: dreamt(quiet), "the dream by new settings")
        code, log, took = daemon.leave(signal.SIGINT)
    assert code == 0
    assert took < 5
    assert "settings read again" in log


@pytest.mark.slow
def test_a_vault_that_goes_and_comes_back(vault: Vault) -> None:
    with running(vault) as daemon:
        away = vault.path.with_name("away")
        vault.path.rename(away)
        three(Vault.open(away), "lamp")
        until(lambda: "is gone" in (away / ".noctuary/log/daemon.log").read_text(), "missing it")
        away.rename(vault.path)
        until(lambda: dreamt(vault), "the dream after it came back")
        assert daemon.leave()[0] == 0


@pytest.mark.slow
def test_leaving_in_the_middle_of_a_long_dream(vault: Vault, tmp_path: Path) -> None:
    rows = [
        {"ts": f"2026-11-{1 + n % 28:02d}T10:{n % 60:02d}:{n // 60 % 60:02d}", "role": "user",
         "session": f"s{n // 50}", "text": f"I decided on part {n} because it costs {n} euros."}
        for n in range(4000)
    ]  # fmt: skip
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    vault.import_("jsonl", [file])
    with running(vault) as daemon:
        until(lambda: "dreaming" in _log(vault), "the beginning of a dream")
        code, _, took = daemon.leave()
    assert code == 0
    assert took < 5
    assert vault.status().failures_in_a_row == 0
    assert vault.verify().problems == ()
