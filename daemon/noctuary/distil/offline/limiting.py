"""Sentences that limit: by law, body, money, time or machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.distil.offline.rules import for_the_moment

if TYPE_CHECKING:
    from noctuary.distil.offline.pieces import Piece

NEAR = 40
_HAS_VALUE = re.compile(r"\d|[一二两三四五六七八九十百千万]{2,}|[百千万亿]")


def limits(piece: Piece) -> bool:
    """Whether it says what must be so, and not what is to be done or why something was settled."""
    due = piece.has("chore") and (
        piece.first("chore") <= piece.first("constraint", "limit") or _only_a_deadline(piece)
    )
    if due or _only_a_reason(piece):
        return False
    if lasts(piece, "constraint") and not piece.leads("aside"):
        return True
    limited = piece.facts and not _is_over(piece)
    return bool(limited and (_near_number(piece, "limit") or _measured_limit(piece)))


def lasts(piece: Piece, kind: str) -> bool:
    """A cue of this kind in a clause that is not about this moment alone."""
    return any(not for_the_moment(piece.text, at) for at, _ in piece.cues.get(kind, ()))


def limits_a_thing(piece: Piece) -> bool:
    """`Responses have to stay under 200 ms` is a limit, however it is said."""
    limited = piece.has("constraint") and not piece.leads("request")
    return limited and (bool(piece.facts) or piece.has("authority"))


def _only_a_deadline(piece: Piece) -> bool:
    """What limits it is the day by which a thing is to be done: `… has to be filed by Friday`."""
    tasks = piece.cues.get("task", ())
    limits = [span for kind in ("constraint", "limit") for span in piece.cues.get(kind, ())]
    return bool(limits) and all(
        any(a < end and start < b for a, b in tasks) for start, end in limits
    )


def _only_a_reason(piece: Piece) -> bool:
    """The limit stands in the reason of something that was settled."""
    settled = min((span[0] for span in piece.cues.get("decision", ())), default=None)
    limits = [span[0] for kind in ("limit", "constraint") for span in piece.cues.get(kind, ())]
    return settled is not None and bool(limits) and settled < min(limits)


def _measured_limit(piece: Piece) -> bool:
    """`under 300 KB` limits only where the sentence says that something must be so."""
    return piece.has("must") and _near_number(piece, "weak-limit")


def _near_number(piece: Piece, kind: str) -> bool:
    """A word of limits with a number or date beside it."""
    spans = piece.cues.get(kind, ())
    return any(
        _HAS_VALUE.search(piece.text[max(0, start - NEAR // 2) : end + NEAR])
        for start, end in spans
    )


def _is_over(piece: Piece) -> bool:
    return piece.has("done", "event")
