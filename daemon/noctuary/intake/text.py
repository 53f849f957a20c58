"""Text of a transcript made fit to be kept: what is a person's, an agent's, or a machine's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.memory.blocks import MEMORY_TAG

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL_MAX = 200
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_LABEL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def clean(text: str) -> str:
    """The text with lone surrogates, which no file can hold, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def label(text: str) -> str:
    """A name on one line of at most 200 characters."""
    return _NOT_LABEL.sub(" ", clean(text)).strip()[:_LABEL_MAX]


def cut(text: str, limit: int) -> tuple[str, int]:
    """The first `limit` bytes of the text, ending on a whole character, and the bytes left out."""
    data = text.encode()
    if len(data) <= limit:
        return text, 0
    kept = data[:limit].decode(errors="ignore")
    return kept, len(data) - len(kept.encode())


def without_memory(text: str, *, cut_short: bool) -> str:
    """The text without what Noctuary itself told the agent: memory is no new experience.

    With `cut_short`, a block without an end goes on to the end of the text.
    """
    return without_blocks(text, (MEMORY_TAG,), cut_short=cut_short)


def without_blocks(text: str, tags: Sequence[str], *, cut_short: bool = False) -> str:
    """The text without `<tag …>…</tag>` and the space around the rest; in one pass, however odd.

    With `cut_short`, a block without an end goes on to the end of the text; otherwise it stays.
    """
    if "<" not in text:
        return text
    opening = _opening("|".join(map(re.escape, tags)))
    kept: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for hit in opening.finditer(text):
        tag = hit[1].lower()
        if hit.start() < at or tag in unclosed:
            continue
        end = _end(text, tag, hit.end())
        if end < 0:
            unclosed.add(tag)
            if not cut_short:
                continue
            end = len(text)
        kept.append(text[at : hit.start()])
        at = end
    return ("".join(kept) + text[at:]).strip() if at else text


def _opening(names: str) -> re.Pattern[str]:
    return re.compile(rf"<({names})(?:\s[^<>]{{0,1000}})?>", re.IGNORECASE)


def _end(text: str, tag: str, start: int) -> int:
    hit = re.compile(rf"</{re.escape(tag)}\s{{0,9}}>", re.IGNORECASE).search(text, start)
    return hit.end() if hit else -1
