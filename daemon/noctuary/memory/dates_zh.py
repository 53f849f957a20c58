"""Chinese expressions for relative dates, and what each means at a given moment."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from noctuary.memory.dates_en import moved
from noctuary.memory.lazy import lazily
from noctuary.memory.numerals import narrow, zh_number
from noctuary.memory.periods import (
    ZH_DAY_NUMBER,
    Period,
    day_of,
    month_of,
    nearest,
    nth_near,
    safe_date,
    season_of,
    week_of,
    weekend_of,
    year_of,
)
from noctuary.memory.tenses import tense_zh

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    Meaning = Callable[[re.Match[str], datetime], Period | None]

_COUNT = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3}|几|好几|半|两三|三四|三五|十几)"
_UNIT = r"(?:天|日|周|个?星期|个?礼拜|个半月|个月|年半|年|小时|个小时|分钟)"
_WEEK = r"(?:周|星期|礼拜)"
_N = ZH_DAY_NUMBER

_BEFORE_NTH = r"\s，。；！？、,.;:：（(在到是于从就等我他她们你咱得约定改了说那至~～—"
_COMPARED = r"小大低高少多等"
_NUMBERED = r"楼线房店门机院桌位车馆球仓库柜箱室厅床游内元员选码\dA-Za-z"
"""What a number before it names, rather than a day."""
PHRASES = lazily(
    rf"(?P<count>(?:大概|大约|约|差不多)?{_COUNT}{_UNIT}(?:多)?(?:之?前|以前|之后|以后|后)(?![台面来端排门背])"
    r"|(?<!提)前(?:几|两|些)天|前阵子|前段时间)"
    r"|(?P<day>大前天|大后天|(?<![以之今目])前[天日](?!性)|前晚"
    r"|(?<![最今之以先背])(?<!先天)后天(?!性|形成|培养|努力|习得)"
    r"|昨[天日晚夜儿]|今[天日晚早晨夜儿]|(?<![声证表])(?!(?<=说)明天气)明[天日晚早晨儿])"
    rf"|(?P<week>(?<![晚早剩当马网路线])(?P<wwhich>上上|下下|上|下|这|本|今)"
    rf"个?{_WEEK}(?P<wday>[一二三四五六日天末])?(?![年岁期围边]))"
    r"|(?P<month>(?P<mwhich>上上个|下下个|上个|下个|这个|本|上|下|当)月"
    r"(?:(?P<mday>\d{1,2}|[一二三四五六七八九十]{1,3})[日号]|(?P<mpart>[初中底末]))?)"
    r"|(?P<year>(?<![过])(?P<ywhich>大前|去|今|(?<![声证表])明|(?<![以之])前|后|本)年(?!级|轻|龄|度)"
    rf"(?:的?(?P<ymonth>{_N})月(?:份|(?P<yday>{_N})[日号])?"
    r"|的?(?P<yseason>春|夏|秋|冬)[天季]|(?P<ypart>[年]?[初底末中])(?![学国]))?)"
    rf"|(?P<date>(?<![年\d个前后])(?P<dmonth>{_N}) ?月 ?(?P<dday>{_N}) ?[日号](?!\d))"
    rf"|(?P<nth>(?<![^{_BEFORE_NTH}])(?<![{_COMPARED}]于)(?:{_N}号|\d{{1,2}}日)(?![{_NUMBERED}]))"
    r"|(?P<edge>(?<![\d上下个本年一二三四五六七八九十])(?:月[初中底末]|年[初底末]))"
    rf"|(?P<bare>(?<![上下这本每个双今各]){_WEEK}[一二三四五六日天末](?![至到~-]))"
)
"""Every expression that may be a relative date; `meaning` decides."""

_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_STEPS = {"上上": -2, "上": -1, "下": 1, "下下": 2}
_YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_UNITS = {"天": "day", "日": "day", "年": "year", "月": "month", "时": "hour", "钟": "minute"}
_PARTS = {"初": "early", "中": "mid", "底": "late", "末": "late"}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}


def meaning(hit: re.Match[str], at: datetime) -> Period | None:
    """What a hit of `PHRASES` means at the moment `at`; None when it is no relative date."""
    name = next(name for name in _MEANINGS if hit[name])
    return _MEANINGS[name](hit, at)


_COUNTED = lazily(rf"({_COUNT})({_UNIT})")


def _count(hit: re.Match[str], at: datetime) -> Period | None:
    counted = _COUNTED.search(hit[0])
    if counted is None or hit[0].startswith("前"):
        days = {"前两天": 2, "前几天": 3, "前些天": 5}.get(hit[0], 14)
        return day_of(at.date() - timedelta(days=days), around=True)
    count, unit = counted[1], counted[2]
    value, rough = _value(count)
    if "半" in unit:
        value += 0.5
    word = "week" if unit[-1] in "周期拜" else _UNITS[unit.rstrip("半")[-1]]
    rough = rough or "多" in hit[0] or hit[0][0] in "大约差"
    sign = -1 if "前" in hit[0][counted.end() :] else 1
    return moved(sign * value, word, at, rough=rough)


def _value(count: str) -> tuple[float, bool]:
    rough = {"几": 3, "好几": 5, "两三": 2, "三四": 3, "三五": 4, "十几": 15}
    if count in rough:
        return rough[count], True
    if count == "半":
        return 0.5, False
    return zh_number(narrow(count)) or 0, False


def _day(hit: re.Match[str], at: datetime) -> Period:
    return day_of(at.date() + timedelta(days=_DAYS[hit[0][:-1]]))


def _week(hit: re.Match[str], at: datetime) -> Period:
    week = week_of(at.date() + timedelta(weeks=_STEPS.get(hit["wwhich"], 0)))
    return _in_week(week.first, hit["wday"]) if hit["wday"] else week


def _in_week(monday: date, name: str) -> Period:
    if name == "末":
        return weekend_of(monday)
    return day_of(monday + timedelta(days="一二三四五六日".index(name.replace("天", "日"))))


def _month(hit: re.Match[str], at: datetime) -> Period | None:
    step = _STEPS.get(hit["mwhich"].removesuffix("个"), 0)
    month = month_of(at.year, at.month + step, _PARTS.get(hit["mpart"] or "", ""))
    if not hit["mday"]:
        return month
    day = safe_date(month.first.year, month.first.month, zh_number(narrow(hit["mday"])) or 0)
    return day_of(day) if day else None


def _year(hit: re.Match[str], at: datetime) -> Period | None:
    year = at.year + _YEARS[hit["ywhich"]]
    if hit["yseason"]:
        return season_of(year, _SEASONS[hit["yseason"]])
    if not hit["ymonth"]:
        return year_of(year, _PARTS.get((hit["ypart"] or " ")[-1], ""))
    month = zh_number(narrow(hit["ymonth"])) or 0
    day = safe_date(year, month, zh_number(narrow(hit["yday"] or "1")) or 0)
    if day is None:
        return None
    return day_of(day) if hit["yday"] else month_of(year, month)


def _date(hit: re.Match[str], at: datetime) -> Period | None:
    month, day = zh_number(narrow(hit["dmonth"])) or 0, zh_number(narrow(hit["dday"])) or 0
    near = nearest(day, month, at.date())
    return day_of(near) if near else None


def _edge(hit: re.Match[str], at: datetime) -> Period | None:
    part = _PARTS[hit[0][1]]
    if hit[0][0] == "年":
        return year_of(at.year, part)
    return month_of(at.year, at.month, part)


_RANGE = lazily(rf"(?P<month>{_N}) ?月 ?{_N} ?[日号]? ?[到至~～—-] ?$")
"""The beginning of a stretch of days: its end is in the same month."""


def _nth(hit: re.Match[str], at: datetime) -> Period | None:
    number = zh_number(narrow(hit[0][:-1])) or 0
    if begun := _RANGE.search(hit.string, max(0, hit.start() - 12), hit.start()):
        month = zh_number(narrow(begun["month"])) or 0
        same = nearest(number, month, at.date())
        return day_of(same) if same else None
    there = nth_near(number, tense_zh(hit), at.date())
    return day_of(there) if there else None


def _bare(hit: re.Match[str], at: datetime) -> Period | None:
    ahead, day = tense_zh(hit), at.date()
    if ahead == 0:
        return None
    there = _in_week(week_of(day).first, hit[0][-1])
    week = timedelta(weeks=1)
    if ahead > 0:
        return there if there.last >= day else _in_week(week_of(day + week).first, hit[0][-1])
    return there if there.first < day else _in_week(week_of(day - week).first, hit[0][-1])


_MEANINGS: dict[str, Meaning] = {
    "count": _count,
    "day": _day,
    "week": _week,
    "month": _month,
    "year": _year,
    "date": _date,
    "nth": _nth,
    "edge": _edge,
    "bare": _bare,
}
