from __future__ import annotations

import plistlib
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from noctuary.doors.service.install import install, standing, uninstall
from noctuary.doors.service.systems import Machine, Plan, plan
from noctuary.errors import NoctuaryError, UsageError

NASTY = 'my "50 %" notes & $HOME <笔记>\\'
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def machine(system: str, home: Path = Path("/home/ana")) -> Machine:
    return Machine(
        system, "/opt/noctuary/bin/python", home, home / ".config", "501", {"PATH": "/a:/b $x %h"}
    )


def planned(system: str, vault: str = "/home/ana/memory") -> Plan:
    return plan(machine(system), Path(vault), "720cdc5d9fe0a1b2")


def test_systemd_unit() -> None:
    unit = planned("linux")
    assert unit.file == Path("/home/ana/.config/systemd/user/noctuary-720cdc5d.service")
    lines = unit.text.splitlines()
    assert (
        'ExecStart="/opt/noctuary/bin/python" "-m" "noctuary" "watch" "/home/ana/memory"' in lines
    )
    assert 'Environment="PATH=/a:/b $x %%h"' in lines
    for line in ("Type=notify", "Restart=on-failure", "WatchdogSec=300", "WantedBy=default.target",
                 "ExecReload=/bin/kill -HUP $MAINPID", "KillMode=mixed",
                 "RestartPreventExitStatus=2 75"):  # fmt: skip
        assert line in lines
    assert unit.enable[-1] == (
        "systemctl", "--user", "enable", "--now", "noctuary-720cdc5d.service")  # fmt: skip


def test_systemd_quotes_what_it_would_expand() -> None:
    text = planned("linux", f"/home/ana/{NASTY}").text
    [start] = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    assert start.endswith(' "/home/ana/my \\"50 %%\\" notes & $$HOME <笔记>\\\\"')


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("vault", ["/home/ana/memory", f"/home/ana/{NASTY}"])
def test_systemd_itself_finds_nothing_wrong(tmp_path: Path, vault: str) -> None:
    here = replace(machine("linux"), python=sys.executable)
    unit = plan(here, Path(vault), "720cdc5d9fe0a1b2")
    file = tmp_path / unit.file.name
    file.write_text(unit.text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(file)],
        capture_output=True, text=True, check=False,
        env={"XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    complaints = [line for line in done.stderr.splitlines() if unit.file.name in line]
    assert complaints == []


def test_launchd_agent() -> None:
    agent = planned("darwin", f"/Users/ana/{NASTY}")
    content: dict[str, Any] = plistlib.loads(agent.text.encode())
    assert content["Label"] == "io.github.noctuary-720cdc5d"
    assert agent.file == Path(f"/home/ana/Library/LaunchAgents/{content['Label']}.plist")
    assert content["ProgramArguments"][1:] == ["-m", "noctuary", "watch", f"/Users/ana/{NASTY}"]
    assert content["RunAtLoad"] is True
    assert content["KeepAlive"] == {"SuccessfulExit": False}
    assert content["EnvironmentVariables"] == {"PATH": "/a:/b $x %h"}
    assert agent.enable == (("launchctl", "bootstrap", "gui/501", str(agent.file)),)


def test_windows_task() -> None:
    here = replace(
        machine("win32"), python=r"C:\Program Files\Py\python.exe", user=r"HOME\ana & co"
    )
    vault = PureWindowsPath(r"C:\Users\ana\my <notes>")
    task = plan(here, Path(str(vault)), "720cdc5d9fe0a1b2")
    root = ET.fromstring(task.text.replace('encoding="UTF-16"', ""))  # noqa: S314
    command = root.findtext(f".//{TASK}Command")
    assert command == r"C:\Program Files\Py\pythonw.exe"
    assert root.findtext(f".//{TASK}Arguments") == rf'-m noctuary watch "{vault}"'
    assert root.findtext(f".//{TASK}Principal/{TASK}UserId") == r"HOME\ana & co"
    assert root.findtext(f".//{TASK}ExecutionTimeLimit") == "PT0S"
    assert root.find(f".//{TASK}LogonTrigger") is not None
    assert task.encoding == "utf-16"
    assert task.enable[0][:3] == ("schtasks", "/Create", "/TN")


def test_another_system_is_told_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="noctuary watch"):
        planned("freebsd14")


def test_two_vaults_have_two_services() -> None:
    other = plan(machine("linux"), Path("/home/ana/other"), "ffffffff00000000")
    assert other.file != planned("linux").file


class System:
    """Stands in for the system's own commands and notes what it is asked."""

    def __init__(self, *, works: bool = True) -> None:
        self.asked: list[list[str]] = []
        self.works = works

    def __call__(self, command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        self.asked.append(command)
        return subprocess.CompletedProcess(command, 0 if self.works else 1, b"", b"no bus")


@pytest.fixture
def unit(tmp_path: Path) -> Plan:
    return plan(machine("linux", tmp_path), tmp_path / "v", "720cdc5d9fe0a1b2")


def test_install_look_and_uninstall(unit: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    system = System()
    monkeypatch.setattr(subprocess, "run", system)
    assert not standing(unit, "stopped").installed
    install(unit)
    assert unit.file.read_text("utf-8") == unit.text
    assert system.asked == [list(command) for command in unit.enable]
    assert standing(unit, "running").active
    install(unit)
    assert uninstall(unit)
    assert not unit.file.exists()
    assert not uninstall(unit)
    assert system.asked[-1] == list(unit.disable[0])


def test_a_system_that_refuses_is_told(unit: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", System(works=False))
    with pytest.raises(NoctuaryError, match="no bus"):
        install(unit)
    assert not standing(unit, "stopped").active
