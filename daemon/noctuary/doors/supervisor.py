"""What the daemon tells others: systemd whether it lives, the desktop what cannot wait."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from shutil import which
from time import monotonic

from noctuary.resources import person_language
from noctuary.tongue import spoken

_WORDS = {"ready": "READY=1", "reloading": "RELOADING=1", "stopping": "STOPPING=1"}
TITLE = "Noctuary"
_PATIENCE = 30
"""Seconds that showing a notification may take."""


class Systemd:
    """Speaks sd_notify, when systemd asks for it; silent everywhere else."""

    def __init__(self) -> None:
        self._socket = os.environ.get("NOTIFY_SOCKET", "")
        every = os.environ.get("WATCHDOG_USEC", "")
        self._every = int(every) / 2e6 if every.isdigit() else 0.0
        self._last = 0.0

    def tell(self, word: str) -> None:
        """Pass `ready`, `reloading`, `stopping` on; `alive` only as often as it is waited for."""
        if not self._socket:
            return
        if word != "alive":
            message = _WORDS[word]
            if word == "reloading":
                message += f"\nMONOTONIC_USEC={int(monotonic() * 1e6)}"
            self._send(message)
        elif self._every and monotonic() - self._last >= self._every:
            self._last = monotonic()
            self._send("WATCHDOG=1")

    def _send(self, message: str) -> None:
        if sys.platform == "win32":
            return
        address = "\0" + self._socket[1:] if self._socket.startswith("@") else self._socket
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(message.encode(), address)


def notify(words: str) -> threading.Thread | None:
    """Show words on the desktop, if there is one; never fails, and does not wait."""
    words = spoken(words, person_language())
    command = _notifier(words)
    if not which(command[0]):
        return None
    thread = threading.Thread(target=_show, args=(command, words), daemon=True)
    thread.start()
    return thread


def _show(command: list[str], words: str) -> None:
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            env=os.environ | {"NOCTUARY_WORDS": words},
        )


def _notifier(words: str) -> list[str]:
    """Words go as an argument or by the environment, never into a line of code."""
    if sys.platform == "darwin":
        script = f'display notification (system attribute "NOCTUARY_WORDS") with title "{TITLE}"'
        return ["osascript", "-e", script]
    if sys.platform == "win32":
        script = (
            "Add-Type -AssemblyName System.Windows.Forms;"
            "$n=New-Object System.Windows.Forms.NotifyIcon;"
            "$n.Icon=[System.Drawing.SystemIcons]::Information;$n.Visible=$true;"
            f"$n.ShowBalloonTip(10000,'{TITLE}',$env:NOCTUARY_WORDS,'Info');Start-Sleep 10"
        )
        return ["powershell", "-NoProfile", "-Command", script]
    return ["notify-send", "--app-name", TITLE, TITLE, words]
