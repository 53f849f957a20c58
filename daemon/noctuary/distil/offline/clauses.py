"""The part of a long sentence that carries the thought."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noctuary.distil.offline.pieces import Piece

SHORT = 160
ROOMY = 220
ONE_TITLE = 40
_BREAK = re.compile(
    r"(?:,|;|，|；|\s[-–—]+)\s*(?=\S)|\s(?=(?:so|but) (?:i|we|my|our|it|the)\b)", re.IGNORECASE
)
_TAIL = ("request", "aside", "hypothetical")


def clause_with(piece: Piece, kinds: tuple[str, ...]) -> str:
    """The clauses around the first cue of these kinds: the whole sentence when it is short."""
    if len(piece.text) <= SHORT:
        return piece.text
    first, last = _segment_range(piece, kinds)
    return piece.text[first:last].strip(" ,;，；-–—")


def lead_of(piece: Piece, kinds: tuple[str, ...]) -> str:
    """The clause in which the cue itself stands, for a title: all of a short sentence."""
    if len(piece.text) <= ONE_TITLE:
        return piece.text
    cuts = _cuts(piece)
    at = _cue_at(piece, kinds)
    start = max(cut for cut in cuts if cut <= at)
    return piece.text[start:].strip(" ,;，；-–—")


def _cuts(piece: Piece) -> list[int]:
    return [0, *(hit.end() for hit in _BREAK.finditer(piece.text))]


def _cue_at(piece: Piece, kinds: tuple[str, ...]) -> int:
    for kind in kinds:
        if spans := piece.cues.get(kind):
            return min(spans)[0]
    return 0


def _segment_range(piece: Piece, kinds: tuple[str, ...]) -> tuple[int, int]:
    cuts = [*_cuts(piece), len(piece.text)]
    at = _cue_at(piece, kinds)
    low = max(i for i, cut in enumerate(cuts[:-1]) if cut <= at)
    high = low + 1
    tails = {span[0] for kind in _TAIL for span in piece.cues.get(kind, ())}
    while high < len(cuts) - 1 and cuts[high + 1] - cuts[low] <= ROOMY and cuts[high] not in tails:
        high += 1
    while low > 0 and cuts[high] - cuts[low - 1] <= ROOMY:
        low -= 1
    return cuts[low], cuts[high]
