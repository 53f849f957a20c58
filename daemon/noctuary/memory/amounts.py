"""Numbers in text with what they count: money, percentages, dates, times, durations, quantities."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.numerals import EN_WORD, ZH_NUMERAL, narrow, number, plain, zh_number
from noctuary.memory.periods import ABSOLUTE, MONTH_NAME, ZH_DAY_NUMBER, absolute_date, month_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reader = Callable[[re.Match[str]], tuple[str, str] | None]

_CURRENCIES = {
    "CNY": "¥ ￥ 元 块 块钱 人民币 rmb cny yuan 元人民币",
    "USD": "$ us$ usd dollar dollars bucks 美元 美金 刀",
    "EUR": "€ eur euro euros 欧元",
    "GBP": "£ gbp pounds 英镑",
    "JPY": "jpy yen 日元",
    "HKD": "hk$ hkd 港币 港元",
    "INR": "₹ inr rupees",
}
_CURRENCY = {name: code for code, spelt in _CURRENCIES.items() for name in spelt.split()}
_TIME_UNITS = {
    "ms": "ms msec millisecond milliseconds 毫秒",
    "s": "s sec secs second seconds 秒 秒钟",
    "min": "min mins minute minutes 分钟",
    "h": "h hr hrs hour hours 小时 个小时 钟头 个钟头",
    "day": "day days 天",
    "week": "week weeks wk wks 周 星期 个星期 礼拜 个礼拜",
    "month": "month months mo 月 个月",
    "year": "year years yr yrs 年",
}
_UNITS = {
    "kb": "kb kib", "mb": "mb mib", "gb": "gb gib g内存", "tb": "tb tib", "byte": "bytes byte 字节",
    "km": "km kilometers kilometres kilometer 公里 千米", "m": "meters metres 米",
    "cm": "cm 厘米", "mm": "mm 毫米", "mile": "mile miles mi 英里", "ft": "ft feet 英尺",
    "kg": "kg kgs kilograms 公斤 千克", "g": "grams 克", "lb": "lb lbs pounds-weight 磅",
    "l": "liters litres 升", "ml": "ml 毫升", "person": "people persons person 人 位 名",
    "px": "px pixels 像素", "hz": "hz", "ghz": "ghz", "fps": "fps", "rpm": "rpm",
    "qps": "qps rps tps", "token": "tokens token", "°c": "°c ℃ 摄氏度 度", "w": "watts 瓦",
    "kwh": "kwh 度电", "sqm": "m² 平米 平方米 平", "floor": "楼 层", "age": "岁",
    "times": "times 次 倍", "item": "个 件 条 只 台 本 张 项 家 套 款 部 辆 份 门 节 页 行 字 点建议",
    "jin": "斤", "core": "cores 核", "user": "users user 用户 个用户",
}  # fmt: skip
_TIME_UNIT = {name: unit for unit, spelt in _TIME_UNITS.items() for name in spelt.split()}
_UNIT = {name: unit for unit, spelt in _UNITS.items() for name in spelt.split()}


def _choice(names: dict[str, str], *, latin: bool) -> str:
    wanted = [name for name in names if name[0].isascii() == latin]
    return "|".join(re.escape(name) for name in sorted(wanted, key=len, reverse=True))


_SCALE_EN = (
    r"(?:[ ]?(?:thousand|million|billion|trillion|hundred)\b|[ ]?(?:bn|mn|[kKmMbB])(?![A-Za-z0-9]))"
)
_SCALE_ZH = r"[ ]?(?:千万|百万|[百千万亿])"
_DIGITS = r"\d{1,3}(?:,\d{3}){1,8}(?:\.\d{1,12})?(?![\d])|\d{1,24}(?:\.\d{1,12})?(?![\d])"
_VALUE = rf"(?:(?:{_DIGITS})(?:{_SCALE_ZH}(?!分)|{_SCALE_EN})?)"
_ZH_VALUE = rf"{ZH_NUMERAL}{{1,16}}"
_FREE = r"(?<![A-Za-z0-9_.])(?<!\d,)"
_WORD_COUNT = rf"(?:{EN_WORD}(?:[- ]{EN_WORD})?)"
_DAY_PART = r"(?:凌晨|早上|清晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明晚|明早|今早|早|晚)"
_N = ZH_DAY_NUMBER

_PARTS: tuple[tuple[str, str], ...] = (
    ("whole", rf"(?:{ABSOLUTE.pattern})"),
    ("month", (rf"(?P<mm>{MONTH_NAME})\.?,?[ ](?P<my>(?:19|20)\d\d)(?!\d)"
     rf"|(?P<zy>(?<!\d)\d{{4}})年(?P<zm>{_N})月(?!\d|[一二三四五六七八九十])")),
    ("date", (rf"\b(?P<dm>{MONTH_NAME})\.?[ ](?P<dd>\d{{1,2}})(?:st|nd|rd|th)?\b(?![.,:]?\d)"
     rf"|(?<![\d.])(?P<ed>\d{{1,2}})(?:st|nd|rd|th)?[ ](?:of[ ])?(?P<em>{MONTH_NAME})\b"
     rf"|(?P<fm>(?<!\d){_N})月(?P<fd>{_N})[日号]")),
    ("year", r"(?<!\d)(?P<y>(?:1[89]|20)\d\d)年"),
    ("clock", (r"(?<![\d:.])(?P<ch>[01]?\d|2[0-4])[:：](?P<cm>[0-5]\d)(?:[:：](?P<cs>[0-5]\d))?(?![\d:])(?:[ ]?(?P<cap>[ap])\.?m\b\.?)?"
     r"|(?<![A-Za-z0-9_.])(?P<ah>1[0-2]|0?[1-9])[ ]?(?P<aap>[ap])\.?m\b\.?")),
    ("zclock", (rf"(?P<zpart>{_DAY_PART})?[ ]?(?P<zh>(?<!\d)\d{{1,2}}|(?<![{ZH_NUMERAL[1:-1]}])[一二两三四五六七八九十]{{1,3}})"
     rf"(?:点(?!\d|[儿心]|[建意]|击|赞|个)(?:钟|整|(?P<zhalf>半)|(?P<zq>[一三])刻|(?P<zmin>[0-5]?\d|[零〇一二三四五六七八九十]{{1,3}})分?)?|[时](?P<zmin2>[0-5]?\d)分)")),
    ("percent", (rf"(?<![A-Za-z0-9_.])(?P<pv>{_VALUE})[ ]?(?:%|％|percent\b|per[ ]cent\b|个百分点)"
     rf"|百分之(?P<pz>{_ZH_VALUE}|\d{{1,6}}(?:\.\d{{1,6}})?)")),
    ("money", (rf"(?P<msym>US\$|HK\$|[$€£¥￥₹]|(?<![A-Za-z])(?:RMB|CNY|USD|EUR|人民币))[ ]?(?P<mv>{_VALUE}|{_ZH_VALUE})(?:[ ]?元)?"
     rf"|{_FREE}(?P<mw>{_VALUE})[ ]?(?P<mcur>(?:{_choice(_CURRENCY, latin=True)})\b|{_choice(_CURRENCY, latin=False)})"
     rf"|(?P<mz>{_ZH_VALUE})(?P<mzcur>{_choice(_CURRENCY, latin=False)})(?![块])")),
    ("duration", (rf"{_FREE}(?P<tv>{_VALUE}|{_WORD_COUNT})[ -]?(?P<tu>(?:{_choice(_TIME_UNIT, latin=True)})\b|{_choice(_TIME_UNIT, latin=False)})"
     rf"|(?<![第{ZH_NUMERAL[1:-1]}])(?P<tz>{_ZH_VALUE})(?P<tzu>毫秒|秒钟?|分钟|个?小时|个?钟头|天|周|个?星期|个?礼拜|个月|年)(?![级代])")),
    ("quantity", (rf"{_FREE}(?P<qv>{_VALUE}|{_WORD_COUNT})[ -]?(?P<qu>(?:{_choice(_UNIT, latin=True)})\b|{_choice(_UNIT, latin=False)})"
     rf"|(?<![{ZH_NUMERAL[1:-1]}])(?P<qz>{_ZH_VALUE})(?P<qzu>{_choice(_UNIT, latin=False)})")),
    ("number", (rf"(?<![A-Za-z0-9_.])(?<!\d,)[-−]?(?P<nv>{_VALUE})(?![A-Za-z_]|[.]\d)"
     rf"|(?P<nu>(?<=[A-Za-z_\u4e00-\u9fff])(?<![0-9])(?<![A-Za-z][A-Za-z])(?:{_DIGITS})(?:{_SCALE_ZH})?(?![A-Za-z_]))"
     rf"|(?P<nz>(?<![{ZH_NUMERAL[1:-1]}])[一二两三四五六七八九]{ZH_NUMERAL}{{0,12}}[十百千万亿]{ZH_NUMERAL}{{0,3}})")),
)  # fmt: skip
_STARTS = (
    rf"(?=[0-9$€£¥￥₹−-]|(?<![A-Za-z0-9_])[A-Za-z]|[{ZH_NUMERAL[1:-1]}人凌早清上中下傍晚夜今明第])"
)
"""Where an amount can begin at all: keeps the long alternation below from every other place."""
_AMOUNT = re.compile(
    f"{_STARTS}(?:" + "|".join(f"(?P<{kind}>{rule})" for kind, rule in _PARTS) + ")", re.IGNORECASE
)
_SPLIT_VALUE = re.compile(rf"(?P<digits>{_DIGITS})[ ]?(?P<scale>.*)", re.DOTALL)
_HINT = re.compile(rf"\d|{ZH_NUMERAL}|(?i:\b{EN_WORD}\b)")


def amounts(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, kind and key of each amount in `text`, in order of place."""
    if not _HINT.search(text):
        return
    for hit in _AMOUNT.finditer(narrow(text)):
        name = next(kind for kind in _READERS if hit[kind])
        read = _READERS[name](hit)
        if read:
            yield hit.start(), hit.end(), *read


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
    return [f"number:{value}"] if kind == "version" else []


def _value(said: str) -> str | None:
    split = _SPLIT_VALUE.fullmatch(said)
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
    value = _value(hit["pv"] or hit["pz"])
    return ("percent", f"percent:{value}") if value else None


def _money(hit: re.Match[str]) -> tuple[str, str] | None:
    value = _value(hit["mv"] or hit["mw"] or hit["mz"])
    code = _CURRENCY[(hit["msym"] or hit["mcur"] or hit["mzcur"]).lower()]
    return ("money", f"money:{value} {code}") if value else None


def _duration(hit: re.Match[str]) -> tuple[str, str] | None:
    value = _value(hit["tv"] or hit["tz"])
    unit = _TIME_UNIT[(hit["tu"] or hit["tzu"]).lower()]
    return ("duration", f"duration:{value} {unit}") if value else None


def _quantity(hit: re.Match[str]) -> tuple[str, str] | None:
    said, unit = hit["qv"] or hit["qz"], _UNIT[(hit["qu"] or hit["qzu"]).lower()]
    if unit in {"item", "times", "person"} and said in {"一", "one"}:
        return None  # "一个" and "one person" count nothing, they are articles
    value = _value(said)
    return ("quantity", f"quantity:{value} {unit}") if value else None


def _number(hit: re.Match[str]) -> tuple[str, str] | None:
    value = _value(hit["nv"] or hit["nu"] or hit["nz"])
    return ("number", f"number:{value}") if value else None


_READERS: dict[str, Reader] = {
    "whole": _whole,
    "month": _month,
    "date": _date,
    "year": _year,
    "clock": _clock,
    "zclock": _zclock,
    "percent": _percent,
    "money": _money,
    "duration": _duration,
    "quantity": _quantity,
    "number": _number,
}
