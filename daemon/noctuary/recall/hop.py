"""One hop from what matches to what it speaks of: "the estate I live in" → its name → its garden.

Pure. The telling words of the best matches, that the question does not hold, are looked for too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Match

LEADS = 3
"""Matches that are followed."""
TERMS = 6
WEIGHT = 0.3
SHORTEST = 2
COMMON = 0.2
"""Share of passages above which a word tells nothing."""


def further_terms(
    found: Sequence[Match], asked: Container[str], share: Callable[[str], float]
) -> dict[str, float]:
    """The rarest words of the best matches, with the weight at which to look for them."""
    gain: dict[str, float] = {}
    for score, passage in found[:LEADS]:
        for term in dict.fromkeys(content_tokens(passage.text)):
            if len(term) >= SHORTEST and term not in asked:
                gain[term] = gain.get(term, 0.0) + score
    rated = {term: total * _rarity(share(term)) for term, total in gain.items()}
    best = sorted(rated, key=lambda term: (-rated[term], term))[:TERMS]
    return {term: WEIGHT for term in best if rated[term] > 0}


def _rarity(share: float) -> float:
    return math.log(1 / share) if 0 < share < COMMON else 0.0


def together(direct: Sequence[Match], further: Sequence[Match]) -> list[Match]:
    """Both lists as one, scores added, best first."""
    scores: dict[tuple[str, str, str], float] = {}
    passages: dict[tuple[str, str, str], Passage] = {}
    for score, passage in (*direct, *further):
        place = (passage.owner, passage.link, passage.text)
        scores[place] = scores.get(place, 0.0) + score
        passages[place] = passage
    order = sorted(scores, key=lambda place: -scores[place])
    return [(scores[place], passages[place]) for place in order]
