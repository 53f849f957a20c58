"""Titles made from the words at hand: short, and telling what is inside."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from noctuary.memory.sentences import language
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TITLE = 60
TOPIC_WORDS = 4

_WORD = re.compile(r"[A-Za-z][\w'’-]*(?:\.\w+)*")
_EDGES = ' \t\r\n.,;:!?。，；：！？、-–—*_#>`"“”'
_BREAKS = re.compile(r"[,;:，；：。！？!?]|\s[-–—]\s")
_LEAD_IN = re.compile(
    r"^(?:(?:and|so|but|since|because|considering|with|that|now|also) )?(?:i'?m (?:trying|planning|going|looking) to "
    r"|i'?m working on |i (?:want|need|would like|think i'll|have|had) (?:to )?|i'?ve (?:got|been) |i'?d like to )?",
    re.IGNORECASE,
)
_CJK_RUN = re.compile(r"[\u3400-\u9fff]{2,12}")
_CJK_STOP = re.compile(r"[的了是在我你他她它们和与及呢吗吧啊呀就都也很这那个有不一]")
_DULL = frozenset(
    [
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "it's",
        "that's",
        "don't",
        "can't",
        "didn't",
        "really",
        "want",
        "trying",
        "try",
        "make",
        "made",
        "sure",
        "lot",
        "thing",
        "things",
        "good",
        "great",
        "like",
        "just",
        "also",
        "get",
        "got",
        "going",
        "gonna",
        "know",
        "think",
        "feel",
        "much",
        "even",
        "one",
        "way",
        "time",
        "need",
        "help",
        "using",
        "use",
        "used",
        "how",
        "can",
        "could",
        "would",
        "some",
        "been",
        "being",
        "have",
        "has",
        "was",
        "were",
        "the",
        "and",
        "for",
        "with",
        "this",
        "new",
        "still",
        "let",
        "see",
        "look",
        "take",
        "give",
        "well",
        "back",
        "since",
        "super",
        "day",
        "work",
        "able",
    ]
)


def title_of(statement: str) -> str:
    """A title from one statement, cut at a clause or word boundary."""
    text = " ".join(re.sub(r"[`*_#|\[\]]", "", statement).split()).strip(_EDGES)
    if len(text) > MAX_TITLE:
        text = _LEAD_IN.sub("", text)
    if len(text) <= MAX_TITLE:
        return text or "…"
    head = text[:MAX_TITLE]
    breaks = [hit.start() for hit in _BREAKS.finditer(head)]
    if breaks and breaks[-1] >= MAX_TITLE // 3:
        return head[: breaks[-1]].strip(_EDGES)
    if " " in head[20:]:
        head = head[: head.rindex(" ")]
    return head.strip(_EDGES)


def topic_title(lines: Sequence[str], who: str = "") -> str:
    """A title for many lines: the words that stand out, in the order in which they appear."""
    words = topic_words(lines)
    if not words:
        return title_of(lines[0])
    joint = "、" if language(" ".join(lines)) == "zh" else ", "
    prefix = f"{who}: " if who else ""
    title = prefix + words[0]
    for word in words[1:]:
        if len(title) + len(joint) + len(word) > MAX_TITLE:
            break
        title += joint + word
    return title


def topic_words(lines: Sequence[str], count: int = TOPIC_WORDS) -> list[str]:
    """The most telling words, by how many lines have them and how long they are."""
    seen: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for line in lines:
        for word in dict.fromkeys(_terms(line)):
            key = (content_tokens(word) or [word.lower()])[0]
            seen[key] += 1
            shown.setdefault(key, word)
    order = list(shown)
    best = sorted(order, key=lambda key: (-seen[key] * _weight(shown[key]), order.index(key)))[
        :count
    ]
    return [shown[key] for key in sorted(best, key=order.index)]


def _weight(word: str) -> float:
    return (1.5 if word[:1].isupper() else 1.0) * math.sqrt(min(len(word), 8))


def _terms(line: str) -> list[str]:
    found = []
    for hit in _WORD.finditer(line):
        word = hit[0].removesuffix("'s").removesuffix("’s")
        plain = word.lower().replace("’", "'")
        if len(word) > 2 and plain not in _DULL and content_tokens(word):
            found.append(word if hit.start() else _uncapped(word))
    for run in _CJK_RUN.findall(line):
        found += [part for part in _CJK_STOP.split(run) if len(part) >= 2]
    return found


def _uncapped(word: str) -> str:
    return word if word[1:] != word[1:].lower() else word.lower()
