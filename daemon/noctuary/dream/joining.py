"""What the ledger saves in full is not told a second time in part. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Quote
    from noctuary.memory.card import Receipt

    Line = tuple[Quote, Receipt]


def told_once(first: Sequence[Passed], saved: Sequence[Passed]) -> list[Passed]:
    """All of them, where a saved line takes the place of the line of a digest that it holds."""
    fuller: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for item in saved:
        for line in _lines(item):
            fuller[_turn(line)].append(line)
    used: list[Line] = []
    joined = [_with_fuller(item, fuller, used) if fuller else item for item in first]
    return [*joined, *(rest for item in saved if (rest := _without(item, used)) is not None)]


def _lines(item: Passed) -> list[Line]:
    return list(zip(item.candidate.quotes, item.receipts, strict=True))


def _turn(line: Line) -> tuple[str, str]:
    return line[1].episode, line[1].entry


def _with_fuller(
    item: Passed, fuller: dict[tuple[str, str], list[Line]], used: list[Line]
) -> Passed:
    if item.candidate.statement:
        return item
    told: list[Line] = []
    for line in _lines(item):
        held = next(
            (one for one in fuller.get(_turn(line), ()) if line[0].text in one[0].text), line
        )
        if held not in told:
            told.append(held)
        if held is not line:
            used.append(held)
    return _of(item, told)


def _without(item: Passed, used: list[Line]) -> Passed | None:
    left = [line for line in _lines(item) if line not in used]
    return _of(item, left) if left else None


def _of(item: Passed, lines: list[Line]) -> Passed:
    candidate = replace(item.candidate, quotes=tuple(quote for quote, _ in lines))
    return replace(item, candidate=candidate, receipts=tuple(receipt for _, receipt in lines))
