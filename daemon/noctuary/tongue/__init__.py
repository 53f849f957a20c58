"""Sentences for people, which can be said in another language. Pure.

A sentence is written once, in English, where it is needed: `phrase("No vault at {path}.", path=path)`.
It is that English text to whoever reads it as text, and remembers how it was made: `spoken` says it
in Chinese, at the door of a person who reads Chinese and in a vault whose cards are Chinese.
"""

from __future__ import annotations

from enum import StrEnum
from functools import reduce
from typing import TYPE_CHECKING, Literal, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self, TypeAlias

    Language: TypeAlias = Literal["en", "zh"]


class Phrase(str):
    """A sentence in English, with its template and what was filled in.

    Attributes:
        template: With a named field for each thing that is filled in.
        fields: What is filled in; phrases and errors among them are said in the same language.
    """

    __slots__ = ("fields", "template")

    template: str
    fields: Mapping[str, object]

    def __new__(cls, template: str, /, **fields: object) -> Self:
        """Fill the template in; one without fields is taken as it is."""
        made = super().__new__(cls, template.format(**fields) if fields else template)
        made.template = template
        made.fields = fields
        return made

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[object, ...]:
        """As its text: what leaves the process is English."""
        return (str, (str(self),))


phrase = Phrase


def counted(count: object, one: str, many: str) -> Phrase:
    """`1 entry`, `3 entries`."""
    return Phrase("{count} " + (one if str(count) == "1" else many), count=count)


def listed(parts: Iterable[str], between: str = ", ") -> str:
    """The parts in one line; empty without any."""
    told = list(parts)
    return reduce(lambda a, b: Phrase(f"{{a}}{between}{{b}}", a=a, b=b), told) if told else ""


def spoken(said: object, language: str) -> str:
    """A phrase, a word of an enumeration or an error in a language; any other text as it is."""
    if isinstance(said, BaseException) and len(said.args) == 1:
        said = said.args[0]
    said = getattr(said, "said", said)
    if language != "zh" or not isinstance(said, Phrase | StrEnum):
        return str(said)
    from noctuary.tongue.chinese import in_chinese

    if not isinstance(said, Phrase):
        return in_chinese(str(said.value))
    template = in_chinese(said.template)
    if not said.fields:
        return template
    return template.format(**{name: _filled(value) for name, value in said.fields.items()})


def _filled(value: object) -> object:
    told = isinstance(value, str | BaseException) or hasattr(value, "said")
    return spoken(value, "zh") if told else value
