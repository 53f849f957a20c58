"""Markdown of older notes cut into pieces that can stand alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"(#{1,6})[ \t]+")
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_COMMENT = re.compile(r"<!--[^<>]{0,2000}-->")


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a note with the headings above it and the day that the nearest of them names."""

    headings: tuple[str, ...]
    day: datetime | None
    text: str


@dataclass(slots=True)
class _Cutter:
    by_item: bool
    headings: list[tuple[int, str]] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    fence: str = ""

    def feed(self, row: str) -> Iterator[Section]:
        """Take a line in; gives the piece that ends before it."""
        mark = _FENCE.match(row)
        heading = None if self.fence else _HEADING.match(row)
        if heading:
            yield from self.close()
            self._under(len(heading[1]), row[heading.end() :].rstrip(" \t#"))
            return
        if self.by_item and not self.fence and self._begins_item(row):
            yield from self.close()
            row = _BULLET.sub("", row, count=1)
        if mark:
            self.fence = "" if self.fence == mark[1] else self.fence or mark[1]
        self.rows.append(row)

    def _begins_item(self, row: str) -> bool:
        return not row.strip() or _BULLET.match(row) is not None

    def _under(self, level: int, title: str) -> None:
        self.headings = [kept for kept in self.headings if kept[0] < level]
        self.headings.append((level, title))

    def close(self) -> Iterator[Section]:
        """The piece gathered so far, if there is anything in it."""
        text = _COMMENT.sub("", "\n".join(self.rows)).strip("\n")
        self.rows.clear()
        if text.strip():
            titles = tuple(title for _, title in self.headings)
            days = (day_named(title) for title in reversed(titles))
            yield Section(titles, next((day for day in days if day), None), text)


def sections(text: str, *, by_item: bool) -> Iterator[Section]:
    """The pieces of a note: one per heading, or with `by_item` one per bullet or paragraph.

    Frontmatter is left out; code fences are never cut.
    """
    cutter = _Cutter(by_item)
    for row in _body(text).replace("\r\n", "\n").split("\n"):
        yield from cutter.feed(row)
    yield from cutter.close()


def day_named(text: str) -> datetime | None:
    """Midnight of the first day like 2026-11-30 in a name or heading."""
    for hit in _DAY.finditer(text):
        try:
            return datetime(int(hit[1]), int(hit[2]), int(hit[3]))
        except ValueError:
            continue
    return None


def _body(text: str) -> str:
    head = re.match(r"---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", text, re.DOTALL)
    return text[head.end() :] if head else text
