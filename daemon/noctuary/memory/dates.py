"""What relative dates mean on the day they were said, in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory import dates_en, dates_zh
from noctuary.memory.periods import ABSOLUTE, Period, absolute_date, say_date

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date, datetime

    from noctuary.memory.sentences import Language

    Meaning = Callable[[re.Match[str], datetime], Period | None]


__all__ = ["Gloss", "dates_in", "gloss_line", "glosses", "resolved", "say_date"]


@dataclass(frozen=True, slots=True)
class Gloss:
    """A relative date at `text[start:end]` and the days it covers, first to last."""

    start: int
    end: int
    phrase: str
    meaning: str
    first: date
    last: date


_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,400}`", re.DOTALL)
_READERS: tuple[tuple[re.Pattern[str], Meaning, Language], ...] = (
    (dates_en.PHRASES, dates_en.meaning, "en"),
    (dates_zh.PHRASES, dates_zh.meaning, "zh"),
)


def glosses(text: str, at: datetime) -> list[Gloss]:
    """The relative dates of `text`, as meant at the moment `at`, in order of place."""
    readers = _READERS[:1] if text.isascii() else _READERS
    told = [gloss for reader in readers for gloss in _told(text, at, *reader)]
    if not told:
        return []
    closed = _closed(text)
    open_ones = [g for g in told if not any(a < g.end and g.start < b for a, b in closed)]
    return sorted(open_ones, key=lambda gloss: gloss.start)


def _told(
    text: str, at: datetime, phrases: re.Pattern[str], meaning: Meaning, lang: Language
) -> Iterator[Gloss]:
    for hit in phrases.finditer(text):
        try:
            period = meaning(hit, at)
        except (OverflowError, ValueError):
            continue  # beyond the calendar's first or last year
        if period:
            said = period.say(lang)
            yield Gloss(hit.start(), hit.end(), hit[0], said, period.first, period.last)


def _closed(text: str) -> list[tuple[int, int]]:
    """Where nothing is glossed: code, and dates that are whole already."""
    spans = [hit.span() for hit in ABSOLUTE.finditer(text)]
    if "`" in text or "~~~" in text:
        spans += [hit.span() for hit in _CODE.finditer(text)]
    return spans


def gloss_line(text: str, at: datetime) -> str:
    """`yesterday = 7 May 2023; …`, each phrase once; empty when there is nothing to explain."""
    told = {gloss.phrase.lower(): gloss for gloss in glosses(text, at)}
    return "; ".join(f"{gloss.phrase} = {gloss.meaning}" for gloss in told.values())


def resolved(text: str, at: datetime) -> str:
    """The text with each relative date followed by its meaning in brackets."""
    out, done = [], 0
    for gloss in glosses(text, at):
        space = " " if gloss.phrase[-1:].isascii() else ""
        out += [text[done : gloss.end], f"{space}[{gloss.meaning}]"]
        done = gloss.end
    return "".join(out) + text[done:]


def dates_in(text: str) -> list[date]:
    """Absolute dates, with their year, in order of place."""
    found = (absolute_date(hit) for hit in ABSOLUTE.finditer(text))
    return [day for day in found if day]
