"""Reads what a model answered: the last whole JSON object in it, and nothing that is not valid.

A reply is taken as a whole or not at all.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from noctuary.distil.openai.wire import Failed
from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import CardType
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel

MAX_CHARS = 200_000
MOST_QUOTES = 8
"""A card that quotes more than this is about everything; models that can be held to it are."""
_STARTS = 200
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_NEXT = re.compile(r"[ \r\n\t,]*(?={)")
_NUMBERED = re.compile(r'[ \r\n\t,]*"(\d{1,6})"\s*:\s*(?={)')
_LONGEST = 9
_UNSAID = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class BadReply(Failed):
    """The reply is no valid answer; it says what is wrong with it."""

    again = True


def extract(text: str) -> dict[str, Any]:
    """The last JSON object that a reply holds, behind thoughts and inside fences.

    Raises:
        BadReply: There is none.
    """
    if len(text) > MAX_CHARS:
        raise BadReply(phrase("the reply is longer than {most:,} characters", most=MAX_CHARS))
    said = _without_thoughts(text)
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    found: dict[str, Any] | None = None
    at = said.find("{")
    for _ in range(_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(said, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = value
        at = said.find("{", end)
    if found is None:
        raise BadReply(phrase("the reply holds no JSON object"))
    return found


def _no_constant(word: str) -> float:
    raise ValueError(phrase("{word} is no JSON", word=word))


def read(text: str, kind: str) -> Any:  # noqa: ANN401 - one of the shapes below
    """A reply of this kind (`score`, `distil`, `relate`), strictly validated.

    Raises:
        BadReply: It is not valid; says where.
    """
    from pydantic import ValidationError

    try:
        return shapes()[kind].model_validate(_listed(_clean(extract(text)), kind))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"][:4])
        raise BadReply(
            phrase("the reply is not valid: {place}: {first}", place=place, first=first["msg"])[
                :200
            ]
        ) from None
    except RecursionError:
        raise BadReply(phrase("the reply is nested too deep")) from None


def begun(text: str, kind: str) -> tuple[Any, int] | None:
    """The whole lines of a reply that broke off, as an answer, and the last number they speak of.

    None when there is no whole line, or one that is not valid.
    """
    said = _without_thoughts(text[:MAX_CHARS])
    name = _name(kind)
    opened = re.search(rf'"{name}"\s*:\s*([\[{{])', said)
    if opened is None:
        return None
    whole = _whole_lines(said, opened.end(), numbered=opened[1] == "{")
    try:
        found = shapes()[kind].model_validate({name: _clean(whole)})
    except (ValueError, BadReply):
        return None
    lines = [line for _, lines in found for line in lines]
    numbers = [one.n for line in lines for one in (line.quotes if kind == "distil" else [line])]
    told = max(numbers, default=0)
    return (found, told) if told else None


def _whole_lines(said: str, at: int, *, numbered: bool) -> list[Any]:
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    lead = _NUMBERED if numbered else _NEXT
    lines: list[Any] = []
    while hit := lead.match(said, at):
        try:
            line, at = decoder.raw_decode(said, hit.end())
        except (ValueError, RecursionError):
            break
        lines.append(_with_number(hit[1], line) if numbered else line)
    return lines


def _listed(value: dict[str, Any], kind: str) -> dict[str, Any]:
    """The answer with its lines as a list, also where they stand under their numbers."""
    name = _name(kind)
    lines = value.get(name)
    if not isinstance(lines, dict):
        return value
    return {**value, name: [_with_number(key, line) for key, line in lines.items()]}


def _with_number(key: str, line: Any) -> Any:  # noqa: ANN401 - any JSON
    number = int(key) if key.isascii() and key.isdecimal() and len(key) < _LONGEST else key
    return {**line, "n": number} if isinstance(line, dict) else line


def _name(kind: str) -> str:
    [name] = SCHEMAS[kind]["properties"]
    return str(name)


def _without_thoughts(text: str) -> str:
    return _THOUGHT.sub(" ", text).rpartition("</think>")[2]


def _clean(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON
    """Without control characters and halves of characters, which no file could hold."""
    if depth > 20:
        raise BadReply(phrase("the reply is nested too deep"))
    if isinstance(value, str):
        return _UNSAID.sub("", value)
    if isinstance(value, list):
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {str(key): _clean(item, depth + 1) for key, item in value.items()}
    return value


@cache
def shapes() -> Mapping[str, type[BaseModel]]:
    """The shapes of replies by kind; pydantic is loaded with the first reply."""
    from typing import Annotated

    from pydantic import BaseModel, ConfigDict, Field

    short = Annotated[str, Field(max_length=1000)]
    number = Annotated[int, Field(ge=0, le=100_000)]
    level = Annotated[int, Field(ge=1, le=5)]

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True, extra="ignore")

    class ScoreLine(Strict):
        n: number
        why: short = ""
        score: level
        sure: bool = True

    class Scores(Strict):
        scores: list[ScoreLine] = Field(max_length=1000)

    class QuoteLine(Strict):
        n: number
        text: Annotated[str, Field(max_length=20_000)]

    class CardLine(Strict):
        why: short = ""
        type: str = Field(pattern=_one_of(CardType))
        title: short
        statement: Annotated[str, Field(max_length=20_000)] = ""
        quotes: list[QuoteLine] = Field(max_length=500)
        importance: level
        topics: list[short] = Field(default=[], max_length=20)
        done: bool = False

    class Cards(Strict):
        cards: list[CardLine] = Field(max_length=500)

    class RelationLine(Strict):
        n: number
        why: short = ""
        old: short = ""
        kind: str = Field(pattern=_one_of(RelationKind))

    class Relations(Strict):
        relations: list[RelationLine] = Field(max_length=500)

    return {"score": Scores, "distil": Cards, "relate": Relations}


def _one_of(words: Iterable[str]) -> str:
    return f"^({'|'.join(words)})$"


def _object(**properties: object) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: object) -> dict[str, Any]:
    return {"type": "array", "items": item}


_TEXT, _COUNT, _TRUTH = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_LEVEL = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
_FEW_WORDS = {"type": "string", "maxLength": 60}
"""A reason: small models go on and on, at the price of every word."""

SCHEMAS: Mapping[str, dict[str, Any]] = {
    "score": _object(scores=_list(_object(n=_COUNT, why=_FEW_WORDS, score=_LEVEL, sure=_TRUTH))),
    "distil": _object(
        cards=_list(
            _object(
                quotes=_list(_object(n=_COUNT, text=_TEXT)) | {"maxItems": MOST_QUOTES},
                why=_FEW_WORDS,
                type={"type": "string", "enum": [str(kind) for kind in CardType]},
                title=_TEXT,
                statement=_TEXT,
                importance=_LEVEL,
                topics=_list(_TEXT),
                done=_TRUTH,
            )
        )
    ),
    "relate": _object(
        relations=_list(
            _object(
                n=_COUNT,
                why=_FEW_WORDS,
                old=_TEXT,
                kind={"type": "string", "enum": [str(kind) for kind in RelationKind]},
            )
        )
    ),
}
"""The same shapes as JSON schemas, for servers that hold a model to one."""


def schema_of(kind: str, lines: int = 0) -> Mapping[str, object]:
    """The schema of a kind of reply; with `lines` one that has a line under each number from 1.

    Small models stop after the first line of a list, or tell the same few lines again and again,
    unless they are held to every number.
    """
    whole = SCHEMAS[kind]
    if not lines:
        return whole
    line = dict(whole["properties"][_name(kind)]["items"]["properties"])
    del line["n"]
    numbered = {str(number): _object(**line) for number in range(1, lines + 1)}
    return _object(**{_name(kind): _object(**numbered)})
