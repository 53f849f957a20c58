"""Chooses the lines of an answer: each must be worth its tokens beside those chosen before. Pure."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from datetime import date
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from noctuary.memory.tokens import content_tokens
from noctuary.recall.chain import Lines, gains
from noctuary.recall.kinds import kind_told, kinds_asked
from noctuary.recall.lines import day_of
from noctuary.recall.query import ALONE, asking, terms, weighed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Ranked

REPEATED = 0.35
"""What a line is worth that says nothing which the lines before it have not said."""
DEARNESS = 0.4
"""How far a short line goes before a long one of the same score: 0 not at all."""
CROWDED = 0.05
"""How much less a line is worth for each that is told of its day: other days may say more."""
STEM = 5
"""Letters from which on two words with the same start may be forms of one."""
ALIKE = 0.7
"""What such a word counts beside the very word."""
IN_ROW = 0.5
"""What two words count on top where the line says them in a row as the question does."""
ANSWERS = 2.0
"""Gain from which on a line belongs to those that answer a question together, one after the other."""
TOGETHER = 2
_RAREST = 1_000_000
OF_ANOTHER = 1 / 3
"""Share of the words of two lines, numbers left out, from which on they say the same of two things."""


class Choice:
    """The candidates of one answer, handed out by what each still adds."""

    def __init__(
        self, query: str, ranked: Sequence[Ranked], cost: Callable[[Passage], int]
    ) -> None:
        self._ranked = ranked
        kinds = kinds_asked(query)
        self._words = [
            frozenset((*content_tokens(one.passage.text), *kind_told(one.passage, kinds)))
            for one in ranked
        ]
        self._holders: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for word in words:
                self._holders.setdefault(word, []).append(number)
        telling = {word: word_weight(len(held)) for word, held in self._holders.items()}
        self._telling = telling
        self._whole = [sum(map(telling.__getitem__, words)) or 1 for words in self._words]
        self._new = list(self._whole)
        self._content = _content(query)
        self._asked, self._gain = self._by_words(query)
        self._merit = [
            self.strength(number) / math.pow(max(1, cost(one.passage)), DEARNESS)
            for number, one in enumerate(ranked)
        ]
        self._pairs = frozenset(pairwise(content_tokens(query)))
        self._days = [one.passage.at.date() for one in ranked]
        self._told = Counter[date]()
        self._chain: list[frozenset[str]] = []

    def _by_words(self, query: str) -> tuple[dict[str, float], list[float]]:
        """Weights of the words asked for, and gains, among the lines that hold any of them."""
        found = [number for number, one in enumerate(self._ranked) if one.match.has_words]
        words = [self._words[number] for number in found]
        counts = Counter(chain.from_iterable(words))
        telling = {word: word_weight(count) for word, count in counts.items()}
        parts = asking(query)
        asked = [_weights(terms(part), counts, len(found)) for part in parts]
        lines = Lines(words, [self._ranked[number].score for number in found], telling)
        gained = dict(zip(found, gains(lines, asked), strict=True))
        whole = _weights(weighed(query, parts), counts, len(found))
        return whole, [gained.get(number, 1.0) for number in range(len(self._ranked))]

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
        """Remembers the words and the day of a line that is told."""
        self._told[self._days[number]] += 1
        if self._gain[number] >= ANSWERS:
            self._chain.append(self._words[number])
        for word in self._words[number]:
            for holder in self._holders.pop(word, ()):
                self._new[holder] -= self._telling[word]

    def gain(self, number: int) -> float:
        """How much higher a line counts since it answers what the best line leaves open."""
        return self._gain[number]

    def is_answered_without(self, number: int) -> bool:
        """Whether the lines told answer together what a line leaves open, and hold what it holds."""
        if len(self._chain) < TOGETHER or self._gain[number] >= ANSWERS:
            return False
        return self._content & self._words[number] <= frozenset().union(*self._chain)

    def strength(self, number: int) -> float:
        """The score of a line with its gain."""
        return max(0.0, self._ranked[number].score) * self._gain[number]

    def coverage(self, number: int) -> float:
        """How much of the question stands in a line, its day and speaker; rare words count more."""
        passage = self._ranked[number].passage
        words = self._words[number].union(content_tokens(day_of(passage) + passage.speaker))
        single = sum(weight * _held(words, term) for term, weight in self._asked.items())
        in_row = self._pairs.intersection(pairwise(content_tokens(passage.text)))
        return single + IN_ROW * math.fsum(
            min(self._asked.get(term, 0.0) for term in pair) for pair in in_row
        )

    def of_another(self, number: int, best: int) -> bool:
        """Whether a line says of somebody else what the best line says of the one asked for."""
        line, named = self._words[number], self._words[best]
        plain = {word for word in line | named if not any(map(str.isdigit, word))}
        alike = len(plain & line & named) >= OF_ANOTHER * len(plain)
        return alike and self._content & line < self._content & named

    def _worth(self, number: int) -> float:
        novelty = self._new[number] / self._whole[number]
        crowd = 1 + CROWDED * self._told[self._days[number]]
        return self._merit[number] * (REPEATED + (1 - REPEATED) * novelty) / crowd


def word_weight(count: int) -> int:
    """The weight of a word that so many candidates hold.

    A whole number, so that a sum of them is the same in whatever order a set hands them out.
    """
    return round(_RAREST / math.sqrt(count))


def _content(query: str) -> frozenset[str]:
    """The words of what a question asks that say something by themselves."""
    found = (terms(part).items() for part in asking(query))
    return frozenset(term for part in found for term, weight in part if weight == 1)


def _weights(asked: dict[str, float], holders: Mapping[str, int], count: int) -> dict[str, float]:
    """How much each term of the question that says something counts: the more, the fewer hold it."""
    return {
        term: weight * math.log(1 + count / (0.5 + holders.get(term, 0)))
        for term, weight in asked.items()
        if weight > ALONE
    }


def _held(words: Collection[str], term: str) -> float:
    """1 for a word that is there, `ALIKE` for one that only starts like it."""
    if term in words:
        return 1.0
    if len(term) < STEM or not term.isascii():
        return 0.0
    return ALIKE * any(
        word.startswith(term) or (len(word) >= STEM and term.startswith(word)) for word in words
    )
