"""Currencies and units as people write them, and the one code of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_CURRENCIES = {
    "CNY": "¥ ￥ 元 块 块钱 人民币 rmb cny yuan 元人民币",
    "USD": "$ us$ usd dollar dollars bucks 美元 美金 刀",
    "EUR": "€ eur euro euros 欧元",
    "GBP": "£ gbp pounds 英镑",
    "JPY": "jpy yen 日元",
    "HKD": "hk$ hkd 港币 港元",
    "INR": "₹ inr rupees",
}
_TIMES = {
    "ms": "ms msec millisecond milliseconds 毫秒",
    "s": "s sec secs second seconds 秒 秒钟",
    "min": "min mins minute minutes 分钟",
    "h": "h hr hrs hour hours 小时 个小时 钟头 个钟头",
    "day": "day days 天",
    "week": "week weeks wk wks 周 星期 个星期 礼拜 个礼拜",
    "month": "month months mo 月 个月",
    "year": "year years yr yrs 年",
}
_MEASURES = {
    "kb": "kb kib ki", "mb": "mb mib", "gb": "gb gib gi g内存", "tb": "tb tib ti", "byte": "bytes byte 字节",
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


def _by_name(table: dict[str, str]) -> dict[str, str]:
    return {name: code for code, spelt in table.items() for name in spelt.split()}


CURRENCY = _by_name(_CURRENCIES)
UNIT = _by_name(_MEASURES)
COUNTED = {
    **{name: ("quantity", code) for name, code in UNIT.items()},
    **{name: ("duration", code) for name, code in _by_name(_TIMES).items()},
    **{name: ("money", code) for name, code in CURRENCY.items()},
}
"""Kind of fact and code, by every spelling that may stand behind a number."""


def latin(names: Iterable[str]) -> str:
    """A pattern for those spellings that begin with an ASCII character, ending at a word's end."""
    return rf"(?:{_choice(names, ascii_ones=True)})\b"


def chinese(names: Iterable[str]) -> str:
    """A pattern for the other spellings."""
    return _choice(names, ascii_ones=False)


def _choice(names: Iterable[str], *, ascii_ones: bool) -> str:
    wanted = [name for name in names if name[0].isascii() == ascii_ones]
    return "|".join(re.escape(name) for name in sorted(wanted, key=len, reverse=True))
