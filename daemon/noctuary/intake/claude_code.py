"""Transcripts of Claude Code: one JSON record a line, a tree of records, several kinds of noise.

The format is internal to Claude Code and changes; what is unknown is counted and passed over.
A file is read twice: first for the path that led to its end, then for the words on it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.errors import Problem
from noctuary.intake.claude_calls import CALL_BYTES, Call
from noctuary.intake.claude_tree import Kind, Tree
from noctuary.intake.claude_words import (
    MACHINE_TAGS,
    agent_text,
    blocks,
    human,
    project_of,
    queued,
    speaker,
    texts,
)
from noctuary.intake.common import IntakeSettings, Passed, Where, incoming
from noctuary.intake.lines import json_object, lines, opened, usable
from noctuary.intake.text import without_blocks
from noctuary.intake.times import RecordError, moment
from noctuary.memory.entry import Role
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import BinaryIO

    from noctuary.intake.claude_words import Block
    from noctuary.intake.common import Incoming, Item, Source

    Record = dict[str, object]

AGENT = "claude-code"
_HINT = phrase("it should be a transcript from the projects folder of Claude Code.")


def read(source: Source, settings: IntakeSettings) -> Iterator[Item]:
    """The entries on the path that led to the end of each session in a transcript.

    Raises:
        BadInput: The file cannot be read, or is no transcript of Claude Code.
    """
    with opened(source) as (stream, name), _seekable(stream) as file:
        fallback = source.stem if isinstance(source, Path) else ""
        outline = _outline(file, name, fallback)
        file.seek(0)
        yield from usable(_Reader(outline, name, settings).items(file), name, _HINT)


@contextmanager
def _seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The stream, or a copy of it that can be read twice."""
    if stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy


def _records(file: BinaryIO, name: str) -> Iterator[tuple[int, Record | Problem]]:
    """Each line's number with its record, or what is wrong with it."""
    for line in lines(file, name):
        if isinstance(line, Problem):
            yield line.line, line
            continue
        record = json_object(line, name)
        if isinstance(record, dict) and not isinstance(record.get("type"), str):
            record = Problem(name, phrase('the record has no "type".'), line.number)
        yield line.number, record


@dataclass(slots=True)
class _Outline:
    """What the first reading gives: the tree, and the names of each session."""

    tree: Tree = field(default_factory=Tree)
    places: dict[str, Where] = field(default_factory=dict)
    lines: int = 0


def _outline(file: BinaryIO, name: str, fallback: str) -> _Outline:
    found = _Outline()
    for _, record in _records(file, name):
        found.lines += 1
        if isinstance(record, Problem):
            continue
        found.tree.add(record)
        session = _session(record)
        known = found.places.get(session)
        folder = record.get("cwd")
        if known is None:
            known = found.places[session] = Where(session or fallback, AGENT)
        if not known.project and isinstance(folder, str):
            found.places[session] = replace(known, project=project_of(folder))
    return found


def _session(record: Record) -> str:
    session = record.get("sessionId")
    return session if isinstance(session, str) else ""


@dataclass(slots=True)
class _Message:
    """One message of the model, gathered from the records it is spread over."""

    id: str = ""
    where: Where = field(default_factory=Where)
    at: datetime | None = None
    texts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


class _Reader:
    """The second reading: words of living records, in the order of the file."""

    def __init__(self, outline: _Outline, name: str, settings: IntakeSettings) -> None:
        self._tree, self._alive = outline.tree, outline.tree.live()
        self._places, self._lines = outline.places, outline.lines
        self._name, self._settings = name, settings
        limit = min(CALL_BYTES, settings.tool_output_bytes)
        self._call_settings = replace(settings, tool_output_bytes=limit)
        self._passed: Counter[str] = Counter()
        self._calls: dict[str, Call] = {}
        self._message = _Message()
        self._said: set[str] = set()

    def items(self, file: BinaryIO) -> Iterator[Item]:
        """Everything the file gives, then counts of what was passed over."""
        number = -1
        for line, record in islice(_records(file, self._name), self._lines):
            if isinstance(record, Problem):
                yield record
                continue
            number += 1
            try:
                yield from self._record(number, record)
            except RecordError as error:
                yield Problem(self._name, phrase("{told}.", told=error), line)
        yield from self._spoken()
        yield from (Passed(reason, count) for reason, count in self._passed.items())

    def _record(self, number: int, record: Record) -> Iterator[Incoming]:
        reason = self._not_experience(number, record)
        if reason:
            self._passed[reason] += 1
            return
        where = self._places[_session(record)]
        at = moment(record.get("timestamp"), self._settings.zone)
        if record["type"] == "assistant":
            yield from self._assistant(record, where, at)
            return
        yield from self._spoken()
        if record["type"] == "attachment":
            yield from self._entry(where, Role.USER, at, queued(record))
        else:
            yield from self._user(record, where, at)

    def _not_experience(self, number: int, record: Record) -> str:
        """Why a record is passed over; empty when it is not."""
        type_, kind = record["type"], self._tree.kinds[number]
        if kind in (Kind.SIDE, Kind.REPEATED):
            return "subagent" if kind == Kind.SIDE else phrase("repeated record")
        if type_ not in ("user", "assistant") and not queued(record):
            return f"{type_} record"
        if not self._alive[number] and not self._answers(record):
            return phrase("abandoned branch")
        if record.get("isMeta") is True or record.get("isApiErrorMessage") is True:
            return phrase("machine notice")
        return ""

    def _answers(self, record: Record) -> bool:
        """True for the result of a call on the path; results of parallel calls hang beside it."""
        if record["type"] != "user":
            return False
        return any(str(block.get("tool_use_id")) in self._calls for block in _results(record))

    def _assistant(self, record: Record, where: Where, at: datetime) -> Iterator[Incoming]:
        message = record.get("message")
        id_ = str(message.get("id") or "") if isinstance(message, dict) else ""
        content = blocks(record)
        if not id_ or id_ != self._message.id:
            yield from self._spoken()
            self._said.clear()
        if self._message.at is None:
            self._message = _Message(id_, where, at)
        for block in content:
            self._take(block)

    def _take(self, block: Block) -> None:
        text = agent_text(block)
        if text and text not in self._said:
            self._said.add(text)
            self._message.texts.append(text)
        elif block.get("type") in ("tool_use", "server_tool_use"):
            self._take_call(block)

    def _take_call(self, block: Block) -> None:
        given, id_ = block.get("input"), block.get("id")
        call = Call(str(block.get("name") or "tool"), given if isinstance(given, dict) else {})
        if isinstance(id_, str):
            if id_ in self._calls:
                return
            self._calls[id_] = call
        self._message.calls.append(call)

    def _spoken(self) -> Iterator[Incoming]:
        """The message gathered so far: its text, then its calls."""
        message, self._message = self._message, _Message(self._message.id)
        if message.at is None:
            return
        text = "\n\n".join(message.texts)
        yield from self._entry(message.where, Role.ASSISTANT, message.at, text)
        for call in message.calls:
            found = incoming(
                message.where, Role.TOOL, message.at, call.text, self._call_settings, name=call.tool
            )
            if found:
                yield found

    def _user(self, record: Record, where: Where, at: datetime) -> Iterator[Incoming]:
        results = _results(record)
        for block in results:
            yield from self._result(block, where, at)
        said = [human(text) for text in texts(blocks(record))]
        text = "\n\n".join(words for words in said if words)
        if not text and not results:
            self._passed[phrase("no words of the person")] += 1
        role = Role.SYSTEM if results else speaker(record, text)
        yield from self._entry(where, role, at, text)

    def _result(self, block: Block, where: Where, at: datetime) -> Iterator[Incoming]:
        call = self._calls.pop(str(block.get("tool_use_id")), Call("tool"))
        text = without_blocks("\n".join(texts(block.get("content"))), MACHINE_TAGS[:1])
        yield from self._entry(where, call.result_role, at, text, call.result_name)

    def _entry(
        self, where: Where, role: Role, at: datetime, text: str, name: str = ""
    ) -> Iterator[Incoming]:
        found = incoming(where, role, at, text, self._settings, name=name)
        if found:
            yield found


def _results(record: Record) -> list[Block]:
    return [block for block in blocks(record) if block.get("type") == "tool_result"]
