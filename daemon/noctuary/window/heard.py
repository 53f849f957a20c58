"""Dropped messages as entries that a distiller can read, and the tools that they called."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from noctuary.intake.text import clean, cut, without_memory
from noctuary.memory.entry import Entry, Role, entry_id
from noctuary.memory.secrets import redact
from noctuary.window.messages import RESULTS, calls_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from noctuary.window.messages import Call, Message

READ_OF_TOOLS = 4096
"""Bytes of what a tool gave back that are read, as in an episode."""
SHORT, LONG = 200, 500
"""Characters of an argument that are kept, and of one that is a command."""
_COMMANDS = frozenset({"command", "cmd", "script", "query", "sql"})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "function": Role.TOOL}


@dataclass(frozen=True, slots=True)
class Heard:
    """One message as an entry, with what it called.

    Attributes:
        calls: `name: arguments`, one line each.
        commands: Those among them that run a command.
    """

    entry: Entry
    calls: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def heard(messages: Sequence[Message], at: datetime) -> list[Heard]:
    """The messages as entries in order, without what memory itself had told the agent."""
    names = tool_names(messages)
    found = []
    for place, message in enumerate(messages):
        role = role_of(message)
        moment = at + timedelta(microseconds=place + 1)
        text = redact(_words(message, role))
        name = names.get(place, "")
        entry = Entry(entry_id(role, moment, text), role, moment, text, name=name)
        calls = {redact(told_call(call)): call for call in calls_of(message)}
        commands = tuple(told for told, call in calls.items() if _runs(call))
        found.append(Heard(entry, tuple(calls), commands))
    return found


def role_of(message: Message) -> Role:
    """Who speaks; whoever is unknown is believed no more than a tool."""
    return _ROLES.get(str(message["role"]), Role.TOOL)


def _words(message: Message, role: Role) -> str:
    foreign = role is Role.TOOL
    text = without_memory(clean(text_of(message)), cut_short=foreign)
    return cut(text, READ_OF_TOOLS)[0] if foreign else text


def tool_names(messages: Sequence[Message]) -> dict[int, str]:
    """For the place of each tool result the name of the tool."""
    return {place: call.name for place, call in answered(messages)}


def answered(messages: Sequence[Message]) -> Iterator[tuple[int, Call]]:
    """The place of each tool result with the call that it answers, as far as it is there."""
    called: dict[str, Call] = {}
    for place, message in enumerate(messages):
        asked = str(message.get("tool_call_id") or message.get("name") or "")
        if message["role"] in RESULTS and asked in called:
            yield place, called[asked]
        for call in calls_of(message):
            called[call.id or call.name] = call


def told_call(call: Call) -> str:
    """A call on one line: `bash: pytest -q`, `write: path=a.py content=…(3204 characters)`."""
    given = _given(call)
    if not isinstance(given, dict):
        return f"{call.name}: {_short('', given)}"
    if len(given) == 1:
        [(name, value)] = given.items()
        return f"{call.name}: {_short(name, value)}"
    told = " ".join(f"{name}={_short(name, value)}" for name, value in given.items())
    return f"{call.name}: {told}" if told else call.name


def _given(call: Call) -> object:
    try:
        return json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return call.arguments


def _runs(call: Call) -> bool:
    given = _given(call)
    return isinstance(given, dict) and not _COMMANDS.isdisjoint(given)


def _short(name: str, value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = clean(text).strip()
    if len(line) <= (LONG if name in _COMMANDS else SHORT):
        return line
    head = line.split("\n", 1)[0][:SHORT] if name in _COMMANDS else ""
    return f"{head}…({len(line)} characters)"
