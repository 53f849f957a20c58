"""Measures whether kinds of language are known: `python benchmarks/kinds.py FILE… [--misses N]`.

FILE holds lines of `label<TAB>slug<TAB>text`. Each text is said by a person in a session and on a
day of its own, with nothing before or after it, and dreamt by the offline distiller.
`docs/benchmarks.md` defines every figure.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

_HOUSE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_HOUSE), str(_HOUSE / "daemon")]

from noctuary.distil.offline import OfflineDistiller
from noctuary.dream.brain import Brain
from noctuary.dream.collect import Pending
from noctuary.dream.consolidate import Bounds, consolidate
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import Anchor
from noctuary.memory.card import LIVE, Card, CardType
from noctuary.memory.entry import Entry, Role, entry_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

START = datetime(2026, 3, 2, 9, 0)
HIGH = 4
STEERING = frozenset({"preference", "constraint", "pattern"})
HARMLESS = frozenset({"fact", "done", "once", "noise"})
"""Labels of lines that must not steer an agent."""
WANTED = {
    "rule": ("preference", "pattern", "constraint"),
    "wish": ("preference", "pattern"),
    "constraint": ("constraint",),
    "decision": ("decision",),
    "task": ("task",),
    "lesson": ("lesson",),
}
"""Kinds of card that a label asks for; what the other labels ask for is said in `_worth`.

What is forbidden is kept as a constraint: it stands in every wake context as a preference does.
"""
OUTCOMES = ("preference", "pattern", "constraint", "decision", "task", "lesson", "line", "nothing")


@dataclass(frozen=True, slots=True)
class Said:
    """One labelled text."""

    label: str
    slug: str
    text: str


@dataclass(frozen=True, slots=True)
class Became:
    """What one text became: kinds of the live cards that quote it, and how far that was right."""

    said: Said
    kinds: tuple[str, ...]
    right: float


def main(arguments: list[str] | None = None) -> int:
    """Print the table of each file; 0 when everything was measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--misses", action="store_true", help="show what came out wrong")
    options = parser.parse_args(arguments)
    for path in options.files:
        found = judged(read(path))
        print(f"{path.name}: {len(found)} lines\n{table(found)}")
        if options.misses:
            print("\n".join(_shown(one) for one in found if one.right < 1))
    return 0


def read(path: Path) -> list[Said]:
    """The labelled lines of a file."""
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines() if line.strip())
    return [Said(label, slug, text) for label, slug, text in rows]


def judged(lines: Iterable[Said]) -> list[Became]:
    """Dream over each line alone and look at what came of it."""
    distiller = OfflineDistiller()
    found = []
    for number, said in enumerate(lines):
        kinds = _kinds(_dreamt(_entry(number, said.text), distiller))
        found.append(Became(said, kinds, _worth(said.label, kinds)))
    return found


def _entry(number: int, text: str) -> Entry:
    at = START + timedelta(days=number)
    name = f"s{number}"
    return Entry(
        entry_id(Role.USER, at, text), Role.USER, at, text, session=name, episode=f"{at:%F}-{name}"
    )


def _dreamt(entry: Entry, distiller: OfflineDistiller) -> list[Card]:
    brain = Brain(entry.at + timedelta(hours=6), "[[dream]]", lambda title: title)
    consolidate(Pending((entry,)), Reconciler(brain, distiller), distiller, Anchor(), Bounds())
    return [card for card in brain.cards.values() if card.status in LIVE]


def _kinds(cards: Iterable[Card]) -> tuple[str, ...]:
    """Kinds in the order of the table; a preference of little importance is only a line."""
    kinds = {_kind(card) for card in cards} or {"nothing"}
    return tuple(kind for kind in OUTCOMES if kind in kinds)


def _kind(card: Card) -> str:
    weak = card.type in (CardType.PREFERENCE, CardType.PATTERN) and card.importance < HIGH
    return "line" if weak or card.type is CardType.FACT else str(card.type)


def _worth(label: str, kinds: Sequence[str]) -> float:
    """1 when the label got what it asks for, 0.5 for a limit that is kept as a preference."""
    if label in WANTED:
        right = any(kind in kinds for kind in WANTED[label])
        return 1.0 if right else 0.5 * (label == "constraint" and "preference" in kinds)
    if label in ("fact", "change"):
        return float("nothing" not in kinds)
    if label == "done":
        return float("task" not in kinds)
    return float(set(kinds) <= ({"line", "nothing"} if label == "once" else {"nothing"}))


def recalls(found: Iterable[Became]) -> dict[str, float]:
    """How much of each label came out right."""
    by_label: dict[str, list[float]] = defaultdict(list)
    for one in found:
        by_label[one.said.label].append(one.right)
    return {label: mean(values) for label, values in by_label.items()}


def precisions(found: Sequence[Became]) -> dict[str, float]:
    """For each kind of card: how many of those made stand for a line that asks for it."""
    made = {
        kind: [kind in WANTED.get(one.said.label, ()) for one in found if kind in one.kinds]
        for kind in OUTCOMES[:-2]
    }
    return {kind: mean(right) for kind, right in made.items() if right}


def steering(found: Iterable[Became]) -> float:
    """Share of the lines that must not steer which became a preference, pattern or constraint."""
    harmless = [one for one in found if one.said.label in HARMLESS]
    return mean(bool(STEERING & set(one.kinds)) for one in harmless) if harmless else 0.0


def table(found: Sequence[Became]) -> str:
    """What each label became, how much of it was right, and how often each kind was right."""
    counts = Counter((one.said.label, kind) for one in found for kind in one.kinds)
    right = recalls(found)
    rows = [f"{'':12}{''.join(f'{kind:>12}' for kind in OUTCOMES)}{'recall':>10}"]
    for label, value in right.items():
        cells = "".join(f"{counts[label, kind] or '':>12}" for kind in OUTCOMES)
        rows.append(f"{label:12}{cells}{value:>10.3f}")
    exact = precisions(found)
    cells = "".join(f"{exact[k]:>12.3f}" if k in exact else f"{'':>12}" for k in OUTCOMES)
    rows.append(f"{'precision':12}{cells}{mean(right.values()):>10.3f}  (mean)")
    rows.append(f"steer and must not: {steering(found):.3f}")
    return "\n".join(rows)


def _shown(one: Became) -> str:
    return f"{one.said.label:10} → {' '.join(one.kinds):22} {one.said.text}"


if __name__ == "__main__":
    raise SystemExit(main())
