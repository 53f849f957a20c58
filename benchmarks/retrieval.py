"""Finding the right turns: evidence recall over raw entries, nothing dreamt, nothing purged.

`python benchmarks/retrieval.py FOLDER` where FOLDER holds sets of cases (see `cases.py`). What the
numbers mean stands in docs/benchmarks.md, section Retrieval.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

_HOUSE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_HOUSE), str(_HOUSE / "daemon")]

from benchmarks.cases import read_set
from benchmarks.words import words

from noctuary.memory.entry import Entry, Role, entry_id
from noctuary.recall.embedding import embedder
from noctuary.recall.recall import Recall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.cases import Case, Turn

SETS = ("locomo", "memdaily", "beam")
CUTS = (5, 10)
FETCHED = 200


@dataclass(frozen=True, slots=True)
class Row:
    """Mean evidence recall of one ranker over some questions."""

    ranker: str
    questions: int
    at_5: float
    at_10: float


def ours(case: Case, folder: Path) -> Callable[[str], list[str]]:
    """The product's own search, by meaning too where the extra for it is installed."""
    entries = [_entry(turn, number) for number, turn in enumerate(case.turns)]
    refs = {entry.id: turn.ref for entry, turn in zip(entries, case.turns, strict=True)}
    recall = Recall.open(folder / case.set / case.name, embedder())
    recall.sync([], entries)
    now = max(turn.at for turn in case.turns)

    def ask(question: str) -> list[str]:
        ranked = recall.ranked(question, now=now, limit=FETCHED)
        return list(dict.fromkeys(refs[one.passage.id] for one in ranked))

    return ask


def _entry(turn: Turn, number: int) -> Entry:
    role = Role(turn.role)
    made = entry_id(role, turn.at, turn.text)
    return Entry(
        id=f"{made}-{number}",
        role=role,
        at=turn.at,
        text=turn.text,
        user=turn.user,
        session=turn.session,
        episode=f"{turn.at:%Y-%m-%d}-{turn.session}",
    )


def plain(case: Case, _folder: Path) -> Callable[[str], list[str]]:
    """BM25 (k1 1.2, b 0.75) over the words of each turn."""
    return _bm25(case, [words(turn.text) for turn in case.turns])


def in_context(case: Case, _folder: Path) -> Callable[[str], list[str]]:
    """BM25 over day, turn and the turn before it in the same session."""
    before: dict[str, str] = {}
    documents = []
    for turn in case.turns:
        text = f"{turn.at:%Y-%m-%d %d %B %Y}\n{turn.text}\n{before.get(turn.session, '')}"
        documents.append(words(text))
        before[turn.session] = turn.text
    return _bm25(case, documents)


def _bm25(case: Case, documents: Sequence[list[str]]) -> Callable[[str], list[str]]:
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, document in enumerate(documents):
        for word, count in Counter(document).items():
            postings[word].append((number, count))
    mean = sum(map(len, documents)) / max(1, len(documents))

    def ask(question: str) -> list[str]:
        scores: dict[int, float] = defaultdict(float)
        for word in words(question):
            found = postings.get(word, [])
            weight = math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                length = 0.25 + 0.75 * len(documents[number]) / mean
                scores[number] += weight * count * 2.2 / (count + 1.2 * length)
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [case.turns[number].ref for number in order]

    return ask


RANKERS = {"noctuary": ours, "BM25": plain, "BM25 in context": in_context}


def measure(cases: Sequence[Case], ranker: str, folder: Path) -> Row:
    """Recall at 5 and 10, averaged over the questions whose evidence is among the turns."""
    found = [pair for case in cases for pair in _scores(case, ranker, folder)]
    count = max(1, len(found))
    at_5, at_10 = (sum(pair[place] for pair in found) / count for place in range(len(CUTS)))
    return Row(ranker, len(found), at_5, at_10)


def _scores(case: Case, ranker: str, folder: Path) -> Iterator[tuple[float, ...]]:
    ask = RANKERS[ranker](case, folder)
    known = {turn.ref for turn in case.turns}
    for question in case.questions:
        evidence = known.intersection(question.evidence)
        if evidence:
            order = ask(question.text)
            yield tuple(len(evidence.intersection(order[:cut])) / len(evidence) for cut in CUTS)


def halves(cases: Sequence[Case]) -> dict[str, Sequence[Case]]:
    """All cases, and the two halves of them, to show how far a figure hangs on the cases."""
    return {"all": cases, "odd": cases[::2], "even": cases[1::2]}


def main() -> None:
    """Prints one table, or with `--json` the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--rankers", nargs="*", default=list(RANKERS))
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in chosen.sets:
            parts = halves(read_set(chosen.folder / name))
            for half, cases in parts.items():
                for ranker in chosen.rankers:
                    row = measure(cases, ranker, Path(scratch))
                    rows.append({"set": name, "half": half, **_plain(row)})
    print(json.dumps(rows, indent=1) if chosen.json else _table(rows))


def _plain(row: Row) -> dict[str, object]:
    return {
        "ranker": row.ranker,
        "questions": row.questions,
        "R@5": round(row.at_5, 3),
        "R@10": round(row.at_10, 3),
    }


def _table(rows: Sequence[dict[str, object]]) -> str:
    titles = list(rows[0])
    lines = [titles, ["---"] * len(titles), *([str(row[key]) for key in titles] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
