"""Conversations in OpenAI chat format, made up for tests and for benchmarks/compaction.py."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

Message = dict[str, Any]


def system(text: str = "You are a careful agent.") -> Message:
    return {"role": "system", "content": text}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def agent(text: str) -> Message:
    return {"role": "assistant", "content": text}


def call(id_: str, name: str, **arguments: object) -> Message:
    return calls((id_, name, arguments))


def calls(*asked: tuple[str, str, Mapping[str, object]]) -> Message:
    told = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for id_, name, given in asked
    ]
    return {"role": "assistant", "content": None, "tool_calls": told}


def result(id_: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": id_, "content": text}


@dataclass
class Talk:
    """A conversation with what a summary of it must still hold."""

    messages: list[Message] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    preferences: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)


CHOICES = (
    ("We decided to use {} {} because the old one stops at {} connections.", "en"),
    ("Let's go with {} {} since it avoids the {} MB download.", "en"),
    ("我们决定用{} {}，因为旧的每次要{}毫秒。", "zh"),
)
THINGS = ("PostgreSQL", "Redis", "Caddy", "SQLite", "Grafana", "Kafka", "Nginx", "RabbitMQ")
LIMITS = (
    "The budget of the {} must not exceed {} euros.",
    "The {} page must load in at most {} ms.",
    "{}服务的内存不能超过{}MB。",
)
WISHES = (
    "Please always run the {} check before you commit.",
    "I prefer short answers about {}.",
    "我不喜欢在{}里看到缩写。",
)
TOPICS = ("billing", "search", "login", "export", "report", "upload", "chart", "mail", "import")
NODS = ("Thanks!", "Okay.", "好的", "Great, go on.", "Yes please.")
THOUGHT = "Let me think about how this fits together and what may go wrong on the way there. "


def work(random: Random, turns: int, start: int = 0, *, lines: int = 12) -> Talk:
    """So many turns of an agent at work, some with what must last.

    Each reads a file of about so many lines and runs a command.
    """
    talk = Talk()
    for turn in range(start, start + turns):
        talk.messages.append(user(_said(random, turn, talk)))
        path = f"src/{random.choice(TOPICS)}/part_{turn}.py"
        command = f"pytest -q tests/{random.choice(TOPICS)}/test_{turn}.py --maxfail={turn % 9 + 1}"
        talk.paths.append(path)
        talk.commands.append(command)
        talk.messages += [
            calls((f"r{turn}", "read", {"path": path}), (f"b{turn}", "bash", {"command": command})),
            result(f"r{turn}", "    values.append(total)\n" * lines),
            result(f"b{turn}", "collected items\n" * 10 + f"{turn + 3} passed in {turn}.41s"),
            agent(_answer(random, turn, talk)),
        ]
    return talk


def _said(random: Random, turn: int, talk: Talk) -> str:
    kind = turn % 5
    if kind == 0:
        form, _ = random.choice(CHOICES)
        told = form.format(random.choice(THINGS), f"{turn % 20 + 2}.{turn % 7}", 40 + turn)
        talk.decisions.append(told)
    elif kind == 1:
        told = random.choice(LIMITS).format(TOPICS[turn % len(TOPICS)], 1200 + 7 * turn)
        talk.constraints.append(told)
    elif kind == 2:
        told = random.choice(WISHES).format(f"{TOPICS[turn % len(TOPICS)]}{turn}")
        talk.preferences.append(told)
    else:
        return random.choice(NODS)
    return told


def _answer(random: Random, turn: int, talk: Talk) -> str:
    number = f"{random.randint(100, 999)}.{turn % 10} ms"
    talk.numbers.append(number)
    return f"{THOUGHT * random.randint(1, 5)}The slowest request took {number}. {THOUGHT}"
