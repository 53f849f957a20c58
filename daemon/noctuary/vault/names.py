"""File names made from titles: readable, and legal on Linux, macOS and Windows alike.

Pure text. No model ever names a file.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MAX_CHARS = 60
MAX_BYTES = 200
_SUFFIX = ".md"
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_RESERVED = frozenset({"index", "preferences", "readme", "log", "noctuary"})


def name_key(name: str) -> str:
    """What two names share when some file system would take them for the same file."""
    if name.isascii():
        return name.lower()
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFC", folded)


def card_file_name(title: str, taken: Collection[str] = ()) -> str:
    """File name of a new card, ending in `.md`, that is none of `taken` (note names, any case)."""
    return NameBook(name.removesuffix(_SUFFIX) for name in taken).take(title) + _SUFFIX


class NameBook:
    """Note names in use; gives out free ones."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._keys = {name_key(name) for name in names} | _RESERVED

    def take(self, title: str) -> str:
        """A free note name for a title, without ending; it is in use from now on."""
        slug = _slug(title) or "card"
        name, number = _fit(slug, ""), 1
        while name_key(name) in self._keys:
            number += 1
            name = _fit(slug, f"-{number}")
        self._keys.add(name_key(name))
        return name


def _slug(title: str) -> str:
    text = unicodedata.normalize("NFC", title).lower()
    kept = "".join(char if _is_plain(char) else _joiner(char) for char in text)
    words = [word.strip("._-") for word in kept.split()]
    slug = unicodedata.normalize("NFC", "-".join(word for word in words if word))
    return f"note-{slug}" if slug.split(".")[0] in _DEVICES else slug


def _is_plain(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN" or char in "._-"


def _joiner(char: str) -> str:
    return "" if unicodedata.category(char) in {"Cf", "Cs", "Cn", "Co"} or char in "'’" else " "


def _fit(slug: str, ending: str) -> str:
    """As much of a slug as a file name may hold, cut between words."""
    cut = slug[: MAX_CHARS - len(_SUFFIX) - len(ending)]
    if len(cut) < len(slug) and cut.rfind("-") > len(cut) // 2 and slug[len(cut)] != "-":
        cut = cut[: cut.rindex("-")]
    room = MAX_BYTES - len(_SUFFIX) - len(ending)
    while len(cut.encode()) > room:
        cut = cut[:-1]
    return (cut.rstrip("._-") or "card") + ending
