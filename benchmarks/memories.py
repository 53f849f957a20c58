"""What can be asked: the product after its dreams, and the baselines beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from benchmarks import baselines
from benchmarks.measures import Recalled

if TYPE_CHECKING:
    from benchmarks.cases import Case, Question

WAKE_BUDGET = 1500


class Memory(Protocol):
    """Something that took in a case and can be asked."""

    @property
    def held(self) -> str:
        """All text that it still keeps."""
        ...

    @property
    def costs(self) -> dict[str, float]:
        """Figures of the whole case: `bytes` kept / raw, facts, seconds."""
        ...

    def ask(self, question: Question, budget: int) -> Recalled:
        """What it returns within the budget, and what is known on waking."""
        ...


@dataclass(slots=True)
class Baseline:
    """A list of texts ranked by BM25."""

    texts: baselines.Texts
    raw_bytes: int

    @property
    def held(self) -> str:
        """All of its texts."""
        return "\n".join(self.texts.texts)

    @property
    def costs(self) -> dict[str, float]:
        """Bytes kept by raw bytes."""
        return {"bytes": self.texts.kept_bytes / self.raw_bytes}

    def ask(self, question: Question, budget: int) -> Recalled:
        """The best texts within the budget."""
        wake = "\n".join(baselines.within(self.texts.rules, WAKE_BUDGET))
        return Recalled(tuple(self.texts.recall(question.text, budget)), wake)


@dataclass(slots=True)
class Gold:
    """The turns themselves that hold the answer: what no retrieval can beat by much."""

    said: dict[str, str]
    costs: dict[str, float] = field(default_factory=dict)

    @property
    def held(self) -> str:
        """All that was said."""
        return "\n".join(self.said.values())

    def ask(self, question: Question, budget: int) -> Recalled:
        """The evidence, cut to the budget only where cases are short."""
        turns = [self.said[ref] for ref in question.evidence if ref in self.said]
        return Recalled(tuple(baselines.within(turns, budget) if question.choices else turns))


def raw(case: Case) -> Memory:
    """BM25 over all raw entries, nothing forgotten."""
    return Baseline(baselines.raw_entries(case), case.raw_bytes)


def naive(case: Case) -> Memory:
    """Every sentence of the user with its date resolved."""
    return Baseline(baselines.naive_sentences(case), case.raw_bytes)


def gold(case: Case) -> Memory:
    """The evidence of each question."""
    return Gold({turn.ref: turn.text for turn in case.turns})
