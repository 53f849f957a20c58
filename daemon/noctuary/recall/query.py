"""What a question asks for: its parts, each as search terms with weights. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.dates import resolved
from noctuary.memory.lazy import lazily
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import content_tokens, tokens
from noctuary.memory.words import STOP_ZH
from noctuary.recall.kinds import kinds_asked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

_ASKING_ZH = lazily(
    "请问|是?什么(?:时候|时间|地方|日子|样子|样|意思|人)|为什么|是?什么|哪一个|哪里|哪儿|哪个|哪些|哪位|哪天|谁的|多少|怎么样|怎么|怎样"
    "|如何|是否|能否|有没有|是不是|来着|另外|还有|此外|[吗呢吧啊呀啦谁几]"
)
_NEXT = lazily(
    r"(?<=[?？!！。；;])\s*|\n+|(?<=[，,])(?=另外|还有|此外)"
    r"|,? and (?:also )?(?=(?:what|when|where|who|which|why|how)\b)",
    re.IGNORECASE,
)
_QUOTED = lazily('"[^"\\n]+"|“[^”]+”|「[^」]+」|『[^』]+』|《[^》]+》')
_STATED = lazily(r"[.。!！;；…][\s\"”」』)）]*$")
_FURTHER = lazily(r"\s*(?:另外|还有|此外|and\b|also\b|besides\b)", re.IGNORECASE)
_MEANT = lazily(
    "(?:真正|其实|实际|本来).{0,6}[想问]|^(?:等等|等一下|停一下)"
    r"|what i (?:really |actually )?(?:want|wanted|meant?|need) to (?:ask|know|say)"
    r"|my (?:real|actual) question|^(?:wait|hold on|hang on|actually)\b",
    re.IGNORECASE,
)
_BEFORE = lazily(
    r"\b(?:previous|original|initial|former|old)(?:ly)? (?:plan|set\b|agreed|said|chose|date|deadline|budget|goal"
    r"|target|price|value|limit|estimate|address|number|time|name|job|schedule|decision|choice|setting|rule)"
    r"|\bat first\b|\bused to\b|\bbefore (?:the|it|that|we|i) (?:was |were )?chang"
    r"|\bhow\b.*\bchanged\b|\b(?:between|difference|from)\b.*\b(?:updated|revised|rescheduled|changed|new)\b"
    "|原来|原先|最初|起初|以前|从前|曾经|改(?:动|变)?之?前|(?:怎么|如何|哪些|几次).{0,6}(?:变|改)",
    re.IGNORECASE,
)
"""A question that asks, maybe beside something else, for what is no longer so."""
BESIDE = 0.5
"""Weight of what is said around a question beside what it asks."""
ALONE = 0.1
"""Weight of the words that ask for a kind of card where there are no others."""
MOST_PARTS = 4
FEWEST_TERMS = 2
SINGLE_CHARACTER = 0.2
"""Weight of one Chinese character beside the pairs it stands in."""
KIND = 5
"""Words of a question from which on the kind of card that it asks for tells nothing beside them."""
LOOSE_PAIR = 0.4
"""Weight of a Chinese pair with a function word in it, which often spans two words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart.

    Attributes:
        whole: All its terms with their weights; empty when there is nothing to look for.
        parts: Terms of each question in it, when it asks several things at once; else empty.
    """

    whole: dict[str, float]
    parts: tuple[dict[str, float], ...] = ()


def asked(question: str, now: datetime) -> Asked:
    """The terms of a question; its relative dates mean what they mean at `now`."""
    meant = resolved(question, now)
    parts = asking(meant)
    if parts == (meant,):
        return Asked(terms(meant))
    found = [part for part in map(terms, parts) if sum(part.values()) >= FEWEST_TERMS]
    return Asked(weighed(meant, parts), tuple(found) if 1 < len(found) <= MOST_PARTS else ())


def asks_before(question: str) -> bool:
    """Whether it asks for what was so before something changed."""
    return any(map(_BEFORE.search, asking(question)))


def weighed(question: str, parts: Sequence[str]) -> dict[str, float]:
    """All terms of a question: those of its asking parts fully, what is said around them less."""
    around = {term: BESIDE * weight for term, weight in terms(question).items()}
    for part in parts:
        around |= terms(part)
    return around


@lru_cache(maxsize=64)
def asking(question: str) -> tuple[str, ...]:
    """The sentences of a message that ask; those that come before "what I really want to know" do not.

    All of them when none asks; those behind "also" are a message of their own.
    """
    messages: list[list[str]] = []
    for sentence in _sentences(question):
        if not messages or _FURTHER.match(sentence):
            messages.append([])
        messages[-1].append(sentence)
    return tuple(sentence for message in messages for sentence in _questions(message))


def _questions(message: list[str]) -> list[str]:
    if len(message) == 1:
        return message
    meant = (number for number, sentence in enumerate(message) if _MEANT.search(sentence))
    message = message[max(meant, default=0) :]
    return [sentence for sentence in message if not _STATED.search(sentence)] or message


def _sentences(question: str) -> list[str]:
    ends = [hit.span() for hit in _NEXT.finditer(question)]
    if ". " in question:
        ends += [(one.start, one.start) for one in sentences(question)]
    if not ends:
        return [question] if question.strip() else []
    quoted = [hit.span() for hit in _QUOTED.finditer(question)]
    ends = [end for end in sorted(ends) if not any(first < end[0] < last for first, last in quoted)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(question)]
    cut = (question[start:stop] for start, stop in zip(starts, stops, strict=True))
    return [sentence for sentence in cut if sentence.strip()]


def terms(question: str) -> dict[str, float]:
    """Search terms with weights; asking words are left out unless nothing else remains."""
    plain = question if question.isascii() else _ASKING_ZH.sub(" ", question)
    found = content_tokens(plain) or content_tokens(question) or tokens(question)
    paired = any(map(_is_pair, found))
    weights = {token: _weight(token, paired=paired) for token in found}
    return _with_kinds(weights, kinds_asked(question))


def _with_kinds(weights: dict[str, float], kinds: Mapping[str, str]) -> dict[str, float]:
    """With the kinds of cards asked for, beside which the words that ask for them say less.

    By themselves they say next to nothing: `what is left to do` is not about who left.
    """
    if not kinds:
        return weights
    asking = set(content_tokens(" ".join(kinds.values())))
    less = ALONE if asking.issuperset(weights) else BESIDE
    told = {term: weight * (less if term in asking else 1) for term, weight in weights.items()}
    weight = min(1.0, (KIND - sum(told.values())) / (KIND - 1))
    return told | dict.fromkeys(kinds, weight) if weight > 0 else weights


def _is_pair(token: str) -> bool:
    return len(token) > 1 and not token.isascii()


def _weight(token: str, *, paired: bool) -> float:
    if token.isascii() or not paired:
        return 1.0
    if len(token) == 1:
        return SINGLE_CHARACTER
    return LOOSE_PAIR if token[0] in STOP_ZH or token[-1] in STOP_ZH else 1.0
