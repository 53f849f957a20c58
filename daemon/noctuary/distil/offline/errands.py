"""A sentence that names several things to do, as one task for each."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from noctuary.distil.offline import deeds_en, deeds_zh
from noctuary.distil.offline.forms import listed, pattern
from noctuary.distil.offline.pieces import count_words, told_facts
from noctuary.memory.card import CardType
from noctuary.memory.lazy import lazily
from noctuary.memory.sentences import language

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from noctuary.distil.offline.pieces import Piece
    from noctuary.distil.offline.singles import Single

_GAP = lazily(r"[,;]?\s+|[，；]")
_WORD = lazily(r"[\w$€£][\w.'’&/@+-]*")


def each_errand(single: Single) -> list[Single]:
    """The single itself, or what it asks for one by one: `call Ana and book the hall`."""
    if single.type is not CardType.TASK:
        return [single]
    at, text = single.entry.at, single.piece.text
    gaps = _telling(text, list(_gaps(text, at)))
    starts, ends = [0, *(gap[1] for gap in gaps)], [*(gap[0] for gap in gaps), len(text)]
    spans = zip(starts, ends, strict=True)
    return (
        [replace(single, piece=_part(single.piece, *span)) for span in spans] if gaps else [single]
    )


def _telling(text: str, gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The gaps behind which no `it` means something that was named before."""
    ends = [*(begin for begin, _ in gaps[1:]), len(text)]
    return [
        gap
        for gap, end in zip(gaps, ends, strict=False)
        if not pattern("it").search(text[gap[1] : end])
    ]


def _gaps(text: str, at: datetime) -> Iterator[tuple[int, int]]:
    """Where one thing to do ends and another begins."""
    chinese = language(text) == "zh"
    room = deeds_zh if chinese else deeds_en
    begin = 0
    for gap in _GAP.finditer(text):
        link = pattern("errand-link").match(text, gap.end())
        start = link.end() if link else gap.end()
        start += len(text) - start - len(text[start:].lstrip())
        if not (link or gap[0].strip()) or not (_does if chinese else _begins)(text[start:]):
            continue
        parts = text[begin : gap.start()], text[start:]
        if all(any(deed.verb for deed in room.tasks(one, at)) for one in parts):
            yield gap.start(), start
            begin = start


def _does(behind: str) -> bool:
    return bool(pattern("errand").search(behind))


def _begins(behind: str) -> bool:
    """Whether words begin with an order; `book club` and `test plan` are none."""
    words = [hit[0] for hit in _WORD.finditer(behind[:60])]
    if len(words) < MIN_WORDS or words[0] not in _orders():
        return False
    led = words[1].lower() in listed("determiner") or not words[1].islower()
    return led or words[0] not in listed("noun-too")


MIN_WORDS = 2


@cache
def _orders() -> frozenset[str]:
    return listed("to-do") | listed("noun-too")


def _part(piece: Piece, start: int, end: int) -> Piece:
    """A part of a sentence as a piece of its own."""
    text = piece.text[start:end]
    facts, names = told_facts(text)
    cues = {
        kind: kept
        for kind, spans in piece.cues.items()
        if (kept := [(a - start, b - start) for a, b in spans if start <= a and b <= end])
    }
    return replace(
        piece,
        text=text,
        start=piece.start + start,
        cues=cues,
        facts=facts,
        names=names,
        words=count_words(text),
    )
