"""What a background service is on Linux, macOS and Windows: a file, and commands that enable it.

Nothing here runs or writes anything.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.errors import UsageError
from noctuary.resources import shelf
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a service is installed.

    Attributes:
        system: `linux`, `darwin` or `win32`, as Python names them.
        python: The interpreter that has noctuary.
        home: The person's home; `config` is where systemd looks for units of the person.
        user: The person's number on macOS, name on Windows.
        environment: What the daemon needs of the present environment.
    """

    system: str
    python: str
    home: Path
    config: Path
    user: str
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What installing means here.

    Attributes:
        file: Where the text goes, in this encoding.
        enable: Commands that start it, now and from now on; `disable` undoes them.
        ask: The command that succeeds while it runs.
        hint: What else a person may want to do.
    """

    name: str
    file: Path
    text: str
    encoding: str
    enable: tuple[Command, ...]
    disable: tuple[Command, ...]
    ask: Command
    hint: str = ""


def plan(machine: Machine, vault: Path, vault_id: str) -> Plan:
    """The service of one vault on this machine.

    Raises:
        UsageError: There is no way to run services on this system.
    """
    makers = {"linux": _systemd, "darwin": _launchd, "win32": _windows}
    maker = makers.get(machine.system)
    if maker is None:
        raise UsageError(
            phrase(
                "There is no background service for {system} yet; run `noctuary watch` there.",
                system=machine.system,
            )
        )
    return maker(machine, vault, f"noctuary-{vault_id[:8]}")


def _systemd(machine: Machine, vault: Path, name: str) -> Plan:
    unit = f"{name}.service"
    call = ("systemctl", "--user")
    return Plan(
        name,
        machine.config / "systemd" / "user" / unit,
        _text("systemd.service.j2", machine, vault, name, machine.python),
        "utf-8",
        ((*call, "daemon-reload"), (*call, "enable", "--now", unit)),
        ((*call, "disable", "--now", unit),),
        (*call, "is-active", "--quiet", unit),
        phrase("To have it run while you are logged out: `loginctl enable-linger`."),
    )


def _launchd(machine: Machine, vault: Path, name: str) -> Plan:
    label = f"io.github.{name}"
    file = machine.home / "Library" / "LaunchAgents" / f"{label}.plist"
    domain = f"gui/{machine.user}"
    return Plan(
        label,
        file,
        _text("launchd.plist.j2", machine, vault, label, machine.python),
        "utf-8",
        (("launchctl", "bootstrap", domain, str(file)),),
        (("launchctl", "bootout", f"{domain}/{label}"),),
        ("launchctl", "print", f"{domain}/{label}"),
    )


def _windows(machine: Machine, vault: Path, name: str) -> Plan:
    python = machine.python
    if python.lower().endswith("python.exe"):
        python = python[: -len("python.exe")] + "pythonw.exe"
    file = machine.config / "noctuary" / f"{name}.xml"
    return Plan(
        name,
        file,
        _text("windows-task.xml.j2", machine, vault, name, python),
        "utf-16",
        (
            ("schtasks", "/Create", "/TN", name, "/XML", str(file), "/F"),
            ("schtasks", "/Run", "/TN", name),
        ),
        (("schtasks", "/End", "/TN", name), ("schtasks", "/Delete", "/TN", name, "/F")),
        ("schtasks", "/Query", "/TN", name),
    )


def _text(source: str, machine: Machine, vault: Path, name: str, python: str) -> str:
    filled = shelf()
    filled.filters |= {"systemd": systemd_words, "value": systemd_value}
    filled.filters |= {"windows": windows_words, "line": one_line}
    return filled.get_template(f"service/{source}").render(
        name=name,
        title=str(vault),
        command=[python, "-m", "noctuary", "watch", str(vault)],
        environment=sorted(machine.environment.items()),
        user=machine.user,
    )


def systemd_words(words: Iterable[str]) -> str:
    """Words of a command as systemd reads them: quoted, without specifiers or variables."""
    return " ".join(systemd_value(word).replace("$", "$$") for word in words)


def systemd_value(text: str) -> str:
    """One quoted value; a `$` means nothing there."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return '"' + plain.replace("\n", "\\n").replace("\t", "\\t") + '"'


def windows_words(words: Iterable[str]) -> str:
    """Arguments as a Windows program reads them."""
    return subprocess.list2cmdline(list(words))


def one_line(text: str) -> str:
    """Text without line ends, and without what systemd would expand."""
    return " ".join(text.split()).replace("%", "%%")
