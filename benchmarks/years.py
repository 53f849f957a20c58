"""Three years of daily dreams in one vault: `python benchmarks/years.py [--plot docs/years.svg]`.

Each month is a process of its own; with `--folder` a run that was stopped goes on where it was.
`docs/benchmarks.md` defines the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "daemon"), str(ROOT)]

from benchmarks import life, years_plot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctuary.api import Vault

MONTH = 28
"""Days of a month here: four whole weeks, so that each month has as many days of rest."""
_USED_EVERY = 3
PER_WEEK = 7 / 6
"""Entries of a day of work by those of an average day."""


@dataclass(slots=True)
class Month:
    """What one month came to; seconds are processor time.

    Attributes:
        raw_in: Bytes of text said since the beginning; `raw_left` bytes of episode files.
        sizes: Bytes by part of the vault, and of the cache folder beside it.
        usual: Half of the dreams of days of work took less; `usual_most` 19 of 20.
        deep: The longest deep dream. `forgetting`: a night after a day on which nothing was said,
            raw entries to forget. `quiet`: a night with nothing to do at all.
        recall: Milliseconds that half of the questions took; `recall_most` 19 of 20.
        rules: Share of the standing rules in wake context and recall; `facts` share of the facts
            whose newest value was recalled, before any older one; `late` the same for facts that
            were never asked for before, and `late_archived` with the archive;
            `week` of what was said in passing within the last week.
    """

    number: int
    days: int = 0
    entries: int = 0
    raw_in: int = 0
    raw_left: int = 0
    cards: int = 0
    archived: int = 0
    files: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    taking_in: float = 0.0
    usual: float = 0.0
    usual_most: float = 0.0
    deep: float = 0.0
    forgetting: float = 0.0
    quiet: float = 0.0
    recall: float = 0.0
    recall_most: float = 0.0
    context: float = 0.0
    megabytes: float = 0.0
    rules: float = 0.0
    facts: float = 0.0
    late: float = 0.0
    late_archived: float = 0.0
    week: float = 0.0
    facts_lost: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Bytes of the vault and its cache."""
        return sum(self.sizes.values())


# -- one month, in a process of its own -----------------------------------------------------------


class Run:
    """The days of one month, lived through in a vault on disk."""

    def __init__(self, folder: Path, month: Month, per_day: int) -> None:
        from noctuary.api import Vault

        self.month = month
        self._per_day = round(per_day * PER_WEEK)
        self._folder = folder
        self._now = life.START
        self.vault: Vault = Vault.open(folder / "vault", clock=lambda: self._now)
        self._seconds: dict[str, list[float]] = {}

    def live(self, last_day: int) -> None:
        """Live to the end of the month, then ask."""
        first = MONTH * (self.month.number - 1)
        for day in range(first, min(first + MONTH, last_day)):
            self._one_day(day)
            self.month.days = day + 1
        self._ask(self.month.days - 1, last=self.month.days == last_day)
        self._note()

    def _one_day(self, day: int) -> None:
        rows = life.day(day, self._per_day)
        self._now = life.START + timedelta(days=day, hours=12)
        if rows:
            self._take_in(rows)
        if day % _USED_EVERY == 0:
            self._use(day)
        self._now = life.START + timedelta(days=day, hours=18)
        deep = self._now.weekday() == life.RESTS_ON
        kind = "usual" if rows else "forgetting"
        self._dream(kind)
        if deep:
            self._dream("deep", deep=True)
            self._dream("after a deep one")
            self._dream("quiet")

    def _take_in(self, rows: Sequence[dict[str, str]]) -> None:
        file = self._folder / "day.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "ascii")
        with self._timed("taking in"):
            done = self.vault.import_("jsonl", [file])
        self.month.problems += map(str, done.problems)
        self.month.entries += len(rows)
        self.month.raw_in += sum(len(row["text"].encode()) for row in rows)

    def _use(self, day: int) -> None:
        """As an agent does: it wakes, and asks for a few things of the last days."""
        self.vault.context()
        for asked in life.told(day, self._per_day, days=3)[::17]:
            self.vault.recall(asked.question)

    def _dream(self, kind: str, *, deep: bool = False) -> None:
        with self._timed(kind):
            report = self.vault.dream(deep=deep)
        self.month.facts_lost += len(report.facts_lost)
        self.month.problems += map(str, report.problems[:3])

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        self._seconds.setdefault(what, []).append(time.process_time() - begun)

    # -- asking -------------------------------------------------------------------------------

    def _ask(self, day: int, *, last: bool) -> None:
        self.vault.recall("hello")
        with self._timed("context"):
            woken = self.vault.context().text
        rules, facts = life.rules(day), life.facts(day)
        self.month.rules = _share(asked.answer in woken or self._found(asked) for asked in rules)
        self.month.facts = _share(self._found(asked, first=True) for asked in facts[::2])
        told = life.told(day, self._per_day)
        self.month.week = _share(self._found(asked) for asked in told)
        if last:
            never = facts[1::2]
            self.month.late = _share(self._found(one, first=True) for one in never)
            self.month.late_archived = _share(self._found(one, archived=True) for one in never)

    def _found(self, asked: life.Asked, *, first: bool = False, archived: bool = False) -> bool:
        with self._timed("recall of the archive" if archived else "recall"):
            answer = self.vault.recall(asked.question, archived=archived)
        lines = [line for hit in answer.hits for line in hit.text.splitlines()]
        for line in lines:
            if asked.answer in line:
                return True
            if first and any(older in line for older in asked.older):
                return False
        return False

    # -- counting -----------------------------------------------------------------------------

    def _note(self) -> None:
        month, took = self.month, self._seconds
        month.taking_in = _median(took.get("taking in", ()))
        month.usual, month.usual_most = _median(took["usual"]), _most(took["usual"])
        month.deep = max(took.get("deep", [0.0]))
        month.forgetting = _median(took.get("forgetting", ()))
        month.quiet = _median(took.get("quiet", ()))
        month.recall = 1000 * _median(took["recall"])
        month.recall_most = 1000 * _most(took["recall"])
        month.context = _median(took["context"])
        month.megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        root = self._folder / "vault"
        month.cards = sum(1 for _ in (root / "cards").rglob("*.md"))
        month.archived = sum(1 for _ in (root / "archive").rglob("*.md"))
        month.sizes = sizes(root, self._folder / "cache")
        month.raw_left = month.sizes["episodes"]
        month.files = sum(1 for path in self._folder.rglob("*") if path.is_file())
        month.problems = month.problems[:10]


def sizes(root: Path, cache: Path) -> dict[str, int]:
    """Bytes by part: each folder of the vault, its state without graves, graves, the cache."""
    parts = {"cards", "archive", "episodes", "dreams", "inbox", "maps"}
    found = {part: _bytes(root / part) for part in sorted(parts)}
    found["graveyard"] = _bytes(root / ".noctuary" / "graveyard")
    found["state"] = _bytes(root / ".noctuary") - found["graveyard"]
    found["pages"] = sum(path.stat().st_size for path in root.glob("*.*") if path.is_file())
    found["cache"] = _bytes(cache)
    return found


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _share(found: Iterator[bool]) -> float:
    return statistics.fmean(list(found) or [True])


def _median(values: Sequence[float]) -> float:
    return statistics.median(values or [0.0])


def _most(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


# -- all months -----------------------------------------------------------------------------------


def found(folder: Path, **settings: float) -> None:
    """Make the vault, unless it is there already; `settings` are keys of its `noctuary.toml`."""
    from noctuary.api import Vault

    root = folder / "vault"
    if (root / "noctuary.toml").exists():
        return
    Vault.create(root, timezone="UTC", language="en", git=False)
    config = root / "noctuary.toml"
    text = config.read_text("utf-8").replace("git = true", "git = false")
    for key, value in settings.items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    config.write_text(text, "utf-8")


def months(folder: Path, days: int, per_day: int) -> Iterator[Month]:
    """Live month after month; those that were lived before are read again."""
    book = folder / "months.jsonl"
    lived = (
        [Month(**json.loads(line)) for line in book.read_text("ascii").splitlines()]
        if book.exists()
        else []
    )
    yield from lived
    for number in range(len(lived) + 1, -(-days // MONTH) + 1):
        before = lived[-1] if lived else Month(0)
        month = Month(number, entries=before.entries, raw_in=before.raw_in)
        order = json.dumps([str(folder), asdict(month), per_day, days])
        surroundings = os.environ | {"NOCTUARY_CACHE": str(folder / "cache")}
        done = subprocess.run(
            [sys.executable, __file__, "--month", order],
            env=surroundings, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        with book.open("a", encoding="ascii") as file:
            file.write(done.stdout)
        lived.append(Month(**json.loads(done.stdout)))
        yield lived[-1]


def _one_month(order: str) -> int:
    folder, month, per_day, days = json.loads(order)
    run = Run(Path(folder), Month(**month), per_day)
    run.live(days)
    print(json.dumps(asdict(run.month)))
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Print one line a month; 0 when nothing was lost on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=1095)
    parser.add_argument("--entries-per-day", type=int, default=457)
    parser.add_argument("--max-cards", type=int, default=5000, help="as in noctuary.toml")
    parser.add_argument("--max-archive-mb", type=float, default=20, help="as in noctuary.toml")
    parser.add_argument("--folder", type=Path, help="where to live, and to go on later")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path, help="write a drawing of it")
    parser.add_argument("--month", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.month:
        return _one_month(options.month)
    with tempfile.TemporaryDirectory(prefix="noctuary-years-") as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["NOCTUARY_CACHE"] = str(folder / "cache")
        found(folder, max_cards=options.max_cards, max_archive_mb=options.max_archive_mb)
        lived = []
        for month in months(folder, options.days, options.entries_per_day):
            print(told(month), file=sys.stderr, flush=True)
            lived.append(month)
    if options.plot:
        options.plot.write_text(years_plot.drawing(lived), "utf-8")
    if options.json:
        print(json.dumps([asdict(month) for month in lived], indent=2))
    return 0


def told(month: Month) -> str:
    """One month in one line."""
    size = " ".join(f"{part} {bytes_ / 1e6:.2f}" for part, bytes_ in month.sizes.items())
    return (
        f"{month.number:3} · {month.entries:,} entries · {month.cards} cards, {month.archived} archived, "
        f"{month.files} files · MB {size} · dream {month.usual:.2f} to {month.usual_most:.2f} s, deep "
        f"{month.deep:.2f}, forgetting {month.forgetting:.2f}, quiet {month.quiet:.3f}, taking in {month.taking_in:.2f} · recall {month.recall:.1f} to "
        f"{month.recall_most:.1f} ms, context {month.context:.3f} s · {month.megabytes:.0f} MB · rules "
        f"{month.rules:.2f} facts {month.facts:.2f} late {month.late:.2f}/{month.late_archived:.2f} week {month.week:.2f} · lost {month.facts_lost} {month.problems[:1] or ''}"
    )


if __name__ == "__main__":
    sys.exit(main())
