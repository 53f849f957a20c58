"""The order in which the lines of an answer stand. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.recall.query import asking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.recall.choice import Choice
    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Ranked

JUST_BEHIND = 1e-6
"""How far behind its successor a replaced line stands at least."""
AS_GOOD = 0.9
"""Share of the best line's words of the question from which on a newer line goes first."""
AS_GOOD_VALUE = 0.6
"""The same for lines with a number in them: what is counted or set for a time often changes."""
AS_LED = 0.6
"""Share of the best gain that such a line has: what is newer about another one answers nothing."""
_DIGIT = lazily(r"\d")
_ORDER = lazily(
    r"\bin (?:what|which) order\b|\border (?:in which|of (?:events|what|how))\b|\bin (?:chronological )?order\b(?! to\b)"
    r"|\bchronolog|\btimeline\b|\bsequence of events\b|\bfrom first to last\b|\bover time\b"
    "|先后|顺序|依次|按时间|时间线|来龙去脉|一步步|演变|历程",
    re.IGNORECASE,
)
"""A question for what came first and what next: its answer goes from the earliest to the latest."""


@dataclass(frozen=True, slots=True)
class Told:
    """A line of an answer.

    Attributes:
        number: Its place among the candidates.
        text: Who said it and what, perhaps cut at the end.
    """

    number: int
    one: Ranked
    text: str


def placed(query: str, lines: Sequence[Told], choice: Choice) -> dict[int, tuple[float, float]]:
    """Where each line of an answer stands, by its number: the least goes first."""
    if any(map(_ORDER.search, asking(query))):
        return _in_time(lines)
    return _best_first(lines, choice)


def _in_time(lines: Sequence[Told]) -> dict[int, tuple[float, float]]:
    """Where each line stands in order of time."""
    return {line.number: (0, line.one.passage.at.timestamp()) for line in lines}


def _best_first(lines: Sequence[Told], choice: Choice) -> dict[int, tuple[float, float]]:
    """Where each line stands: newest first among those that fit the question as well as any.

    What was replaced never stands before what took its place, nor what is said of somebody else
    before what is said of the one asked for.
    """
    covered = {line.number: choice.coverage(line.number) for line in lines}
    best = max(lines, key=lambda line: covered[line.number], default=None)
    top = covered[best.number] if best else 0.0
    good = [number for number, share in covered.items() if share >= AS_GOOD * top]
    led = AS_LED * max(map(choice.gain, good), default=0.0)
    values = best is not None and _DIGIT.search(best.one.passage.text)

    def place(line: Told) -> tuple[float, float]:
        least = AS_GOOD_VALUE if values and _DIGIT.search(line.one.passage.text) else AS_GOOD
        fits = covered[line.number] >= least * top > 0 and choice.gain(line.number) >= led
        if fits and best and not choice.of_another(line.number, best.number):
            return (0, -line.one.passage.at.timestamp())
        return (1, -choice.strength(line.number))

    places = {line.number: place(line) for line in lines}
    named = {name: line.number for line in lines for name in _names(line.one.passage)}
    for line in lines:
        newer = named.get(line.one.passage.successor)
        if newer is not None and newer != line.number:
            group, rank = places[newer]
            places[line.number] = max(places[line.number], (group, rank + JUST_BEHIND))
    return places


def _names(passage: Passage) -> tuple[str, ...]:
    """Under what a line can be named as the one that took another's place."""
    turn = passage.link.removeprefix("[[").removesuffix("]]")
    names = (turn,) if passage.is_past else (turn, passage.note)
    return tuple(filter(None, names))
