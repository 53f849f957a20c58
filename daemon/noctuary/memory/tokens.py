"""Turns text into the tokens that search compares, English and Chinese alike."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
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
    from collections.abc import Iterator

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_NOT_CJK = "\0-\u33ff\ua000-\uf8ff\ufb00-\U0010ffff"
_SCALE = "|".join(re.escape(scale) for scale in sorted(SCALES, key=len, reverse=True))
_SCALE_START = "".join(sorted({scale[0] for scale in SCALES}))
_MONTHS = lazily(
    rf"\b(?P<name>{MONTH_NAME})\.?,?[ ](?P<year>(?:19|20)\d\d)(?!\d)"
    rf"|(?P<zyear>(?<!\d)\d{{4}})年(?P<zname>{ZH_DAY_NUMBER})月(?!\d)",
    re.IGNORECASE,
)
_JOINED = r"(?:[.\-/'’:@\\][A-Za-z0-9_]+)*"
_ZH_STARTS = "一二两三四五六七八九"
_PIECE = lazily(
    rf"(?P<word>[A-Za-z_][A-Za-z0-9_]*{_JOINED})"
    r"|(?P<number>(?<![A-Za-z_])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"
    r"|(?<![A-Za-z_])\d{1,30}(?:\.\d{1,20})?)"
    rf"(?:[ ]?(?P<scale>{_SCALE})(?![A-Za-z]))?(?![A-Za-z_\d]|\.\d)"
    rf"|(?P<zhnumber>[{_ZH_STARTS}]{ZH_NUMERAL}{{0,14}}[十百千万亿]{ZH_NUMERAL}{{0,2}})"
    rf"|(?P<cjk>[^{_NOT_CJK}{_ZH_STARTS}]+|[{_CJK}])"
    rf"|(?P<mixed>[A-Za-z0-9_]+{_JOINED})"
    r"|(?P<other>[^\W_]+)"
)
_SCALED = lazily(rf"\d[ ][{_SCALE_START}]")
_CHUNK = lazily(rf"\S+(?:(?<=\d)[ ](?=[{_SCALE_START}])\S+)*")
"""What white space parts, save where a number and its scale may belong together."""
_SHORT = 2_000
"""Lines up to this length are asked again and again in one dream, so their tokens are kept."""
_LONG_WORD = 40
_WIDE = lazily(r"[\u2e80-\u9fff\uf900-\uffef]+")
_RUN = lazily(rf"[{_CJK}]+")
_PARTS = lazily(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TAIL = lazily(r"['’](?:s|t|m|re|ve|ll|d)$", re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """Search tokens in order of place, repeats kept.

    Lower case, English stems, single Chinese characters and pairs of them, identifiers whole and
    in parts, numbers in one spelling, dates as `d:2023-05-07` with their month `d:2023-05`.
    """
    return list(_remembered(text, False) if len(text) <= _SHORT else _tokens(text, False))


def content_tokens(text: str) -> list[str]:
    """The same without stop words."""
    return list(_remembered(text, True) if len(text) <= _SHORT else _tokens(text, True))


def index_tokens(text: str, longest: int) -> str:
    """The same with blanks between and without tokens that are too long, for text that is read once."""
    found = _tokens(text, True)
    if len(text) > longest and max(map(len, found), default=0) > longest:
        found = [token for token in found if len(token) <= longest]
    return " ".join(found)


@lru_cache(maxsize=8192)
def _remembered(text: str, stops: bool) -> tuple[str, ...]:
    return tuple(_tokens(text, stops))


def _tokens(text: str, stops: bool) -> list[str]:
    ascii_only = text.isascii()
    if not ascii_only:
        text = narrow(text)
    found = list(dict.fromkeys(_dates(text))) if has_year(text) else []
    chunks = _CHUNK.findall(text) if _SCALED.search(text) else text.split()
    known = _telling_of if stops else _all_of
    if ascii_only and max(map(len, chunks), default=0) <= _LONG_WORD:
        found += chain.from_iterable(map(known, chunks))
        return found
    for chunk in chunks:
        often = len(chunk) <= _LONG_WORD and chunk.isascii()
        found += known(chunk) if often else _pieces(chunk, stops)
    for run in () if ascii_only else _RUN.findall(text):
        found += _chinese(run, stops)
    return found


@lru_cache(maxsize=65_536)
def _telling_of(chunk: str) -> tuple[str, ...]:
    return tuple(_pieces(chunk, True))


@lru_cache(maxsize=65_536)
def _all_of(chunk: str) -> tuple[str, ...]:
    return tuple(_pieces(chunk, False))


def _pieces(chunk: str, stops: bool) -> list[str]:
    """The tokens of a chunk, its Chinese left out."""
    if chunk.isascii() and chunk.isalpha():
        return _words(chunk, stops)
    found: list[str] = []
    for hit in _PIECE.finditer(chunk):
        kind = hit.lastgroup
        if kind in {"word", "mixed"}:
            found += _words(hit[0], stops)
        elif kind == "other":
            found.append(hit[0].lower())
        elif kind != "cjk":
            found += _numbers(hit["number"] or hit["zhnumber"], hit["scale"] or "")
    return found


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


def _words(said: str, stops: bool) -> list[str]:
    """The stem of a word; behind that of an identifier those of its parts."""
    whole = _TAIL.sub("", said) if "'" in said or "’" in said else said
    lowered = whole.lower().replace("’", "'")
    if stops and lowered in STOP_EN and not _telling(whole):
        return []
    if whole.isalpha() and (whole.islower() or whole[1:].islower() or len(whole) == 1):
        return [stem(lowered)]
    parts = _PARTS.findall(whole)
    if len(parts) < 2:
        return [stem(lowered)]
    kept = [part for part in map(str.lower, parts) if not (stops and part in STOP_EN)]
    return [stem(lowered), *map(stem, kept)]


def _telling(word: str) -> bool:
    """Stop words that capitals make something else: the month `May`, the acronym `US`."""
    return word == "May" or (len(word) > 1 and word.isupper())


def _chinese(run: str, stops: bool) -> list[str]:
    """Characters and pairs of them, those made of function words alone left out with `stops`."""
    if not stops:
        pairs = map(str.__add__, run, run[1:])
        return [token for both in zip(run, pairs, strict=False) for token in both] + [run[-1]]
    found: list[str] = []
    for char, following in zip_longest(run, run[1:], fillvalue=""):
        telling = char not in STOP_ZH
        if telling:
            found.append(char)
        if following and (telling or following not in STOP_ZH):
            found.append(char + following)
    return found


def estimate(text: str) -> int:
    """About how many model tokens `text` costs: one per CJK character, else four characters."""
    return -(-quarters(text) // 4)


def quarters(text: str) -> int:
    """The same in quarters of a token, which add up over the parts of a text."""
    if text.isascii():
        return len(text)
    wide = len(text) - len(_WIDE.sub("", text))
    return len(text) + 3 * wide
