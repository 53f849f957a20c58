"""Finds the days that a text names, whatever the spelling, to judge answers that are dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_NUMBER = {name: at for at, name in enumerate(_MONTHS, 1)}
_MONTH = (
    r"(jan(?:uar[yt]+|ury)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_TH = r"(?:st|nd|rd|th)?"
_YEAR = r"((?:19|20)\d\d)"
_DAY = r"(?<!\d)(\d{1,2})" + _TH + r"(?![\d:])"
_DASH = r"\s*(?:-|–|—|to|until)\s*"
_FULL = (
    (re.compile(rf"{_DAY}[`'’]?\s*(?:of\s+)?{_MONTH},?\s*{_YEAR}(?!\d)", re.IGNORECASE), "dmy"),
    (re.compile(rf"(?<![a-z]){_MONTH}\s*{_DAY},?\s*{_YEAR}(?!\d)", re.IGNORECASE), "mdy"),
    (re.compile(rf"(?<!\d){_YEAR}-(\d\d)-(\d\d)(?!\d)"), "iso"),
    (re.compile(rf"{_YEAR}\s*年\s*(\d{{1,2}})\s*月\s*(\d{{1,2}})\s*日"), "iso"),
)
_SPAN = re.compile(rf"{_DAY}{_DASH}{_DAY}\s*{_MONTH},?\s*{_YEAR}(?!\d)", re.IGNORECASE)
_SPAN_TWO = re.compile(
    rf"{_DAY}\s*{_MONTH}{_DASH}{_DAY}\s*{_MONTH},?\s*{_YEAR}(?!\d)", re.IGNORECASE
)
_MONTH_YEAR = re.compile(
    rf"(?<![a-z\d]){_MONTH},?\s*{_YEAR}(?!\d)|{_YEAR}-(\d\d)(?![-\d])", re.IGNORECASE
)
_YEARS = re.compile(rf"(?<![\d,.]){_YEAR}(?!\d)")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_BEFORE = re.compile(
    rf"\b(week|weekend|{'|'.join(_WEEKDAYS)})s?\s+(before|after|of)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Named:
    """A day, month or year that a text names: its first and last day."""

    first: date
    last: date


def named(text: str) -> list[Named]:
    """Every whole date, span, month with year, and year in `text`, the finest reading of each."""
    found: list[Named] = []
    rest = text
    for read in (_spans, _days, _months, _years):
        rest, more = read(rest)
        found += more
    return found


def wanted(answer: str) -> list[Named]:
    """The periods of which one must be named for the answer to be given; none if it has no year.

    `The week before 9 June 2023` wants the seven days up to the eve, or the calendar week before;
    `The Friday before …` that Friday.
    """
    dates = named(answer)
    if len(dates) != 1:
        return dates
    around = _BEFORE.search(answer)
    if not around or dates[0].first != dates[0].last:
        return dates
    return _around(around[1].lower(), around[2].lower(), dates[0].first)


def unit_word(answer: str) -> str:
    """`week`, `weekend` or the weekday of an answer such as `The week before 9 June 2023`."""
    around = _BEFORE.search(answer)
    return around[1].lower() if around else ""


def _around(unit: str, side: str, anchor: date) -> list[Named]:
    if unit in _WEEKDAYS:
        return [_weekday(_WEEKDAYS.index(unit), side, anchor)]
    monday = anchor - timedelta(days=anchor.weekday())
    shift = {"before": -7, "after": 7, "of": 0}[side]
    week = Named(monday + timedelta(days=shift), monday + timedelta(days=shift + 6))
    if unit == "weekend":
        end = Named(week.last - timedelta(days=1), week.last)
        near = Named(monday - timedelta(days=2), monday - timedelta(days=1))
        return [end, near] if side == "before" else [end]
    if side == "before":
        return [week, Named(anchor - timedelta(days=7), anchor - timedelta(days=1))]
    return [week]


def _weekday(weekday: int, side: str, anchor: date) -> Named:
    away = (anchor.weekday() - weekday) % 7 or (0 if side == "of" else 7)
    day = anchor - timedelta(days=away) if side != "after" else anchor + timedelta(days=7 - away)
    return Named(day, day)


def _spans(text: str) -> tuple[str, list[Named]]:
    found = []
    for hit in _SPAN_TWO.finditer(text):
        first = _day(hit[5], hit[2], hit[1])
        found.append((first, _day(hit[5], hit[4], hit[3])))
    for hit in _SPAN.finditer(text):
        found.append((_day(hit[4], hit[3], hit[1]), _day(hit[4], hit[3], hit[2])))
    rest = _SPAN.sub(" ", _SPAN_TWO.sub(" ", text))
    return rest, [Named(first, last) for first, last in found if first and last and first <= last]


def _days(text: str) -> tuple[str, list[Named]]:
    found = []
    for pattern, order in _FULL:
        for hit in pattern.finditer(text):
            day = _in_order(order, hit)
            found += [Named(day, day)] if day else []
        text = pattern.sub(" ", text)
    return text, found


def _in_order(order: str, hit: re.Match[str]) -> date | None:
    if order == "dmy":
        return _day(hit[3], hit[2], hit[1])
    return _day(hit[3], hit[1], hit[2]) if order == "mdy" else _day(hit[1], hit[2], hit[3])


def _months(text: str) -> tuple[str, list[Named]]:
    found = []
    for hit in _MONTH_YEAR.finditer(text):
        first = _day(hit[2] or hit[3], hit[1] or hit[4], "1")
        if first:
            following = (first + timedelta(days=31)).replace(day=1)
            found.append(Named(first, following - timedelta(days=1)))
    return _MONTH_YEAR.sub(" ", text), found


def _years(text: str) -> tuple[str, list[Named]]:
    years = [int(hit[1]) for hit in _YEARS.finditer(text)]
    return text, [Named(date(year, 1, 1), date(year, 12, 31)) for year in years]


def _day(year: str, month: str, day: str) -> date | None:
    number = int(month) if month.isdigit() else _NUMBER[month[:3].lower()]
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None


def spelled(text: str) -> str:
    """The text with every whole day as `7 may 2023` and every month as `may 2023`."""
    for pattern, order in _FULL:
        text = pattern.sub(partial(_say, order), text)
    return _MONTH_YEAR.sub(_month, text)


def _say(order: str, hit: re.Match[str]) -> str:
    day = _in_order(order, hit)
    return f" {day.day} {_LONG[day.month - 1]} {day.year} " if day else hit[0]


def _month(hit: re.Match[str]) -> str:
    day = _day(hit[2] or hit[3], hit[1] or hit[4], "1")
    return f" {_LONG[day.month - 1]} {day.year} " if day else hit[0]
