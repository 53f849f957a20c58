"""One block of an episode: who said what, when.

Pure values. A role is set by the writer of an entry, never by its text; trust follows from it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class Role(StrEnum):
    """Who an entry comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    WEB = "web"
    FILE = "file"
    TASK = "task"


class Trust(StrEnum):
    """How far a memory may be believed: the lowest of its sources."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    FILE = "file"
    WEB = "web"

    @property
    def rank(self) -> int:
        """0 for the web up to 4 for the person."""
        return _TRUST_ORDER.index(self)


_TRUST_ORDER = (Trust.WEB, Trust.FILE, Trust.TOOL, Trust.ASSISTANT, Trust.USER)
_TRUST_OF_ROLE = {
    Role.USER: Trust.USER,
    Role.ASSISTANT: Trust.ASSISTANT,
    Role.TASK: Trust.ASSISTANT,
    Role.SYSTEM: Trust.TOOL,
    Role.TOOL: Trust.TOOL,
    Role.FILE: Trust.FILE,
    Role.WEB: Trust.WEB,
}


def trust_of(role: Role) -> Trust:
    """The trust that an entry of this role can give at most."""
    return _TRUST_OF_ROLE[role]


def lowest_trust(roles: list[Role]) -> Trust:
    """The trust of something that rests on all of these roles together."""
    return min((trust_of(role) for role in roles), key=lambda trust: trust.rank)


class Priority(StrEnum):
    """A mark set when the entry is written; it outranks the score of a dream."""

    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"


class TaskMark(StrEnum):
    """What a `task` entry does to its task."""

    OPEN = "open"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Entry:
    """One utterance, tool result, file or task mark, with the session that it belongs to.

    Attributes:
        id: `e` and 10 hex digits, see `entry_id`.
        at: Local time of the vault's zone, whole seconds, no offset.
        text: Exactly what was said; for cut tool output what was kept of it.
        name: Name of the tool, page or file; empty otherwise.
        user: Who speaks, where several people share one vault; empty for its owner.
        left_out: Bytes of tool output that were cut away behind `text`.
        episode: Name of the note that holds the entry, without folder and `.md`.
        by_hand: Free Markdown that a person wrote into the episode file.
        intact: False when the text in the file no longer matches the id.
    """

    id: str
    role: Role
    at: datetime
    text: str
    priority: Priority = Priority.NORMAL
    name: str = ""
    user: str = ""
    task: TaskMark | None = None
    left_out: int = 0
    episode: str = ""
    session: str = ""
    agent: str = ""
    project: str = ""
    by_hand: bool = False
    intact: bool = True

    def __reduce__(self) -> tuple[type[Entry], tuple[object, ...]]:
        """How it goes to another process: as its values, which is quicker than the default."""
        return Entry, _VALUES(self)

    @property
    def link(self) -> str:
        """Wikilink to the very turn."""
        return turn_link(self.episode, self.id)


_VALUES = attrgetter(*(part.name for part in fields(Entry)))


def entry_id(role: Role, at: datetime, text: str) -> str:
    """Content address: the same role, second and text always give the same id."""
    stamp = at.isoformat(timespec="seconds")
    data = f"{role}\n{stamp}\n{text}".encode("utf-8", "surrogatepass")
    return "e" + hashlib.sha256(data).hexdigest()[:10]


def hand_id(text: str) -> str:
    """Id of free Markdown: a hash of its text, since it has no block id of its own."""
    return "h" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def turn_link(episode: str, entry: str, shown: str = "") -> str:
    """Wikilink to an entry; hand-written text has no block id, so its link names the note alone."""
    target = episode if entry.startswith("h") else f"{episode}#^{entry}"
    return f"[[{target}|{shown}]]" if shown else f"[[{target}]]"


def text_bytes(entry: Entry) -> int:
    """Bytes of what was said, the measure of raw memory."""
    return len(entry.text.encode("utf-8", "surrogatepass"))
