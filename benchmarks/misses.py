"""Says where an answer got lost between what was said and what was recalled."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.measures import ENOUGH, answer_tokens, has_date
from benchmarks.words import coverage, telling

if TYPE_CHECKING:
    from benchmarks.cases import Case, Question
    from benchmarks.measures import Recalled

CAUSES = ("never said", "on no card", "not recalled", "no line whole")


def causes(
    case: Case, question: Question, got: Recalled, held: str, scores: dict[str, float]
) -> Counter[str]:
    """What is missing from the main score of a question, by cause; together 1 minus the score.

    `held` is all text that the memory still keeps: whole cards, replaced receipts too.
    """
    if "answer" not in scores:
        return _of_rule(question, held, scores) if question.must else Counter()
    if question.kind == "temporal":
        lost = 1 - scores["answer"]
        return Counter({_of_date(case, question, got, held): lost}) if lost else Counter()
    gold = answer_tokens(question)
    return _of_tokens(gold, got, case, held) if scores["answer"] < 1 else Counter()


def _of_tokens(gold: frozenset[str], got: Recalled, case: Case, held: str) -> Counter[str]:
    found: Counter[str] = Counter()
    known = telling(held)
    for token in gold - telling(got.text):
        cause = "not recalled" if token in known else _not_held(token, case)
        found[cause] += 1 / len(gold)  # type: ignore[assignment]
    return found


def _not_held(token: str, case: Case) -> str:
    return "on no card" if token in _said(case) else "never said"


_SAID: dict[str, frozenset[str]] = {}


def _said(case: Case) -> frozenset[str]:
    key = f"{case.set}/{case.name}"
    if key not in _SAID:
        _SAID[key] = telling("\n".join(turn.text for turn in case.turns))
    return _SAID[key]


def _of_date(case: Case, question: Question, got: Recalled, held: str) -> str:
    turns = [telling(turn.text) for turn in case.turns if turn.ref in question.evidence]
    answer = " ".join(question.answers)
    if any(coverage(turn, line) >= ENOUGH for turn in turns for line in got.lines):
        return "no line whole"
    if any(has_date(answer, line) for line in held.split("\n")):
        return "not recalled"
    if any(coverage(turn, held) >= ENOUGH for turn in turns):
        return "not recalled"
    return "on no card"


def _of_rule(question: Question, held: str, scores: dict[str, float]) -> Counter[str]:
    if scores.get("rule", 1.0) == 1:
        return Counter()
    kept = coverage(telling(question.must), held) >= ENOUGH
    return Counter({"not recalled" if kept else "on no card": 1})


def missing(question: Question, got: Recalled) -> list[str]:
    """The telling tokens that were not recalled, in order of the alphabet."""
    gold = telling(question.must) if question.must else answer_tokens(question)
    return sorted(gold - telling(f"{got.wake}\n{got.text}"))
