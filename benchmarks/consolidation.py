"""Measures what dreams keep: `python benchmarks/consolidation.py DATA [--set …] [--dreams …]`.

DATA is a folder of sets of cases. Each case is imported into a temporary vault, dreamt, purged,
and asked; beside it the baselines. `docs/benchmarks.md` defines every figure.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

_HOUSE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_HOUSE), str(_HOUSE / "daemon")]

from benchmarks import memories, misses, product
from benchmarks.cases import Case, Question, read_set
from benchmarks.measures import Recalled, judge
from benchmarks.words import cost, cut

SETS = ("beam", "locomo", "memdaily", "factcons")
BUDGETS = {"memdaily": 80}
BUDGET = 1000
BASELINES = {"raw BM25": memories.raw, "naive": memories.naive, "gold turns": memories.gold}


@dataclass(slots=True)
class Column:
    """All scores of one memory over one set."""

    scores: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    lost: Counter[str] = field(default_factory=Counter)
    asked: int = 0

    def add(self, question: Question, scores: dict[str, float], lost: Counter[str]) -> None:
        """Take in one question."""
        for name, value in scores.items():
            self.scores[name].append(value)
        if "answer" in scores:
            self.scores[f"answer · {question.kind}"].append(scores["answer"])
            self.asked += 1
            self.lost += lost
        elif question.must and lost:
            self.lost[f"rule {next(iter(lost))}"] += 1

    def figures(self) -> dict[str, float]:
        """The mean of each score; then the answer's missing share by cause."""
        means = {name: mean(values) for name, values in self.scores.items()}
        shares = {f"lost · {name}": self.lost[name] / max(1, self.asked) for name in misses.CAUSES}
        rules = {f"lost · {k}": float(v) for k, v in self.lost.items() if k.startswith("rule")}
        return means | {name: share for name, share in shares.items() if share} | rules


def main(arguments: list[str] | None = None) -> int:
    """Print the table of each set; 0 when everything was measured."""
    options = _options(arguments)
    tables = {name: _measure(name, options) for name in options.set}
    if options.json:
        print(json.dumps(tables, ensure_ascii=False, indent=2))
        return 0
    for name, table in tables.items():
        _print(name, table)
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of sets of cases")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set (repeatable)")
    parser.add_argument("--cases", default="", help="only these cases, separated by commas")
    parser.add_argument("--limit", type=int, default=0, help="only the first N cases of a set")
    parser.add_argument("--every", type=int, default=1, help="only every Nth case of a set")
    parser.add_argument("--kind", default="", help="only questions of this kind")
    parser.add_argument(
        "--dreams", default="days", help="into how many dreams a case is cut: days,1,7,30"
    )
    parser.add_argument("--budget", type=int, default=0, help="tokens of recall")
    parser.add_argument("--in-memory", action="store_true", help="no disk: quick, thinking only")
    parser.add_argument("--profile", default="", help="the model that thinks instead of rules")
    parser.add_argument("--no-product", action="store_true", help="only the baselines")
    parser.add_argument("--no-baselines", action="store_true", help="only the product")
    parser.add_argument("--show-misses", type=int, nargs="?", const=1000, default=0, metavar="N")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    options.set = options.set or [name for name in SETS if (options.data / name).is_dir()]
    return options


def _measure(name: str, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    columns: dict[str, Column] = {}
    chosen = frozenset(filter(None, options.cases.split(",")))
    for case in read_set(options.data / name, chosen, every=options.every, limit=options.limit):
        for title, memory in _memories(case, options):
            column = columns.setdefault(title, Column())
            _ask_all(case, memory, column, title, options)
            for figure, value in memory.costs.items():
                column.scores[figure].append(value)
    return {title: column.figures() for title, column in columns.items()}


def _memories(case: Case, options: argparse.Namespace) -> list[tuple[str, memories.Memory]]:
    found: list[tuple[str, memories.Memory]] = []
    if not options.no_product:
        for cut_into in options.dreams.split(","):
            title = "noctuary" if cut_into == "days" else f"{cut_into} dreams"
            portions = 0 if cut_into == "days" else int(cut_into)
            memory = product.dream_case(
                case, portions, in_memory=options.in_memory, profile=options.profile
            )
            found.append((title, memory))
    if not options.no_baselines:
        found += [(title, make(case)) for title, make in BASELINES.items()]
    return found


def _ask_all(
    case: Case,
    memory: memories.Memory,
    column: Column,
    title: str,
    options: argparse.Namespace,
) -> None:
    budget = options.budget or BUDGETS.get(case.set, BUDGET)
    spent, held = 0.0, memory.held
    for question in case.questions:
        if options.kind and options.kind not in question.kind:
            continue
        start = time.perf_counter()
        got = _within(memory.ask(question, budget), budget if title != "gold turns" else 0)
        spent += time.perf_counter() - start
        scores = judge(case, question, got)
        lost = misses.causes(case, question, got, held, scores)
        column.add(question, scores, lost)
        column.scores["tokens"].append(cost(got.text))
        if (
            title in {"noctuary", f"{options.dreams} dreams"}
            and min(scores.values(), default=1) < 1
        ):
            _show(case, question, got, scores, lost, options)
    column.scores["ms a question"].append(1000 * spent / max(1, len(case.questions)))


def _within(got: Recalled, budget: int) -> Recalled:
    """What counts is what fits, whatever a memory claims to have kept to."""
    if not budget or cost("\n".join(got.hits)) <= budget:
        return got
    return Recalled(tuple(cut("\n".join(got.hits), budget).split("\n")), got.wake)


def _show(
    case: Case,
    question: Question,
    got: Recalled,
    scores: dict[str, float],
    lost: Counter[str],
    options: argparse.Namespace,
) -> None:
    if options.show_misses <= 0:
        return
    options.show_misses -= 1
    figures = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
    print(f"\n── {case.set}/{case.name} {question.id} [{question.kind}] {figures}")
    print(f"asked:   {question.text}\nwanted:  {question.must or ' | '.join(question.answers)}")
    print(f"missing: {' '.join(misses.missing(question, got))}\ncause:   {dict(lost)}")
    for turn in case.turns:
        if turn.ref in question.evidence:
            print(f"said:    [{turn.at:%Y-%m-%d}] {' '.join(turn.text.split())[:400]}")
    for line in got.lines:
        print(f"  got:   {line[:300]}")


def _print(name: str, table: dict[str, dict[str, float]]) -> None:
    rows = list(dict.fromkeys(row for figures in table.values() for row in figures))
    width = max(map(len, rows), default=0) + 2
    print(f"\n{name:<{width}}" + "".join(f"{title:>13}" for title in table))
    for row in rows:
        cells = [figures.get(row) for figures in table.values()]
        print(f"{row:<{width}}" + "".join(f"{_cell(cell):>13}" for cell in cells))


def _cell(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if value < 10 else f"{value:.0f}"


if __name__ == "__main__":
    sys.exit(main())
