"""Judges what a memory returned for a question; `docs/benchmarks.md` states each measure in words.

Every score is 0 to 1; a question gets only the scores that its kind allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from benchmarks.calendar_days import named, spelled, unit_word, wanted
from benchmarks.cases import UNANSWERED
from benchmarks.words import coverage, telling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.cases import Case, Question

ENOUGH = 0.7
"""Share of the telling tokens of a text from which on it counts as found."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a memory gave: the text of each hit, best first, and what is known on waking."""

    hits: tuple[str, ...]
    wake: str = ""

    @property
    def text(self) -> str:
        """All hits together."""
        return "\n".join(self.hits)

    @property
    def lines(self) -> list[str]:
        """Every line of every hit, in order."""
        return [line for line in self.text.split("\n") if line.strip()]


def judge(case: Case, question: Question, got: Recalled) -> dict[str, float]:
    """The scores of one question by name of the measure."""
    scores: dict[str, float] = {}
    if question.must:
        found = coverage(telling(question.must), f"{got.wake}\n{got.text}")
        scores["rule"] = float(found >= ENOUGH)
    if question.choices:
        return scores | _choices(case, question, got)
    if question.kind in UNANSWERED:
        return scores
    return scores | _answers(case, question, got)


def answer_tokens(question: Question) -> frozenset[str]:
    """The telling tokens of the gold answer."""
    return telling(" ".join(question.answers))


def _answers(case: Case, question: Question, got: Recalled) -> dict[str, float]:
    if case.set == "factcons" or (not question.evidence and not question.gold):
        return _newest(case, question, got)
    gold = answer_tokens(question)
    if not gold:
        return {}
    if question.kind == "temporal":
        return _dates(question, got)
    scores = {"answer": coverage(gold, got.text)}
    if question.newer:
        scores |= _update(case, question, got)
    return scores


def _dates(question: Question, got: Recalled) -> dict[str, float]:
    gold = answer_tokens(question)
    answer = " ".join(question.answers)
    best = max((coverage(gold, line) for line in got.lines), default=0.0)
    return {
        "answer": best,
        "date literal": float(best == 1),
        "date": float(any(has_date(answer, line) for line in got.lines)),
        "date meant": float(any(_means(answer, line) for line in got.lines)),
    }


@lru_cache(maxsize=100_000)
def has_date(answer: str, line: str) -> bool:
    """True when every telling token of the answer stands in the line, dates in any spelling."""
    return coverage(telling(spelled(answer)), spelled(line)) == 1


def _means(answer: str, line: str) -> bool:
    goal = wanted(answer)
    if not goal:
        return has_date(answer, line)
    told = named(line)
    unit = unit_word(answer)
    anchored = bool(unit) and unit in line.lower() and any(day in told for day in named(answer))
    return anchored or any(period in told for period in goal)


def _update(case: Case, question: Question, got: Recalled) -> dict[str, float]:
    new = telling(" ".join(question.gold or question.answers))
    first_new = _first(got.lines, lambda line: coverage(new, line) >= ENOUGH)
    old = _old_lines(case, question)
    first_old = _first(got.lines, lambda line: _tells_old(line, old, new))
    present = coverage(new, got.text) >= ENOUGH
    ahead = first_old is None or (first_new is not None and first_new < first_old)
    return {"new value": float(present), "new first": float(present and ahead)}


def _old_lines(case: Case, question: Question) -> list[frozenset[str]]:
    asked = telling(question.text)
    turns = [turn.text for turn in case.turns if turn.ref in set(question.older)]
    pieces = [piece for text in turns for piece in text.replace("\n", ". ").split(". ")]
    best = max((coverage(asked, piece) for piece in pieces), default=0.0)
    return [telling(piece) for piece in pieces if best and coverage(asked, piece) == best]


def _tells_old(line: str, old: Sequence[frozenset[str]], new: frozenset[str]) -> bool:
    return coverage(new, line) < ENOUGH and any(coverage(one, line) >= ENOUGH for one in old)


def _first(lines: Sequence[str], fits: Callable[[str], bool]) -> int | None:
    return next((at for at, line in enumerate(lines) if fits(line)), None)


def _choices(case: Case, question: Question, got: Recalled) -> dict[str, float]:
    said = {turn.ref: turn.text for turn in case.turns}
    shares = {name: coverage(telling(text), got.text) for name, text in question.choices.items()}
    best = [name for name, share in shares.items() if share == max(shares.values())]
    gold = [telling(said[ref]) for ref in question.evidence if ref in said]
    found = [coverage(one, got.text) >= ENOUGH for one in gold]
    return {
        "choice": float(best == [question.truth]),
        "evidence": sum(found) / len(found) if found else 0.0,
    }


def _newest(case: Case, question: Question, got: Recalled) -> dict[str, float]:
    answers = [answer.lower() for answer in question.answers]
    if not question.kind.startswith("sh"):
        return {"answer": max(coverage(telling(answer), got.text) for answer in answers)}
    rivals = _rivals(case, question)
    held = _first(got.lines, lambda line: any(answer in line.lower() for answer in answers))
    older = _first(got.lines, lambda line: _tells_rival(line, rivals, answers))
    top = got.lines[0].lower() if got.lines else ""
    return {
        "answer": float(held is not None),
        "newest first": float(any(answer in top for answer in answers)),
        "no older before": float(held is not None and (older is None or held < older)),
    }


def _rivals(case: Case, question: Question) -> list[frozenset[str]]:
    """Statements that differ from the newest right one only by the value."""
    target = _newest_turn(case, question)
    if not target:
        return []
    text, answer = target
    before, _, after = text.partition(answer)
    texts = [turn.text for turn in case.turns if turn.text != text]
    return [telling(one) for one in texts if one.startswith(before) and one.endswith(after)]


def _newest_turn(case: Case, question: Question) -> tuple[str, str] | None:
    asked = telling(question.text)
    told = [
        (coverage(asked, turn.text), at, turn.text, answer)
        for at, turn in enumerate(case.turns)
        for answer in question.answers
        if answer in turn.text
    ]
    return max(told)[2:] if told else None


def _tells_rival(line: str, rivals: Sequence[frozenset[str]], answers: Sequence[str]) -> bool:
    if any(answer in line.lower() for answer in answers):
        return False
    return any(coverage(rival, line) == 1 for rival in rivals)
