"""Finding words that are to be forgotten, and blanking them out. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from collections.abc import Iterable

BLANK = "[forgotten]"
_JOINT = r"(?:[\s>\\]|&gt;)+"
_SHORTEST, _SHORTEST_CJK = 12, 6
_ENDINGS = ".。!！?？,，;；:：…"
_CJK = lazily(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Wiper:
    """Knows the words to forget, however their lines are broken and whatever their case.

    Attributes:
        texts: The words.
        names: Note names that are made of them.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str], names: Iterable[str] = ()) -> Wiper:
        """A wiper for these texts, longest first, so that no rest of one stays."""
        unique = dict.fromkeys(filter(None, (text.strip().rstrip(_ENDINGS) for text in texts)))
        return cls(tuple(sorted(unique, key=len, reverse=True)), tuple(dict.fromkeys(names)))

    @property
    def pattern(self) -> re.Pattern[str]:
        """All words and names as one expression; matches nothing when there are none."""
        return _pattern(self.texts, self.names)

    def hits(self, text: str) -> bool:
        """Whether any of it stands in a text."""
        return bool(self.pattern.search(text))

    def hits_bytes(self, data: bytes) -> bool:
        """The same for a file."""
        return self.hits(data.decode("utf-8", "surrogateescape"))

    def blank(self, text: str) -> str:
        """The text with something else in the place of each of them."""
        return self.pattern.sub(BLANK, text)

    def blank_bytes(self, data: bytes) -> bytes:
        """The same for a file."""
        text = self.blank(data.decode("utf-8", "surrogateescape"))
        return text.encode("utf-8", "surrogateescape")


@lru_cache(maxsize=64)
def _pattern(texts: tuple[str, ...], names: tuple[str, ...]) -> re.Pattern[str]:
    parts = [_JOINT.join(map(re.escape, text.split())) for text in texts]
    parts += [rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def is_telling(text: str) -> bool:
    """Whether a text is long enough to be looked for everywhere without hitting others' words."""
    plain = text.strip()
    return len(plain) >= _SHORTEST or len(_CJK.findall(plain)) >= _SHORTEST_CJK
