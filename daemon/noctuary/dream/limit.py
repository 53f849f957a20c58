"""Limits on what one dream may make: many small candidates become fewer, fuller ones.

Pure. Nothing is dropped: what does not get a card of its own becomes lines on a digest.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from noctuary.memory.card import INSTRUCTION_LIKE
from noctuary.memory.entry import lowest_trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.memory.candidate import Candidate
    from noctuary.memory.card import CardType
    from noctuary.memory.entry import Trust

SMALLEST = 5
"""Even the shortest day may make this many cards."""
MAX_MERGED_LINES = 40
FEW_LINES = 3
MAX_GATHERED_LINES = 16
_OWN_CARD = 4


def allowed(entries: int, per_hundred: int) -> int:
    """How many cards a day of so many entries may make."""
    return max(SMALLEST, entries * per_hundred // 100)


def fit(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """The candidates, merged until there are at most `limit` where people, projects and trust allow."""
    candidates = gather(candidates)
    if len(candidates) <= limit:
        return candidates
    singles = sorted((item for item in candidates if item.statement), key=_rank)
    digests = [item for item in candidates if not item.statement]
    steering = sum(item.type in INSTRUCTION_LIKE for item in singles)
    keep = max(limit // 2, limit - len(digests), min(steering, 2 * limit))
    kept = [item for item in singles[:keep] if item.importance >= _OWN_CARD]
    folded = {_as_digest(item): item for item in singles if item not in kept}
    merged = _merge([*digests, *folded], max(1, limit - len(kept)))
    return [*kept, *(folded.get(item, item) for item in merged)]


def gather(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Digests of a line or two join their neighbours: a card for each would be clutter."""
    singles = [item for item in candidates if item.statement]
    digests = [item for item in candidates if not item.statement]
    return [*singles, *(item for group in _alike(digests) for item in _gathered(group))]


def _gathered(group: list[Candidate]) -> list[Candidate]:
    left = list(group)
    while len(left) > 1:
        pairs = [
            (len(first.quotes) + len(second.quotes), place)
            for place, (first, second) in enumerate(pairwise(left))
            if min(len(first.quotes), len(second.quotes)) < FEW_LINES
        ]
        size, place = min(pairs, default=(MAX_GATHERED_LINES + 1, 0))
        if size > MAX_GATHERED_LINES:
            break
        left[place : place + 2] = [_join(left[place], left[place + 1])]
    return left


def _alike(digests: Sequence[Candidate]) -> list[list[Candidate]]:
    """Digests that may share a card: of one type, person, project and trust."""
    groups: dict[tuple[CardType, str, str, Trust], list[Candidate]] = defaultdict(list)
    for digest in digests:
        trust = lowest_trust([quote.entry.role for quote in digest.quotes])
        groups[digest.type, digest.user, digest.project, trust].append(digest)
    return list(groups.values())


def _rank(single: Candidate) -> tuple[int, bool]:
    """What steers an agent keeps a card of its own longest: wishes on one card would be mixed up."""
    return (-single.importance, single.type not in INSTRUCTION_LIKE)


def _as_digest(single: Candidate) -> Candidate:
    """A statement that gives up its own card keeps its quotes; what steers keeps its type."""
    return replace(single, statement="", importance=min(single.importance, 3))


def _merge(digests: list[Candidate], limit: int) -> list[Candidate]:
    spare = max(0, len(digests) - limit)
    merged: list[Candidate] = []
    for group in _alike(digests):
        while spare and len(group) > 1 and (place := _smallest_pair(group)) is not None:
            group[place : place + 2] = [_join(group[place], group[place + 1])]
            spare -= 1
        merged += group
    return merged


def _smallest_pair(group: list[Candidate]) -> int | None:
    sizes = [
        (len(first.quotes) + len(second.quotes), place)
        for place, (first, second) in enumerate(pairwise(group))
    ]
    size, place = min(sizes)
    return place if size <= MAX_MERGED_LINES else None


def _join(first: Candidate, second: Candidate) -> Candidate:
    larger, smaller = sorted((first, second), key=lambda item: -len(item.quotes))
    quotes = sorted(
        dict.fromkeys((*first.quotes, *second.quotes)), key=lambda quote: quote.entry.at
    )
    return replace(
        larger,
        quotes=tuple(quotes),
        importance=max(first.importance, second.importance),
        topics=tuple(dict.fromkeys((*larger.topics, *smaller.topics)))[:6],
    )
