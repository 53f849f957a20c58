from __future__ import annotations

import json
import logging
import os
import socket
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nights import Clock, new_vault, say
from noctuary.doors import daylog, supervisor
from noctuary.doors.errand import Processes, _outcome, run
from noctuary.doors.supervisor import Systemd, notify
from noctuary.errors import Interrupted, VaultBusy
from noctuary.night import witness
from noctuary.service import LOG
from noctuary.service.errands import BUSY, DONE, FAILED, STOPPED, Task
from noctuary.vault.lock import dream_lock
from watch_kit import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.api import Vault

SOURCE = Path(__file__).parents[2] / "daemon"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    vault = new_vault(tmp_path / "vault", Clock())
    say(vault, "My budget is 500 euros.", "I prefer tea over coffee, always.")
    return vault


# -- errands -----------------------------------------------------------------------------------------


def go_on(_done: int, _total: int) -> None:
    return None


def test_an_errand_dreams_in_a_process_of_its_own(vault: Vault) -> None:
    woken: list[int] = []
    task = Task("dream", "count", settle=False)
    errand = Processes().start(vault.path, task, lambda: woken.append(1))
    until(errand.outcome, "the dream")
    outcome = errand.outcome()
    assert outcome is not None
    assert (outcome.state, outcome.data["absorbed"]) == (DONE, 2)
    assert woken == [1]
    assert vault.dreams()[0].trigger == "count"


def test_what_errands_come_to(vault: Vault, tmp_path: Path) -> None:
    assert run(vault.path, Task("tidy"), go_on).state == DONE
    gone = run(tmp_path / "nowhere", Task("tidy"), go_on)
    assert (gone.state, gone.noted) == (FAILED, False)

    def leave(_done: int, _total: int) -> None:
        raise Interrupted("asked to leave")

    assert run(vault.path, Task("dream", "idle", settle=False), leave).state == STOPPED
    assert vault.status().failures_in_a_row == 0
    assert vault.status().pending == 2
    assert run(vault.path, Task("dream", "idle", settle=False), go_on).state == DONE


def test_a_dream_waits_for_another_one(vault: Vault) -> None:
    vault._store = replace(vault._store, wait=0.0)
    with dream_lock(vault.path / ".noctuary", 0), pytest.raises(VaultBusy, match="Another dream"):
        vault.dream()
    assert vault.dream().absorbed == 2
    assert vault.status().failures_in_a_row == 0


def test_a_busy_vault_is_told_as_busy(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness, "dream_lock", lambda state, _wait: dream_lock(state, 0))
    with dream_lock(vault.path / ".noctuary", 0):
        assert run(vault.path, Task("dream", "idle"), go_on).state == BUSY


def test_words_of_a_child_that_died() -> None:
    died = _outcome(-9, b"", b"Traceback\nMemoryError: \n", asked=False)
    assert (died.state, died.noted) == (FAILED, False)
    assert "MemoryError" in died.words
    assert _outcome(-15, b"", b"", asked=True).state == STOPPED
    assert "no word" in _outcome(1, b"{", b"", asked=False).words


def test_a_child_that_does_not_leave_is_made_to(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubborn = tmp_path / "stubborn"
    stubborn.write_text("#!/bin/sh\ntrap '' TERM\nexec sleep 600\n", "utf-8")
    stubborn.chmod(0o755)
    monkeypatch.setattr("noctuary.doors.errand.GRACE", 0.2)
    monkeypatch.setattr(sys, "executable", str(stubborn))
    errand = Processes().start(vault.path, Task("dream"), lambda: None)
    begun = time.monotonic()
    errand.stop()
    assert time.monotonic() - begun < 5
    outcome = errand.outcome()
    assert outcome is not None
    assert outcome.state == STOPPED


# -- what it says --------------------------------------------------------------------------------------


def test_what_a_watching_library_warns_of_is_no_line_of_the_log(
    vault: Vault, recwarn: pytest.WarningsRecorder
) -> None:
    daylog.begin([vault.path], as_json=True)
    daylog.end()
    for module in ("watchdog.observers.inotify", "another"):
        warnings.warn_explicit("Twice.", RuntimeWarning, "file.py", 1, module=module)
    assert len(recwarn) == 1


@pytest.fixture
def log(vault: Vault) -> Iterator[logging.LoggerAdapter[logging.Logger]]:
    daylog.begin([vault.path], as_json=True)
    yield logging.LoggerAdapter(logging.getLogger(LOG), {"vault": str(vault.path)})
    daylog.end()
    logging.getLogger(LOG).propagate = True


def test_the_log_of_a_vault_has_its_own_lines(
    vault: Vault, log: logging.LoggerAdapter[logging.Logger], capsys: pytest.CaptureFixture[str]
) -> None:
    log.info("mine 中文")
    logging.getLogger(LOG).info("of nobody", extra={"vault": "/other"})
    file = vault.path / ".noctuary" / "log" / "daemon.log"
    [line] = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert (line["level"], line["message"], line["vault"]) == ("info", "mine 中文", str(vault.path))
    assert set(line) == {"at", "level", "vault", "message"}
    assert file.parent.stat().st_mode & 0o077 == 0


def test_the_log_turns_over(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daylog, "BYTES", 2000)
    daylog.begin([vault.path], as_json=False)
    log = logging.LoggerAdapter(logging.getLogger(LOG), {"vault": str(vault.path)})
    for number in range(500):
        log.warning("line %d", number)
    daylog.end()
    logging.getLogger(LOG).propagate = True
    files = sorted((vault.path / ".noctuary" / "log").iterdir())
    assert len(files) == daylog.FILES + 1
    assert all(file.stat().st_size <= 2000 for file in files)
    assert "warning: line 499" in files[0].read_text("utf-8")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no such sockets")
def test_systemd_hears_what_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = str(tmp_path / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(address)
        channel.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        monkeypatch.setenv("WATCHDOG_USEC", "300000000")
        systemd = Systemd()
        for word in ("ready", "alive", "alive", "reloading", "stopping"):
            systemd.tell(word)
        heard = [channel.recv(200).decode().partition("\n")[0] for _ in range(4)]
        assert heard == ["READY=1", "WATCHDOG=1", "RELOADING=1", "STOPPING=1"]


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    Systemd().tell("ready")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere/at/all")
    Systemd().tell("ready")


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_words_for_the_desktop_are_never_code(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "$(touch x) \" ' ; <b>"
    monkeypatch.setattr(sys, "platform", system)
    command = supervisor._notifier(words)
    if system == "linux":
        assert command[-1] == words
    else:
        assert all(words not in part for part in command)
    monkeypatch.setattr(sys, "platform", "linux")
    shown = tmp_path / "shown"
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s" "$4" > {shown}\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin:/bin")
    thread = notify(words)
    assert thread is not None
    thread.join(30)
    assert shown.read_text("utf-8") == words
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert notify(words) is None
