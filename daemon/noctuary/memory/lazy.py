"""Patterns that are compiled when they are first used: no command needs all of them. Pure."""

from __future__ import annotations

import re
from typing import cast


class _Lazy:
    """Stands for a pattern; what has been asked of it once is found at once from then on."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def lazily(source: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, put off until the pattern is used; a mistake in it shows only then."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
