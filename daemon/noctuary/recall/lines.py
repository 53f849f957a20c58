"""A line of an answer as an agent reads it. Pure.

The person's words are never changed: only left out at the end, which `…` shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.dates import say_date
from noctuary.memory.sentences import language
from noctuary.memory.tokens import quarters

if TYPE_CHECKING:
    from noctuary.recall.passages import Passage

SAME_DAY = "- "
"""Stands before a line of the same day as the line above it."""
LEFT_OUT = "…"
LEAST_KEPT = 0.4
"""Share of a line that a cut must leave, else nobody would understand it."""
_CLAUSE_END = re.compile(r"[,;:.!?]\s|[，。；：！？、]|\s[-–—]\s|\n")


def day_of(passage: Passage) -> str:
    """The day on which it was said, in the language of the line, with a space behind."""
    day = passage.at.date()
    return f"{day.isoformat() if language(passage.text) == 'zh' else say_date(day, 'en')} "


def said(passage: Passage) -> str:
    """Who said it, unless that is the owner of the vault, and the words."""
    text = passage.text.strip()
    text = text if "\n" in text else " ".join(text.split())
    if passage.speaker and not text.startswith(passage.speaker):
        return f"{passage.speaker}: {text}"
    return text if passage.role == "user" or passage.speaker else f"({passage.role}) {text}"


def cut(text: str, room: int) -> str:
    """The start of a line up to a clause, for at most `room` quarters of a token; "" if none."""
    for end in reversed([found.start() for found in _CLAUSE_END.finditer(text)]):
        piece = text[:end] + LEFT_OUT
        if end < LEAST_KEPT * len(text):
            break
        if quarters(piece) <= room:
            return piece
    return ""
