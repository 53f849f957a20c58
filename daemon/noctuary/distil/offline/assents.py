"""What an assistant advised and its person agreed to: `I'd go with Postgres.` and `agreed`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.distil.offline.forms import pattern
from noctuary.memory.entry import Role
from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.pieces import Cutter, Piece
    from noctuary.memory.entry import Entry

MOST_SAID, LONGEST_ADVICE = 120, 240
"""Characters of a turn that agrees, and of the sentence that advises."""
_MARKS = " .,!。，！"
_NUMBER = lazily(r"(?<![\d.:])(?P<number>[1-9])(?!\d|[.:]\d|%)")
_ITEM = lazily(r"(?P<number>\d)[.)、]\s*$")

Part = tuple["Entry", str]


def agreed(entry: Entry, turns: Sequence[Entry], cutter: Cutter) -> tuple[Part, ...]:
    """What was advised in the turn before a short one that agrees, then the agreement; else nothing.

    A number, in either turn, means the option of that number.
    """
    answer = turns[-1] if turns else None
    if answer is None or answer.role is not Role.ASSISTANT or len(entry.text) > MOST_SAID:
        return ()
    said = cutter.pieces(entry.text, entry.user)[:2]
    assent = next((piece for piece in said if _assents(piece)), None)
    if assent is None:
        return ()
    pieces = cutter.pieces(answer.text)
    advice = next((piece for piece in pieces if pattern("advises").search(piece.text)), None)
    if advice is None or advice.question or len(advice.text) > LONGEST_ADVICE:
        return ()
    number = _NUMBER.search(assent.text) or _NUMBER.search(advice.text)
    option = _option(answer.text, pieces, number["number"]) if number else advice
    return ((answer, option.text), (entry, assent.text)) if option is not None else ()


def _assents(piece: Piece) -> bool:
    """`sounds good, go`; `sounds good, but …` and `agreed?` do not."""
    turned = pattern("denies").search(piece.text) or pattern("turns-round").search(piece.text)
    lead = pattern("assent-lead").match(piece.text)
    told = piece.text[lead.end() if lead else 0 :].strip(_MARKS)
    said = pattern("assents").match(told)
    return bool(said) and not turned and not piece.question


def _option(text: str, pieces: Sequence[Piece], number: str) -> Piece | None:
    """The item of a list that has this number."""
    for piece in pieces:
        item = _ITEM.search(text, max(0, piece.start - 6), piece.start)
        if piece.kind == "list" and item and item["number"] == number:
            return piece if len(piece.text) <= LONGEST_ADVICE else None
    return None
