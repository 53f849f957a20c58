"""Leaves out of a line what the lines of an answer before it have told, and empty phrases. Pure.

People come back to the same thing again and again: "…, considering that I'm moving in May". What is
left out is a whole clause, and `…` stands for it; what stays is verbatim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import content_tokens
from noctuary.recall.lines import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 2 / 3
"""Share of a clause's words that one told clause must hold; all of its values and names besides."""
FEW = 6
"""Words below which a clause repeats only what holds all of them: one may be the new one."""
SHORTEST, SHORTEST_ZH = 20, 8
"""Characters of a clause that is worth leaving out."""
_BESIDE = r"considering|given|especially|because|since"
_BESIDE_ZH = "但是?|不过|所以|因为|而且|并且|另外|同时"
_OWN = (
    r"(?:i|we)(?:['’](?:m|ve|d|ll|re))?|(?:can|could|would) you|please|how (?:can|could|do|should)"
)
_START = lazily(
    rf"[,;]?\s+(?:(?:and|but|so)\s+(?:also\s+)?(?:{_OWN})|(?:{_BESIDE}))(?=\s)"
    rf"|(?:[,;]|\s[-–—])\s+(?:{_OWN})(?=\s)"
    rf"|[，；](?={_BESIDE_ZH}|我|咱|您|能不能|能否|可以|请|麻烦)",
    re.IGNORECASE,
)
"""Where a clause begins that can be understood without the one before it."""
_LINK = lazily(rf"(?:{_BESIDE})(?: that)?\s|{_BESIDE_ZH}", re.IGNORECASE)
_CONDITION = lazily(
    r"(?:and |but |so )?(?:if|when|whenever|unless|until|before|after|once|while|in case|as long as|except)\b"
    "|如果|要是|假如|除非|只要|只有|一旦|万一|当|每当|等|直到",
    re.IGNORECASE,
)
"""How a clause begins that the one behind it hangs on."""
_LEANS = lazily(
    r"(?:and |but |so |because )?(?:he|she|it|they|this|that|these|those|his|her|its|their|which|who)\b"
    "|(?:但|所以|因为|而且)?[他她它这那其]",
    re.IGNORECASE,
)
"""How a clause begins that the one before it explains."""
_DENIED = lazily(r"\b(?:not|never|no|none|without|cannot)\b|n['’]t\b|[不没未无非别]", re.IGNORECASE)
_ASKED = lazily(
    r"(?:(?:so|and|but|also),?\s+)?(?:(?:can|could|would) you (?:please )?help me(?: to)?(?=\s+(?!with\b)\w)"
    r"|i['’]m (?:(?:just|still|also|currently|kinda) )?trying to(?=\s+\w))\s+"
    "|(?:请问)?(?:你|您)?(?:能不能|能否|可不可以|可以|请|麻烦你?)(?:请)?帮我(?=[\u3400-\u9fff])(?!的)",
    re.IGNORECASE,
)
"""How a person begins to ask for help: what is behind it tells all of it."""
_ANNOUNCES = lazily(
    r"(?:and |so |but )?(?:here(?:['’]s| is| are)|my(?![^:]* (?:is|are|was|were|has|have|had)\b))\b[^!?]*:$"
    r"|\*\*[^*]+(?:\*\*[:：]|[:：]\*\*)$"
    r"|(?:以下|下面|这)(?:就?是|为)[^。！？]*[:：]$",
    re.IGNORECASE,
)
"""A heading, or a sentence that only hands over what stood behind it, and is not there."""
_DIGIT = lazily(r"\d")
_CJK = lazily(r"[\u3400-\u9fff]")
KEPT = 2048
"""So many lines are remembered in clauses: one question after another is answered by the same."""
_EDGE = " ,;，；、-–—"


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a line with its words."""

    start: int
    end: int
    words: frozenset[str]
    denied: bool
    values: frozenset[str]


class Retold:
    """What the lines of an answer have told so far, clause by clause."""

    def __init__(self) -> None:
        self._told: list[_Clause] = []
        self._last: list[_Clause] = []

    def shortened(self, text: str) -> str:
        """The line without the clauses that are told already; "" when none is left."""
        self._last = []
        if "\n" in text or "```" in text:
            return text
        parts = _clauses(text)
        new = [not self._is_told(part, text) for part in parts]
        new[-1:] = [fresh and not _ANNOUNCES.match(text, parts[-1].start) for fresh in new[-1:]]
        for place in range(len(parts) - 1, 0, -1):
            if new[place] and _LEANS.match(text, parts[place].start):
                new[place - 1] = True
        if not any(fresh and part.words for fresh, part in zip(new, parts, strict=True)):
            return ""
        self._last = [part for part, fresh in zip(parts, new, strict=True) if fresh]
        return _joined(text, self._last)

    def add(self) -> None:
        """Remembers that the line asked for last is told."""
        self._told += self._last

    def _is_told(self, clause: _Clause, text: str) -> bool:
        chinese = _CJK.search(text, clause.start, clause.end) is not None
        if clause.end - clause.start < (SHORTEST_ZH if chinese else SHORTEST):
            return False
        count = len(clause.words)
        least = count if chinese or count < FEW else SHARE * count
        for told in self._told:
            shared = len(clause.words & told.words) >= least
            if shared and clause.values <= told.words and clause.denied == told.denied:
                return True
        return False


@lru_cache(maxsize=KEPT)
def _clauses(text: str) -> tuple[_Clause, ...]:
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[_Clause]:
    for sentence in sentences(text):
        start = sentence.start
        for hit in _START.finditer(text, sentence.start, sentence.end):
            begin = hit.end() if hit.end() == hit.start() + 1 else _word(text, hit.start())
            if begin > start and not _CONDITION.match(text, start):
                yield _clause(text, start, begin)
                start = begin
        yield _clause(text, start, sentence.end)


def _word(text: str, place: int) -> int:
    """Where the next word begins."""
    while text[place] in _EDGE:
        place += 1
    return place


def _clause(text: str, start: int, end: int) -> _Clause:
    link = _LINK.match(text, start, end)
    said = text[link.end() if link else start : end]
    values = frozenset(word for value in _values(said) for word in content_tokens(value))
    return _Clause(start, end, frozenset(content_tokens(said)), bool(_DENIED.search(said)), values)


def _values(said: str) -> Iterator[str]:
    """Names, numbers and code: a word of those is never like another one."""
    for place, word in enumerate(said.split()):
        named = place and word[0].isupper()
        if named or "`" in word or not (word.isalpha() or _DIGIT.search(word) is None):
            yield word


def _joined(text: str, parts: list[_Clause]) -> str:
    """The parts that stay, `…` where something is left out between them."""
    told, end = "", 0
    for part in parts:
        asked = _ASKED.match(text, part.start, part.end)
        start = asked.end() if asked else part.start
        if not text[end:start].strip():
            told += text[end:start]
        else:
            told = told.rstrip(_EDGE) + LEFT_OUT + (" " if told and text[start].isascii() else "")
        told += text[start : part.end]
        end = part.end
    if text[end:].strip():
        told = told.rstrip(_EDGE) + LEFT_OUT
    return told.strip()
