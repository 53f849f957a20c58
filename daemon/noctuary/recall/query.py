"""What a question asks for: its parts, each as search terms with weights. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory.dates import resolved
from noctuary.memory.tokens import content_tokens, tokens
from noctuary.memory.words import STOP_ZH

if TYPE_CHECKING:
    from datetime import datetime

_ASKING_ZH = re.compile(
    "请问|什么时候|为什么|是什么|什么|哪一个|哪里|哪儿|哪个|哪些|哪位|哪天|谁的|多少|怎么样|怎么|怎样"
    "|如何|是否|能否|有没有|是不是|来着|另外|还有|此外|[吗呢吧啊呀啦谁几]"
)
_NEXT_PART = re.compile(
    r"(?<=[?？!！。；;])\s*|\n+|(?<=[，,])(?=另外|还有|此外)"
    r"|,? and (?:also )?(?=(?:what|when|where|who|which|why|how)\b)",
    re.IGNORECASE,
)
MOST_PARTS = 4
FEWEST_TERMS = 2
SINGLE_CHARACTER = 0.2
"""Weight of one Chinese character beside the pairs it stands in."""
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
    whole = terms(resolved(question, now))
    pieces = [piece for piece in _NEXT_PART.split(question) if piece]
    if len(pieces) < 2:
        return Asked(whole)
    parts = [terms(resolved(piece, now)) for piece in pieces]
    parts = [part for part in parts if sum(part.values()) >= FEWEST_TERMS]
    return Asked(whole, tuple(parts) if 1 < len(parts) <= MOST_PARTS else ())


def terms(question: str) -> dict[str, float]:
    """Search terms with weights; asking words are left out unless nothing else remains."""
    plain = question if question.isascii() else _ASKING_ZH.sub(" ", question)
    found = content_tokens(plain) or content_tokens(question) or tokens(question)
    if question.isascii():
        return dict.fromkeys(found, 1.0)
    paired = any(_is_pair(token) for token in found)
    return {token: _weight(token, paired=paired) for token in found}


def _is_pair(token: str) -> bool:
    return len(token) > 1 and not token.isascii()


def _weight(token: str, *, paired: bool) -> float:
    if token.isascii() or not paired:
        return 1.0
    if len(token) == 1:
        return SINGLE_CHARACTER
    return LOOSE_PAIR if token[0] in STOP_ZH or token[-1] in STOP_ZH else 1.0
