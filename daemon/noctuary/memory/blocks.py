"""The lines of an episode file, cut into blocks, gaps and what a person wrote between them.

Pure. Lines end at a line feed alone, so that every other character belongs to the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory.entry import Role
from noctuary.memory.inline import DOT
from noctuary.memory.lazy import lazily
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.memory.document import Document


@dataclass(frozen=True, slots=True)
class Block:
    """One callout with its id.

    Attributes:
        start: First line, from 0; `end` is behind the id line.
        day: Date in the heading; empty when it is the day of the file.
        texts: What the body may have been: as it stands, or before an editor changed its endings.
    """

    start: int
    end: int
    id: str
    role: str
    day: str
    time: str
    fields: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GapLine:
    """The line that stands for forgotten entries; `written` is False while it is only planned."""

    start: int
    end: int
    first: str
    last: str
    count: int
    written: bool = True


@dataclass(frozen=True, slots=True)
class HandText:
    """One paragraph or list that a person wrote."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Torn:
    """The rest of a block that was not written to its end, or that lost its id."""

    start: int
    end: int
    what: str


Piece = Block | GapLine | HandText | Torn

_ROLES = "|".join(Role)
_HEADING = lazily(
    rf"> \[!({_ROLES})\][-+]? (?:(\d{{4}}-\d\d-\d\d) )?(\d\d:\d\d:\d\d)(?:{DOT}(.*?))?[ \t]*\r?"
)
_ID_LINE = lazily(r"\^([eh][0-9a-f]{10})[ \t]*\r?")
_ID_REST = lazily(r"\^[0-9a-zA-Z-]*[ \t]*\r?")
_GAP = lazily(
    r"%% (\d+) entr(?:y|ies) forgotten \^([eh][0-9a-f]{10})\.\.\^([eh][0-9a-f]{10}) %%[ \t]*\r?"
)
_BEGUN = lazily(rf"> \[!(?:{_ROLES})\]")
_TITLE_OR_RULE = lazily(r" {0,3}(?:#{1,6}(?:[ \t].*)?|(?:[-*_][ \t]*)+)\r?")
_FENCE = lazily(r" {0,3}(`{3,}|~{3,})")
MEMORY_TAG = "noctuary-memory"
"""Marks what memory tells an agent, so that it is neither obeyed nor learnt again."""
_TOLD = lazily(rf"\s*<{MEMORY_TAG}[\s>]", re.IGNORECASE)
_TOLD_END = lazily(rf"</{MEMORY_TAG}\s*>", re.IGNORECASE)
_STUBS = frozenset(f"> [!{role}]"[:length] for role in Role for length in range(1, 12))
_TORN = phrase("A block is not whole: its `^id` line is missing, so it does not count as an entry.")


def gap_line(first: str, last: str, count: int) -> str:
    """The line that stands for `count` forgotten entries."""
    return f"%% {count} {'entry' if count == 1 else 'entries'} forgotten ^{first}..^{last} %%"


def scan(text: str, document: Document) -> Iterator[Piece]:
    """The pieces of an episode file in order; `document` is the same text, read."""
    lines = text.split("\n")
    at = text.count("\n", 0, len(text) - len(document.body))
    if document.problem and len(document.body) == len(text):
        at = _after_paragraph(lines, 0)
    while at < len(lines):
        piece, at = _next(lines, at)
        if piece is not None:
            yield piece


def _next(lines: list[str], at: int) -> tuple[Piece | None, int]:
    line = lines[at]
    if not line.strip(" \t\r\ufeff") or _is_furniture(line):
        return None, at + 1
    heading = _HEADING.fullmatch(line)
    if heading is not None:
        return _block(lines, at, heading)
    gap = _GAP.fullmatch(line)
    if gap is not None:
        return GapLine(at, at + 1, gap[2], gap[3], int(gap[1])), at + 1
    return _paragraph(lines, at)


def _is_furniture(line: str) -> bool:
    return _TITLE_OR_RULE.fullmatch(line) is not None or _ID_REST.fullmatch(line) is not None


def _block(lines: list[str], start: int, heading: re.Match[str]) -> tuple[Piece, int]:
    at = start + 1
    while at < len(lines) and lines[at].startswith(">"):
        at += 1
    body = tuple(_unquoted(line) for line in lines[start + 1 : at])
    found = _id_behind(lines, at)
    if found is None or not body:
        return Torn(start, at, _TORN), at
    known, end = found
    role, day, time, fields = heading.groups()
    texts = _texts(body, converted=lines[start].endswith("\r"))
    names = tuple(fields.split(DOT)) if fields else ()
    return Block(start, end, known, role, day or "", time, names, texts), end


def _unquoted(line: str) -> str:
    return line[2:] if line.startswith("> ") else line[1:]


def _texts(body: tuple[str, ...], *, converted: bool) -> tuple[str, ...]:
    text = "\n".join(body)
    if not converted:
        return (text,)
    return ("\n".join(line.removesuffix("\r") for line in body), text)


def _id_behind(lines: list[str], at: int) -> tuple[str, int] | None:
    """The id behind a body, and the line behind it; None when something else comes first."""
    while at < len(lines) and not lines[at].strip(" \t\r"):
        at += 1
    match = _ID_LINE.fullmatch(lines[at]) if at < len(lines) else None
    return None if match is None else (match[1], at + 1)


def _paragraph(lines: list[str], start: int) -> tuple[Piece | None, int]:
    if told := _after_told(lines, start):
        return None, told
    end = _after_paragraph(lines, start)
    if _BEGUN.match(lines[start]) or "\n".join(lines[start:end]) in _STUBS:
        return Torn(start, end, _TORN), end
    text = "\n".join(line.removesuffix("\r") for line in lines[start:end]).strip(" \t\ufeff")
    if text.startswith("%%") and text.endswith("%%"):
        return None, end
    return HandText(start, end, text), end


def _after_told(lines: list[str], start: int) -> int:
    """The line behind what memory told and a person pasted here; 0 when it is no such thing."""
    if not _TOLD.match(lines[start]):
        return 0
    for at in range(start, len(lines)):
        if _HEADING.fullmatch(lines[at]):
            return 0
        if _TOLD_END.search(lines[at]):
            return at + 1
    return 0


def _after_paragraph(lines: list[str], start: int) -> int:
    """Where a paragraph ends: at a blank line, a title, a rule, a block; a code fence is one piece."""
    at = start
    while at < len(lines):
        if at > start and _ends_paragraph(lines[at]):
            return at
        fence = _FENCE.match(lines[at])
        at = _after_fence(lines, at, fence[1]) if fence else at + 1
    return at


def _ends_paragraph(line: str) -> bool:
    blank = not line.strip(" \t\r")
    starts = _HEADING.fullmatch(line) or _TOLD.match(line)
    return blank or _is_furniture(line) or starts is not None


def _after_fence(lines: list[str], start: int, mark: str) -> int:
    """The line behind a closed code fence; an open one is taken as an ordinary line."""
    for at in range(start + 1, len(lines)):
        if lines[at].strip(" \t\r").startswith(mark) and not lines[at].strip(" \t\r" + mark[0]):
            return at + 1
    return start + 1
