"""What is so now: words for the present, and relations of which one holds at a time."""

from __future__ import annotations

import re

from noctuary.memory.words import words

_NOW = re.compile(
    r"(?:^|(?<=\s))(?:these days|nowadays|at the moment|at present|right now|currently|presently|"
    r"(?<!from )(?<!until )(?<!by )(?<!just )now(?! that\b))(?:,|\b)|现在|如今|目前|眼下|现今|这阵子|这段时间",
    re.IGNORECASE,
)
_BASE = {
    "driv": "drive",
    "liv": "live",
    "rid": "ride",
    "commut": "commute",
    "us": "use",
    "dat": "date",
}
_DOING = re.compile(
    r"(?P<be>['’](?:s|re|m)|\s(?:is|are|am)) (?P<stem>driv|liv|rid|commut|us|dat|work|meet|go|stay|rent|attend|sleep|report)ing\b",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\b(?P<verb>drive|live|ride|commute|use|date|work|meet|stay|rent|attend|sleep|report|take)s\b|\bgoes\b",
    re.IGNORECASE,
)
ONE_NOW = words("drive ride commute attend rent date sleep meet report go stay")
"""Verbs with one object at a time, where a line says that it is so now."""
FOR_A_PURPOSE = words("use take")
"""Verbs with one object at a time for one purpose."""
AIMS = words("for to as")


def without_now(text: str) -> tuple[str, bool]:
    """The text with its words for the present left out, and whether it had any."""
    if not _NOW.search(text):
        return text, False
    return _NOW.sub("", text).strip(" ,，"), True


def levelled(text: str) -> str:
    """English verbs of this kind in one form: `lives`, `is living` become `live`."""
    text = _DOING.sub(lambda hit: " " + _BASE.get(hit["stem"].lower(), hit["stem"]), text)
    return _FORM.sub(lambda hit: hit["verb"] or "go", text)


_ZH_ONE = re.compile(
    r"(?:(?:开|骑|租|穿|戴)(?:着|的是)?(?:[一两三几\d][个辆部套双件副把间])?|住|住在|在|每周|每个?星期|周|星期)$"
)
_ZH_FOR = re.compile(r"[坐骑乘搭用]$")
_ZH_MEANS = frozenset("坐骑乘搭开走")
_ZH_BREAK = re.compile(r"[，。；！？是]")
_MOST_BEHIND, _SUBJECT = 6, 4


def zh_otherwise(head: str, old: str, new: str, tail: str) -> bool:
    """Whether one value took the place of another in a Chinese line that tells of the present."""
    if _ZH_BREAK.search(old + new) or len(head) + len(tail) < 3:
        return False
    if _ZH_ONE.search(head):
        return len(head) > 1 and len(tail) <= _MOST_BEHIND
    if len(tail) < 2:
        return False
    by_means = old[:1] in _ZH_MEANS and new[:1] in _ZH_MEANS and len(head) <= _SUBJECT
    return by_means or bool(_ZH_FOR.search(head))
