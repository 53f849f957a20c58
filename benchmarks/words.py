"""The benchmark's own tokens: kept apart from the product's, so that no change there moves a score.

Latin words are lower-cased; `telling` drops stop words and cuts common endings. Chinese gives
bigrams of neighbouring characters.
"""

from __future__ import annotations

import re

_CJK = "\u4e00-\u9fff"
_PIECE = re.compile(rf"[{_CJK}]+|[a-z0-9][a-z0-9_.'%-]*")
_CJK_CHAR = re.compile(rf"[{_CJK}]")
_ENDINGS = ("ingly", "edly", "ing", "ed", "ies", "es", "s", "ly")
_STOP_TEXT = """a an the and or but if then than that this these those is are was were be been being am
    do does did doing have has had having i you he she it we they me him her us them my your his
    its our their mine yours of in on at to for from with by about as into over after before
    between during through up down out off so no not only own same too very can will just should
    now would could also there here when where why how what which who whom all any both each few
    more most other some such"""
_STOPS = frozenset(_STOP_TEXT.split())


def words(text: str) -> list[str]:
    """Plain tokens, in order, repeats and stop words kept: what the baseline ranks by."""
    found: list[str] = []
    for piece in _PIECE.findall(text.lower().replace("’", "'")):
        found += _bigrams(piece) if _CJK_CHAR.match(piece) else _word(piece)
    return found


def telling(text: str) -> frozenset[str]:
    """The tokens by which coverage is measured: no stop words, endings cut."""
    return frozenset(_stem(word) for word in words(text) if word not in _STOPS)


def coverage(wanted: frozenset[str], text: str) -> float:
    """Share of the wanted tokens that stand anywhere in `text`; 0 when nothing is wanted."""
    return len(wanted & telling(text)) / len(wanted) if wanted else 0.0


def cost(text: str) -> int:
    """Tokens that `text` costs: one per CJK character, else four characters, rounded up."""
    cjk = len(_CJK_CHAR.findall(text))
    return cjk + -(-(len(text) - cjk) // 4)


def cut(text: str, tokens: int) -> str:
    """The longest start of `text` that costs at most `tokens`."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low]


def _bigrams(piece: str) -> list[str]:
    return [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]


def _word(piece: str) -> list[str]:
    bare = piece.strip(".'-_").removesuffix("'s")
    return [bare] if bare else []


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
