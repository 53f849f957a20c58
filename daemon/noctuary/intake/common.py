"""What every transcript reader shares: its settings, its results, and how an entry is made.

A reader is `read(source, settings) -> Iterator[Item]`: entries and problems in the order of the
file, as a stream, so that a long transcript never stands in memory as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from noctuary.errors import Problem
from noctuary.intake.text import clean, cut, label, without_memory
from noctuary.memory.entry import Entry, Priority, Role, TaskMark, entry_id
from noctuary.memory.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable

Source = Path | BinaryIO
"""What is read: a file, a folder (older notes only), or a binary stream such as stdin."""

CUT_ROLES = frozenset({Role.TOOL, Role.WEB, Role.FILE})
"""Roles whose text is cut to `tool_output_bytes`; what a person or an agent said never is."""

LONGEST_SECRET = 12_000
"""Characters behind a cut that are searched for the rest of a secret, such as a private key."""


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
class Where:
    """Names of the episode that entries go to."""

    session: str = ""
    agent: str = ""
    project: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Incoming:
    """One entry with the names of the episode it belongs to."""

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
    foreign = role in CUT_ROLES
    words = clean(without_memory(text, cut_short=foreign))
    kept, left_out = _cut_safely(words, settings) if foreign else (settings.redact(words), 0)
    if not kept.strip():
        return None
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


def _cut_safely(text: str, settings: IntakeSettings) -> tuple[str, int]:
    """The text cut and redacted; a secret that the cut would split is found first."""
    limit = settings.tool_output_bytes
    head = text[: limit + LONGEST_SECRET]
    kept, left_out = cut(settings.redact(head), limit)
    return kept, left_out + len(text[len(head) :].encode())
