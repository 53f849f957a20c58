"""What relative dates mean on the day they were said, in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from noctuary.memory.sentences import Language

_MONTHS = (
    "January February March April May June July August September October November December".split()
)


@dataclass(frozen=True, slots=True)
class Gloss:
    """A relative date at `text[start:end]` and the days it covers, first to last."""

    start: int
    end: int
    phrase: str
    meaning: str
    first: date
    last: date


_SIMPLE = {"yesterday": -1, "today": 0, "tomorrow": 1, "昨天": -1, "今天": 0, "明天": 1}
_PHRASE = re.compile(r"\b(?:yesterday|today|tomorrow)\b|昨天|今天|明天", re.IGNORECASE)
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")


def say_date(day: date, lang: Language = "en") -> str:
    """`7 May 2023` or `2023年5月7日`."""
    if lang == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def glosses(text: str, at: datetime) -> list[Gloss]:
    """The relative dates of `text`, as meant at the moment `at`."""
    found = []
    for hit in _PHRASE.finditer(text):
        day = at.date() + timedelta(days=_SIMPLE[hit[0].lower()])
        lang: Language = "en" if hit[0].isascii() else "zh"
        found.append(Gloss(hit.start(), hit.end(), hit[0], say_date(day, lang), day, day))
    return found


def gloss_line(text: str, at: datetime) -> str:
    """`yesterday = 7 May 2023; …`, each phrase once; empty when there is nothing to explain."""
    told = {gloss.phrase.lower(): gloss for gloss in glosses(text, at)}
    return "; ".join(f"{gloss.phrase} = {gloss.meaning}" for gloss in told.values())


def resolved(text: str, at: datetime) -> str:
    """The text with each relative date followed by its meaning in brackets."""
    out, done = [], 0
    for gloss in glosses(text, at):
        out += [
            text[done : gloss.end],
            f" [{gloss.meaning}]" if gloss.phrase.isascii() else f"[{gloss.meaning}]",
        ]
        done = gloss.end
    return "".join(out) + text[done:]


def dates_in(text: str) -> list[date]:
    """Absolute dates in order of place."""
    found = []
    for hit in _ISO.finditer(text):
        try:
            found.append(date(int(hit[1]), int(hit[2]), int(hit[3])))
        except ValueError:
            continue
    return found
