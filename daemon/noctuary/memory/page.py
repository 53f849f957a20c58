"""The person's own page, as far as it is meant for others. Pure."""

from __future__ import annotations

import re

from noctuary.memory.lazy import lazily

_HEADER = lazily(r"\A---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_COMMENT = lazily(r"<!--.*?-->|%%.*?%%", re.DOTALL)


def page_text(page: str) -> str:
    """What stands in `preferences.md` without its frontmatter and comments, with plain line ends."""
    plain = page.removeprefix("\ufeff").replace("\r\n", "\n")
    return _COMMENT.sub("", _HEADER.sub("", plain))
