"""What of a question need not be looked for. Pure.

Where there are many passages:

*Common words*: they only add to a score. Whatever holds none of the rarer words can score no more
than all common ones together, so the best passages are the same as long as the last of them scores
more than that.

*Single Chinese characters* that stand in a telling pair of the question: most passages that hold
one hold it in another word, and the more passages there are, the less it says beside the pair.

Anywhere: the single characters of a question of which no word stands in memory at all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from noctuary.memory.words import STOP_ZH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MANY = 50_000
"""Passages up to which all that hold any word are scored before it could be told which are rare."""
SEVERAL = 3
"""Words of a question of which one at least stands in memory, if that holds anything about it; of
a single one the characters may stand apart (换人, 换了人)."""
_COMMON = 2.0
"""How many more passages a common word stands in than all rarer ones together."""
_SMALL = 0.1
"""Share of all that a question can bring, up to which its common words may be put aside."""
_MOST = 2.2
"""What BM25 multiplies the rarity of a word with at most, however often it stands there (k1 + 1)."""


def paired(terms: Mapping[str, float]) -> dict[str, float]:
    """Weighted terms without the characters that stand in a pair of them that tells something."""
    pairs = (term for term in terms if len(term) == 2 and STOP_ZH.isdisjoint(term))
    held = {char for pair in pairs if not pair.isascii() for char in pair}
    return {term: weight for term, weight in terms.items() if term not in held}


def by_chance(terms: Mapping[str, float], count: Callable[[str], int]) -> bool:
    """Whether a question in several words has none in memory, and finds lines by characters alone.

    `count` tells in how many passages a term stands.
    """
    words = [term for term in terms if len(term) > 1 or term.isascii()]
    return SEVERAL <= len(words) < len(terms) and not any(map(count, words))


def common(terms: Mapping[str, float], counts: Mapping[str, int], total: int) -> dict[str, float]:
    """The common ones of weighted terms, the commonest first, each with the most that it can add.

    `counts` tells in how many of all passages, `total`, each term stands.
    """
    worth = {term: weight * _rarity(counts[term], total) for term, weight in terms.items()}
    left, room = sum(counts[term] for term in terms), _SMALL * sum(worth.values())
    found: dict[str, float] = {}
    for term in sorted(terms, key=lambda term: (-counts[term], term)):
        left, room = left - counts[term], room - worth[term]
        if room < 0 or counts[term] <= _COMMON * left:
            break
        found[term] = _MOST * worth[term]
    return found


def _rarity(count: int, total: int) -> float:
    return math.log(1 + max(0.0, total - count + 0.5) / (count + 0.5))
