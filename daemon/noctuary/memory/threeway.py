"""Taking back one change of a text, whatever else was changed in it since. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines `start` to `end` become `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def put_back(before: str, after: str, now: str) -> str | None:
    """The text `now` without the change from `before` to `after`.

    None when the same lines were changed again since, so that nobody can say what they would be.
    """
    base = after.splitlines(keepends=True)
    undo = _hunks(base, before.splitlines(keepends=True))
    later = _hunks(base, now.splitlines(keepends=True))
    undo = [hunk for hunk in undo if hunk not in later]
    if any(_meet(one, other) for one in undo for other in later):
        return None
    lines = list(base)
    for hunk in sorted((*undo, *later), key=lambda item: (item.start, item.end), reverse=True):
        lines[hunk.start : hunk.end] = hunk.lines
    return "".join(lines)


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[_Hunk]:
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        _Hunk(start, end, tuple(new[first:last]))
        for tag, start, end, first, last in codes
        if tag != "equal"
    ]


def _meet(one: _Hunk, other: _Hunk) -> bool:
    if one.start == one.end or other.start == other.end:
        return (
            one.start == other.start
            or one.start < other.start < one.end
            or (other.start < one.start < other.end)
        )
    return one.start < other.end and other.start < one.end
