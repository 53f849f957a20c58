"""Turns text into the tokens that search compares, English and Chinese alike."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from noctuary.memory.numerals import SCALES, ZH_NUMERAL, narrow, number, plain
from noctuary.memory.periods import (
    MONTH_NAME,
    ZH_DAY_NUMBER,
    absolute_date,
    absolute_dates,
    has_year,
    month_number,
)
from noctuary.memory.words import STOP_EN, STOP_ZH, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_SCALE = "|".join(re.escape(scale) for scale in sorted(SCALES, key=len, reverse=True))
_MONTHS = re.compile(
    rf"\b(?P<name>{MONTH_NAME})\.?,?[ ](?P<year>(?:19|20)\d\d)(?!\d)"
    rf"|(?P<zyear>(?<!\d)\d{{4}})年(?P<zname>{ZH_DAY_NUMBER})月(?!\d)",
    re.IGNORECASE,
)
_JOINED = r"(?:[.\-/'’:@\\][A-Za-z0-9_]+)*"
_WORD = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*{_JOINED}")
_DIGIT = re.compile(r"\d")
_PIECE = re.compile(
    rf"(?P<word>{_WORD.pattern})"
    r"|(?P<number>(?<![A-Za-z_])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"
    r"|(?<![A-Za-z_])\d{1,30}(?:\.\d{1,20})?)"
    rf"(?:[ ]?(?P<scale>{_SCALE})(?![A-Za-z]))?(?![A-Za-z_\d]|\.\d)"
    rf"|(?P<zhnumber>[一二两三四五六七八九]{ZH_NUMERAL}{{0,14}}[十百千万亿]{ZH_NUMERAL}{{0,2}})"
    rf"|(?P<cjk>[{_CJK}])"
    rf"|(?P<mixed>[A-Za-z0-9_]+{_JOINED})"
    r"|(?P<other>[^\W_]+)"
)
_SHORT = 2_000
"""Lines up to this length are asked again and again in one dream, so their tokens are kept."""
_LONG_WORD = 40
_RUN = re.compile(rf"[{_CJK}]+")
_SPLIT = re.compile(r"[^A-Za-z0-9]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TAIL = re.compile(r"['’](?:s|t|m|re|ve|ll|d)$", re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """Search tokens in order of place, repeats kept.

    Lower case, English stems, single Chinese characters and pairs of them, identifiers whole and
    in parts, numbers in one spelling, dates as `d:2023-05-07` with their month `d:2023-05`.
    """
    return list(_remembered(text, False) if len(text) <= _SHORT else _tokens(text, False))


def content_tokens(text: str) -> list[str]:
    """The same without stop words."""
    return list(_remembered(text, True) if len(text) <= _SHORT else _tokens(text, True))


@lru_cache(maxsize=8192)
def _remembered(text: str, stops: bool) -> tuple[str, ...]:
    return tuple(_tokens(text, stops))


def _tokens(text: str, stops: bool) -> list[str]:
    if not text.isascii():
        text = narrow(text)
    elif not _DIGIT.search(text):
        return [token for said in _WORD.findall(text) for token in _words(said, stops)]
    found = list(dict.fromkeys(_dates(text))) if has_year(text) else []
    for hit in _PIECE.finditer(text):
        found += _of_piece(hit, stops)
    for run in () if text.isascii() else _RUN.findall(text):
        found += _chinese(run, stops)
    return found


def _of_piece(hit: re.Match[str], stops: bool) -> Iterable[str]:
    kind = hit.lastgroup
    if kind in {"word", "mixed"}:
        return _words(hit[0], stops)
    if kind == "other":
        return (hit[0].lower(),)
    if kind == "cjk":
        return ()
    return _numbers(hit["number"] or hit["zhnumber"], hit["scale"] or "")


def _dates(text: str) -> Iterator[str]:
    for hit in absolute_dates(text):
        if day := absolute_date(hit):
            yield f"d:{day.isoformat()}"
            yield f"d:{day.isoformat()[:7]}"
    for hit in _MONTHS.finditer(text):
        month = month_number(hit["name"]) if hit["name"] else number(hit["zname"])
        yield f"d:{hit['year'] or hit['zyear']}-{int(month or 0):02d}"


def _numbers(said: str, scale: str) -> Iterator[str]:
    """One spelling for every way to write a number, and the written one where it differs."""
    value = number(said, scale)
    normal = said if value is None else plain(value)
    yield normal
    if scale and (written := number(said)) is not None:
        yield plain(written)


def _words(said: str, stops: bool) -> tuple[str, ...]:
    return _known(said, stops) if len(said) <= _LONG_WORD else _parts_of(said, stops)


@lru_cache(maxsize=32_768)
def _known(said: str, stops: bool) -> tuple[str, ...]:
    return _parts_of(said, stops)


def _parts_of(said: str, stops: bool) -> tuple[str, ...]:
    """The stem of a word; behind that of an identifier those of its parts."""
    whole = _TAIL.sub("", said)
    lowered = whole.lower().replace("’", "'")
    if stops and lowered in STOP_EN and not _telling(whole):
        return ()
    if whole.isalpha() and (whole.islower() or whole[1:].islower() or len(whole) == 1):
        return (stem(lowered),)
    parts = [part.lower() for piece in _SPLIT.split(whole) for part in _PARTS.findall(piece)]
    kept = parts if len(parts) > 1 else []
    return (stem(lowered), *(stem(part) for part in kept if not (stops and part in STOP_EN)))


def _telling(word: str) -> bool:
    """Stop words that capitals make something else: the month `May`, the acronym `US`."""
    return word == "May" or (len(word) > 1 and word.isupper())


def _chinese(run: str, stops: bool) -> Iterator[str]:
    for char, following in zip_longest(run, run[1:]):
        telling = not (stops and char in STOP_ZH)
        if telling:
            yield char
        if following and (telling or following not in STOP_ZH):
            yield char + following


def estimate(text: str) -> int:
    """About how many model tokens `text` costs: one per CJK character, else four characters."""
    return -(-quarters(text) // 4)


def quarters(text: str) -> int:
    """The same in quarters of a token, which add up over the parts of a text."""
    if text.isascii():
        return len(text)
    cjk = sum(1 for char in text if "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\uffef")
    return len(text) + 3 * cjk
