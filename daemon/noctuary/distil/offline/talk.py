"""Which lines of a talk between people are kept, where not all of them have room."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from noctuary.memory.dates import glosses
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.digest import Line

SHARE = 0.49
"""Part of the bytes of a talk that its lines may take on cards."""
SMALL_TALK = 900
"""Bytes that a short talk may take at least."""
SAID_BEFORE = 0.4
"""What a telling word counts that a line chosen before has said too."""
NAME, DATED, PERSONAL, EVENT, FACT = 0.3, 0.5, 0.2, 0.1, 0.1
"""What a name, a day, somebody's life, something that happened and a fact add to the words of a
line. The words themselves count by the logarithm: the tenth tells less than the first."""
MOST = 3
"""Names or facts of one line that count."""


def most_telling(lines: Sequence[Line], said: int) -> list[Line]:
    """The lines that tell most beside those chosen before, of a talk of so many bytes, in order.

    Lines with hard facts always stay.
    """
    words = [frozenset(content_tokens(line.piece.text)) for line in lines]
    known: set[str] = set()
    room = max(SMALL_TALK, SHARE * said)

    def worth(place: int) -> float:
        new = len(words[place] - known) / max(1, len(words[place]))
        counted = SAID_BEFORE + (1 - SAID_BEFORE) * new
        return extras[place] + math.log1p(lines[place].piece.rare * counted)

    extras = [_extras(line) for line in lines]
    kept = set()
    queue = [(-worth(place), place) for place in range(len(lines))]
    heapq.heapify(queue)
    while queue:
        before, place = heapq.heappop(queue)
        now = -worth(place)
        if queue and now > before and now > queue[0][0]:
            heapq.heappush(queue, (now, place))
        elif lines[place].cost <= room or lines[place].piece.facts:
            room -= lines[place].cost
            known |= words[place]
            kept.add(place)
    return [line for place, line in enumerate(lines) if place in kept]


def _extras(line: Line) -> float:
    """What a line tells beside its words."""
    piece = line.piece
    value = NAME * min(len(piece.names), MOST) + FACT * min(len(piece.facts), MOST)
    value += PERSONAL * piece.has("personal") + EVENT * piece.has("event")
    return value + DATED * bool(glosses(piece.text, line.entry.at))
