"""Measures speed and memory of import, dream and asking: `python benchmarks/performance.py`.

Generated entries or cards in a temporary vault, each step in a process of its own through the
command line, as a person runs it. `docs/benchmarks.md` defines the figures.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from benchmarks import life, searching
from benchmarks.furnishing import furnish

SOURCE = Path(__file__).resolve().parents[1] / "daemon"
_RUN = """
import json, resource, sys, time
from noctuary.__main__ import main
start, code = time.perf_counter(), 0
try:
    code = main() or 0
except SystemExit as end:
    code = end.code or 0
used = resource.getrusage(resource.RUSAGE_SELF)
with open(FIGURES, "w") as out:
    json.dump([time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code], out)
"""
_CATCH_UP = """
import json, resource, sys, time
from pathlib import Path
from noctuary import Vault
vault = Vault.open(sys.argv[1])
vault.recall("a question")
for card in sorted(Path(sys.argv[1], "cards").rglob("*.md"))[:CHANGED]:
    card.write_bytes(card.read_bytes() + b"\\n")
start, used = time.perf_counter(), time.process_time()
vault.tidy()
taken, worked = time.perf_counter() - start, time.process_time() - used
with open(FIGURES, "w") as out:
    json.dump([taken, worked, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 0], out)
"""
CARDS, CHANGED = 10_000, 30
RUNS = 5
"""How often a step is run that takes a fraction of a second; the middle one counts."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured step.

    Attributes:
        inside: Seconds from the first line of the program to its end, imports included; of an
            update, of that alone.
        whole: Seconds of the process, interpreter start included.
        cpu: Processor seconds of the process, git not counted.
        megabytes: Peak resident memory.
    """

    step: str
    inside: float
    cpu: float
    whole: float
    megabytes: float
    seconds_limit: float
    megabytes_limit: float = 0.0
    cold: bool = False
    """The limit is on the whole process, as a shell starts it."""

    @property
    def holds(self) -> bool:
        """True when within its limits."""
        light = not self.megabytes_limit or self.megabytes <= self.megabytes_limit
        return light and (self.whole if self.cold else self.inside) <= self.seconds_limit


def main(arguments: list[str] | None = None) -> int:
    """Print one line a step; 0 when all hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="200 or 10000 entries, or cards: one part only")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--search", default="", help="instead: search over so many records")
    options = parser.parse_args(arguments)
    if options.search:
        return searching.main(["--records", options.search])
    compileall.compile_dir(SOURCE, quiet=2)  # as an installation does
    figures = [one for size in _sizes(options.only) for one in measure(size)]
    figures += ask() if options.only in {"", "cards"} else []
    if options.json:
        print(json.dumps([_plain(figure) for figure in figures], indent=2))
    else:
        _print(figures)
    return 0 if all(figure.holds for figure in figures) else 1


def measure(entries: int) -> list[Figure]:
    """Import, dream, and a quiet day after it, over this many entries."""
    with tempfile.TemporaryDirectory(prefix="noctuary-bench-") as folder:
        vault = Path(folder) / "vault"
        source = Path(folder) / "entries.jsonl"
        rows = "\n".join(json.dumps(row, ensure_ascii=False) for row in life.few_days(entries))
        source.write_text(rows + "\n", encoding="utf-8")
        _run(["init", str(vault)], Path(folder))
        last = life.START + timedelta(days=entries // 100 + 2)
        steps = [
            _step(f"import {entries:,} entries", ["import", "jsonl", str(source)], vault, 10, 200),
            _step(f"dream over {entries:,} entries", _dream(last), vault, *_limits(entries)),
            _step("quiet day", _dream(last + timedelta(days=1)), vault, 0.2),
        ]
        return steps if entries >= 10_000 else steps[1:]


def ask() -> list[Figure]:
    """From a cold shell over many cards that are indexed, and after a dream that changed some."""
    with tempfile.TemporaryDirectory(prefix="noctuary-bench-") as folder:
        vault = furnish(Path(folder) / "vault", CARDS, 0)
        question = ["recall", "What did week 17 cost?"]
        _run(["--vault", str(vault), *question], Path(folder))
        over = f"over {CARDS:,} cards"
        return [
            _middle(f"recall {over}", question, vault, 0.3),
            _middle(f"context {over}", ["context"], vault, 0.25),
            _middle(f"{CHANGED} of {CARDS:,} cards changed", [], vault, 0.2),
        ]


def _middle(name: str, command: list[str], vault: Path, seconds: float) -> Figure:
    if command:
        runs = [replace(_step(name, command, vault, seconds, 150), cold=True) for _ in range(RUNS)]
    else:
        runs = [_update(name, vault, seconds) for _ in range(RUNS)]
    middle = statistics.median_low(run.whole if run.cold else run.inside for run in runs)
    return next(run for run in runs if middle in {run.whole, run.inside})


def _update(name: str, vault: Path, seconds: float) -> Figure:
    start = time.perf_counter()
    program = _CATCH_UP.replace("CHANGED", str(CHANGED))
    inside, cpu, peak = _run([str(vault)], vault.parent, program)
    return Figure(name, inside, cpu, time.perf_counter() - start, peak, seconds, 150)


def _limits(entries: int) -> tuple[float, float]:
    return (30, 300) if entries >= 10_000 else (2, 300)


def _dream(now: datetime) -> list[str]:
    return ["dream", "--now", now.isoformat(), "--json"]


def _step(
    name: str, command: list[str], vault: Path, seconds: float, megabytes: float = 0
) -> Figure:
    start = time.perf_counter()
    inside, cpu, peak = _run(["--vault", str(vault), *command], vault.parent)
    return Figure(name, inside, cpu, time.perf_counter() - start, peak, seconds, megabytes)


def _run(command: list[str], folder: Path, program: str = _RUN) -> tuple[float, float, float]:
    """Seconds, processor seconds and megabytes of one command; raises RuntimeError with its words when it fails."""
    figures = folder / "figures.json"
    figures.unlink(missing_ok=True)
    program = program.replace("FIGURES", repr(str(figures)))
    surroundings = os.environ | {
        "PYTHONPATH": str(SOURCE),
        "NOCTUARY_CACHE": str(folder / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *command],
        env=surroundings,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if not figures.exists():
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    inside, cpu, peak, code = json.loads(figures.read_text())
    if code:
        raise RuntimeError(f"{' '.join(command)} ended with {code}: {done.stderr or done.stdout}")
    return inside, cpu, peak


def _sizes(only: str) -> list[int]:
    if only == "cards":
        return []
    return [int(only)] if only else [200, 10_000]


def _plain(figure: Figure) -> dict[str, object]:
    return {
        "step": figure.step,
        "seconds": round(figure.inside, 3),
        "cpu_seconds": round(figure.cpu, 3),
        "process_seconds": round(figure.whole, 3),
        "megabytes": round(figure.megabytes, 1),
        "holds": figure.holds,
    }


def _print(figures: list[Figure]) -> None:
    print(
        f"{'step':<28}{'seconds':>10}{'limit':>8}{'cpu s':>8}{'process s':>11}{'MB':>8}{'limit':>8}"
    )
    for one in figures:
        limit = f"{one.megabytes_limit:.0f}" if one.megabytes_limit else "–"
        print(
            f"{one.step:<28}{one.inside:>10.2f}{one.seconds_limit:>8g}{one.cpu:>8.2f}{one.whole:>11.2f}"
            f"{one.megabytes:>8.0f}{limit:>8}  {'ok' if one.holds else 'TOO MUCH'}"
        )


if __name__ == "__main__":
    sys.exit(main())
