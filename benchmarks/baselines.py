"""What consolidation is compared with: BM25 over all raw entries, and naive dated sentences."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from benchmarks.words import cost, cut, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.cases import Case, Turn

_K1, _B = 1.5, 0.75


class Bm25:
    """Okapi BM25 over plain words; ties go to the earlier document."""

    def __init__(self, documents: Sequence[str]) -> None:
        counts = [Counter(words(document)) for document in documents]
        self._lengths = [count.total() for count in counts]
        self._mean = sum(self._lengths) / max(1, len(counts)) or 1.0
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, count in enumerate(counts):
            for word, times in count.items():
                self._postings[word].append((at, times))

    def rank(self, query: str) -> list[int]:
        """Documents that share a word with the query, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words(query)):
            postings = self._postings.get(word, [])
            rare = len(self._lengths) - len(postings) + 0.5
            weight = math.log(1 + rare / (len(postings) + 0.5))
            for at, times in postings:
                longer = 1 - _B + _B * self._lengths[at] / self._mean
                scores[at] += weight * times * (_K1 + 1) / (times + _K1 * longer)
        return sorted(scores, key=lambda at: (-scores[at], at))


def within(texts: Sequence[str], budget: int) -> list[str]:
    """The first texts that fit the budget; the one that does not is cut and ends the list."""
    taken: list[str] = []
    for text in texts:
        price = cost(text)
        if price > budget:
            return [*taken, cut(text, budget)] if budget else taken
        taken.append(text)
        budget -= price
    return taken


@dataclass(frozen=True, slots=True)
class Texts:
    """A memory that only keeps texts and ranks them by BM25."""

    texts: list[str]
    index: Bm25
    rules: list[str]
    kept_bytes: int

    def recall(self, question: str, budget: int) -> list[str]:
        """What it returns for a question, best first, within the budget."""
        return within([self.texts[at] for at in self.index.rank(question)], budget)


def raw_entries(case: Case) -> Texts:
    """Every entry as it was said; nothing is forgotten, nothing is known on waking."""
    return _texts([turn.text for turn in case.turns], [])


def naive_sentences(case: Case) -> Texts:
    """Every sentence of the user, dated and its relative dates resolved; rules by a cue word."""
    lines = [line for turn in case.turns if turn.role == "user" for line in _dated(turn)]
    return _texts(lines, [line for line in lines if _RULE.search(line)])


def _texts(texts: list[str], rules: list[str]) -> Texts:
    return Texts(texts, Bm25(texts), rules, sum(len(text.encode()) + 1 for text in texts))


_RULE = re.compile(r"\b(?:always|never|prefer|from now on)\b|以后|不要|总是|喜欢", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_RELATIVE = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|(last|next|this) (week|weekend|month|year|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b",
    re.IGNORECASE,
)
_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_SIDES = {"last": "before", "next": "after", "this": "of"}


def _dated(turn: Turn) -> list[str]:
    day = _said(turn.at)
    sentences = [piece.strip() for piece in _END.split(turn.text) if piece and piece.strip()]
    return [f"[{day}] {_RELATIVE.sub(lambda hit: _meant(hit, turn.at), s)}" for s in sentences]


def _meant(hit: re.Match[str], at: datetime) -> str:
    phrase = hit[0].lower()
    if phrase in _DAYS:
        return f"{hit[0]} [{_said(at + timedelta(days=_DAYS[phrase]))}]"
    side, unit = hit[2].lower(), hit[3].lower()
    step = {"last": -1, "next": 1, "this": 0}[side]
    if unit == "year":
        return f"{hit[0]} [{at.year + step}]"
    if unit == "month":
        moved = at.replace(day=15) + timedelta(days=30 * step)
        return f"{hit[0]} [{moved.strftime('%B %Y')}]"
    return f"{hit[0]} [the {unit} {_SIDES[side]} {_said(at)}]"


def _said(at: datetime) -> str:
    return f"{at.day} {at.strftime('%B %Y')}"
