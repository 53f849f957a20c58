"""Stretches of the calendar, and how to say them in English and Chinese."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from noctuary.memory.lazy import lazily
from noctuary.memory.numerals import narrow, zh_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctuary.memory.sentences import Language

Grain = Literal["day", "weekday", "week", "weekend", "month", "season", "year", "since"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SEASONS = ("spring", "summer", "autumn", "winter")
_SEASONS_ZH = {"spring": "春天", "summer": "夏天", "autumn": "秋天", "winter": "冬天"}
_PARTS_ZH = {"early": "初", "mid": "中", "late": "底", "": ""}

MONTH_NAME = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
ZH_DAY_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`.

    Attributes:
        grain: What kind of stretch it is, which decides how it is said.
        around: True when the speaker was only roughly right.
        part: `early`, `mid` or `late`, of a month or year.
        season: Its name, where it is one.
    """

    first: date
    last: date
    grain: Grain = "day"
    around: bool = False
    part: str = ""
    season: str = ""

    def say(self, lang: Language) -> str:
        """The period in words, `week of 1 May 2023` or `2023年5月1日那一周`."""
        if lang == "zh":
            said = self._zh()
            return f"{said}左右" if self.around else said
        said = f"{self.part} {self._en()}" if self.part else self._en()
        return f"around {said}" if self.around else said

    def _en(self) -> str:
        day = say_date(self.first)
        match self.grain:
            case "day":
                return day
            case "weekday":
                return f"{WEEKDAYS[self.first.weekday()]} {day}"
            case "month":
                return f"{MONTHS[self.first.month - 1]} {self.first.year}"
            case "year":
                return str(self.first.year)
            case "since":
                return f"since {self.first.year}"
            case "season":
                return f"{self.season} {self._season_year()}"
        return f"{self.grain} of {day}"

    def _zh(self) -> str:
        year = f"{self.first.year}年"
        match self.grain:
            case "week":
                return say_date(self.first, "zh") + "那一周"
            case "weekend":
                return say_date(self.first, "zh") + "那个周末"
            case "month":
                return f"{year}{self.first.month}月{_PARTS_ZH[self.part]}"
            case "year":
                return year + _PARTS_ZH[self.part]
            case "since":
                return f"自{year}起"
            case "season":
                return year + _SEASONS_ZH[self.season]
        return say_date(self.first, "zh")

    def _season_year(self) -> str:
        first, last = self.first.year, self.last.year
        return str(first) if first == last else f"{first}-{last % 100:02d}"


def say_date(day: date, lang: Language = "en") -> str:
    """`7 May 2023` or `2023年5月7日`."""
    if lang == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def day_of(day: date, *, around: bool = False) -> Period:
    """One day."""
    return Period(day, day, "day", around)


def weekday_of(day: date) -> Period:
    """One day, said with its weekday."""
    return Period(day, day, "weekday")


def week_of(day: date) -> Period:
    """The week, Monday to Sunday, that `day` lies in."""
    monday = day - timedelta(days=day.weekday())
    return Period(monday, monday + timedelta(days=6), "week")


def weekend_of(day: date) -> Period:
    """Saturday and Sunday of the week that `day` lies in."""
    saturday = week_of(day).first + timedelta(days=5)
    return Period(saturday, saturday + timedelta(days=1), "weekend")


def month_of(year: int, month: int, part: str = "") -> Period:
    """A month; a month number out of 1 to 12 counts on into other years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    length = monthrange(year, month)[1]
    first, last = {"early": (1, 10), "mid": (11, 20), "late": (21, length)}.get(part, (1, length))
    return Period(date(year, month, first), date(year, month, last), "month", part=part)


def year_of(year: int, part: str = "") -> Period:
    """A year, or its beginning, middle or end."""
    first, last = {"early": (1, 3), "mid": (5, 8), "late": (10, 12)}.get(part, (1, 12))
    return Period(
        date(year, first, 1), date(year, last, monthrange(year, last)[1]), "year", part=part
    )


def season_of(year: int, season: str) -> Period:
    """A season of the northern year; winter begins in December of `year`."""
    start = month_of(year, 3 + 3 * SEASONS.index(season))
    end = month_of(year, 5 + 3 * SEASONS.index(season))
    return Period(start.first, end.last, "season", season=season)


def add_months(day: date, months: int) -> date:
    """The same day some months on, or the last of a shorter month."""
    year, month = day.year + (day.month - 1 + months) // 12, (day.month - 1 + months) % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def month_number(name: str) -> int:
    """1 to 12 for an English month name or its abbreviation; 0 for anything else."""
    short = name[:3].title()
    return next((n for n, month in enumerate(MONTHS, 1) if month.startswith(short)), 0)


def nearest(day: int, month: int, at: date) -> date | None:
    """The day of that name that lies closest to `at`; None when there is no such day."""
    near = [safe_date(year, month, day) for year in (at.year - 1, at.year, at.year + 1)]
    return min((d for d in near if d), key=lambda d: abs((d - at).days), default=None)


def nth_near(number: int, ahead: int, day: date) -> date | None:
    """The next or the last day with this number in its month; None where nothing says which."""
    if not ahead:
        return None
    months = (add_months(day.replace(day=1), ahead * step) for step in range(3))
    days = (safe_date(month.year, month.month, number) for month in months)
    fitting = (one for one in days if one and (one >= day if ahead > 0 else one <= day))
    return next(fitting, None)


def safe_date(year: int, month: int, day: int) -> date | None:
    """The date, or None where the calendar has none."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


_YEAR = r"(?:1[89]|20)\d\d"
_TH = r"(?:st|nd|rd|th)?"
ABSOLUTE = lazily(
    rf"(?<![\d./-])(?P<y1>{_YEAR})(?P<sep>[-/.])(?P<m1>\d{{1,2}})(?P=sep)(?P<d1>\d{{1,2}})"
    r"(?![\d.]?\d)"
    rf"|\b(?P<m2>{MONTH_NAME})\.?[ ](?P<d2>\d{{1,2}}){_TH},?[ ]\[?(?P<y2>{_YEAR})(?!\d)\]?"
    rf"|(?<![\d.])(?P<d3>\d{{1,2}}){_TH}[ ](?:of[ ])?(?P<m3>{MONTH_NAME})"
    rf"\.?,?[ ]\[?(?P<y3>{_YEAR})(?!\d)\]?"
    r"|(?P<y4>(?<!\d)\d{4}|[〇零一二三四五六七八九]{4})\s?年\s?"
    rf"(?P<m4>{ZH_DAY_NUMBER})\s?月\s?(?P<d4>{ZH_DAY_NUMBER})\s?[日号]?"
    rf"|(?<![\d年])(?P<m5>{ZH_DAY_NUMBER})\s?月\s?(?P<d5>{ZH_DAY_NUMBER})\s?[日号]"
    r"\[(?P<y5>\d{4})年\]",
    re.IGNORECASE,
)
"""A whole date with its year, in any of the usual spellings, the year also added in brackets."""


_YEARLIKE = lazily(rf"{_YEAR}|年")


def has_year(text: str) -> bool:
    """A cheap test that every text with a year in it passes."""
    hinted = "20" in text or "19" in text or "18" in text or "年" in text
    return hinted and _YEARLIKE.search(text) is not None


def absolute_dates(text: str) -> Iterable[re.Match[str]]:
    """The hits of `ABSOLUTE` in order of place."""
    return ABSOLUTE.finditer(text) if has_year(text) else ()


def absolute_date(hit: re.Match[str]) -> date | None:
    """The date behind a hit of `ABSOLUTE`; None where the calendar has none."""
    way = next(n for n in "12345" if hit[f"y{n}"])
    year, month, day = hit[f"y{way}"], hit[f"m{way}"], hit[f"d{way}"]
    if way in "23":
        return safe_date(int(year), month_number(month), int(day))
    values = [zh_number(narrow(part)) or 0 for part in (year, month, day)]
    return safe_date(*values) if values[0] > 0 else None
