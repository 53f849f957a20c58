"""Turns text into the tokens that search compares, English and Chinese alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.numerals import SCALES, ZH_NUMERAL, narrow, number, plain
from noctuary.memory.periods import (
    ABSOLUTE,
    MONTH_NAME,
    ZH_DAY_NUMBER,
    absolute_date,
    month_number,
)
from noctuary.memory.words import STOP_EN, STOP_ZH, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_SCALE = "|".join(re.escape(scale) for scale in sorted(SCALES, key=len, reverse=True))
_MONTHS = re.compile(
    rf"\b(?P<name>{MONTH_NAME})\.?,?[ ](?P<year>(?:19|20)\d\d)(?!\d)"
    rf"|(?P<zyear>(?<!\d)\d{{4}})年(?P<zname>{ZH_DAY_NUMBER})月(?!\d)",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"(?P<word>[A-Za-z_][A-Za-z0-9_]*(?:[.\-/'’:@\\][A-Za-z0-9_]+)*)|"
    rf"(?P<number>(?<![A-Za-z_])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\d,])|(?<![A-Za-z_])\d{{1,30}}(?:\.\d{{1,20}})?)"
    rf"(?:[ ]?(?P<scale>{_SCALE})(?![A-Za-z]))?(?![A-Za-z_\d]|\.\d)"
    rf"|(?P<zhnumber>[一二两三四五六七八九]{ZH_NUMERAL}{{0,14}}[十百千万亿]{ZH_NUMERAL}{{0,2}})"
    rf"|(?P<cjk>[{_CJK}])"
    r"|(?P<mixed>[A-Za-z0-9_]+(?:[.\-/'’:@\\][A-Za-z0-9_]+)*)"
    r"|(?P<other>[^\W_]+)"
)
_RUN = re.compile(rf"[{_CJK}]+")
_SPLIT = re.compile(r"[^A-Za-z0-9]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TAIL = re.compile(r"['’](?:s|t|m|re|ve|ll|d)$", re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """Search tokens in order of place, repeats kept.

    Lower case, English stems, single Chinese characters and pairs of them, identifiers whole and
    in parts, numbers in one spelling, dates as `d:2023-05-07` with their month `d:2023-05`.
    """
    return list(_tokens(text, stops=False))


def content_tokens(text: str) -> list[str]:
    """The same without stop words."""
    return list(_tokens(text, stops=True))


def _tokens(text: str, *, stops: bool) -> Iterator[str]:
    text = narrow(text)
    yield from dict.fromkeys(_dates(text))
    for hit in _PIECE.finditer(text):
        kind = hit.lastgroup
        if hit["number"]:
            yield from _numbers(hit["number"], hit["scale"] or "")
        elif hit["zhnumber"]:
            yield from _numbers(hit["zhnumber"], "")
        elif kind in {"word", "mixed"}:
            yield from _words(hit[0], stops=stops)
        elif kind == "other":
            yield hit[0].lower()
    if not text.isascii():
        for run in _RUN.findall(text):
            yield from _chinese(run, stops=stops)


def _dates(text: str) -> Iterator[str]:
    for hit in ABSOLUTE.finditer(text):
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


def _words(said: str, *, stops: bool) -> Iterator[str]:
    whole = _TAIL.sub("", said)
    lowered = whole.lower().replace("’", "'")
    if stops and lowered in STOP_EN and not _telling(whole):
        return
    if whole.isalpha() and (whole.islower() or whole[1:].islower() or len(whole) == 1):
        yield stem(lowered)
        return
    yield stem(lowered)
    parts = [part for piece in _SPLIT.split(whole) for part in _PARTS.findall(piece)]
    for part in parts if len(parts) > 1 else ():
        low = part.lower()
        if not (stops and low in STOP_EN):
            yield stem(low)


def _telling(word: str) -> bool:
    """Stop words that capitals make something else: the month `May`, the acronym `US`."""
    return word == "May" or (len(word) > 1 and word.isupper())


def _chinese(run: str, *, stops: bool) -> Iterator[str]:
    for place, char in enumerate(run):
        if not (stops and char in STOP_ZH):
            yield char
        pair = run[place : place + 2]
        if len(pair) == 2 and not (stops and pair[0] in STOP_ZH and pair[1] in STOP_ZH):
            yield pair


def estimate(text: str) -> int:
    """About how many model tokens `text` costs: one per CJK character, else four characters."""
    if text.isascii():
        return -(-len(text) // 4)
    cjk = sum(1 for char in text if "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\uffef")
    return cjk + -(-(len(text) - cjk) // 4)
