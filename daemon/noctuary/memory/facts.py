"""Finds hard facts: numbers, money, dates, names, paths, versions, commands and their kin.

Two spellings of one fact share a key, so that `五万元` and `50,000 yuan` are recognised as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory import amounts, names, technical
from noctuary.memory.lazy import lazily
from noctuary.memory.numerals import narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class HardFact:
    """A fact at `text[start:end]`; `key` is the form by which the same fact is recognised.

    Attributes:
        kind: number, quantity, money, percent, date, time, duration, version, name, quoted,
            path, url, email, command or id.
    """

    kind: str
    text: str
    start: int
    end: int
    key: str


_INLINE = lazily(r"(?<!`)`(?P<body>[^`\n]{1,300})`(?!`)")
_COMMAND_LINE = lazily(r"^[ \t>]{0,8}(?:\$|>>>|PS>)[ \t]+(?P<body>[^\r\n]{1,500})", re.MULTILINE)
_FENCED = lazily(
    r"^[ \t]{0,3}(?:```|~~~).*?(?:^[ \t]{0,3}(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
_QUOTED = lazily(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|「([^」\n]{2,80})」|《([^》\n]{1,80})》")
_SHORT = 2_000
"""Lines up to this length are asked again and again in one dream, so their facts are kept."""


def hard_facts(text: str) -> list[HardFact]:
    """The facts of `text` in order of place; only a quoted one may hold others inside.

    Code fences give commands, paths, URLs and versions alone.
    """
    return list(_remembered(text) if len(text) <= _SHORT else _facts(text))


@lru_cache(maxsize=8192)
def _remembered(text: str) -> tuple[HardFact, ...]:
    return _facts(text)


def _facts(text: str) -> tuple[HardFact, ...]:
    fences = (
        [hit.span() for hit in _FENCED.finditer(text)] if "```" in text or "~~~" in text else []
    )
    found = _commands(text)
    found = _sorted([*found, *_outside(_technical(text, fences), _spans(found))])
    closed = [*fences, *_spans(found)]
    counted = _outside(_amounts(text), closed)
    exact = [fact for fact in counted if fact.kind != "number"]
    called = _outside(_names(text), [*closed, *_spans(exact)])
    bare = [fact for fact in counted if fact.kind == "number"]
    bare = _outside(bare, _spans(called))  # the number in `Room 302` belongs to the name
    quoted = _outside(_quoted(text), fences)
    return tuple(_sorted([*found, *exact, *called, *bare, *quoted]))


def _sorted(facts: list[HardFact]) -> list[HardFact]:
    return sorted(facts, key=lambda fact: (fact.start, -fact.end))


def _spans(facts: Iterable[HardFact]) -> list[tuple[int, int]]:
    return [(fact.start, fact.end) for fact in facts]


def _outside(facts: Iterable[HardFact], spans: list[tuple[int, int]]) -> list[HardFact]:
    """Those facts, given in order of place, that touch none of the spans."""
    if not spans:
        return list(facts)
    free, spans = [], sorted(spans)
    at = 0
    for fact in facts:
        while at < len(spans) and spans[at][1] <= fact.start:
            at += 1
        if at == len(spans) or spans[at][0] >= fact.end:
            free.append(fact)
    return free


def _commands(text: str) -> list[HardFact]:
    found = []
    if "$" in text or ">>>" in text or "PS>" in text:
        found = [_fact("command", text, *hit.span("body")) for hit in _COMMAND_LINE.finditer(text)]
    if "`" in text:
        found += [
            _fact("command", text, *hit.span("body"))
            for hit in _INLINE.finditer(text)
            if technical.COMMAND.match(hit["body"])
        ]
    return _outside(sorted(found, key=lambda fact: fact.start), [])


def _technical(text: str, fences: list[tuple[int, int]]) -> Iterator[HardFact]:
    pattern = technical.pattern(text)
    for hit in pattern.finditer(text) if pattern else ():
        kind = technical.kind(hit)
        end = hit.start() + len(hit[0].rstrip(".,;:!?"))
        if kind == "version":
            number = hit["en"] or hit["zh"] or hit["zv"] or hit["zw"] or hit[0].lstrip("v")
            yield HardFact(kind, hit[0], hit.start(), hit.end(), amounts.version_key(number))
        elif end - hit.start() > 1 and (
            kind in {"url", "path"} or not _within(hit.start(), fences)
        ):
            yield _fact(kind, text, hit.start(), end)


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _fact(kind: str, text: str, start: int, end: int) -> HardFact:
    said = text[start:end].rstrip()
    return HardFact(kind, said, start, start + len(said), f"{kind}:{_folded(said)}")


def _folded(text: str) -> str:
    return " ".join((text if text.isascii() else narrow(text)).split()).casefold()


def _amounts(text: str) -> Iterator[HardFact]:
    for start, end, kind, key in amounts.amounts(text):
        yield HardFact(kind, text[start:end], start, end, key)


def _names(text: str) -> Iterator[HardFact]:
    for start, end in names.names(text):
        said = text[start:end]
        yield HardFact("name", said, start, end, f"name:{_folded(said)}")


def _quoted(text: str) -> Iterator[HardFact]:
    if not any(mark in text for mark in '"“「《'):
        return
    for hit in _QUOTED.finditer(text):
        yield _fact("quoted", text, *hit.span(hit.lastindex or 0))


def fact_keys(text: str) -> set[str]:
    """The keys of all facts in `text`, and the looser ones that they imply.

    A whole date implies its month and its day of the year, an amount its bare number.
    """
    return set(_keys(text) if len(text) <= _SHORT else _all_keys(text))


@lru_cache(maxsize=8192)
def _keys(text: str) -> frozenset[str]:
    return _all_keys(text)


def _all_keys(text: str) -> frozenset[str]:
    return frozenset(
        key for fact in hard_facts(text) for key in (fact.key, *amounts.implied(fact.key))
    )


def missing(facts: list[HardFact], haystack: str) -> list[HardFact]:
    """Those facts that `haystack` holds neither word for word nor in another spelling."""
    if not facts:
        return []
    folded = _folded(haystack)
    left = [fact for fact in facts if not _verbatim(_folded(fact.text), folded)]
    if not left:
        return []
    keys = _keys(haystack) if len(haystack) <= _SHORT else _all_keys(haystack)
    return [fact for fact in left if fact.key not in keys]


def _verbatim(needle: str, haystack: str) -> bool:
    """Whether the words stand in the haystack on their own, not inside a longer word or number."""
    at = haystack.find(needle)
    while at >= 0:
        before, after = haystack[max(0, at - 2) : at], haystack[at + len(needle) :][:2]
        if not (_joined(before[::-1], needle[:1]) or _joined(after, needle[-1:])):
            return True
        at = haystack.find(needle, at + 1)
    return False


def _joined(beside: str, edge: str) -> bool:
    """Whether what stands beside an edge, read outwards, makes one longer word of it."""
    if not beside or not edge.isascii() or not edge.isalnum():
        return False
    if beside[0].isascii() and (beside[0].isalnum() or beside[0] == "_"):
        return not (edge.isdigit() and beside[0].isalpha()) or beside[0] in "km"
    return edge.isdigit() and beside[0] in ".,:" and beside[1:2].isdigit()
