"""One line of what an assistant explained at length: the one that says most that was not asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.distil.offline.digest import Line
from noctuary.distil.offline.formal import formal, points_around
from noctuary.distil.offline.repeats import without_repeats
from noctuary.distil.offline.score import NOISE
from noctuary.memory.entry import Role
from noctuary.memory.sentences import language
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from noctuary.distil.offline.pieces import Cutter, Piece
    from noctuary.memory.candidate import Scored
    from noctuary.memory.entry import Entry

SHARE = 0.009
"""Part of the bytes of a session that such lines may take: a person's own words matter more."""
LONG_ANSWER = 600
SHORTEST, LONGEST = 40, 240
"""Characters of a line that says something and can be read at a glance; half of it in Chinese."""
MIN_NEW = 4
"""Words that it must add to the question; a Chinese one counts as two tokens."""
COUNSEL = 1.3
"""How much more a sentence counts that tells what to do."""


def advice(scored: Sequence[Scored], cutter: Cutter) -> list[Line]:
    """The lines of long answers that are kept, in order, as many as the sessions have room for."""
    sizes: dict[str, int] = {}
    found: dict[str, list[Line]] = {}
    for session, entry, asked in _answers(scored, sizes):
        if line := _telling_line(entry, asked, cutter):
            found.setdefault(session, []).append(line)
    return [
        line
        for session, lines in found.items()
        for line in _fitting(without_repeats(lines), SHARE * sizes[session])
    ]


def _answers(
    scored: Sequence[Scored], sizes: dict[str, int]
) -> Iterator[tuple[str, Entry, frozenset[str]]]:
    """Long answers with the words of the question before; counts the bytes of each session."""
    asked: dict[str, frozenset[str]] = {}
    for item in scored:
        entry = item.entry
        size = len(entry.text.encode("utf-8", "surrogatepass"))
        sizes[entry.session] = sizes.get(entry.session, 0) + size
        if entry.role is Role.USER:
            asked[entry.session] = frozenset(content_tokens(entry.text))
        elif entry.role is Role.ASSISTANT and item.score.value <= NOISE and _is_long(entry.text):
            yield entry.session, entry, asked.get(entry.session, frozenset())


def _is_long(text: str) -> bool:
    return _thrift(text) * len(text) >= LONG_ANSWER


def _telling_line(entry: Entry, asked: frozenset[str], cutter: Cutter) -> Line | None:
    thrift = _thrift(entry.text)
    lines = [
        Line(entry, piece, worth)
        for piece in cutter.pieces(entry.text)
        if piece.kind == "prose"
        and not piece.question
        and not formal(piece.text)
        and not points_around.search(piece.text)
        and SHORTEST <= thrift * len(piece.text) <= LONGEST
        and (worth := _newness(piece, asked) / thrift) >= MIN_NEW
    ]
    return max(lines, key=lambda line: line.worth, default=None)


def _newness(piece: Piece, asked: frozenset[str]) -> float:
    new = len(frozenset(content_tokens(piece.text)) - asked)
    return new * (COUNSEL if piece.has("counsel") else 1.0)


def _thrift(text: str) -> int:
    """How many characters of English a character of the text stands for."""
    return 2 if language(text[:2000]) == "zh" else 1


def _fitting(lines: Iterable[Line], room: float) -> list[Line]:
    """The lines that say most, in order, as far as there is room."""
    kept: list[tuple[int, Line]] = []
    for place, line in sorted(enumerate(lines), key=lambda item: (-item[1].worth, item[0])):
        if line.cost <= room:
            room -= line.cost
            kept.append((place, replace(line, worth=1.0)))
    return [line for _, line in sorted(kept, key=lambda item: item[0])]
