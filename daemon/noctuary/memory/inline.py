"""Small values inside a heading line of a callout: percent-encoded where they would be markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    import re

DOT = " · "
_ALLOWED = frozenset(" -_.:/@+,()&'~;?=\\")


def encode(value: str) -> str:
    """The value with every character escaped that could end it or be read as markup."""
    inner = "".join(char if _is_plain(char) else _escape(char) for char in value)
    stripped = inner.strip(" ")
    if stripped == inner:
        return inner
    lead = len(inner) - len(inner.lstrip(" "))
    return "%20" * lead + stripped + "%20" * (len(inner) - lead - len(stripped))


def _is_plain(char: str) -> bool:
    return char.isalnum() or char in _ALLOWED or (ord(char) > 0x2FFF and char.isprintable())


def _escape(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


_ESCAPED = lazily(r"(?:%[0-9A-Fa-f]{2})+")


def decode(text: str) -> str:
    """The value that `encode` was given; what no escape can be stays as it is."""
    return _ESCAPED.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    data = bytes.fromhex(match[0].replace("%", ""))
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return match[0]
