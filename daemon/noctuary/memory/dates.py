"""What relative dates mean on the day they were said, in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.memory.periods import absolute_date, absolute_dates, say_date

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date, datetime

    from noctuary.memory.periods import Period
    from noctuary.memory.sentences import Language

    Meaning = Callable[[re.Match[str], datetime], Period | None]


__all__ = ["Gloss", "dates_in", "gloss_line", "glosses", "resolved", "say_date"]


@dataclass(frozen=True, slots=True)
class Gloss:
    """A relative date at `text[start:end]` and the days it covers, first to last.

    `added` is what it lacks of its meaning: the year, of a day and month as we would write them.
    """

    start: int
    end: int
    phrase: str
    meaning: str
    added: str
    first: date
    last: date


_CODE = lazily(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,400}`", re.DOTALL)
_HINTS_EN = (
    "day", "night", "tomorrow", "morning", "noon", "evening", "week", "month", "year", "decade",
    "hour", "minute", "spring", "summer", "autumn", "fall", "winter", "quarter", "january",
    "february", "march", "april", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_HINTS_SHORT = (" fri", " tue", " thu", " wed")
_CAPITAL = lazily("Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec")
_LOW_MONTH = "(?:jan|feb|apr|jun|jul|aug|sep|oct|nov|dec)"
_NUMBERED = lazily(rf"\d(?:(?:th|st|nd|rd|[ ]{_LOW_MONTH})\b|(?<={_LOW_MONTH}[ ]\d))")
_HINT_ZH = lazily("[前后昨今明周期拜月年号日]")
_SHORT = 2_000
"""Lines up to this length are asked again and again in one dream, so their glosses are kept."""
_YEARLY = lazily(
    r"birthday|\bborn\b|anniversary|every[ ]year|each[ ]year|annual|生日|生于|每年|纪念日|出生",
    re.IGNORECASE,
)


def glosses(text: str, at: datetime) -> list[Gloss]:
    """The relative dates of `text`, as meant at the moment `at`, in order of place."""
    return list(_remembered(text, at) if len(text) <= _SHORT else _glosses(text, at))


@lru_cache(maxsize=4096)
def _remembered(text: str, at: datetime) -> tuple[Gloss, ...]:
    return _glosses(text, at)


def _glosses(text: str, at: datetime) -> tuple[Gloss, ...]:
    told = [gloss for reader in _readers(text) for gloss in _told(text, at, *reader)]
    if not told:
        return ()
    closed = _closed(text)
    open_ones = [g for g in told if not any(a < g.end and g.start < b for a, b in closed)]
    dated = [*_absolute(text), *((g.start, g.end, g.first) for g in open_ones if g.first == g.last)]
    alone = [g for g in open_ones if not any(_names_day_of(g, *day, text) for day in dated)]
    return tuple(sorted(alone, key=lambda gloss: gloss.start))


_WEEKDAY = lazily(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|[周期拜][一二三四五六日天]", re.IGNORECASE
)
_BESIDE = 4
"""Characters between a date and the weekday that belongs to it: `28 November (Saturday)`."""


def _absolute(text: str) -> Iterator[tuple[int, int, date]]:
    for hit in absolute_dates(text):
        if day := absolute_date(hit):
            yield hit.start(), hit.end(), day


def _names_day_of(gloss: Gloss, start: int, end: int, day: date, text: str) -> bool:
    """Whether a weekday only says which one a date beside it is: `Saturday, 28 November`."""
    if gloss.first == day or gloss.first.weekday() != day.weekday():
        return False
    between = text[end : gloss.start] if end <= gloss.start else text[gloss.end : start]
    return len(between) <= _BESIDE and _WEEKDAY.search(gloss.phrase) is not None


def _readers(text: str) -> Iterator[tuple[re.Pattern[str], Meaning, Language]]:
    """Those for which a cheap test finds a hint; most texts have none, and load nothing."""
    if _CAPITAL.search(text) or _NUMBERED.search(text) or _worded(text, text.lower()):
        from noctuary.memory import dates_en

        yield dates_en.PHRASES, dates_en.meaning, "en"
    if not text.isascii() and _HINT_ZH.search(text) is not None:
        from noctuary.memory import dates_zh

        yield dates_zh.PHRASES, dates_zh.meaning, "zh"


def _worded(text: str, lowered: str) -> bool:
    for hint in _HINTS_EN:
        if hint in lowered:
            return True
    for hint in _HINTS_SHORT:  # noqa: SIM110 - every line of memory passes here, and this is quicker
        if hint in text:
            return True
    return False


def _yearly(hit: re.Match[str]) -> bool:
    """True for a day that comes back each year, such as a birthday: it has no year of its own."""
    if not hit["date"]:
        return False
    around = hit.string[max(0, hit.start() - 40) : hit.end() + 12]
    return _YEARLY.search(around) is not None


def _told(
    text: str, at: datetime, phrases: re.Pattern[str], meaning: Meaning, lang: Language
) -> Iterator[Gloss]:
    for hit in phrases.finditer(text):
        try:
            period = None if _yearly(hit) else meaning(hit, at)
        except (OverflowError, ValueError):
            continue  # beyond the calendar's first or last year
        if period:
            said = period.say(lang)
            added = _new_in(said, hit[0])
            yield Gloss(hit.start(), hit.end(), hit[0], said, added, period.first, period.last)


def _new_in(meaning: str, phrase: str) -> str:
    """Only the year, where that is all that a day in words lacks: `March 29`, `3月29日`."""
    year = _YEAR_TOLD.search(meaning)
    if year is None:
        return meaning
    rest = f"{meaning[: year.start()]} {meaning[year.end() :]}".split()
    return year[0].strip() if rest and sorted(rest) == sorted(phrase.split()) else meaning


_YEAR_TOLD = lazily(r"\d{4}年|[ ]\d{4}$")


def _closed(text: str) -> list[tuple[int, int]]:
    """Where nothing is glossed: code, and dates that are whole already."""
    spans = [hit.span() for hit in absolute_dates(text)]
    if "`" in text or "~~~" in text:
        spans += [hit.span() for hit in _CODE.finditer(text)]
    return spans


def gloss_line(text: str, at: datetime) -> str:
    """`yesterday = 7 May 2023; …`, each phrase once; empty when there is nothing to explain."""
    told = {gloss.phrase.lower(): gloss for gloss in glosses(text, at)}
    return "; ".join(f"{gloss.phrase} = {gloss.meaning}" for gloss in told.values())


def resolved(text: str, at: datetime) -> str:
    """The text with each relative date followed in brackets by its meaning, or by the year."""
    out, done, found = [], 0, glosses(text, at)
    if not found:
        return text
    for gloss in found:
        space = " " if gloss.phrase[-1:].isascii() else ""
        out += [text[done : gloss.end], f"{space}[{gloss.added}]"]
        done = gloss.end
    return "".join(out) + text[done:]


def dates_in(text: str) -> list[date]:
    """Absolute dates, with their year, in order of place."""
    found = (absolute_date(hit) for hit in absolute_dates(text))
    return [day for day in found if day]
