"""Turns text into the tokens that search compares, English and Chinese alike."""

from __future__ import annotations

import re

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_PIECE = re.compile(rf"[{_CJK}]+|[A-Za-z0-9_]+(?:[.\-/'’][A-Za-z0-9_]+)*|[^\W_]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

STOP_EN = frozenset(
    "a an the of to in on at is are was were be been i you he she it we they".split()
)
STOP_ZH = frozenset("的了是在和")


def tokens(text: str) -> list[str]:
    """Search tokens in order, repeats kept."""
    return _tokens(text, stops=False)


def content_tokens(text: str) -> list[str]:
    """The same without stop words."""
    return _tokens(text, stops=True)


def _tokens(text: str, *, stops: bool) -> list[str]:
    found: list[str] = []
    for piece in _PIECE.findall(text):
        if re.match(rf"[{_CJK}]", piece):
            chars = [char for char in piece if not (stops and char in STOP_ZH)]
            found += chars
            found += [piece[i : i + 2] for i in range(len(piece) - 1)]
            continue
        whole = piece.lower()
        if stops and whole in STOP_EN:
            continue
        found.append(whole)
        parts = _PARTS.findall(piece)
        if len(parts) > 1:
            found += [part.lower() for part in parts]
    return found


def estimate(text: str) -> int:
    """About how many model tokens `text` costs: one per CJK character, else four characters."""
    cjk = sum(1 for char in text if "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\uffef")
    return cjk + -(-(len(text) - cjk) // 4)
