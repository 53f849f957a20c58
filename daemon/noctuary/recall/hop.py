"""One hop from what matches to what it speaks of: "the estate I live in" → its name → its garden.

Pure. The telling words of the best matches, that the question does not hold, are looked for too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from noctuary.recall.match import Match

LEADS = 4
"""Matches that are followed."""
TERMS = 6
WEIGHT = 0.3
SHORTEST = 2
COMMON = 0.5
"""Share of passages above which a word tells nothing."""
FEW = 20
"""Passages that a word may stand in all the same: in a young memory one person fills most lines."""


def further_terms(
    found: Sequence[Match],
    asked: Container[str],
    shares: Callable[[Iterable[str]], dict[str, float]],
    count: int,
) -> dict[str, float]:
    """The rarest words of the best matches that other passages hold too, with their weights.

    `count` is the number of all passages, of which `shares` tells the part that holds a word.
    """
    gain: dict[str, float] = {}
    for match in found[:LEADS]:
        for term in dict.fromkeys(content_tokens(match.passage.text)):
            if len(term) >= SHORTEST and term not in asked:
                gain[term] = gain.get(term, 0.0) + match.score
    share = shares(gain)
    rated = {term: total * _rarity(share[term], count) for term, total in gain.items()}
    best = sorted(rated, key=lambda term: (-rated[term], term))[:TERMS]
    return {term: WEIGHT for term in best if rated[term] > 0}


def _rarity(share: float, count: int) -> float:
    return math.log(1 + 1 / share) if 1 < round(share * count) < max(FEW, COMMON * count) else 0.0


def together(direct: Sequence[Match], further: Sequence[Match]) -> list[Match]:
    """Both lists as one, scores added, best first.

    The words that were followed are those of the leads, which must not gain by their own words:
    each of them gains as much as the best of the others.
    """
    merged = {match.key: match for match in direct}
    leads = {match.key for match in direct[:LEADS]}
    gain = max((match.score for match in further if match.key not in leads), default=0.0)
    for match in further:
        known = merged.get(match.key)
        more = gain if match.key in leads else match.score
        merged[match.key] = match.scored(more + (known.score if known else 0.0))
    return sorted(merged.values(), key=lambda match: -match.score)
