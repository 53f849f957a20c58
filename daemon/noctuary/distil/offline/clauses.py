"""Clauses: where a sentence is cut, and the part of a long one that carries the thought."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.forms import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from noctuary.distil.offline.pieces import Piece

CLAUSE_MARK = re.compile(r"[,;:](?:\s|$)|[.!?](?:\s|$)|[，。；：！？、]")
"""A mark at which a clause ends; no decimal point and no comma of a number."""
SHORT = 160
ROOMY = 220
_BREAK = re.compile(
    r"(?:,|;|，|；|。|！|\s[-–—]+)\s*(?=\S)(?!\d{3}\b)|\s(?=(?:so|but) (?:i|we|my|our|it|the)\b)",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_TAIL = ("request", "aside", "hypothetical")
_EDGE = " ,;，；-–—"


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause without the marks around it, and where it stands with them."""

    text: str
    start: int
    end: int


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of a sentence, cut at marks and before words that tie clauses together."""
    start = 0
    for hit in _ends().finditer(text):
        yield Clause(text[start : hit.start()].strip(_MARKS), start, hit.end())
        start = hit.end()
    yield Clause(text[start:].strip(_MARKS), start, len(text))


_MARKS = " .。!！"


@cache
def _ends() -> re.Pattern[str]:
    return re.compile(
        r"[,;:!?]\s+|\.\s+|\s[-–—]+\s|[，。；：！？]|\s+(?=(?:"
        + pattern("clause-end").pattern
        + r")\s)",
        re.IGNORECASE,
    )


def running(told: Iterable[str]) -> str:
    """Words of one or more turns, one behind the other, as the sentences of a statement."""
    text = ""
    for sentence in map(_sentence, told):
        text += (" " if text[-1:].isascii() and text else "") + sentence
    return text


def _sentence(said: str) -> str:
    """Words of a turn as a sentence; a command keeps its line."""
    plain = "\n".join(" ".join(line.split()) for line in said.splitlines())
    prose = plain.partition(" ")[0].isalpha() and plain.isascii()
    shown = plain[:1].upper() + plain[1:] if prose else plain
    return (
        shown if shown[-1:] in ".!?。！？…:：" else f"{shown}{'。' if _CJK.search(shown) else '.'}"
    )


def clause_with(piece: Piece, kinds: tuple[str, ...]) -> tuple[int, int]:
    """Where the clauses around the first cue of these kinds stand: all of a short sentence."""
    if len(piece.text) <= SHORT:
        return 0, len(piece.text)
    return _trimmed(piece.text, *_segment_range(piece, kinds))


def span_with(piece: Piece, kinds: tuple[str, ...]) -> tuple[int, int]:
    """From the first to the last clause that holds a cue of these kinds.

    With the condition under which it holds, and with what is not meant: `whenever you show code, only
    the changes, not the whole file`.
    """
    cuts = [*_cuts(piece), len(piece.text)]
    spots = [span[0] for kind in kinds for span in piece.cues.get(kind, ())] or [0]
    low = max(i for i, cut in enumerate(cuts[:-1]) if cut <= min(spots))
    high = min(i for i, cut in enumerate(cuts) if cut > max(spots))
    if low and pattern("on-condition").match(piece.text[cuts[low - 1] :]):
        low -= 1
    if high < len(cuts) - 1 and pattern("rather").match(piece.text[cuts[high] :]):
        high += 1
    return _trimmed(piece.text, cuts[low], cuts[high])


def cue_at(piece: Piece, kinds: tuple[str, ...]) -> int:
    """Where the first cue stands of the first of these kinds that occurs; else 0."""
    for kind in kinds:
        if spans := piece.cues.get(kind):
            return min(spans)[0]
    return 0


def _trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    part = text[first:last]
    return first + len(part) - len(part.lstrip(_EDGE)), first + len(part.rstrip(_EDGE))


def _cuts(piece: Piece) -> list[int]:
    return [0, *(hit.end() for hit in _BREAK.finditer(piece.text))]


def _segment_range(piece: Piece, kinds: tuple[str, ...]) -> tuple[int, int]:
    cuts = [*_cuts(piece), len(piece.text)]
    at = cue_at(piece, kinds)
    low = max(i for i, cut in enumerate(cuts[:-1]) if cut <= at)
    high = low + 1
    tails = {span[0] for kind in _TAIL for span in piece.cues.get(kind, ())}
    while high < len(cuts) - 1 and cuts[high + 1] - cuts[low] <= ROOMY and cuts[high] not in tails:
        high += 1
    while low > 0 and cuts[high] - cuts[low - 1] <= ROOMY:
        low -= 1
    return cuts[low], cuts[high]
