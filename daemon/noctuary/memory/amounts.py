"""Numbers in text with what they count: money, percentages, dates, times, durations, quantities."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.memory.numerals import (
    EN_WORD,
    EN_WORDS,
    ZH_MIXED,
    ZH_NUMERAL,
    narrow,
    number,
    plain,
    zh_mixed,
    zh_number,
)
from noctuary.memory.periods import (
    ABSOLUTE,
    MONTH_NAME,
    MONTHS,
    ZH_DAY_NUMBER,
    absolute_date,
    month_number,
)
from noctuary.memory.units import COUNTED, CURRENCY, UNIT, chinese, latin
from noctuary.memory.words import opening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reader = Callable[[re.Match[str]], tuple[str, str] | None]

_SCALE_EN = (
    r"(?:[ ]?(?:thousand|million|billion|trillion|hundred)\b|[ ]?(?:bn|mn|[kKmMbB])(?![A-Za-z0-9]))"
)
_SCALE_ZH = r"[ ]?(?:千万|百万|[百千万亿])"
_DIGITS = r"\d{1,3}(?:,\d{3}){1,8}(?:\.\d{1,12})?(?![\d])|\d{1,24}(?:\.\d{1,12})?(?![\d])"
_VALUE = rf"(?:{ZH_MIXED}(?![\d.万千百亿])|(?:{_DIGITS})(?:{_SCALE_ZH}(?!分)|{_SCALE_EN})?)"
_ZH_VALUE = rf"{ZH_NUMERAL}{{1,16}}"
_FREE = r"(?<![A-Za-z0-9_.])(?<!\d,)"
_WORD_COUNT = rf"(?:{EN_WORD}(?:[- ]{EN_WORD})?)\b"
_ZH_DAY_PART = r"(?:凌晨|早上|清晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明晚|明早|今早|早|晚)"
_N = ZH_DAY_NUMBER
_NO_NUMERAL = rf"(?<!{ZH_NUMERAL})"
_TH = r"(?:st|nd|rd|th)?"
_AMPM = r"[ap])\.?m\b\.?"
_TO_TEN = "[一二三四五六七八九十]"
_SYMBOL = r"US\$|HK\$|[$€£¥￥₹]|(?<![A-Za-z])(?:RMB|CNY|USD|EUR|人民币)"
_ZH_TIME = "毫秒|秒钟?|分钟|个?小时|个?钟头|天|周|个?星期|个?礼拜|个月|年"
_AFTER_LETTER = r"(?<=[A-Za-z_\u4e00-\u9fff])(?<![0-9])(?<![A-Za-z][A-Za-z])"

_ZH = "zh "
"""Marks the alternatives that only text with Chinese characters can match."""
_RULES: dict[str, tuple[str, ...]] = {
    "whole": (ABSOLUTE.pattern,),
    "month": (
        rf"(?P<mm>{MONTH_NAME})\.?,?[ ](?P<my>(?:19|20)\d\d)(?!\d)",
        rf"{_ZH}(?P<zy>(?<!\d)\d{{4}})[ ]?年[ ]?(?P<zm>{_N})[ ]?月(?![ ]?\d|{_TO_TEN})",
    ),
    "date": (
        rf"\b(?P<dm>{MONTH_NAME})\.?[ ](?P<dd>\d{{1,2}}){_TH}\b(?![.,:]?\d)",
        rf"(?<![\d.])(?P<ed>\d{{1,2}}){_TH}[ ](?:of[ ])?(?P<em>{MONTH_NAME})\b",
        rf"{_ZH}(?P<fm>(?<!\d){_N})[ ]?月[ ]?(?P<fd>{_N})[ ]?[日号]",
    ),
    "year": (rf"{_ZH}(?<!\d)(?P<y>(?:1[89]|20)\d\d)年",),
    "clock": (
        (
            r"(?<![\d:.])(?P<ch>[01]?\d|2[0-4])[:：](?P<cm>[0-5]\d)(?:[:：](?P<cs>[0-5]\d))?"
            rf"(?![\d:])(?:[ ]?(?P<cap>{_AMPM})?"
        ),
        rf"(?<![A-Za-z0-9_.])(?P<ah>1[0-2]|0?[1-9])[ ]?(?P<aap>{_AMPM}",
    ),
    "zclock": (
        (
            rf"{_ZH}(?P<zpart>{_ZH_DAY_PART})?[ ]?"
            rf"(?P<zh>(?<!\d)\d{{1,2}}|{_NO_NUMERAL}[一二两三四五六七八九十]{{1,3}})"
            r"(?:点(?!\d|[儿心]|[建意]|击|赞|个)(?:钟|整|(?P<zhalf>半)|(?P<zq>[一三])刻"
            r"|(?P<zmin>[0-5]?\d|[零〇一二三四五六七八九十]{1,3})分?)?|[时](?P<zmin2>[0-5]?\d)分)"
        ),
    ),
    "symbol": (rf"(?P<msym>{_SYMBOL})[ ]?(?P<mv>{_VALUE}|{_ZH_VALUE})(?:[ ]?元)?",),
    "counted": (
        (
            rf"{_FREE}(?P<cv>{_VALUE}|{_WORD_COUNT})[ -]?"
            rf"(?P<cu>%|％|per[ ]?cent\b|个百分点|{latin(COUNTED)}|{chinese(COUNTED)})"
        ),
    ),
    "percent": (rf"{_ZH}百分之(?P<pz>{_ZH_VALUE}|\d{{1,6}}(?:\.\d{{1,6}})?)",),
    "money": (rf"{_ZH}(?P<mz>{_ZH_VALUE})(?P<mzcur>{chinese(CURRENCY)})(?![块])",),
    "duration": (
        rf"{_ZH}(?<![第{ZH_NUMERAL[1:-1]}])(?P<tz>{_ZH_VALUE})(?P<tzu>{_ZH_TIME})(?![级代])",
    ),
    "quantity": (rf"{_ZH}{_NO_NUMERAL}(?P<qz>{_ZH_VALUE})(?P<qzu>{chinese(UNIT)})",),
    "number": (
        rf"(?<![A-Za-z0-9_.])(?<!\d,)[-−]?(?P<nv>{_VALUE})(?![A-Za-z_]|[.]\d)",
        rf"(?P<nu>{_AFTER_LETTER}(?:{ZH_MIXED}(?![\d.万千百亿])|(?:{_DIGITS})(?:{_SCALE_ZH})?)(?![A-Za-z_]))",
        rf"{_ZH}(?P<nz>{_NO_NUMERAL}[一二两三四五六七八九]{ZH_NUMERAL}{{0,12}}[十百千万亿]{ZH_NUMERAL}{{0,3}})",
    ),
}
_GROUP = lazily(r"\(\?P<(\w+)>")
_FIRST_WORDS = opening([*EN_WORDS, *MONTHS, "rmb", "cny", "usd", "eur", "us$", "hk$"])
_STARTS = (
    rf"(?=[0-9$€£¥￥₹−-]|(?<![A-Za-z0-9_]){_FIRST_WORDS}"
    rf"|[{ZH_NUMERAL[1:-1]}人凌早清上中下傍晚夜今明第０-９\u0660-\u0669])"
)
"""Where an amount can begin at all: keeps the long alternation from every other place."""
_NUMERAL = lazily(rf"[\d{ZH_NUMERAL[1:-1]}]")
_SPLIT_VALUE = lazily(rf"(?P<digits>{_DIGITS})[ ]?(?P<scale>.*)", re.DOTALL)


@cache
def _pattern(*, chinese_too: bool) -> re.Pattern[str]:
    """One expression for all kinds; the short one, for ASCII text, has no Chinese alternatives."""
    kinds, left_out = [], []
    for kind, rules in _RULES.items():
        fitting = [rule.removeprefix(_ZH) for rule in rules if chinese_too or rule[:3] != _ZH]
        kinds.append(f"(?P<{kind}>" + "|".join(fitting or ["(?!)"]) + ")")
        if not chinese_too:
            left_out += [name for rule in rules if rule[:3] == _ZH for name in _GROUP.findall(rule)]
    never = "(?!)" + "".join(f"(?P<{name}>)" for name in left_out)
    return re.compile(f"{_STARTS}(?:{'|'.join([*kinds, never])})", re.IGNORECASE)


def amounts(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, kind and key of each amount in `text`, in order of place."""
    if not _NUMERAL.search(text) and not _worded(text.lower()):
        return
    latin_only = text.isascii()
    pattern = _pattern(chinese_too=not latin_only)
    for hit in pattern.finditer(text if latin_only else narrow(text)):
        name = next(kind for kind in _READERS if hit[kind])
        read = _READERS[name](hit)
        if read:
            yield hit.start(), hit.end(), *read


def _worded(lowered: str) -> bool:
    return any(word in lowered for word in EN_WORDS)


def version_key(said: str) -> str:
    """The key of a version number, `version:2.3.1`; Chinese numerals count too."""
    value = zh_number(said)
    return f"version:{said.lower() if value is None else value}"


def implied(key: str) -> list[str]:
    """The looser keys that an exact one stands for as well."""
    kind, _, value = key.partition(":")
    if kind == "date" and len(value) == 10:
        return [
            f"date:{value[:7]}",
            f"date:-{value[4:]}",
            f"date:{value[:4]}",
            f"number:{value[:4]}",
        ]
    if kind == "date" and len(value) in {4, 7} and value[0] != "-":
        return [f"date:{value[:4]}", f"number:{value[:4]}"]
    if kind in {"money", "percent", "duration", "quantity"}:
        return [f"number:{value.split(' ')[0]}"]
    if kind == "version":
        return [f"number:{value}"]
    last = value.rpartition(" ")[2]
    return [f"number:{last}"] if kind == "name" and last.isdecimal() else []


def _value(said: str) -> str | None:
    split = _SPLIT_VALUE.fullmatch(said)
    value = zh_mixed(said)
    if value is None:
        value = number(split["digits"], split["scale"]) if split else number(said)
    return None if value is None else plain(value)


def _whole(hit: re.Match[str]) -> tuple[str, str] | None:
    day = absolute_date(hit)
    return ("date", f"date:{day.isoformat()}") if day else None


def _month(hit: re.Match[str]) -> tuple[str, str]:
    if hit["my"]:
        return "date", f"date:{hit['my']}-{month_number(hit['mm']):02d}"
    return "date", f"date:{hit['zy']}-{zh_number(hit['zm']) or 0:02d}"


def _date(hit: re.Match[str]) -> tuple[str, str] | None:
    name = hit["dm"] or hit["em"]
    if name:
        if name.islower() and name in {"may", "march", "mar"}:
            return None
        month, day = month_number(name), int(hit["dd"] or hit["ed"])
    else:
        month, day = zh_number(hit["fm"]) or 0, zh_number(hit["fd"]) or 0
    return "date", f"date:--{month:02d}-{day:02d}"


def _year(hit: re.Match[str]) -> tuple[str, str]:
    return "date", f"date:{hit['y']}"


def _clock(hit: re.Match[str]) -> tuple[str, str]:
    hour, half = int(hit["ch"] or hit["ah"]), (hit["cap"] or hit["aap"] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    second = f":{hit['cs']}" if hit["cs"] and hit["cs"] != "00" else ""
    return "time", f"time:{hour:02d}:{hit['cm'] or '00'}{second}"


def _zclock(hit: re.Match[str]) -> tuple[str, str] | None:
    hour = zh_number(hit["zh"]) or 0
    part = hit["zpart"] or ""
    if hour > 24 or hit[0] == "一点":
        return None  # "一点" alone means a little
    if hour < 12 and (part in {"下午", "傍晚", "中午"} or "晚" in part or part == "夜里"):
        hour += 12 if part != "中午" or hour < 6 else 0
    minute = 30 if hit["zhalf"] else {"一": 15, "三": 45}.get(hit["zq"] or "", 0)
    said = hit["zmin"] or hit["zmin2"]
    minute = (zh_number(said) or 0) if said else minute
    return "time", f"time:{hour:02d}:{minute:02d}"


def _percent(hit: re.Match[str]) -> tuple[str, str] | None:
    value = _value(hit["pz"])
    return ("percent", f"percent:{value}") if value else None


def _symbol(hit: re.Match[str]) -> tuple[str, str] | None:
    value = _value(hit["mv"])
    return ("money", f"money:{value} {CURRENCY[hit['msym'].lower()]}") if value else None


def _money(hit: re.Match[str]) -> tuple[str, str] | None:
    return _measured(hit["mz"], hit["mzcur"])


def _duration(hit: re.Match[str]) -> tuple[str, str] | None:
    return _measured(hit["tz"], hit["tzu"])


def _quantity(hit: re.Match[str]) -> tuple[str, str] | None:
    return _measured(hit["qz"], hit["qzu"])


def _counted(hit: re.Match[str]) -> tuple[str, str] | None:
    return _measured(hit["cv"], hit["cu"])


def _measured(said: str, unit: str) -> tuple[str, str] | None:
    """A value with its unit as kind and key; an unknown unit is one of the ways to say percent."""
    kind, code = COUNTED.get(unit.lower(), ("percent", ""))
    if code in {"item", "times", "person"} and said in {"一", "one"}:
        return None  # "一个" and "one person" count nothing, they are articles
    value = _value(said)
    return (kind, f"{kind}:{value} {code}".rstrip()) if value else None


_BEFORE_ITEM = lazily(r"(?:^|\n)[ \t>#*_+•-]{0,8}(?P<open>[（(]?)$")
_AFTER_ITEM = lazily(r"[.)．）][ \t*_]+\S|[、)）．]")


def _marks_item(hit: re.Match[str], said: str) -> bool:
    """Whether the number only counts the items of a list: `2. `, `3) `, `（十二）` before a line."""
    start, end = hit.span()
    before = _BEFORE_ITEM.search(hit.string, max(0, start - 10), start)
    if before is None or len(said) > 3 or (before.start() and before[0][0] != "\n"):
        return False
    return _AFTER_ITEM.match(hit.string, end) is not None


_VALUE_BEFORE = lazily(
    r"(?:[=＝:：→<>≥≤~≈]|\b(?:is|was|are|were|be|to|than|about|around|exactly|only|least|most)"
    r"|[是为到成约共至有于]|\d[/:-])[ ]?[\"'`*]{0,2}$",
    re.IGNORECASE,
)
_OF_TEXT = lazily(
    r"[ -](?:[a-z-]{2,20}[ ])?(?:ways?|things|steps?|options|points|reasons|examples|parts|sections"
    r"|types|kinds|tips|ideas)\b|[ ]?[步种点类]"
)
"""Nouns that count what the text itself lists."""
_NOUN_BEHIND = lazily(
    r"[ -](?:[a-z-]{2,20}[ ]){0,2}?(?!(?:this|does|plus|versus|always|besides|less|unless)\b)"
    r"(?:[a-z]{3,20}s|children|men|women|feet|mice|teeth|sheep|fish)\b"
    r"|(?![方月号日时分章第和与或到至的])[\u4e00-\u9fff]|[/:-]\d"
)


def _tells(hit: re.Match[str]) -> bool:
    """Whether a single digit stands for a value or counts something, rather than in passing."""
    text, (start, end) = hit.string, hit.span()
    if _OF_TEXT.match(text, end):
        return False
    if hit[0][0] in "-−" and not text[max(0, start - 1) : start].isalnum():
        return True
    return (
        _VALUE_BEFORE.search(text, max(0, start - 12), start) is not None
        or _NOUN_BEHIND.match(text, end) is not None
    )


def _number(hit: re.Match[str]) -> tuple[str, str] | None:
    said = hit["nv"] or hit["nu"] or hit["nz"]
    if _marks_item(hit, said) or (len(said) == 1 and not _tells(hit)):
        return None
    value = _value(said)
    return ("number", f"number:{value}") if value else None


_READERS: dict[str, Reader] = {
    "whole": _whole,
    "month": _month,
    "date": _date,
    "year": _year,
    "clock": _clock,
    "zclock": _zclock,
    "symbol": _symbol,
    "counted": _counted,
    "percent": _percent,
    "money": _money,
    "duration": _duration,
    "quantity": _quantity,
    "number": _number,
}
