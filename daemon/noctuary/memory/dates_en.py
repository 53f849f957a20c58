"""English expressions for relative dates, and what each means at a given moment."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.memory.numerals import EN_WORD, EN_WORDS, en_number
from noctuary.memory.periods import (
    MONTH_NAME,
    MONTHS,
    SEASONS,
    WEEKDAYS,
    Period,
    add_months,
    day_of,
    month_number,
    month_of,
    nearest,
    nth_near,
    safe_date,
    season_of,
    week_of,
    weekday_of,
    weekend_of,
    year_of,
)
from noctuary.memory.tenses import tense_en
from noctuary.memory.words import opening, words

if TYPE_CHECKING:
    from collections.abc import Callable

    Meaning = Callable[[re.Match[str], datetime], Period | None]

_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_SHORT_DAY = r"(?:Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\b(?!\.?[ ]?\d)"
_TIME_OF_DAY = r"(?:[ ](?:morning|afternoon|evening|night))?"
_COUNT = (
    rf"(?:\d{{1,3}}|{EN_WORD}(?:[- ]{EN_WORD})?|an?[ ]couple[ ](?:of[ ])?|an?[ ]few|several"
    r"|half[ ]an?|an?)"
)
_ABOUT = r"(?:(?:about|around|roughly|over|almost|nearly|more[ ]than|maybe|like)[ ])?"
_UNIT = r"(?:day|weekend|week|month|year|decade|hour|minute)s?"
_WHICH = r"(?:last|this[ ]past|this[ ]coming|the[ ]coming|this|next|past|the[ ]past|current)"
_NOT_PLURAL = r"(?!s\b|'s[ ]a\b|[ ]of[ ](?:the|each|every)[ ](?:month|quarter|year)\b)"

_TH = r"(?:st|nd|rd|th)?"
_SHORT_YEAR = r"(?:19|20)\d\d"
_PART = r"(?:(?P<part>early|late|the[ ]end[ ]of|the[ ]beginning[ ]of|the[ ]start[ ]of|mid)[ -])?"
_WHAT = r"(?P<what>weekend|week|month|year|quarter|spring|summer|autumn|fall|winter)"
_NTH = r"\d{1,2}(?:st|nd|rd|th)"
_AFTER_NTH = (
    "at|in|for|from|and|or|so|but|to|when|with|because|if|we|i|he|she|they|it|there|instead|then|"
    "is|was|will|already|too|as|please"
)
_RULES = {
    "ofmonth": rf"(?:(?:on|by|until|till|before|since|due)[ ])?the[ ](?P<oday>{_NTH})[ ](?:of[ ])?"
    r"(?P<owhich>next|this|last)[ ]month\b"
    rf"|(?P<nwhich>next|this|last)[ ]month['’]s[ ](?P<nday>{_NTH})\b",
    "nth": rf"(?P<nprep>on|by|until|till|before|since|due)[ ]the[ ](?P<numbered>{_NTH})"
    rf"(?=\W*$|[ ]?[.,;:!?)–—]|[ ](?:{_AFTER_NTH})\b)",
    "before": r"(?:the[ ])?day[ ]before[ ]yesterday|(?:the[ ])?day[ ]after[ ]tomorrow",
    "near": rf"(?:yesterday|today|tomorrow){_TIME_OF_DAY}|tonight|last[ ]night"
    r"|this[ ](?:morning|afternoon|evening)|the[ ]other[ ]day",
    "twice": r"the[ ](?:week|weekend|month|year)[ ](?:before[ ]last|after[ ]next)",
    "ago": rf"{_ABOUT}{_COUNT}[ ]?{_UNIT}(?:[ ]and[ ]a[ ]half)?[ ](?:ago|back)\b"
    r"(?![ ](?:to|at|in|and[ ]forth)\b)",
    "ahead": rf"(?:in|within)[ ]{_ABOUT}{_COUNT}[ ]?{_UNIT}(?:['’]?[ ]time)?\b"
    rf"|{_COUNT}[ ]{_UNIT}[ ]from[ ](?:now|today)",
    "since": rf"(?:for[ ](?:the[ ](?:past|last)[ ])?{_ABOUT}{_COUNT}[ ]years?(?:[ ]now)?"
    rf"|{_COUNT}[ ]years?[ ]now)\b",
    "day": rf"(?P<dwhich>{_WHICH})[ ](?P<dname>{_DAY}|{_SHORT_DAY}){_NOT_PLURAL}{_TIME_OF_DAY}",
    "span": rf"{_PART}(?P<which>{_WHICH})[ ]{_WHAT}\b(?!['’]?s?[ ]?\d)",
    "month": rf"(?P<mwhich>{_WHICH}|in|since|until|by|early|late|mid)[ -](?P<mname>{MONTH_NAME})\b"
    r"(?!\.?,?[ ]\d|[ ](?:of[ ])?(?:last|this|next)\b)",
    "edge": r"(?:the[ ])?(?P<ewhich>end|beginning|start|middle)[ ]of[ ]the[ ]"
    r"(?P<ewhat>month|year|week)\b",
    "over": r"(?:over|at|on|during)[ ]the[ ]weekend\b(?!s)",
    "date": rf"(?P<m1>{MONTH_NAME})\.?[ ](?P<d1>\d{{1,2}}){_TH}\b"
    rf"(?![:.,]?\d|,?[ ]{_SHORT_YEAR}|[ ]?%|[ ]?(?:am|pm)\b)"
    rf"|(?P<d2>\d{{1,2}}){_TH}[ ](?:of[ ])?(?P<m2>{MONTH_NAME})\b"
    r"(?!\.?,?[ ](?:of[ ])?(?:19|20)?\d\d)",
    "bare": r"(?:(?P<prep>on|by|until|till|before|due|this[ ]coming)[ ])?"
    rf"(?P<bname>{_DAY}){_NOT_PLURAL}{_TIME_OF_DAY}",
}
_STARTS = opening(
    words(
        "the day yesterday today tonight last this about around roughly over almost nearly more "
        "maybe like an couple several half in within for next past current early late mid end "
        "beginning start middle at on during since until till by before due"
    ).union(EN_WORDS, MONTHS, WEEKDAYS)
)
PHRASES = lazily(
    rf"\b(?=\d|[aA][ ]|{_STARTS})(?:"
    + "|".join(f"(?P<{name}>{rule})" for name, rule in _RULES.items())
    + ")",
    re.IGNORECASE,
)
"""Every expression that may be a relative date; `meaning` decides."""

_PERFECT = lazily(r"\b(?:have|has|been|since)\b|['’]ve\b", re.IGNORECASE)
_HABIT = lazily(
    r"(?:\b(?:every|each|any|most|some|black|good|casual|freaky|taco|an?|(?<!on[ ])(?<!by[ ])(?<!until[ ])the|cyber)[ ]|-)$",
    re.IGNORECASE,
)


def meaning(hit: re.Match[str], at: datetime) -> Period | None:
    """What a hit of `PHRASES` means at the moment `at`; None when it is no relative date."""
    return _MEANINGS[_group(hit)](hit, at)


def _group(hit: re.Match[str]) -> str:
    return next(name for name in _MEANINGS if hit[name])


def _before(hit: re.Match[str], at: datetime) -> Period:
    return day_of(at.date() + timedelta(days=-2 if "before" in hit[0].lower() else 2))


def _near(hit: re.Match[str], at: datetime) -> Period:
    said = hit[0].lower()
    if said.startswith("the other"):
        return day_of(at.date() - timedelta(days=3), around=True)
    shift = {"yesterday": -1, "last": -1, "tomorrow": 1}.get(said.split()[0], 0)
    return day_of(at.date() + timedelta(days=shift))


def _twice(hit: re.Match[str], at: datetime) -> Period:
    said = hit[0].lower().split()
    return _shifted(said[1], -2 if said[2] == "before" else 2, at.date())


def _shifted(unit: str, by: int, day: date) -> Period:
    if unit == "month":
        return month_of(day.year, day.month + by)
    if unit == "year":
        return year_of(day.year + by)
    return (weekend_of if unit == "weekend" else week_of)(day + timedelta(weeks=by))


_COUNTED = lazily(rf"(?P<count>{_COUNT})[ ]?(?P<unit>{_UNIT})", re.IGNORECASE)


def _counted(said: str) -> tuple[float, str, bool]:
    """How many, of what unit, and whether only roughly."""
    hit = _COUNTED.search(said)
    if hit is None:  # pragma: no cover - every caller's pattern holds a count
        return 0, "day", False
    count, unit = hit["count"].lower().strip(), hit["unit"].lower().removesuffix("s")
    rough = "few" in count or "several" in count or "couple" in count or "about" in said.lower()
    if "couple" in count:
        value: float = 2
    elif rough and not count[0].isdigit() and en_number(count) is None:
        value = 3 if count not in {"a", "an"} else 1
    elif count.startswith("half"):
        value = 0.5
    else:
        value = int(count) if count.isdigit() else en_number(count) or 1
    return value + (0.5 if "and a half" in said.lower() else 0), unit, rough


def moved(value: float, unit: str, at: datetime, *, rough: bool) -> Period | None:
    """The period `value` units away from `at`, negative for the past; None beyond the calendar."""
    try:
        return _moved(value, unit, at, rough=rough)
    except (ValueError, OverflowError):
        return None


def _moved(value: float, unit: str, at: datetime, *, rough: bool) -> Period:
    day = at.date()
    if unit in {"hour", "minute"}:
        return day_of((at + timedelta(**{f"{unit}s": value})).date())
    if unit == "weekend":
        return weekend_of(day + timedelta(weeks=value))
    if unit in {"day", "week"}:
        days = round(value * (7 if unit == "week" else 1))
        return day_of(day + timedelta(days=days), around=rough or unit == "week")
    years = value * (10 if unit == "decade" else 1)
    if unit != "month" and abs(years) > 1 and years == int(years):
        there = year_of(day.year + int(years))
    else:
        on = add_months(day, round(value if unit == "month" else years * 12))
        there = month_of(on.year, on.month)
        rough = rough or unit == "year"
    return Period(there.first, there.last, there.grain, around=rough)


def _ago(hit: re.Match[str], at: datetime) -> Period | None:
    value, unit, rough = _counted(hit[0])
    return moved(-value, unit, at, rough=rough)


def _ahead(hit: re.Match[str], at: datetime) -> Period | None:
    if hit[0].lower().startswith(("in", "within")) and not hit[0].lower().endswith("time"):
        ahead = tense_en(hit)
        if ahead < 0 or hit[0].lower().startswith("within") or hit[0].lower() == "in a day":
            return None
    value, unit, rough = _counted(hit[0])
    return moved(value, unit, at, rough=rough)


def _since(hit: re.Match[str], at: datetime) -> Period | None:
    clause = hit.string[max(0, hit.start() - 60) : hit.start()]
    if not hit[0].lower().endswith("now") and not _PERFECT.search(clause):
        return None
    value, _, rough = _counted(hit[0])
    first = at.year - round(value)
    return Period(date(first, 1, 1), at.date(), "since", around=rough) if first > 0 else None


def _day(hit: re.Match[str], at: datetime) -> Period:
    which, day = hit["dwhich"].lower(), at.date()
    index = _weekday(hit["dname"])
    if which.endswith(("last", "past")):
        return weekday_of(day - timedelta(days=(day.weekday() - index - 1) % 7 + 1))
    if which == "this":
        return weekday_of(week_of(day).first + timedelta(days=index))
    if which == "next":
        return weekday_of(week_of(day).first + timedelta(days=7 + index))
    return weekday_of(_coming(index, day))


def _coming(index: int, day: date) -> date:
    return day + timedelta(days=(index - day.weekday() - 1) % 7 + 1)


def _weekday(name: str) -> int:
    short = name[:3].title()
    return next(n for n, day in enumerate(WEEKDAYS) if day.startswith(short))


def _sign(which: str) -> int:
    which = which.lower()
    return -1 if which.endswith(("last", "past")) else 1 if which == "next" else 0


_PARTS = {"early": "early", "late": "late", "mid": "mid", "the end of": "late"}


def _span(hit: re.Match[str], at: datetime) -> Period | None:
    which, what, day = hit["which"].lower(), hit["what"].lower(), at.date()
    part = _PARTS.get((hit["part"] or "").lower(), "early") if hit["part"] else ""
    sign = _sign(which)
    if what in {"fall", *SEASONS}:
        return _season("autumn" if what == "fall" else what, which, day)
    if what == "weekend" and which.endswith("past"):
        return weekend_of(day - timedelta(days=7 if day.weekday() < 6 else 0))
    if what in {"week", "weekend"}:
        return None if which.endswith("the past") else _shifted(what, sign, day)
    if which.endswith("past"):
        return None
    if what == "quarter":
        return None
    if what == "month":
        return month_of(day.year, day.month + sign, part)
    return year_of(day.year + sign, part)


def _season(season: str, which: str, day: date) -> Period:
    years = [season_of(year, season) for year in range(day.year - 2, day.year + 3)]
    if _sign(which) < 0:
        return [there for there in years if there.last < day][-1]
    if which == "next":
        return season_of(day.year + 1, season) if season != "winter" else years[2]
    return min(years, key=lambda there: abs((there.first - day).days))


def _month(hit: re.Match[str], at: datetime) -> Period | None:
    which, name, day = hit["mwhich"].lower(), hit["mname"], at.date()
    if name.lower() == "mar" or (name.islower() and name in {"may", "march"}):
        return None
    number = month_number(name)
    part = which if which in {"early", "late", "mid"} else ""
    if which.endswith(("last", "past")) or which == "since":
        return month_of(day.year - (number >= day.month), number)
    if which in {"next", "this coming", "the coming"}:
        return month_of(day.year + (number <= day.month), number)
    years = [month_of(year, number, part) for year in (day.year - 1, day.year, day.year + 1)]
    ahead = tense_en(hit)
    fitting = [
        there
        for there in years
        if ahead == 0 or (there.first <= day if ahead < 0 else there.last >= day)
    ]
    return min(fitting, key=lambda there: abs((there.first - day).days))


def _edge(hit: re.Match[str], at: datetime) -> Period | None:
    part = {"end": "late", "middle": "mid"}.get(hit["ewhich"].lower(), "early")
    if hit["ewhat"].lower() == "week":
        return week_of(at.date()) if part == "late" else None
    if hit["ewhat"].lower() == "year":
        return year_of(at.year, part)
    return month_of(at.year, at.month, part)


def _over(hit: re.Match[str], at: datetime) -> Period | None:
    ahead, day = tense_en(hit), at.date()
    if ahead == 0:
        return None
    if ahead < 0 and day.weekday() < 5:
        day -= timedelta(days=7)
    return weekend_of(day)


_LATER_YEAR = lazily(
    rf"[ ]?(?:-|–|—|to|and|until|through|till)[ ]?(?:{MONTH_NAME}\.?[ ])?\d{{1,2}}(?:st|nd|rd|th)?"
    rf"(?:[ ]{MONTH_NAME})?,?[ ](?:19|20)\d\d",
    re.IGNORECASE,
)


def _date(hit: re.Match[str], at: datetime) -> Period | None:
    name = hit["m1"] or hit["m2"]
    if name.islower() and name in {"may", "march", "mar"}:
        return None
    if _LATER_YEAR.match(hit.string, hit.end()):
        return None
    day = nearest(int(hit["d1"] or hit["d2"]), month_number(name), at.date())
    return day_of(day) if day else None


def _ofmonth(hit: re.Match[str], at: datetime) -> Period | None:
    which = (hit["owhich"] or hit["nwhich"]).lower()
    month = add_months(at.date().replace(day=1), {"next": 1, "last": -1}.get(which, 0))
    there = safe_date(month.year, month.month, int((hit["oday"] or hit["nday"])[:-2]))
    return day_of(there) if there else None


def _nth(hit: re.Match[str], at: datetime) -> Period | None:
    said_before = hit["nprep"].lower()
    surely = said_before in {"by", "until", "till", "due"}
    ahead = 1 if surely else tense_en(hit, said_before)
    around = hit.string[max(0, hit.start() - 60) : hit.end() + 30]
    there = None if _EACH.search(around) else nth_near(int(hit["numbered"][:-2]), ahead, at.date())
    return day_of(there) if there else None


_EACH = lazily(r"\b(?:every|each|monthly|always|usually|annual\w*|yearly)\b", re.IGNORECASE)


def _bare(hit: re.Match[str], at: datetime) -> Period | None:
    if _HABIT.search(hit.string[max(0, hit.start() - 12) : hit.start()]):
        return None
    said_before = (hit["prep"] or "").lower()
    surely = said_before in {"by", "until", "till", "due", "this coming"}
    ahead = 1 if surely else tense_en(hit, said_before) or int(said_before == "before")
    if ahead == 0:
        return None
    index, day = _weekday(hit["bname"]), at.date()
    if ahead > 0:
        return weekday_of(_coming(index, day))
    return weekday_of(day - timedelta(days=(day.weekday() - index - 1) % 7 + 1))


_MEANINGS: dict[str, Meaning] = {
    "ofmonth": _ofmonth,
    "nth": _nth,
    "before": _before,
    "near": _near,
    "twice": _twice,
    "ago": _ago,
    "ahead": _ahead,
    "since": _since,
    "day": _day,
    "span": _span,
    "month": _month,
    "edge": _edge,
    "over": _over,
    "date": _date,
    "bare": _bare,
}
