"""Writers, editors and the daemon together: `python benchmarks/soak.py [--minutes 10]`.

Every word that was saved carries a token of its own. In the end each token must be found: those of
log lines in a card, a raw entry or a dream's report of what was noise; those of edits by hand in
the vault or, where an edit was overtaken, in a rescued note. The process must not have grown.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "daemon"
sys.path.insert(0, str(SOURCE))

from noctuary.api import Vault
from noctuary.errors import NoctuaryError
from noctuary.vault.heartbeat import heard

SHORT = {
    "idle_minutes": "1",
    "min_session_minutes": "0",
    "max_pending": "40",
    "settle_seconds": "1",
}
GROWTH_MB = 30.0


@dataclass
class Soak:
    """What was saved, and what happened meanwhile.

    Attributes:
        logged: Tokens of log lines; `edited` those that were written into cards by hand.
        kills: How often the daemon was killed and started again.
    """

    root: Path
    stop: threading.Event = field(default_factory=threading.Event)
    logged: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    busy: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    megabytes: list[float] = field(default_factory=list)

    # -- people and agents ------------------------------------------------------------------

    def write(self, number: int) -> None:
        """An agent that logs all the time, in sessions of twenty turns."""
        chance = random.Random(number)
        vault = Vault.open(self.root)
        turn = 0
        while not self.stop.is_set():
            token = f"K{number}{turn:05d}"
            words = chance.choice(_SAYINGS).format(token=token, amount=chance.randrange(10_000))
            try:
                vault.log(words, session=f"w{number}-{turn // 20}", agent="soak")
                self.logged.append(token)
            except NoctuaryError as error:
                self.busy[type(error).__name__] += 1
            turn += 1
            self.stop.wait(chance.uniform(0.05, 0.4))

    def edit(self, number: int) -> None:
        """A person who adds lines to cards, in place or by an atomic save."""
        chance = random.Random(1000 + number)
        turn = 0
        while not self.stop.is_set():
            self.stop.wait(chance.uniform(0.2, 0.8))
            cards = sorted((self.root / "cards").rglob("*.md"))
            if not cards:
                continue
            token = f"H{number}{turn:05d}"
            with suppress(FileNotFoundError):
                _save(chance.choice(cards), f"\nBy hand: {token}.\n", atomic=bool(turn % 2))
                self.edited.append(token)
            turn += 1

    # -- the daemon -------------------------------------------------------------------------

    def keep_daemon(self, *, kill_every: float) -> None:
        """Run the daemon; kill it now and then, and note how large it has become."""
        while not self.stop.is_set():
            daemon = _daemon(self.root)
            born = time.monotonic()
            while not self.stop.wait(1.0) and time.monotonic() - born < kill_every:
                self.megabytes.append(_resident(daemon.pid))
            if self.stop.is_set():
                daemon.send_signal(signal.SIGTERM)
            else:
                daemon.kill()
                self.kills += 1
            daemon.wait(30)

    # -- the end ----------------------------------------------------------------------------

    def last_dream(self) -> None:
        """What is pending in the end is dreamt by hand, so that all has been through a dream."""
        vault = Vault.open(self.root)
        vault.tidy()
        vault.dream()

    def lost(self) -> tuple[list[str], list[str]]:
        """Tokens that are nowhere: of log lines, and of edits."""
        text = "\n".join(
            path.read_text("utf-8", "replace")
            for path in self.root.rglob("*.md")
            if ".git" not in path.parts and ".noctuary" not in path.parts
        )
        found = set(re.findall(r"[KH]\d{6,}", text))
        return (
            [token for token in self.logged if token not in found],
            [token for token in self.edited if token not in found],
        )


_SAYINGS = (
    "The order {token} costs {amount} euros.",
    "I prefer {token} over everything else, always.",
    "We decided on {token} because it saves {amount} euros.",
    "请记住：{token} 的预算是{amount}元。",
    "Thanks for {token}!",
    "The server {token} listens on port {amount}.",
)


def _save(card: Path, line: str, *, atomic: bool) -> None:
    if not atomic:
        with card.open("r+", encoding="utf-8") as file:
            file.seek(0, os.SEEK_END)
            file.write(line)
        return
    fresh = card.with_name(f".{card.name}.tmp")
    fresh.write_text(card.read_text("utf-8") + line, "utf-8")
    fresh.replace(card)


def _daemon(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "noctuary", "watch", str(root)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
    )


def _resident(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text("utf-8").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


def _made(root: Path) -> Path:
    Vault.create(root, timezone="UTC", language="en")
    config = root / "noctuary.toml"
    text = config.read_text("utf-8")
    for key, value in SHORT.items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    config.write_text(text, "utf-8")
    return root


def main(arguments: list[str] | None = None) -> int:
    """Print what happened; 0 when no token is lost and the daemon did not grow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--editors", type=int, default=2)
    parser.add_argument("--kill-every", type=float, default=0, help="seconds; 0 for never")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="noctuary-soak-") as folder:
        os.environ["NOCTUARY_CACHE"] = str(Path(folder) / "cache")
        soak = Soak(_made(Path(folder) / "vault"))
        _run(soak, options)
        soak.last_dream()
        return _told(soak)


def _run(soak: Soak, options: argparse.Namespace) -> None:
    every = options.kill_every or float("inf")
    threads = [threading.Thread(target=soak.keep_daemon, kwargs={"kill_every": every})]
    threads += [threading.Thread(target=soak.write, args=(n,)) for n in range(options.writers)]
    threads += [threading.Thread(target=soak.edit, args=(n,)) for n in range(options.editors)]
    for thread in threads:
        thread.start()
    time.sleep(60 * options.minutes)
    soak.stop.set()
    for thread in threads:
        thread.join()
    assert not heard(soak.root / ".noctuary").running


def _told(soak: Soak) -> int:
    vault = Vault.open(soak.root)
    logged, edited = soak.lost()
    settled = soak.megabytes[len(soak.megabytes) // 4 :]
    grown = max(settled, default=0) - min(filter(None, settled), default=0)
    status = vault.status()
    figures = {
        "log lines": len(soak.logged),
        "edits by hand": len(soak.edited),
        "dreams": len(vault.dreams()),
        "kills": soak.kills,
        "busy": dict(soak.busy),
        "lost log lines": logged,
        "lost edits": edited,
        "pending": status.pending,
        "failures in a row": status.failures_in_a_row,
        "cards": status.cards,
        "megabytes": [round(min(settled, default=0), 1), round(max(settled, default=0), 1)],
        "problems": status.problems[:5],
        "verify": [str(problem) for problem in vault.verify().problems[:5]],
    }
    print(json.dumps(figures, indent=2, ensure_ascii=False, default=str))
    well = not (logged or edited or status.pending or status.failures_in_a_row)
    return 0 if well and grown < GROWTH_MB else 1


if __name__ == "__main__":
    sys.exit(main())
