"""A Chinese line that gives a thing another value, whatever words stand between thing and value.

The thing is what the line begins with, `早餐时间延到十点`; the old line says hardly anything but the
thing and a value of the same kind, `早餐供应到九点半`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.forms import listed, pattern
from noctuary.memory.facts import hard_facts
from noctuary.memory.numerals import narrow, zh_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctuary.distil.offline.frames import Frame
    from noctuary.memory.facts import HardFact

MOST_BESIDE, MOST_BESIDE_NAMED = 2, 6
"""Telling characters beside thing and value: more where the new line names the old value too."""
SHORTEST, LONGEST = 2, 8
_TOKEN = re.compile(r"[\u3400-\u9fff]|[A-Za-z][\w+#-]*")
_ASKS = re.compile(r"[吗呢不?？]$")
_LIGHT = frozenset("了过着再很都也就还只太吗呢吧的是在我你他她它们这那个到为改最先后用有一每按")


@dataclass(frozen=True, slots=True)
class Value:
    """A value where it stands in a text: what it measures, and how much or which it is."""

    kind: str
    key: str
    start: int
    end: int


def revalues(new: Frame, old: Frame) -> bool:
    """Whether the new line gives another value to what the old one gave a value to."""
    mark = pattern("revalues").search(new.text)
    if mark is None or _ASKS.search(new.text) or pattern("undecided").search(new.text):
        return False
    told, known = _values(new.text), _values(old.text)
    before = {one.key for one in known}
    fresh = [one for one in told if one.key not in before]
    if not fresh:
        return False
    ends = next(part.end for part in clauses(new.text) if fresh[0].start < part.end)
    said = {one.key for one in told if one.start < ends}
    given_up = {one.key for one in told if one.start < mark.end()} & before
    sure = bool(given_up) or _set_to(new.text[: fresh[0].start])
    most = MOST_BESIDE_NAMED if sure else MOST_BESIDE
    return any(
        _only_of(topic, part, one, new, MOST_BESIDE if one.kind == "time" else most)
        for topic in _topics(new.text, mark.start(), old.text)
        for part, one in _told(old.text)
        if one.key in given_up or one.key not in said
        if any(_measure_alike(one, another) for another in fresh)
    )


@lru_cache(maxsize=20_000)
def _values(text: str) -> tuple[Value, ...]:
    """The hard facts of a text, things counted in words, languages, and names of what is switched to."""
    left_out = _ALWAYS if _SWITCHES.search(text) else {*_ALWAYS, "name"}
    facts = [fact for fact in hard_facts(text) if fact.kind not in left_out]
    exact = [_of(fact) for fact in facts if fact.kind not in _COUNTS]
    counted = [
        Value(hit["unit"], f"{zh_number(narrow(hit['count']))}{hit['more'] or ''}", *hit.span())
        for hit in _counted().finditer(text)
    ]
    found = _beside(exact, counted)
    found = _beside(found, [_of(fact) for fact in facts if fact.kind in _COUNTS])
    named = (("tongue", _TONGUE), ("recurs", _RECURS))
    more = [Value(kind, hit[0], *hit.span()) for kind, told in named for hit in told.finditer(text)]
    return (*_beside(found, more),)


def _of(fact: HardFact) -> Value:
    return Value(fact.kind, fact.key, fact.start, fact.end)


def _beside(found: Sequence[Value], more: Sequence[Value]) -> list[Value]:
    """With those of the others that stand beside them."""
    free = (one for one in more if all(one.end <= a.start or a.end <= one.start for a in found))
    return [*found, *free]


_COUNTS = frozenset({"number", "quantity"})
_CHANGING = "改换调提降涨缩压放延减加砍扩回升退推"
_ALWAYS = frozenset({"quoted"})
_SWITCHES = re.compile(r"换|改投|改用|目标")
_RECURS = re.compile(r"每(?:天|晚|周|月|年|季度)[一二三四五六日初末底]?")
_TONGUE = re.compile(r"[中英日法德韩俄](?:文|语)|汉语")


@cache
def _counted() -> re.Pattern[str]:
    units = "|".join(sorted(listed("measure")))
    return re.compile(
        rf"(?P<count>\d+|[一二两三四五六七八九十百千万]+) ?个?(?P<unit>{units})(?!到|之)(?P<more>[一二三四五六七八九半](?!{units}))?"
    )


def _told(text: str) -> Iterator[tuple[str, Value]]:
    """Each clause with a value, and that value as it stands in the clause."""
    for part in clauses(text):
        for one in _values(part.text):
            yield part.text, one


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
        if said[1:2] == "数":
            yield said[0]


def _tells(topic: str) -> bool:
    tokens = _telling(topic)
    return len(tokens) >= SHORTEST or any(token.isascii() and len(token) > 2 for token in tokens)


def _telling(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if token not in _LIGHT]


def _only_of(topic: str, part: str, value: Value, new: Frame, most: int) -> bool:
    """Whether a clause says hardly more than that this thing has this value.

    Where both lines name something more, 石场的网关 and 石场的邮局, they are about two things. What
    stands behind the value counts only where nothing says that a value was set.
    """
    if topic == part[value.start : value.end].lstrip("0123456789 个")[-1:]:
        return True
    if topic.lower() not in part.lower():
        return False
    mark = pattern("revalues").search(new.text)
    between = new.text[: mark.start() if mark else 0].rpartition(topic)[2]
    between = pattern("unfit").sub("", re.split(r"[，,。；\d]", between)[0]).rstrip(_CHANGING)
    if f"{topic}的" in part and f"{topic}的" not in new.text:
        return False
    till = len(part) if most == MOST_BESIDE else value.end
    rest = part[:till].lower().replace(topic.lower(), " ", 1)
    for one in _values(part):
        rest = rest.replace(part[one.start : one.end].lower(), " ", 1)
    general = "".join(listed("limit-noun") | listed("aspect"))
    beside = [word for word in _telling(rest) if word not in general + new.text.lower()]
    more = [one for one in _telling(between) if one not in general]
    return not (beside and more) and sum(2 if one.isascii() else 1 for one in beside) <= most


def _measure_alike(one: Value, other: Value) -> bool:
    """Two values of a kind; 个 counts anything, and a bare number is of any measure."""
    kinds = {one.kind, other.kind}
    vague = kinds & {"个", "number"}
    return len(kinds) == 1 or (bool(vague) and kinds - vague <= listed("measure"))


def _set_to(before: str) -> bool:
    """Whether the words right before a value say that something was set to it: 缩成."""
    return bool(pattern("set-to").search(before))
