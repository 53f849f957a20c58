"""Measures search side by side: `python benchmarks/searching.py [--records 10000,100000]`.

The same generated records and questions for the product's index, SQLite's FTS5, and brute-force
vectors with numpy where it is installed. Each engine runs in a process of its own.
`docs/benchmarks.md` defines the figures.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

_HOUSE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_HOUSE), str(_HOUSE / "daemon")]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from noctuary.memory.entry import Entry

START = datetime(2023, 1, 2, 9, 0)
RESULTS = 10
QUESTIONS = 300
LIMITS = {10_000: (0.2, 1.0), 100_000: (0.5, 2.0), 500_000: (1.0, 4.0)}
"""Records → milliseconds that half, and 95 of 100, of the questions may take."""
BUILD_SECONDS, BUILD_MEGABYTES = 60, 500
"""What the largest of them may cost to build."""
DIMENSIONS = 256


def vocabulary() -> tuple[list[str], list[str]]:
    """Words that occur about as unevenly as those of a language, English-like and Chinese."""
    chance = random.Random(11)
    letters, vowels = "bcdfghklmnprstvw", "aeiou"
    latin = {
        "".join(chance.choice(letters) + chance.choice(vowels) for _ in range(chance.randint(2, 4)))
        for _ in range(30_000)
    }
    chinese = {
        "".join(chr(chance.randint(0x4E00, 0x5800)) for _ in range(2)) for _ in range(10_000)
    }
    return sorted(latin), sorted(chinese)


def records(count: int) -> Iterator[str]:
    """Lines of about fifteen words, every fifth of them Chinese; always the same."""
    chance = random.Random(5)
    latin, chinese = vocabulary()
    for number in range(count):
        words = chinese if number % 5 == 0 else latin
        said = [words[int(len(words) * chance.random() ** 3)] for _ in range(15)]
        yield ("" if words is chinese else " ").join(said) + f" v{number}."


@dataclass(frozen=True, slots=True)
class Lines:
    """Records in a file, read anew each time, so that no engine pays for the making of them."""

    file: Path
    count: int

    @classmethod
    def written(cls, folder: Path, count: int) -> Lines:
        """So many of them in a file of this folder."""
        file = folder / f"{count}.txt"
        with file.open("w", encoding="utf-8") as out:
            out.writelines(f"{text}\n" for text in records(count))
        return cls(file, count)

    def __iter__(self) -> Iterator[str]:
        with self.file.open(encoding="utf-8") as lines:
            for line in lines:
                yield line.rstrip("\n")


def questions(lines: Lines) -> list[str]:
    """Four words of a record each, its number left out."""
    chance = random.Random(3)
    wanted = {chance.randrange(lines.count) for _ in range(QUESTIONS)}
    told = [text for number, text in enumerate(lines) if number in wanted]
    found = []
    for text in told:
        words = text.split()[:-1]
        pieces = words if len(words) > 1 else [words[0][at : at + 4] for at in range(0, 24, 6)]
        found.append(" ".join(chance.sample(pieces, 4)))
    return found


@dataclass(frozen=True, slots=True)
class Talk:
    """Each line as something a person said, fifty to a session."""

    lines: Lines

    def __iter__(self) -> Iterator[Entry]:
        from noctuary.memory.entry import Entry, Role

        for number, text in enumerate(self.lines):
            at = START + timedelta(minutes=number)
            session = f"s{number // 50}"
            episode = f"{at.date().isoformat()}-{session}"
            yield Entry(
                id=f"e{number}", role=Role.USER, at=at, text=text, session=session, episode=episode
            )


def product(lines: Lines, folder: Path) -> Callable[[str], Sequence[str]]:
    """The best ten lines in order, their texts read from the index."""
    from noctuary.recall.recall import Recall

    recall = Recall.open(folder)
    recall.sync([], Talk(lines))
    now = START + timedelta(minutes=lines.count)

    def ask(question: str) -> list[str]:
        best = recall.ranked(question, now=now, limit=RESULTS)
        return [one.passage.text for one in best[:RESULTS]]

    return ask


def fts5(lines: Lines, folder: Path) -> Callable[[str], Sequence[str]]:
    """SQLite's full-text search, any of the words, in order of its bm25."""
    base = sqlite3.connect(folder / "fts.db")
    base.execute("create virtual table line using fts5(text, tokenize='porter unicode61')")
    base.executemany("insert into line values (?)", ((text,) for text in lines))
    base.execute("insert into line(line) values ('optimize')")
    base.commit()

    def ask(question: str) -> list[str]:
        wanted = " OR ".join(f'"{word}"' for word in question.split())
        rows = base.execute(
            "select text from line where line match ? order by rank limit ?", (wanted, RESULTS)
        )
        return [text for (text,) in rows]

    return ask


def vectors(lines: Lines, _folder: Path) -> Callable[[str], Sequence[str]]:
    """Hashed words as vectors of 256 numbers, compared with every record."""
    import numpy  # only where somebody has it

    texts = list(lines)
    matrix: Any = numpy.zeros((len(texts), DIMENSIONS), dtype=numpy.float32)
    for number, text in enumerate(texts):
        for word in text.split():
            matrix[number, zlib.crc32(word.encode()) % DIMENSIONS] += 1
    matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)

    def ask(question: str) -> list[str]:
        asked: Any = numpy.zeros(DIMENSIONS, dtype=numpy.float32)
        for word in question.split():
            asked[zlib.crc32(word.encode()) % DIMENSIONS] += 1
        scores = matrix @ asked
        best = numpy.argpartition(-scores, RESULTS)[:RESULTS]
        return [texts[number] for number in best[numpy.argsort(-scores[best])]]

    return ask


ENGINES = {"noctuary": product, "fts5": fts5, "numpy": vectors}


def measure(engine: str, lines: Lines) -> dict[str, float | str]:
    """Seconds and megabytes of the build, helpers included; milliseconds of one search, by clock and processor."""
    with tempfile.TemporaryDirectory(prefix="noctuary-bench-") as folder:
        start, worked = time.perf_counter(), _processor()
        ask = ENGINES[engine](lines, Path(folder))
        built, cost = time.perf_counter() - start, _processor() - worked
        asked = questions(lines)
        for question in islice(asked, 50):
            ask(question)
        clock, processor = [], []
        for question in asked:
            before, worked = time.perf_counter(), time.thread_time()
            ask(question)
            processor.append(1000 * (time.thread_time() - worked))
            clock.append(1000 * (time.perf_counter() - before))
    peak = sum(resource.getrusage(who).ru_maxrss for who in _ALL) / 1024
    figures: dict[str, float | str] = {"p50 ms": _at(clock, 50), "p95 ms": _at(clock, 95)}
    figures |= {"p50 cpu ms": _at(processor, 50), "p95 cpu ms": _at(processor, 95)}
    built_at: dict[str, float | str] = {
        "engine": engine,
        "records": lines.count,
        "build s": built,
        "build cpu s": cost,
    }
    return built_at | {"MB": peak} | figures


_ALL = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
"""Of the children the largest counts, which is all of them where one helps."""


def _processor() -> float:
    """Processor seconds of this process and of those it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in _ALL)


def _at(times: list[float], percent: int) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * percent // 100)]


def main(arguments: list[str] | None = None) -> int:
    """Print one line an engine and size; 0 when the product keeps its limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", default="10000,100000", help="sizes, separated by commas")
    parser.add_argument("--engine", choices=ENGINES, help="only this one, in this process, as JSON")
    parser.add_argument("--file", type=Path, help="with --engine: records that were written before")
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.records.split(",")]
    if options.engine:
        print(json.dumps(measure(options.engine, Lines(options.file, sizes[0]))))
        return 0
    rows = [row for size in sizes for row in _side_by_side(size)]
    print("".join(f"{title:>13}" for title in rows[0]))
    for row in rows:
        print("".join(f"{_cell(value):>13}" for value in row.values()))
    return 0 if all(_holds(row) for row in rows if row["engine"] == "noctuary") else 1


def _side_by_side(size: int) -> list[dict[str, float | str]]:
    with tempfile.TemporaryDirectory(prefix="noctuary-bench-") as folder:
        lines = Lines.written(Path(folder), size)
        return [_apart(engine, lines) for engine in ENGINES if _usable(engine)]


def _usable(engine: str) -> bool:
    return engine != "numpy" or find_spec("numpy") is not None


def _apart(engine: str, lines: Lines) -> dict[str, float | str]:
    asked = ["--engine", engine, "--records", str(lines.count), "--file", str(lines.file)]
    command = [sys.executable, __file__, *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, float | str] = json.loads(done.stdout)
    return row


def _cell(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _holds(row: dict[str, float | str]) -> bool:
    half, most = LIMITS.get(int(row["records"]), (float("inf"), float("inf")))
    quick = float(row["p50 ms"]) <= half and float(row["p95 ms"]) <= most
    light = float(row["build s"]) <= BUILD_SECONDS and float(row["MB"]) <= BUILD_MEGABYTES
    return quick and light


if __name__ == "__main__":
    sys.exit(main())
