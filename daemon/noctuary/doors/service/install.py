"""Installs, removes and looks at the background service of a vault."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.doors.service.systems import Machine, plan
from noctuary.errors import NoctuaryError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.api import Vault
    from noctuary.doors.service.systems import Plan

_CARRIED = ("PATH", "NOCTUARY_CACHE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")


@dataclass(frozen=True, slots=True)
class Standing:
    """How the service of a vault is.

    Attributes:
        installed: Its file is there; `active` says that the system runs it now.
        daemon: Whether any daemon watches the vault: `running` or `stopped`.
    """

    name: str
    file: str
    installed: bool
    active: bool
    daemon: str


def this_machine() -> Machine:
    """The machine that we run on."""
    home = Path.home()
    config = os.environ.get("XDG_CONFIG_HOME") or str(home / ".config")
    if sys.platform == "win32":
        config = os.environ.get("APPDATA") or str(home / "AppData" / "Roaming")
    carried = {name: os.environ[name] for name in _CARRIED if os.environ.get(name)}
    user = str(os.getuid()) if sys.platform == "darwin" else getuser()
    return Machine(sys.platform, sys.executable, home, Path(config), user, carried)


def plan_for(vault: Vault) -> Plan:
    """The service of a vault on this machine."""
    return plan(this_machine(), vault.path, vault.id)


def install(wanted: Plan) -> None:
    """Write the file and enable the service; what was there of it before is replaced.

    Raises:
        NoctuaryError: The system refused; the file is left for a look.
    """
    if wanted.file.exists():
        for command in wanted.disable:
            _run(command, must=False)
    wanted.file.parent.mkdir(parents=True, exist_ok=True)
    wanted.file.write_text(wanted.text, encoding=wanted.encoding, newline="\n")
    for command in wanted.enable:
        _run(command)


def uninstall(wanted: Plan) -> bool:
    """Stop the service and remove its file; False when there was none."""
    if not wanted.file.exists():
        return False
    for command in wanted.disable:
        _run(command, must=False)
    wanted.file.unlink()
    return True


def standing(wanted: Plan, daemon: str) -> Standing:
    """How it is."""
    installed = wanted.file.exists()
    active = installed and _run(wanted.ask, must=False)
    return Standing(wanted.name, str(wanted.file), installed, active, daemon)


def _run(command: Sequence[str], *, must: bool = True) -> bool:
    """True when the command succeeded."""
    try:
        done = subprocess.run(list(command), capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        if not must:
            return False
        raise NoctuaryError(
            phrase(
                "`{command}` could not be run ({error}); run `noctuary watch` by other means.",
                command=command[0],
                error=error,
            )
        ) from error
    if done.returncode and must:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise NoctuaryError(f"`{' '.join(command)}` failed: {said or done.returncode}.")
    return done.returncode == 0
