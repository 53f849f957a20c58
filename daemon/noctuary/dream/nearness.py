"""Which lines of memory share the most telling words with a text. Pure.

A rare word tells more than a common one. The rare ones are looked up first: once what the others
could still add is less than what the best lines have, only lines that were found are followed.
"""

from __future__ import annotations

from heapq import nlargest
from math import log
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    Key: TypeAlias = tuple[str, str, str]
    """Of a receipt, see `Receipt.key`."""
    _Scores: TypeAlias = dict[int, float]
    _Held: TypeAlias = list[tuple[float, set[int]]]

_TOO_COMMON = 400
"""Tokens on more lines than this say nothing about nearness, and would make it slow."""
_LESS = 0.6
"""Lines that can no longer be among the best are let go when so little is left of what was."""
_ROUNDING = 1 - 1e-9
"""Sums of the same weights in another order may differ by less than this."""


class Nearness:
    """An index over lines by their words; of each line only a number is kept under a word."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._lines: dict[str, set[int]] = {}

    def add(self, key: Key, words: Iterable[str]) -> None:
        """Find the line by these words from now on."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
        for word in words:
            held = self._lines.get(word)
            if held is None:
                self._lines[word] = {number}
            else:
                held.add(number)

    def remove(self, key: Key, words: Iterable[str]) -> None:
        """Find it by these words no longer."""
        number = self._numbers.get(key, -1)
        for held in map(self._lines.get, words):
            if held is not None:
                held.discard(number)

    def best(self, words: Iterable[str], limit: int, total: int) -> list[Key]:
        """The nearest lines, nearest first; `total` is one more than all lines that there are."""
        known = ((word, held) for word in words if (held := self._lines.get(word)))
        most = max(_TOO_COMMON, total // 8)
        telling = sorted((len(held), word, held) for word, held in known if len(held) <= most)
        scores = _scored([(log(1 + total / count), held) for count, _, held in telling], limit)
        least = min(nlargest(limit, scores.values()), default=0.0)
        best = [(score, self._keys[n]) for n, score in scores.items() if score >= least]
        return [key for _, key in sorted(best, reverse=True)[:limit]]


def _scored(held: _Held, limit: int) -> _Scores:
    """The whole score of every line that may be among the best, of others perhaps a part of it."""
    scores: _Scores = {}
    left = sum(weight for weight, _ in held)
    for place, (weight, numbers) in enumerate(held):
        if len(scores) >= limit:
            least = nlargest(limit, scores.values())[-1] * _ROUNDING
            if least > left:
                return _followed(scores, held[place:], left, least)
        known = numbers & scores.keys()
        scores |= dict.fromkeys(numbers - known, weight)
        for number in known:
            scores[number] += weight
        left -= weight
    return scores


def _followed(scores: _Scores, held: _Held, left: float, least: float) -> _Scores:
    """The rest of the words, for those lines alone that may still be among the best."""
    seen_with = left
    for weight, numbers in held:
        if left <= seen_with * _LESS:
            scores = {number: score for number, score in scores.items() if score + left >= least}
            seen_with = left
        for number in scores.keys() & numbers:
            scores[number] += weight
        left -= weight
    return scores
