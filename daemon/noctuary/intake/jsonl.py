"""Noctuary's own import format: one JSON object a line.

`{"ts", "role", "text", "session"?, "agent"?, "project"?, "user"?, "priority"?, "name"?, "task"?}`;
other fields are ignored.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from noctuary.errors import Problem
from noctuary.intake.common import Passed, Where, incoming
from noctuary.intake.lines import json_object, lines, opened, usable
from noctuary.intake.times import RecordError, moment
from noctuary.memory.entry import Priority, Role, TaskMark
from noctuary.tongue import listed, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import StrEnum
    from typing import BinaryIO, TypeVar

    from noctuary.intake.common import Incoming, IntakeSettings, Item, Source

    Word = TypeVar("Word", bound=StrEnum)

_HINT = phrase(
    'each line should be like {"ts": "2026-11-30T14:02:11", "role": "user", "text": "…"}.'
)


def read(source: Source, settings: IntakeSettings) -> Iterator[Item]:
    """The entries of a file in Noctuary's own format.

    Raises:
        BadInput: The file cannot be read, or no line of it can.
    """
    with opened(source) as (stream, name):
        yield from usable(_items(stream, name, settings), name, _HINT)


def _items(stream: BinaryIO, name: str, settings: IntakeSettings) -> Iterator[Item]:
    passed: Counter[str] = Counter()
    for line in lines(stream, name):
        record = line if isinstance(line, Problem) else json_object(line, name)
        if isinstance(record, Problem):
            yield record
            continue
        number = line.number if not isinstance(line, Problem) else 0
        try:
            found = _incoming(record, settings)
        except RecordError as error:
            yield Problem(name, phrase("{told}.", told=error), number)
            continue
        if found:
            yield found
        else:
            passed[phrase("empty text")] += 1
    yield from (Passed(reason, count) for reason, count in passed.items())


def _incoming(record: dict[str, object], settings: IntakeSettings) -> Incoming | None:
    task = _word(record, "task", TaskMark)
    role = _word(record, "role", Role) or (Role.TASK if task else None)
    if role is None:
        raise RecordError(
            phrase(
                "there is no role; give one of {names}", names=listed(str(role) for role in Role)
            )
        )
    if (role is Role.TASK) != (task is not None):
        raise RecordError(phrase('role "task" and a "task" of "open" or "done" go together'))
    text = record.get("text")
    if not isinstance(text, str):
        raise RecordError(phrase('there is no "text", or it is not a string'))
    if "ts" not in record:
        raise RecordError(phrase('there is no "ts"; say when it was, like 2026-11-30T14:02:11'))
    where = Where(*(_text(record, key) for key in ("session", "agent", "project", "user")))
    return incoming(
        where,
        role,
        moment(record["ts"], settings.zone),
        text,
        settings,
        name=_text(record, "name"),
        priority=_word(record, "priority", Priority) or Priority.NORMAL,
        task=task,
    )


def _text(record: dict[str, object], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise RecordError(phrase('"{key}" is not a string', key=key))
    return str(value)


def _word(record: dict[str, object], key: str, words: type[Word]) -> Word | None:
    value = record.get(key)
    if value is None or value == "":
        return None
    try:
        return words(str(value).lower())
    except ValueError as error:
        shown = str(value)[:40]
        raise RecordError(
            phrase(
                '"{key}" is {shown!r}; it can be {names}', key=key, shown=shown, names=listed(words)
            )
        ) from error
