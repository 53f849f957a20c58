"""What of a line still holds when something newer speaks against a part of it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from noctuary.distil.offline.forms import forms, listed, pattern
from noctuary.distil.offline.titles import told
from noctuary.memory.candidate import Rest
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctuary.distil.offline.forms import Shape

MAX_CLAUSES = 12
_CJK = re.compile(r"[\u3400-\u9fff]")
_WHEN = frozenset({"date", "time", "weekday"})
_LATIN = r"(?:[^\W\u3400-\u9fff]|[’'-])+"
_SUBJECT: dict[str, Shape] = {
    "who": (rf"{_LATIN}(?: {_LATIN}){{0,4}}?", r"[^，。；！？0-9]{1,8}?"),
    "subject": ("", r"[^，。；！？]{2,10}?"),
    "noun": (
        "",
        r"(?![今明去后昨上下早晚中每一大约]|(?:周|星期|礼拜)[一二三四五六日天])[\u3400-\u9fff]{2,4}",
    ),
}
MAX_WHO = 40


def still_holding(text: str, falls: Callable[[str], bool]) -> tuple[Rest, ...]:
    """The parts of a line that stand when what `falls` is taken out; none when all of it goes.

    The smallest run of clauses that falls is taken out. What stands before it has its subject; of
    what stands behind it, clauses that lean on the fallen ones go too.
    """
    cuts = _clauses(text)
    if not 2 < len(cuts) <= MAX_CLAUSES + 1:
        return ()
    gone = _smallest(text, cuts, falls)
    if gone is None:
        return ()
    first, last = gone
    head = text[: cuts[first]]
    before = _part(head) if _says(head) else None
    behind = _behind(text, cuts, first, last)
    parts = [part for part in (before, behind) if part is not None and _tells(part.text)]
    return tuple(found for part in parts for found in _checked(part, falls))


def untouched(text: str, by: str) -> tuple[Rest, ...]:
    """The parts of a line that another one, which takes its place, says nothing of.

    What it speaks of are the clauses with the words that both lines share, beside their subject.
    """
    shared = frozenset(content_tokens(text)) & frozenset(content_tokens(by))
    named = shared - frozenset(content_tokens(_who(text))) or shared
    if not named:
        return ()
    return still_holding(text, lambda part: named <= frozenset(content_tokens(part)))


@lru_cache(maxsize=20_000)
def claims(text: str) -> tuple[str, ...]:
    """The clauses of a line that name what they speak of, in more than a pronoun."""
    cuts = _clauses(text)
    if len(cuts) > MAX_CLAUSES + 1:
        return (text,)
    parts = [(start, _bare(text[start:end])) for start, end in pairwise(cuts)]
    return tuple(
        part
        for start, part in parts
        if (not start or _own(part)) and not pattern("unnamed").match(part)
    )


def counts(part: str) -> bool:
    """Whether it holds a number in words, as 仿宋三号 does: a value of its own."""
    return bool(_COUNTED.search(part))


_COUNTED = re.compile(r"[二三四五六七八九十两百千][\u3400-\u9fff]")


def _clauses(text: str) -> list[int]:
    """Where clauses begin, and the end of the text."""
    return [0, *(hit.end() for hit in _ends().finditer(text) if hit.end() < len(text)), len(text)]


@cache
def _ends() -> re.Pattern[str]:
    marks = r"[,;]\s+(?!\d)|(?<!\b[A-Za-z])[.!?]+\s+|[，；。！？]+\s*"
    return re.compile(rf"{marks}|\s(?=(?i:{pattern('claim-end').pattern}))")


def _smallest(text: str, cuts: list[int], falls: Callable[[str], bool]) -> tuple[int, int] | None:
    """The shortest run of clauses that falls by itself, else the one clause whose value does it."""
    count = len(cuts) - 1
    for size in range(1, count):
        for first in range(count - size + 1):
            if falls(_trimmed(text[cuts[first] : cuts[first + size]])):
                return first, first + size
    valued = [
        first
        for first in range(count)
        if any(fact.kind != "name" for fact in hard_facts(text[cuts[first] : cuts[first + 1]]))
        and not falls(text[: cuts[first]] + text[cuts[first + 1] :])
    ]
    return (valued[0], valued[0] + 1) if len(valued) == 1 else None


def _behind(text: str, cuts: list[int], first: int, last: int) -> Rest | None:
    """What stands behind the fallen clauses: from the first that has a subject of its own."""
    who = _who(text[: cuts[last]])
    tail = text[cuts[last] :]
    if who and _goes_on(tail) and _measures(tail):
        return _part(tail, who)
    for start, end in pairwise(cuts[last:]):
        clause = text[start:end]
        if (
            _own(clause)
            and not pattern("leans").match(clause)
            and (who or not pattern("named-before").search(clause))
        ):
            return _part(text[start:], who if pattern("named-before").search(clause) else "")
    return None


def _goes_on(tail: str) -> bool:
    """Whether it tells more of the same subject without naming it."""
    if pattern("leans").match(tail) or _own(tail):
        return False
    return bool(_CJK.search(tail) or pattern("goes-on").match(tail))


def _measures(tail: str) -> bool:
    """Whether it has facts of its own; the hour of a day that was moved is none."""
    return any(fact.kind not in _WHEN for fact in hard_facts(tail))


def _own(clause: str) -> bool:
    """Whether it has a subject of its own; a lone word is one where it is a name."""
    return any(
        named.get("name", "I")[:1].isupper()
        and not pattern("no-subject").search(named.get("subject", ""))
        for named in forms("own-subject", **_SUBJECT).read(clause)
    )


def _who(text: str) -> str:
    """The subject that a line begins with, where it is more than a pronoun."""
    named = next(forms("subject", **_SUBJECT).read(text), {})
    who = f"{named.get('whose', '')} {named.get('who', '')}".strip()
    first = re.split(r"['’ ]", who.lower(), maxsplit=1)[0]
    unfit = first in listed("self") or len(who) > MAX_WHO or pattern("orders").match(who)
    return "" if unfit else who


def _part(text: str, who: str = "") -> Rest | None:
    shown = _bare(text)
    return Rest(shown, who) if shown else None


def _bare(text: str) -> str:
    shown = _trimmed(text)
    link = pattern("links").match(shown)
    return (link and shown[link.end() :].lstrip(", ")) or shown


def _trimmed(text: str) -> str:
    return text.strip(" ,;，；、\t\n").removesuffix(" and").removesuffix(" but")


def _tells(text: str) -> bool:
    return told(text) and bool(content_tokens(text)) and not pattern("leans").match(text)


def _says(text: str) -> bool:
    """Whether what stands before a cut is a sentence, with a verb of its own."""
    return bool(_CJK.search(text) or pattern("says").search(text) or pattern("orders").match(text))


def _checked(part: Rest, falls: Callable[[str], bool]) -> tuple[Rest, ...]:
    """A part that falls itself is looked at again."""
    return still_holding(part.text, falls) if falls(part.text) else (part,)
