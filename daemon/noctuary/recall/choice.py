"""Chooses the lines of an answer: each must be worth its tokens beside those chosen before. Pure."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from typing import TYPE_CHECKING

from noctuary.memory.tokens import content_tokens
from noctuary.recall.lines import day_of
from noctuary.recall.query import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Ranked

REPEATED = 0.5
"""What a line is worth that says nothing which the lines before it have not said."""
DEARNESS = 0.4
"""How far a short line goes before a long one of the same score: 0 not at all."""
STEM = 5
"""Letters from which on two words with the same start are taken for one another."""


class Choice:
    """The candidates of one answer, handed out by what each still adds."""

    def __init__(
        self, query: str, ranked: Sequence[Ranked], cost: Callable[[Passage], int]
    ) -> None:
        self._ranked = ranked
        self._words = [frozenset(content_tokens(one.passage.text)) for one in ranked]
        self._costs = [math.pow(max(1, cost(one.passage)), DEARNESS) for one in ranked]
        common = Counter(word for words in self._words for word in words)
        self._telling = {word: 1 / math.sqrt(count) for word, count in common.items()}
        self._known: set[str] = set()
        self._asked = _weights(terms(query), common, len(ranked))

    def __iter__(self) -> Iterator[int]:
        """Numbers of candidates; what `take` takes in between changes what comes next."""
        queue = [(-self._worth(number), number) for number in range(len(self._ranked))]
        heapq.heapify(queue)
        while queue:
            before, number = heapq.heappop(queue)
            now = -self._worth(number)
            if queue and now > before and now > queue[0][0]:
                heapq.heappush(queue, (now, number))
            else:
                yield number

    def take(self, number: int) -> None:
        """Remembers the words of a line that is told."""
        self._known |= self._words[number]

    def coverage(self, number: int) -> float:
        """How much of the question stands in a line with its day and speaker; rare words count more."""
        passage = self._ranked[number].passage
        words = self._words[number].union(content_tokens(day_of(passage) + passage.speaker))
        return sum(weight for term, weight in self._asked.items() if _holds(words, term))

    def _worth(self, number: int) -> float:
        words = self._words[number]
        whole = self._value(words)
        share = self._value(words - self._known) / whole if whole else 0.0
        novelty = REPEATED + (1 - REPEATED) * share
        score = max(0.0, self._ranked[number].score)
        return score * novelty / self._costs[number]

    def _value(self, words: Iterable[str]) -> float:
        return sum(self._telling[word] for word in words)


def _weights(asked: dict[str, float], common: Counter[str], count: int) -> dict[str, float]:
    def rarity(term: str) -> float:
        return math.log(1 + count / (0.5 + common[term]))

    return {term: weight * rarity(term) for term, weight in asked.items()}


def _holds(words: Collection[str], term: str) -> bool:
    if term in words:
        return True
    if len(term) < STEM or not term.isascii():
        return False
    return any(
        word.startswith(term) or (len(word) >= STEM and term.startswith(word)) for word in words
    )
