"""Too much of a good thing: a model that calls all things vital, or copies everything back.

Held to measure before the gate sees its candidates: what is said to matter above all must stand
out, and memory must be shorter than what it remembers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.entry import Priority, Role
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.memory.candidate import Candidate, Quote, Scored

VITAL = 5
FEW = 4
"""So many candidates of a day may be vital whatever their share."""
VITAL_SHARE = 0.3
MOST_TELLING, ENOUGH = 0.5, 6
"""Of so many entries or more, this share at most can matter so much that nothing may be lost."""
TELLING = 4
MOST_QUOTED = 0.7
"""Of a day's text, this share may be quoted …"""
SHORT_DAY = 4000
"""… where it is longer than this many characters."""
_WEIGHTY = INSTRUCTION_LIKE | {CardType.DECISION}
_Place = tuple[str, str]


def tempered(
    candidates: Sequence[Candidate], scored: Iterable[Scored]
) -> tuple[list[Candidate], list[str]]:
    """The candidates held to measure, and a sentence for each thing that was put right."""
    entries = list(scored)
    held, raised = _no_more_than_sources(candidates, entries)
    held, vital = _few_vital(held)
    held, demoted = _no_wishes_by_the_way(held)
    held, copied = _no_copies(held, sum(len(item.entry.text) for item in entries))
    return held, [*raised, *vital, *demoted, *copied]


def undiscerning(scores: Sequence[int]) -> bool:
    """Whether nearly everything is called important, so that the scores say nothing.

    Believed, they would have every detail of a day kept word for word.
    """
    telling = sum(score >= TELLING for score in scores)
    return len(scores) >= ENOUGH and telling > MOST_TELLING * len(scores)


def _no_more_than_sources(
    candidates: Sequence[Candidate], scored: Iterable[Scored]
) -> tuple[list[Candidate], list[str]]:
    """A card may matter a little more than what it rests on, since it puts things together."""
    worth = {item.entry.id: item.score.value for item in scored}
    held: list[Candidate] = []
    for item in candidates:
        sources = [worth.get(quote.entry.id, VITAL) for quote in item.quotes]
        held.append(replace(item, importance=min(item.importance, 1 + max(sources, default=VITAL))))
    lowered = sum(
        one.importance != other.importance for one, other in zip(held, candidates, strict=True)
    )
    what = phrase(
        "{lowered} cards were said to matter far more than what they rest on; lowered",
        lowered=lowered,
    )
    return held, [what] if lowered else []


def _few_vital(candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[str]]:
    vital = [place for place, item in enumerate(candidates) if item.importance >= VITAL]
    most = max(FEW, int(VITAL_SHARE * len(candidates)))
    if len(vital) <= most:
        return list(candidates), []
    by_weight = sorted(vital, key=lambda place: (_weight(candidates[place]), place))
    lowered = set(by_weight[most:])
    held = [
        replace(item, importance=VITAL - 1) if place in lowered else item
        for place, item in enumerate(candidates)
    ]
    what = phrase(
        "{vital} of {cards} cards were called vital; {lowered} of them lowered",
        vital=len(vital),
        cards=len(candidates),
        lowered=len(lowered),
    )
    return held, [what]


def _no_wishes_by_the_way(candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[str]]:
    """What a person said by the way is no wish, whatever a model calls it: its lines stay.

    What others said is handed on, so that the gate stops it and a person hears of it.
    """
    held = [
        replace(item, type=CardType.FACT, statement="", seen=1) if _is_no_wish(item) else item
        for item in candidates
    ]
    demoted = sum(one.type is not other.type for one, other in zip(held, candidates, strict=True))
    what = phrase(
        "{demoted} wishes or limits hardly mattered; their lines are facts now", demoted=demoted
    )
    return held, [what] if demoted else []


def _is_no_wish(item: Candidate) -> bool:
    own = bool(item.quotes) and all(quote.entry.role is Role.USER for quote in item.quotes)
    return own and item.type in INSTRUCTION_LIKE and item.importance < TELLING


def _weight(item: Candidate) -> int:
    """0 for what its writer marked, 1 for what steers or was decided, 2 for the rest."""
    if any(quote.entry.priority is Priority.HIGH for quote in item.quotes):
        return 0
    return 1 if item.type in _WEIGHTY else 2


def _no_copies(candidates: Sequence[Candidate], raw: int) -> tuple[list[Candidate], list[str]]:
    """Quotes that repeat others go; of a day that is copied back, the least important ones."""
    if raw < SHORT_DAY:
        return list(candidates), []
    room = int(MOST_QUOTED * raw)
    seen: dict[_Place, list[str]] = {}
    kept: dict[int, Candidate] = {}
    left_out = 0
    order = sorted(range(len(candidates)), key=lambda place: -candidates[place].importance)
    for place in order:
        item = candidates[place]
        quotes: list[Quote] = []
        for quote in item.quotes:
            size = 0 if _told(quote, seen) else len(quote.text)
            if size > room:
                left_out += 1
                continue
            room -= size
            seen.setdefault(_place(quote), []).append(quote.text)
            quotes.append(quote)
        if quotes or not item.quotes:
            kept[place] = replace(item, quotes=tuple(quotes))
    held = [kept[place] for place in sorted(kept)]
    if not left_out:
        return held, []
    what = phrase(
        "the day was copied back rather than distilled; {left_out} quotes were left out",
        left_out=left_out,
    )
    return held, [what]


def _place(quote: Quote) -> _Place:
    return (quote.entry.episode, quote.entry.id)


def _told(quote: Quote, seen: dict[_Place, list[str]]) -> bool:
    return any(quote.text in text for text in seen.get(_place(quote), ()))
