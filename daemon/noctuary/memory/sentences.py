"""Cuts text into sentences, English and Chinese alike, with exact offsets.

A code fence is one piece; list items, headings, quotes and table rows are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

from noctuary.memory.lazy import lazily
from noctuary.memory.words import words

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

Kind = Literal["prose", "code", "list", "heading", "quote", "table"]
Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of a text: `text == whole[start:end]`, without list markers and outer blanks."""

    text: str
    start: int
    end: int
    kind: Kind


_FENCE = lazily(r"[ \t]{0,3}(?P<marks>`{3,}|~{3,})")
_LINE = lazily(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_HEADING = lazily(r"[ \t]{0,3}#{1,6}[ \t]+")
_QUOTE = lazily(r"[ \t]{0,3}>[> \t]*")
_LIST = lazily(
    r"[ \t]*(?:[-*+•·](?=[ \t])|\d{1,3}[.)](?=[ \t])|\d{1,2}、|[（(]\d{1,2}[)）]"
    r"|[一二三四五六七八九十]{1,3}、)[ \t]*(?:\[[ xX]\][ \t]+)?"
)
_TABLE = lazily(r"[ \t]*\|")
_MARKED: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_HEADING, "heading"),
    (_QUOTE, "quote"),
    (_LIST, "list"),
)

_INLINE_CODE = r"(?P<code>`[^`\n]{1,400}`)"
_CJK_STOP = r"(?P<cjk>[。！？；]+[”’」』）\"'）)]*|…{1,4}(?=[\u3400-\u9fff])[”’」』]*)"
_LATIN_STOP = r"(?P<latin>[.!?]++[\"'”’)\]*_]*+(?=[ \t\u3400-\u9fff]|$))"
_STOP = lazily(f"{_INLINE_CODE}|{_CJK_STOP}|{_LATIN_STOP}")
_MARK = lazily(r"[.!?]+|[。！？；…`]")
"""Where a stop may be; a run of Latin marks is taken whole, since no later part of it can end."""

_ABBREVIATIONS = words(
    "mr mrs ms dr prof sr jr st vs eg ie e.g i.e cf al etc incl approx dept est "
    "gen gov sen rep capt col sgt rev hon min max avg "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
)
_BEFORE_NUMBERS = words("no nos fig figs vol ver pp art sec ch")
_WORD_BEFORE = lazily(r"[A-Za-z][A-Za-z.]{0,9}$")
_CJK = lazily(r"[\u3400-\u9fff]+")
_SHORT = 1_000
"""Lines up to this length are asked again and again, so their language is kept."""
_NEXT_VISIBLE = lazily(r"[ \t]*(\S)")


def sentences(text: str) -> list[Sentence]:
    """All pieces of `text` in order; every character that is not blank or a marker is in one."""
    return list(_pieces(text))


def _pieces(text: str) -> Iterator[Sentence]:
    fence_start, marks = -1, ""
    for line in _LINE.finditer(text):
        start, end = line.start(), line.end()
        fence = _FENCE.match(text, start, end)
        if marks:
            if fence and fence["marks"].startswith(marks) and not text[fence.end() : end].strip():
                yield _piece(text, fence_start, end, "code")
                marks = ""
        elif fence:
            fence_start, marks = start, fence["marks"]
        else:
            yield from _line_pieces(text, start, end)
    if marks:
        yield _piece(text, fence_start, len(text), "code")


def _piece(text: str, start: int, end: int, kind: Kind) -> Sentence:
    body = text[start:end]
    start += len(body) - len(body.lstrip())
    body = body.strip()
    return Sentence(body, start, start + len(body), kind)


def _line_pieces(text: str, start: int, end: int) -> Iterator[Sentence]:
    if _TABLE.match(text, start, end):
        yield _piece(text, start, end, "table")
        return
    kind: Kind = "prose"
    for pattern, marked in _MARKED:
        if marker := pattern.match(text, start, end):
            kind, start = marked, marker.end()
            break
    for first, last in _cuts(text, start, end):
        if text[first:last].strip():
            yield _piece(text, first, last, kind)


def _cuts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = place = start
    opening = _NEXT_VISIBLE.match(text, start, end)
    small = opening is not None and opening[1].islower()
    while mark := _MARK.search(text, place, end):
        stop = _STOP.match(text, mark.start(), end)
        place = stop.end() if stop else mark.end()
        if (
            stop
            and stop["code"] is None
            and (stop["latin"] is None or _ends(text, stop, end, small=small))
        ):
            yield first, place
            first = place
    yield first, end


def _ends(text: str, stop: re.Match[str], end: int, *, small: bool) -> bool:
    """Whether `.`, `!` or `?` at this place closes a sentence; who begins `small` goes on so."""
    following = _NEXT_VISIBLE.match(text, stop.end(), end)
    if following is None:
        return True
    if stop["latin"].startswith("..") or (following[1].islower() and not small):
        return stop["latin"][0] in "!?" and not following[1].islower()
    return stop["latin"] != "." or not _abbreviated(text, stop.start(), following[1])


def _abbreviated(text: str, dot: int, following: str) -> bool:
    word = _WORD_BEFORE.search(text[max(0, dot - 10) : dot])
    if word is None:
        return False
    said = word[0].lower()
    initial = len(said) == 1 and word[0].isupper() and word[0] != "I"
    return said in _ABBREVIATIONS or initial or (said in _BEFORE_NUMBERS and following.isdigit())


def speech(wanted: str, titles: Iterable[str]) -> Language:
    """The language of a vault: `wanted` if that is one, else the one that most titles are in."""
    if wanted in {"en", "zh"}:
        return cast("Language", wanted)
    told = [not title.isascii() and _CJK.search(title) is not None for title in titles]
    return "zh" if 2 * sum(told) > len(told) else "en"


def language(text: str) -> Language:
    """`zh` when at least three in ten letters are Chinese characters, else `en`."""
    if text.isascii():
        return "en"
    return _remembered(text) if len(text) <= _SHORT else _language(text)


@lru_cache(maxsize=4096)
def _remembered(text: str) -> Language:
    return _language(text)


def _language(text: str) -> Language:
    cjk = len(text) - len(_CJK.sub("", text))
    return "zh" if cjk and cjk * 10 >= 3 * sum(map(str.isalpha, text)) else "en"


def short(text: str, limit: int = 60) -> str:
    """The start of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
