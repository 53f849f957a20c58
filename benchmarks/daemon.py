"""Measures the daemon over a large vault at rest: `python benchmarks/daemon.py [--seconds 300]`.

A generated vault of 10,000 cards and 5,000 episodes, all of them dreamt. Linux only: figures come
from /proc. `docs/benchmarks.md` defines them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "daemon"
sys.path[:0] = [str(SOURCE.parent), str(SOURCE)]

from benchmarks.furnishing import furnish

from noctuary.api import Vault

TICKS = os.sysconf("SC_CLK_TCK")
LIMITS = {
    "noticed": 2.0,
    "start_warm": 2.0,
    "start_cold": 2.0,
    "cpu_percent": 0.2,
    "megabytes": 120.0,
    "written": 0.0,
}


@dataclass(frozen=True, slots=True)
class Rest:
    """The daemon at rest.

    Attributes:
        start_cold: Seconds from its start to ready, nothing known from an earlier run.
        start_warm: The same with what the first run kept.
        counted: Seconds until a first run has read every episode and knows what is pending.
        cpu_percent: Of one core, children included, averaged over `seconds`.
        megabytes: Resident memory after that time.
        written: Bytes written meanwhile, by the count of the system.
        noticed: Seconds from a line that is logged in a new session until the daemon, which has
            read it, says that the next dream comes earlier.
    """

    start_cold: float
    start_warm: float
    counted: float
    seconds: float
    cpu_percent: float
    megabytes: float
    written: float
    noticed: float


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 0 when all are within their limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--cards", type=int, default=10_000)
    parser.add_argument("--episodes", type=int, default=5_000)
    parser.add_argument("--poll", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="noctuary-rest-") as folder:
        os.environ["NOCTUARY_CACHE"] = str(Path(folder) / "cache")
        vault = furnish(Path(folder) / "vault", options.cards, options.episodes)
        found = measure(vault, options.seconds, poll=options.poll)
    figures = asdict(found)
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            limit = f"   limit {LIMITS[name]:g}" if name in LIMITS else ""
            print(f"{name:12} {value:10.3f}{limit}")
    return 0 if all(figures[name] <= limit for name, limit in LIMITS.items()) else 1


# -- the daemon ----------------------------------------------------------------------------------


class Daemon:
    """A running daemon that tells this program when it is ready."""

    def __init__(self, vault: Path, *, poll: bool) -> None:
        self._ready = vault.parent / "ready"
        self._ready.unlink(missing_ok=True)
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        channel.bind(str(self._ready))
        begun = time.perf_counter()
        extra = ["--poll"] if poll else []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "noctuary", "watch", str(vault), "--verbose", *extra],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(SOURCE), "NOTIFY_SOCKET": str(self._ready)},
        )
        channel.settimeout(120)
        assert channel.recv(100) == b"READY=1"
        self.start = time.perf_counter() - begun
        channel.close()

    def cpu(self) -> float:
        """Seconds of processor time so far, ended children included."""
        fields = (
            Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        )
        return sum(map(int, fields[11:15])) / TICKS

    def written(self) -> int:
        """Bytes handed to the system for writing, by this process."""
        lines = Path(f"/proc/{self.process.pid}/io").read_text("ascii").splitlines()
        return int(dict(line.split(": ") for line in lines)["wchar"])

    def megabytes(self) -> float:
        """Resident memory."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def rest(self) -> float:
        """Wait until it has nothing to do: no child, no processor time for five seconds."""
        begun, last, since = time.perf_counter(), -1.0, time.perf_counter()
        while time.perf_counter() - since < 8 or self._children():
            used = self.cpu()
            if used - last > 0.02 or self._children():
                last, since = used, time.perf_counter()
            time.sleep(0.25)
        return since - begun

    def _children(self) -> bool:
        task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return bool(task.read_text("ascii").strip())

    def leave(self) -> None:
        """Ask it to leave."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def measure(vault: Path, seconds: float, *, poll: bool) -> Rest:
    """Start it twice, the second time with what the first one found, and watch it rest."""
    first = Daemon(vault, poll=poll)
    counted = first.start + first.rest()
    first.leave()
    second = Daemon(vault, poll=poll)
    second.rest()
    cpu, written, begun = second.cpu(), second.written(), time.perf_counter()
    time.sleep(seconds)
    spent = time.perf_counter() - begun
    found = Rest(
        start_cold=first.start,
        start_warm=second.start,
        counted=counted,
        seconds=spent,
        cpu_percent=100 * (second.cpu() - cpu) / spent,
        megabytes=second.megabytes(),
        written=float(second.written() - written),
        noticed=_noticed(vault),
    )
    second.leave()
    return found


def _noticed(vault: Path) -> float:
    """Log two lines ten minutes apart, and wait for the daemon to speak of the dream after them."""
    log = vault / ".noctuary" / "log" / "daemon.log"
    known = log.read_text("utf-8").count("next dream")
    opened = Vault.open(vault)
    earlier = datetime.now() - timedelta(minutes=8)  # noqa: DTZ005 - the vault is in UTC here
    opened.log("The lamp costs 30 euros.", session="noticed", at=earlier)
    begun = time.perf_counter()
    opened.log("The chair costs 40 euros.", session="noticed")
    while log.read_text("utf-8").count("next dream") == known:
        if time.perf_counter() - begun > 60:
            break
        time.sleep(0.02)
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
