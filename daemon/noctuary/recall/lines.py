"""A line of an answer as an agent reads it. Pure.

The person's words are never changed: only left out at the end, which `…` shows.
"""

from __future__ import annotations

import re
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from noctuary.memory.dates import say_date
from noctuary.memory.lazy import lazily
from noctuary.memory.periods import MONTH_NAME
from noctuary.memory.sentences import language
from noctuary.memory.tokens import quarters

if TYPE_CHECKING:
    from noctuary.recall.passages import Passage

SAME_DAY = "- "
"""Stands before a line of the same day as the line above it."""
LEFT_OUT = "…"
LEAST_KEPT = 0.2
"""Share of a line that a cut must leave, else nobody would understand it."""
WASTED = 0.05
"""Share of the room that may stay empty so that a line ends with a clause."""
_CLAUSE_END = lazily(r"[,;:.!?]\s|[，。；：！？、]|\s[-–—]\s|\n")
_WORD_END = lazily(
    r"(?<=[\u3400-\u9fff])(?<![一二两三四五六七八九十百千万亿第不没])(?=[^\W_]|\[)|(?<!\d)\s+"
)
_YEAR_ADDED = lazily(
    rf"(?P<day>\b{MONTH_NAME}\.?[ ]\d{{1,2}}(?:st|nd|rd|th)?|\b\d{{1,2}}(?:st|nd|rd|th)?[ ](?:of[ ])?{MONTH_NAME})"
    r"[ ]\[(?:\d{1,2}[ ]\w+[ ])?(?P<year>\d{4})\]"
    r"|(?P<zday>\d{1,2}月\d{1,2}[日号])\[(?P<zyear>\d{4})年[^\[\]]*\]",
    re.IGNORECASE,
)
"""A day said without its year, and the year or the whole day behind it."""
_BRACKETED = lazily(r"\[[^\]]*$")


def day_of(passage: Passage) -> str:
    """The day on which it was said, in the language of the line, with a space behind."""
    day = passage.at.date()
    return f"{day.isoformat() if language(passage.text) == 'zh' else say_date(day, 'en')} "


def said(passage: Passage, words: str) -> str:
    """Who said it, unless that is the owner of the vault, and these words of it."""
    text = words.strip()
    text = text if "\n" in text else " ".join(text.split())
    if passage.speaker and not text.startswith(passage.speaker):
        return f"{passage.speaker}: {text}"
    return text if passage.role == "user" or passage.speaker else f"({passage.role}) {text}"


def until(passage: Passage) -> str:
    """What stands behind a line that something newer took the place of; else ""."""
    if not passage.is_past or passage.until is None:
        return ""
    if language(passage.text) == "zh":
        return f" [至{say_date(passage.until, 'zh')}]"
    return f" [until {say_date(passage.until, 'en')}]"


def of_year(text: str, year: int) -> str:
    """The line for a reader who knows the year: `4 May [2026]` is `4 May`."""

    def plain(hit: re.Match[str]) -> str:
        same = int(hit["year"] or hit["zyear"]) == year
        return (hit["day"] or hit["zday"]) if same else hit[0]

    return _YEAR_ADDED.sub(plain, text) if "]" in text else text


def unstopped(text: str) -> str:
    """The line without its full stop, where that costs as much as a word."""
    return text.rstrip("。")


def cut(text: str, room: int) -> str:
    """The start of a line for at most `room` quarters of a token; "" if too little would be left.

    Up to a clause where that leaves little room empty, else up to a word; a number keeps its unit
    and a bracket its end.
    """
    fitting = _fitting(text, room - quarters(LEFT_OUT))
    piece = _up_to(_WORD_END, fitting, text)
    clause = _up_to(_CLAUSE_END, fitting, text)
    if quarters(clause) >= quarters(piece) - WASTED * room:
        piece = clause
    return piece + LEFT_OUT if len(piece) > LEAST_KEPT * len(text) else ""


def _fitting(text: str, room: int) -> int:
    """How many characters cost at most `room` quarters."""
    costs = accumulate(map(quarters, text[: max(0, room) + 1]))
    return sum(1 for _ in takewhile(room.__ge__, costs))


def _up_to(end: re.Pattern[str], most: int, text: str) -> str:
    """The longest start of at most so many characters that ends well."""
    ends = [found.start() for found in end.finditer(text, 0, most + 1) if found.start() <= most]
    wholes = (text[:place] for place in reversed(ends))
    return next((piece for piece in wholes if not _BRACKETED.search(piece)), "")
