"""A line that says it puts something right: what announces it, and whose number it corrects."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import CLAUSE_MARK
from noctuary.distil.offline.frames import other_things
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from noctuary.distil.offline.frames import Frame
    from noctuary.memory.facts import HardFact

_UNIT = re.compile(r"\s*([\u3400-\u9fff]|[A-Za-z%]+)")
_BEFORE = re.compile(r"([\u3400-\u9fff]|[A-Za-z]+)\s*[$€£¥]?$")
MIN_SHARED = 2


def corrects(new: Frame, old: Frame) -> bool:
    """`Put right: 300 points are enough` against `500 points are enough`: one unit, one subject."""
    if "correction" not in new.cues:
        return False
    return any(
        mine[:2] == theirs[:2]
        and mine[2] != theirs[2]
        and len(mine[3] & theirs[3]) >= MIN_SHARED
        and not other_things(mine[3], theirs[3])
        for mine in _measured(new.text)
        if mine[2] not in old.keys
        for theirs in _measured(old.text)
        if theirs[2] not in new.keys
    )


@lru_cache(maxsize=20_000)
def _measured(text: str) -> tuple[tuple[str, str, str, frozenset[str]], ...]:
    """Each number with the word before it, its unit, its key, and the other words of its clause."""
    facts = [fact for fact in hard_facts(text) if fact.kind != "name"]
    return tuple(_around(text, fact) for fact in facts)


def _around(text: str, fact: HardFact) -> tuple[str, str, str, frozenset[str]]:
    before = CLAUSE_MARK.split(text[: fact.start])[-1]
    after = CLAUSE_MARK.split(text[fact.end :])[0]
    lead, unit = _BEFORE.search(before), _UNIT.match(after)
    measure = fact.kind
    if fact.kind == "number":
        measure = unit[1].lower() if unit else ""
    beside = f"{before} | {after}"
    for other in hard_facts(beside):
        if other.kind != "name":
            beside = beside.replace(other.text, " ")
    return lead[1].lower() if lead else "", measure, fact.key, frozenset(content_tokens(beside))
