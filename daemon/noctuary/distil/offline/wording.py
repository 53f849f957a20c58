"""Words and marks of a sentence, what is typed in haste read as it is written out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CJK = re.compile(r"[\u3400-\u9fff]")
BREAK = frozenset(",;:!?.()—–")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[,;:!?.()—–-]")
_TIES = frozenset(
    ["and", "but", "so", "also", "please", "plus", "ok", "okay", "then", "just", "oh", "btw"]
)
"""Words before which and behind which a clause begins."""
_MODALS = frozenset(["can", "could", "would", "will"])
_CONTRACTED = """
don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't needn't isn't aren't wasn't weren't haven't
hasn't hadn't i'm i've you're you've they're they've we've that's there's what's
"""
_SHORT = {
    "u": "you",
    "ur": "your",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "tmrw": "tomorrow",
}
_WRITTEN_OUT = {"".join(word.split("'")): word for word in _CONTRACTED.split()} | _SHORT
"""None of them is another word as well."""
_AT_HEAD = {"lets": "let's", "ill": "i'll"}
"""These are, but not where a clause begins."""
_APOSTROPHE = str.maketrans({"’": "'", "‘": "'"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word or mark of a lowered sentence; `leads` when a clause begins here."""

    text: str
    start: int
    end: int
    leads: bool


def lower(text: str) -> str:
    """Lower case with plain apostrophes; every character keeps its place."""
    if text.isascii():
        return text.lower()
    lowered = text.translate(_APOSTROPHE).lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(
        low if len(low := char.lower()) == 1 else char for char in text.translate(_APOSTROPHE)
    )


def split_words(text: str) -> list[Word]:
    """Words and marks of a lowered text, words typed in haste as they are written out."""
    words: list[Word] = []
    leading = True
    for hit in _WORD.finditer(text):
        word = (leading and _AT_HEAD.get(hit[0])) or written_out(hit[0])
        words.append(Word(word, hit.start(), hit.end(), leading))
        dash = word == "-" and text[hit.start() - 1 : hit.start()].isspace()
        leading = word in BREAK or dash or (leading and word in _TIES) or _asked(words)
    return words


def _asked(words: Sequence[Word]) -> bool:
    """Whether what was read last is `could you` at the start of a clause: an order follows."""
    return (
        len(words) > 1
        and words[-1].text in ("you", "we")
        and words[-2].text in _MODALS
        and words[-2].leads
    )


def written_out(word: str) -> str:
    """A word as it is spelled in full: `don't` for `dont`."""
    return _WRITTEN_OUT.get(word, word)
