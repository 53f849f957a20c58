"""A Chinese line that gives a thing another value, whatever words stand between thing and value.

The thing is what the line begins with, `早餐时间延到十点`; the old line says hardly anything but the
thing and a value of the same kind, `早餐供应到九点半`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.forms import listed, pattern
from noctuary.memory.facts import hard_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.distil.offline.frames import Frame
    from noctuary.memory.facts import HardFact

MOST_BESIDE, MOST_BESIDE_NAMED = 2, 6
"""Telling characters beside thing and value: more where the new line names the old value too."""
SHORTEST, LONGEST = 2, 8
_TOKEN = re.compile(r"[\u3400-\u9fff]|[A-Za-z][\w+#-]*")
_ASKS = re.compile(r"[吗呢不?？]$")
_LIGHT = frozenset("了过着再很都也就还只太吗呢吧的是在我你他她它们这那个到为改最先后用有一每按")
_NO_VALUE = frozenset({"name", "quoted"})


def revalues(new: Frame, old: Frame) -> bool:
    """Whether the new line gives another value to what the old one gave a value to."""
    mark = pattern("revalues").search(new.text)
    if mark is None or _ASKS.search(new.text) or pattern("undecided").search(new.text):
        return False
    told = [fact for fact in _values(new.text) if fact.key not in old.keys]
    given_up = {fact.key for fact in _values(new.text[: mark.end()])} & old.keys
    named = bool(given_up)
    return bool(told) and any(
        _only_of(topic, part, fact, new, MOST_BESIDE_NAMED if named else MOST_BESIDE)
        for topic in _topics(new.text, mark.start(), old.text)
        for part, fact in _told(old.text)
        if fact.key in given_up or fact.key not in new.keys
        if any(_alike(fact, part, one, new.text) for one in told)
    )


def _values(text: str) -> list[HardFact]:
    return [fact for fact in hard_facts(text) if fact.kind not in _NO_VALUE]


def _told(text: str) -> Iterator[tuple[str, HardFact]]:
    """Each clause with a value, and that value as it stands in the clause."""
    for part in clauses(text):
        for fact in _values(part.text):
            yield part.text, fact


def _topics(text: str, mark: int, old: str) -> Iterator[str]:
    """What the clauses up to the word of change begin with, as far as the old line says it too."""
    low = old.lower()
    for part in clauses(text):
        if part.start > mark:
            return
        said = pattern("beside-thing").sub("", pattern("told-by").sub("", part.text)).strip()
        tokens = [hit.end() for hit in _TOKEN.finditer(said[: 4 * LONGEST])][:LONGEST]
        begun = (said[:end] for end in reversed(tokens) if said[:end].lower() in low)
        if (topic := next(begun, "")) and _tells(topic):
            yield topic


def _tells(topic: str) -> bool:
    tokens = _telling(topic)
    return len(tokens) >= SHORTEST or any(token.isascii() and len(token) > 2 for token in tokens)


def _telling(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if token not in _LIGHT]


def _only_of(topic: str, part: str, fact: HardFact, new: Frame, most: int) -> bool:
    """Whether a clause says hardly more than that this thing has this value.

    Where both lines name something more, 石场的网关 and 石场的邮局, they are about two things.
    """
    if topic.lower() not in part.lower():
        return False
    mark = pattern("revalues").search(new.text)
    between = new.text[: mark.start() if mark else 0].rpartition(topic)[2]
    between = re.split(r"[，,。；\d]", between)[0]
    rest = part.lower().replace(topic.lower(), " ", 1)
    for value in _values(part):
        rest = rest.replace(value.text.lower(), " ", 1)
    general = "".join(listed("limit-noun") | listed("aspect"))
    beside = [one for one in _telling(rest) if one not in general and one not in new.text.lower()]
    more = [one for one in _telling(between) if one not in general]
    return not (beside and more) and sum(2 if one.isascii() else 1 for one in beside) <= most


def _alike(old: HardFact, part: str, new: HardFact, text: str) -> bool:
    """Two values that measure the same: of a kind, and with the same measure word if both have one."""
    if old.kind != new.kind:
        return False
    units = (part[old.end : old.end + 1], text[new.end : new.end + 1])
    counted = [unit for unit in units if unit in listed("measure")]
    return old.kind != "number" or len(set(counted)) <= 1
