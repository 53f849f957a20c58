"""The person's own page as what scores are measured against. Pure."""

from __future__ import annotations

import re

from noctuary.memory.candidate import Anchor
from noctuary.memory.page import page_text

_HEADINGS = {
    "goal": "goal",
    "goals": "goal",
    "目标": "goal",
    "who i am": "profile",
    "profile": "profile",
    "about me": "profile",
    "关于我": "profile",
    "我是谁": "profile",
    "current stage": "stage",
    "stage": "stage",
    "当前阶段": "stage",
    "standing preferences": "preferences",
    "preferences": "preferences",
    "长期偏好": "preferences",
    "偏好": "preferences",
}
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*$", re.MULTILINE)


def parse_anchor(page: str) -> Anchor:
    """Read `preferences.md`: its known sections, in either language, without comments."""
    text = page_text(page)
    marks = [*_HEADING.finditer(text)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    found: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=False):
        section = _HEADINGS.get(mark[1].casefold().rstrip(":："))
        body = text[mark.end() : end].strip()
        if section and body:
            found[section] = f"{found[section]}\n{body}" if section in found else body
    return Anchor(**found)
