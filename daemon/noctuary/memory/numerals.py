"""Reads numbers as people write them, in digits and in words, English and Chinese."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from noctuary.memory.lazy import lazily

ZH_DIGITS = "零〇一二两三四五六七八九"
ZH_NUMERAL = f"[{ZH_DIGITS}十百千万亿]"
ZH_MIXED = r"\d{1,4}(?:万(?:\d{4}|\d千?)|千\d百?)"
"""Digits on both sides of a power of ten."""
_MIXED = lazily(r"(?P<head>\d+)(?P<unit>[万千])(?P<rest>\d{4}|\d)[千百]?")
_ZH_VALUE = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_ZH_SMALL = {"十": 10, "百": 100, "千": 1000}
_ZH_LARGE = {"万": 10_000, "亿": 100_000_000}

EN_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100,
}  # fmt: skip
EN_WORD = "(?:" + "|".join(sorted(EN_WORDS, key=len, reverse=True)) + ")"
SCALES = {
    "k": 10**3, "thousand": 10**3, "千": 10**3, "万": 10**4, "m": 10**6, "million": 10**6,
    "mn": 10**6, "百万": 10**6, "b": 10**9, "bn": 10**9, "billion": 10**9, "亿": 10**8,
    "trillion": 10**12, "hundred": 100, "百": 100, "千万": 10**7,
}  # fmt: skip

_WIDE = str.maketrans("０１２３４５６７８９．，％：－／", "0123456789.,%:-/")
_HAS_WIDE = lazily("[０-９．，％：－／]")
_TEN_DIGITS = lazily(rf"[{ZH_DIGITS}]+")


def narrow(text: str) -> str:
    """Full-width digits and signs as ASCII; the length stays the same."""
    return text.translate(_WIDE) if _HAS_WIDE.search(text) else text


def plain(value: Decimal) -> str:
    """The shortest spelling of a number, without exponent: `50000`, `3.5`."""
    if value == value.to_integral_value():
        return str(int(value))
    return format(value.normalize(), "f")


def number(text: str, scale: str = "") -> Decimal | None:
    """The value of a numeral such as `50,000`, `3.5` with `万`, `五万三千`, `twenty-five`."""
    text = narrow(text).strip().lower()
    try:
        value = Decimal(text.replace(",", "").replace("_", "")) if text[:1].isdigit() else None
    except InvalidOperation:
        return zh_mixed(text)
    if value is None:
        word = en_number(text) if text.isascii() else zh_number(text)
        value = None if word is None else Decimal(word)
    if value is None or not scale:
        return value
    return value * SCALES.get(scale.strip().lower(), 1)


def zh_mixed(text: str) -> Decimal | None:
    """`1万5`, `1万5千` and `1万5000` are 15,000; None for any other numeral."""
    hit = _MIXED.fullmatch(text)
    if hit is None:
        return None
    unit = Decimal(SCALES[hit["unit"]])
    rest = Decimal(hit["rest"])
    return Decimal(hit["head"]) * unit + (rest * unit / 10 if len(hit["rest"]) == 1 else rest)


def en_number(text: str) -> int | None:
    """`two`, `twenty-five`; None when it is no number word."""
    values = [EN_WORDS.get(part) for part in re.split(r"[\s-]+", text)]
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) <= 2 else None


def zh_number(text: str) -> int | None:
    """`五万三千`, `二〇二四`, `十二`, `3万`; None when it is no numeral."""
    if text.isdecimal():
        return int(text)
    if len(text) > 1 and _TEN_DIGITS.fullmatch(text):
        return int("".join(str(_ZH_VALUE[char]) for char in text))
    total = section = digit = 0
    last = 0
    for char in text:
        if char in _ZH_VALUE:
            digit = _ZH_VALUE[char]
            last = 1 if char in "零〇" else last
        elif char in _ZH_SMALL:
            section += (digit or 1) * _ZH_SMALL[char]
            digit, last = 0, _ZH_SMALL[char]
        elif char in _ZH_LARGE:
            total, section = _lifted(total, section + digit, char)
            digit, last = 0, _ZH_LARGE[char]
        else:
            return None
    return total + section + digit * (last // 10 if last >= 100 else 1) if text else None


def _lifted(total: int, section: int, char: str) -> tuple[int, int]:
    """What `万` or `亿` makes of the parts before it."""
    if char == "亿":
        return (total + section or 1) * _ZH_LARGE[char], 0
    return total + (section or 1) * _ZH_LARGE[char], 0
