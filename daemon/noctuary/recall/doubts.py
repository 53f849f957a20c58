"""What is to be known of a line that another one speaks against: once in full, then in short. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.memory.dates import say_date
from noctuary.memory.lazy import lazily

if TYPE_CHECKING:
    from datetime import date

_FULL = lazily(
    r"(?P<mark> \[contradictory: )the contrary was said on (?P<day>[^;\[\]]+);[^\[\]]+\]$"
    r"|(?P<zmark> \[有矛盾：)(?P<zday>[^\[\]]+)说的与此相反，[^\[\]]+\]$"
)


def doubt(day: date, language: str) -> str:
    """What stands behind a line whose contrary was said on this day."""
    if language == "zh":
        return f" [有矛盾：{say_date(day, 'zh')}说的与此相反，哪个正确尚未澄清]"
    return (
        f" [contradictory: the contrary was said on {say_date(day, 'en')};"
        " it was not clarified which is correct]"
    )


def parted(text: str) -> tuple[str, str]:
    """A line without its doubt, and the doubt; "" when there is none."""
    found = _FULL.search(text) if text.endswith("]") else None
    return (text[: found.start()], found[0]) if found else (text, "")


def brief(doubted: str) -> str:
    """The doubt for a reader who has read one in full: only that there is one, and of which day."""
    found = _FULL.fullmatch(doubted)
    if found is None:
        return doubted
    return f"{found['mark'] or found['zmark']}{found['day'] or found['zday']}]"
