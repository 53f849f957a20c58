"""How many of a thing there may be, said anew: `max 8 sentences` and `he is ok with 10 sentences now`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.forms import listed
from noctuary.memory.facts import hard_facts
from noctuary.memory.lazy import lazily
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import stem

if TYPE_CHECKING:
    from noctuary.distil.offline.frames import Frame

_LIMITS = frozenset({"limit", "weak-limit", "constraint"})
_COUNT = lazily(
    r"\b(?P<count>\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?: [a-z]+)? (?P<noun>[a-z]{4,}s)\b"
)


def counts_anew(new: Frame, old: Frame) -> bool:
    """Whether a line gives a limited thing, and nothing else, another number."""
    if not _LIMITS & old.cues:
        return False
    before = {noun: count for noun, count, _ in _counts(old.text)}
    return any(
        noun in before and count != before[noun] and rest - _names(new) <= old.words
        for noun, count, rest in _counts(new.text)
    )


def _names(line: Frame) -> frozenset[str]:
    """Who is named in a line, its first word among them: they may say how many, and are not counted."""
    return frozenset(content_tokens(" ".join([*line.names, *line.tokens[:1]])))


@lru_cache(maxsize=20_000)
def _counts(text: str) -> tuple[tuple[str, str, frozenset[str]], ...]:
    """What is counted, its number, and the other telling words of the clause."""
    common = {stem(word) for word in listed("allowing")}
    found = []
    for part in clauses(text):
        measured = {fact.start for fact in hard_facts(part.text) if fact.kind != "number"}
        for hit in _COUNT.finditer(part.text):
            if hit.start() in measured:
                continue
            beside = f"{part.text[: hit.start()]} {part.text[hit.end() :]}"
            rest = frozenset(content_tokens(beside)) - common
            found.append((stem(hit["noun"]), hit["count"], rest))
    return tuple(found)
