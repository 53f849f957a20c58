"""What is so now: words for the present, and relations of which one holds at a time."""

from __future__ import annotations

import re
from functools import cache

from noctuary.distil.offline.forms import alike, listed, pattern

_MOST_BEHIND, _SUBJECT = 6, 4
_MARKS = re.compile(r"[，。；！？是]")


def without_now(text: str) -> tuple[str, bool]:
    """The text with its words for the present left out, and whether it had any."""
    if not _now().search(text):
        return text, False
    return _now().sub("", text).strip(" ,，"), True


@cache
def _now() -> re.Pattern[str]:
    return re.compile(f"(?:{pattern('now').pattern}),?", re.IGNORECASE)


def levelled(text: str) -> str:
    """English verbs of this kind in one form: `lives`, `is living` become `live`."""
    return pattern("is-doing").sub(_in_one_form, text)


def _in_one_form(hit: re.Match[str]) -> str:
    verb = hit["verb"]
    one = alike("now")[verb.lower()]
    before = hit[0].removesuffix(verb)
    if verb.lower() == one or (not before and verb.lower().endswith("ing")):
        return hit[0]
    who = re.split("['’]", hit["who"])[0] + " " if hit["who"] else ""
    return (who if verb.lower().endswith("ing") else before) + one


def zh_otherwise(head: str, old: str, new: str, tail: str) -> bool:
    """Whether one value took the place of another in a Chinese line that tells of the present."""
    if _MARKS.search(old + new) or len(head) + len(tail) < 3:
        return False
    if pattern("one-now").search(head):
        return len(head) > 1 and len(tail) <= _MOST_BEHIND
    if len(tail) < 2:
        return False
    by_means = {old[:1], new[:1]} <= listed("going-by") and len(head) <= _SUBJECT
    return by_means or bool(pattern("one-for").search(head))
