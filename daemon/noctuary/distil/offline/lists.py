"""Lists of which the head says what each item is: requirements, or rules of style."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from noctuary.distil.offline.forms import pattern
from noctuary.memory.card import CardType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.pieces import Piece

MOST_ITEMS, LONGEST_ITEM = 12, 30
"""Items of such a list, and words of one; what is longer is a text that was pasted."""
_COLONS = (":", "：")


def headed(pieces: Sequence[Piece], place: int) -> tuple[Piece, CardType] | None:
    """The head of the list in which an item stands, and what that makes of it; None elsewhere.

    `Requirements from Olga:` makes limits of its items, 代码规范： makes rules.
    """
    if pieces[place].kind != "list" or pieces[place].words > LONGEST_ITEM:
        return None
    first = place
    while first and pieces[first - 1].kind == "list":
        first -= 1
    items = list(takewhile(lambda one: one.kind == "list", pieces[first:]))
    if not first or len(items) > MOST_ITEMS or any(one.question for one in items):
        return None
    head = pieces[first - 1]
    if head.question or not head.text.endswith(_COLONS):
        return None
    named = head.text.rstrip("".join(_COLONS))
    for kind, type_ in (("limits-head", CardType.CONSTRAINT), ("rules-head", CardType.PREFERENCE)):
        if pattern(kind).search(named):
            return head, type_
    return None


def heads(pieces: Sequence[Piece], place: int) -> bool:
    """Whether a piece is the head of such a list, which says nothing without its items."""
    return (
        place + 1 < len(pieces) and pieces[place].kind != "list" and bool(headed(pieces, place + 1))
    )
