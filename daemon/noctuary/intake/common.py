"""What every transcript reader shares: its results, times, and text made fit to be kept.

A reader is `read(source, settings) -> Iterator[Item]`: entries and problems in the order of the
file, as a stream, so that a long transcript never stands in memory as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from noctuary.errors import Problem
from noctuary.memory.entry import Entry, Priority, Role, TaskMark, entry_id
from noctuary.memory.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable

Source = Path | BinaryIO
"""What is read: a file, a folder (older notes only), or a binary stream such as stdin."""

CUT_ROLES = frozenset({Role.TOOL, Role.WEB, Role.FILE})
"""Roles whose text is cut to `tool_output_bytes`; what a person or an agent said never is."""

FIRST_YEAR = 1970
LAST_YEAR = 2199
_LABEL_MAX = 200
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_LABEL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_FLAGS = re.DOTALL | re.IGNORECASE
_MARKED = re.compile(r"<noctuary-memory\b[^>]*>.*?</noctuary-memory\s*>[ \t]*\n?", _FLAGS)
_UNCLOSED = re.compile(r"<noctuary-memory\b.*\Z", _FLAGS)
_UNIX_TEXT = re.compile(r"[0-9]{9,16}(\.[0-9]+)?")
_MILLISECONDS_FROM = 100_000_000_000


@dataclass(frozen=True, slots=True)
class IntakeSettings:
    """How to read.

    Attributes:
        zone: Zone of the vault; every time is converted to it.
        tool_output_bytes: Longest text of a tool, page or file, in bytes of UTF-8.
        trust_user: Take older notes as the person's own words instead of an agent's.
        redact: Takes secrets out of each text before its id is made.
    """

    zone: tzinfo = UTC
    tool_output_bytes: int = 4096
    trust_user: bool = False
    redact: Callable[[str], str] = field(default=redact)


@dataclass(frozen=True, slots=True)
class Incoming:
    """One entry with the episode it belongs to."""

    session: str
    agent: str
    project: str
    user: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Passed:
    """Records that are no experience and were left out on purpose."""

    reason: str
    count: int = 1


Item = Incoming | Problem | Passed


@dataclass(frozen=True, slots=True)
class Where:
    """Names of the episode that entries go to."""

    session: str = ""
    agent: str = ""
    project: str = ""
    user: str = ""


class RecordError(ValueError):
    """A value that makes one record unusable; its message is the sentence for the problem."""


def incoming(
    where: Where,
    role: Role,
    at: datetime,
    text: str,
    settings: IntakeSettings,
    *,
    name: str = "",
    priority: Priority = Priority.NORMAL,
    task: TaskMark | None = None,
) -> Incoming | None:
    """An entry made fit to be kept; None when nothing is left of its text."""
    words = settings.redact(clean(without_memory(text, whole=role in CUT_ROLES)))
    if not words.strip():
        return None
    kept, left_out = cut(words, settings.tool_output_bytes) if role in CUT_ROLES else (words, 0)
    entry = Entry(
        id=entry_id(role, at, kept),
        role=role,
        at=at,
        text=kept,
        priority=priority,
        name=label(settings.redact(name)),
        user=label(where.user),
        task=task,
        left_out=left_out,
        session=label(where.session),
        agent=label(where.agent),
        project=label(where.project),
    )
    return Incoming(entry.session, entry.agent, entry.project, entry.user, entry)


def clean(text: str) -> str:
    """The text with lone surrogates, which no file can hold, replaced by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def label(text: str) -> str:
    """A name on one line of at most 200 characters."""
    return _NOT_LABEL.sub(" ", clean(text)).strip()[:_LABEL_MAX]


def cut(text: str, limit: int) -> tuple[str, int]:
    """The first `limit` bytes of the text, ending on a whole character, and the bytes left out."""
    data = text.encode()
    if len(data) <= limit:
        return text, 0
    kept = data[:limit].decode(errors="ignore")
    return kept, len(data) - len(kept.encode())


def without_memory(text: str, *, whole: bool) -> str:
    """The text without what Noctuary itself told the agent: memory is no new experience.

    With `whole`, a block whose end was cut away goes to the end of the text.
    """
    if "<noctuary-memory" not in text.lower():
        return text
    rest = _MARKED.sub("", text)
    return _UNCLOSED.sub("", rest) if whole else rest


def moment(value: object, zone: tzinfo) -> datetime:
    """A time as it stands in a transcript, as local time of the zone in whole seconds, naive.

    Takes ISO 8601 with or without offset and Unix time in seconds or milliseconds; without an
    offset the time is one of the zone.

    Raises:
        RecordError: It is no time, or lies outside the years 1970 to 2199.
    """
    try:
        found = _time(value)
        local = found.astimezone(zone) if found.tzinfo else found
    except (ValueError, OverflowError, OSError) as error:
        raise RecordError(_no_time(value)) from error
    if not FIRST_YEAR <= local.year <= LAST_YEAR:
        raise RecordError(_no_time(value))
    return local.replace(tzinfo=None, microsecond=0, fold=0)


def _time(value: object) -> datetime:
    if isinstance(value, str):
        text = value.strip()
        return _unix(float(text)) if _UNIX_TEXT.fullmatch(text) else datetime.fromisoformat(text)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _unix(value)
    raise ValueError(value)


def _unix(value: float) -> datetime:
    seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
    return datetime.fromtimestamp(seconds, UTC)


def _no_time(value: object) -> str:
    shown = label(repr(value))[:60]
    return f"{shown} is not a time; write it like 2026-11-30T14:02:11"
