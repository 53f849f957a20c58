"""Messages in OpenAI chat format: who said what, what it costs, and where a list may be cut."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from noctuary.errors import BadInput
from noctuary.memory.tokens import estimate
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Message: TypeAlias = Mapping[str, Any]
"""`{"role", "content", "tool_calls"?, "tool_call_id"?, …}`; the openai package's own objects too."""

OVERHEAD = 4
"""Tokens that a message costs besides its text."""
PICTURE = 1000
"""Tokens that a part which is no text is taken to cost."""
STANDING = frozenset({"system", "developer"})
"""Roles that are never dropped."""
RESULTS = frozenset({"tool", "function"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that an agent called, with its arguments as JSON."""

    id: str
    name: str
    arguments: str


def plain(message: object) -> Message:
    """A message as a mapping, also one of the openai package.

    Raises:
        BadInput: It is none.
    """
    if not isinstance(message, Mapping):
        dump = getattr(message, "model_dump", None)
        message = dump(exclude_none=True) if callable(dump) else None
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise BadInput(phrase('A message must be an object like {"role": "user", "content": "…"}.'))
    return message


def text_of(message: Message) -> str:
    """The words of a message; parts that are no text are left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(_texts(content)) if isinstance(content, list | tuple) else ""


def _texts(parts: Iterable[object]) -> list[str]:
    found = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return [text for text in found if isinstance(text, str)]


def calls_of(message: Message) -> list[Call]:
    """The tools that a message calls, in the older form too."""
    found = [_call(raw) for raw in message.get("tool_calls") or () if isinstance(raw, Mapping)]
    old = message.get("function_call")
    return [*found, _call({"function": old})] if isinstance(old, Mapping) else found


def _call(raw: Mapping[str, Any]) -> Call:
    asked = raw.get("function") or raw.get("custom") or {}
    arguments = asked.get("arguments", asked.get("input", ""))
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Call(str(raw.get("id") or ""), str(asked.get("name") or "tool"), written)


def cost(message: Message) -> int:
    """About how many tokens a message takes."""
    content = message.get("content")
    pictures = 0
    if isinstance(content, list | tuple):
        pictures = len(content) - len(_texts(content))
    asked = sum(estimate(call.name + call.arguments) + OVERHEAD for call in calls_of(message))
    return OVERHEAD + estimate(text_of(message)) + PICTURE * pictures + asked


def total(messages: Iterable[Message]) -> int:
    """About how many tokens messages take together."""
    return sum(map(cost, messages))


def may_cut(messages: Sequence[Message]) -> list[bool]:
    """For each place from 0 to the end: whether the list may be cut before it.

    A call of a tool is never parted from its results, even if others spoke between them.
    """
    free = [True] * (len(messages) + 1)
    called: dict[str, int] = {}
    for place, message in enumerate(messages):
        if message["role"] in RESULTS:
            since = called.get(str(message.get("tool_call_id") or ""), place - 1)
            free[since + 1 : place + 1] = [False] * (place - since)
        for call in calls_of(message):
            called[call.id] = place
    if messages and calls_of(messages[-1]):
        free[-1] = False
    return free
