"""Finds hard facts: numbers, money, dates, names, paths, versions, commands and their kin."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HardFact:
    """A fact at `text[start:end]`; `key` is the form by which the same fact is recognised."""

    kind: str
    text: str
    start: int
    end: int
    key: str


_SIMPLE = re.compile(
    r"(?P<url>https?://[^\s<>\"'）)]+)|(?P<email>[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<version>\bv?\d+(?:\.\d+){2,3}\b)|(?P<date>\b\d{4}-\d{2}-\d{2}\b)"
    r"|(?P<time>\b\d{1,2}:\d{2}\b)|(?P<number>(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]))"
)


def hard_facts(text: str) -> list[HardFact]:
    """The facts of `text` in order of place, never overlapping."""
    return [
        HardFact(
            str(hit.lastgroup), hit[0], hit.start(), hit.end(), _key(str(hit.lastgroup), hit[0])
        )
        for hit in _SIMPLE.finditer(text)
    ]


def _key(kind: str, text: str) -> str:
    return f"{kind}:{text.replace(',', '') if kind == 'number' else text.lower()}"


def fact_keys(text: str) -> set[str]:
    """The keys of all facts in `text`."""
    return {fact.key for fact in hard_facts(text)}


def missing(facts: list[HardFact], haystack: str) -> list[HardFact]:
    """Those facts that `haystack` holds neither verbatim nor by key."""
    lowered, keys = haystack.lower(), fact_keys(haystack)
    return [fact for fact in facts if fact.key not in keys and fact.text.lower() not in lowered]
