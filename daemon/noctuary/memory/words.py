"""Common words of both languages and the stems of English ones."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Iterable


def words(text: str) -> frozenset[str]:
    """The words of a literal list, written as one line of text."""
    return frozenset(text.split())


def opening(first_words: Iterable[str]) -> str:
    """A cheap pattern that any of these words passes by its first two letters, in either case."""
    after: dict[str, set[str]] = {}
    for word in first_words:
        after.setdefault(word[0].lower(), set()).update(word[1].lower() + word[1].upper())
    pairs = sorted((first, "".join(sorted(second))) for first, second in after.items())
    return "(?:" + "|".join(f"[{a}{a.upper()}][{re.escape(b)}]" for a, b in pairs) + ")"


STOP_EN = words(
    "a an the and or but nor so if then than of to in on at by for from with without into onto "
    "over under about as is are was were be been being am do does did done doing have has had "
    "having i me my mine you your yours he him his she her hers it its we us our ours they them "
    "their theirs this that these those there here who whom whose which what when where why how "
    "will would shall should can could may might must not no yes s t d ll m re ve don doesn didn "
    "isn aren wasn weren won wouldn couldn shouldn hasn haven hadn let just also too very really "
    "some any such same own only up down out off again once both each more most other "
    "because while during before after until between through"
)
STOP_ZH = frozenset(
    "的了是在和有也都就不与及或把被给让对从到着过这那哪之其吗呢吧啊呀嘛哦嗯我你他她它们个很"
)

_VOWEL = lazily(r"[aeiouy]")
_DOUBLE = lazily(r"([^aeiouylsz])\1$")
_SHORT_END = lazily(r"^[^aeiou]*[aeiouy][^aeiouywx]$")

_IRREGULAR = {
    "went": "go", "gone": "go", "goes": "go", "bought": "buy", "took": "take", "taken": "take",
    "made": "make", "met": "meet", "said": "say", "told": "tell", "gave": "give", "given": "give",
    "got": "get", "gotten": "get", "came": "come", "saw": "see", "seen": "see", "knew": "know",
    "known": "know", "thought": "think", "found": "find", "left": "leave", "felt": "feel",
    "kept": "keep", "began": "begin", "begun": "begin", "wrote": "write", "written": "write",
    "ran": "run", "ate": "eat", "eaten": "eat", "sold": "sell", "sent": "send", "built": "build",
    "spent": "spend", "lost": "lose", "won": "win", "chose": "choose", "chosen": "choose",
    "broke": "break", "broken": "break", "drove": "drive", "driven": "drive", "flew": "fly",
    "grew": "grow", "grown": "grow", "taught": "teach", "caught": "catch", "brought": "bring",
    "children": "child", "people": "person", "men": "man", "women": "woman", "feet": "foot",
    "mice": "mouse", "teeth": "tooth", "wives": "wife", "lives": "life", "better": "good",
    "best": "good", "worse": "bad", "worst": "bad", "data": "data", "news": "news", "was": "was",
    "always": "always", "this": "this", "during": "during", "thing": "thing", "string": "string",
    "died": "die", "dying": "die", "lied": "lie", "lying": "lie", "tied": "tie", "tying": "tie",
    "spring": "spring", "bring": "bring", "king": "king", "ring": "ring", "sing": "sing",
}  # fmt: skip

_ENDINGS: tuple[tuple[str, str], ...] = (
    ("ization", "ize"), ("isation", "ize"), ("ational", "ate"), ("fulness", "ful"),
    ("iveness", "ive"), ("ousness", "ous"), ("ability", "able"), ("ibility", "able"),
    ("ation", ""), ("ator", ""), ("ate", ""), ("ness", ""), ("ment", ""),
    ("ously", "ous"), ("ively", "ive"), ("fully", "ful"), ("ally", "al"), ("ably", "able"),
    ("ily", "y"), ("ly", ""), ("ies", "y"),
)  # fmt: skip


_ENDINGS_BY_LETTER = {
    last: tuple(pair for pair in _ENDINGS if pair[0][-1] == last)
    for last in {ending[-1] for ending, _ in _ENDINGS}
}


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """A light stem of a lower-case English word, so that its forms meet in search."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _tidy(_without_suffix(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_suffix(word: str) -> str:
    for ending in ("ing", "ed"):
        if word.endswith(ending) and _VOWEL.search(word[: -len(ending)]):
            return _without_ending(_whole(word[: -len(ending)]))
    if word.endswith(("ction", "ption")) and len(word) > 6:
        return word[:-3]
    return _without_ending(word)


def _without_ending(word: str) -> str:
    for ending, instead in _ENDINGS_BY_LETTER.get(word[-1:], ()):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)] + instead
    return word


def _whole(base: str) -> str:
    """What is left of `-ing` or `-ed`, made to look like the plain verb again."""
    if _DOUBLE.search(base):
        return base[:-1]
    if base.endswith(("at", "bl", "iz")) or (len(base) <= 4 and _SHORT_END.match(base)):
        return base + "e"
    return base


def _tidy(word: str) -> str:
    """One form for a final `e` or `y`, which the rules above leave uneven."""
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    if word.endswith("y") and len(word) > 3 and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word
