"""Questions that need two lines: "the phone of whoever is 39" → who is 39 → that one's phone. Pure.

The best line for a question is its lead. A line gains that speaks of what the lead speaks of, and
answers what the lead leaves open.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

GAIN = 3.0
"""How much a line gains that shares the subject of the lead and answers all that it leaves open."""
SUBJECT = 1 / 3
"""Share of the lead's own words that makes a subject: the rest of them says something about it."""
NEAR = 0.4
"""Share of the best score that a lead has."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The candidates of an answer.

    Attributes:
        words: Of each line, its words.
        scores: Of each line, how well it matches the whole question.
        telling: The weight of each word, a whole number.
    """

    words: Sequence[frozenset[str]]
    scores: Sequence[float]
    telling: Mapping[str, int]


def gains(lines: Lines, parts: Iterable[Mapping[str, float]]) -> list[float]:
    """A factor for each line, the best over the parts of a question; 1 where nothing is gained.

    Each part is the weights of the words asked for.
    """
    found = [1.0] * len(lines.words)
    for part in parts:
        for number, gain in enumerate(_of_part(lines, part)):
            found[number] = max(found[number], 1.0 + GAIN * gain)
    return found


def _of_part(lines: Lines, part: Mapping[str, float]) -> list[float]:
    covered = [part.keys() & words for words in lines.words]
    lead = _lead(covered, lines.scores, part)
    if lead is None:
        return []
    shares = _shares(lines, lead, part)
    opens = [math.fsum(part[term] for term in terms - covered[lead]) for terms in covered]
    both = list(zip(shares, opens, strict=True))
    most = max((value for share, value in both if share), default=0.0) or 1.0
    found = [share * min(1.0, value / most) for share, value in both]
    found[lead] = max(found)
    return found


def _lead(
    covered: Sequence[Collection[str]], scores: Sequence[float], part: Mapping[str, float]
) -> int | None:
    """The line that the question points to: what one line holds points, what all hold does not."""
    holders = Counter(term for terms in covered for term in terms)
    if not holders:
        return None
    least = NEAR * max(scores)
    points = [math.fsum(part[term] / holders[term] for term in terms) for terms in covered]
    near = (number for number, score in enumerate(scores) if score >= least)
    return max(near, key=points.__getitem__)


def _shares(lines: Lines, lead: int, part: Mapping[str, float]) -> list[float]:
    """How far each line speaks of what the lead speaks of."""
    unasked = (word for word in lines.words[lead] if word not in part and len(word) > 1)
    own = {word: lines.telling[word] for word in unasked}
    least = SUBJECT * sum(own.values()) or 1.0
    return [
        min(1.0, sum(own[word] for word in own.keys() & words) / least) for words in lines.words
    ]
