"""Episodes as Markdown: one callout per entry, and whatever a person wrote between them.

Pure. Any text at all comes back byte for byte, since every line of it is prefixed by `> ` and a
block only counts with the `^id` line behind it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import TYPE_CHECKING
from uuid import UUID

from noctuary.errors import Problem
from noctuary.memory import document
from noctuary.memory.blocks import Block, GapLine, HandText, gap_line, scan
from noctuary.memory.entry import Entry, Priority, Role, TaskMark, entry_id, hand_id
from noctuary.memory.inline import DOT, decode, encode
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from noctuary.memory.blocks import Piece

FOLDED = frozenset({Role.TOOL, Role.WEB, Role.FILE, Role.SYSTEM})
MAX_SESSION = 12
MAX_AGENT = 24


@dataclass(frozen=True, slots=True)
class EpisodeMeta:
    """Whose conversation an episode holds; a day's log has no session.

    Attributes:
        started: Local time of the vault's zone, no offset.
        apart: Another session has the name that this one would have.
    """

    session: str
    agent: str
    project: str
    user: str
    started: datetime
    apart: bool = False

    def may_hold(self, other: EpisodeMeta) -> bool:
        """Whether the other's entries may belong to this session: same name, no other project."""
        named = {self.project, other.project} - {""}
        return self.session == other.session and len(named) <= 1


@dataclass(frozen=True, slots=True)
class Gap:
    """A run of entries that was forgotten, named by its ends."""

    first: str
    last: str
    count: int


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode file, read.

    Attributes:
        name: Name of the note, without folder and `.md`.
        entries: In the order of the file.
        order: Ids in the order of the file, the ends of gaps among them.
    """

    name: str
    meta: EpisodeMeta
    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
    gaps: tuple[Gap, ...] = ()
    order: tuple[str, ...] = ()


# ---------------------------------------------------------------- names


def episode_name(meta: EpisodeMeta) -> str:
    """Name of the note, legal on every system: `2026-11-30-claude-code-7f3a2b`.

    A log without a session has the day alone as its name. Six more digits before the session tell
    it from another one of the same name.
    """
    day = meta.started.date().isoformat()
    if not meta.session:
        return day
    digits = _digits(f"{meta.project}\n{meta.session}") if meta.apart else ""
    parts = (day, _agent_part(meta.agent), digits, session_part(meta.session))
    return "-".join(part for part in parts if part)


def _agent_part(agent: str) -> str:
    words = re.sub(r"[\W_]+", "-", agent.casefold())
    return words[:MAX_AGENT].strip("-")


def session_part(session: str) -> str:
    """How a session ends the name of its note: short ones whole, long ones as six hex digits.

    The digits are taken from the id where it is random.
    """
    if re.fullmatch(rf"(?!-)[A-Za-z0-9-]{{1,{MAX_SESSION}}}(?<!-)", session):
        return session
    if _is_random_hex(session):
        return session[:6].lower()
    return _digits(session)


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _is_random_hex(session: str) -> bool:
    """True for a random UUID; the start of a time-ordered one is the same for hours."""
    try:
        return UUID(session).version == 4 and session[:6].isalnum()
    except ValueError:
        return False


# ---------------------------------------------------------------- writing


def render_head(meta: EpisodeMeta) -> str:
    """The header that a new episode file begins with."""
    named = {
        "session": meta.session,
        "agent": meta.agent,
        "project": meta.project,
        "user": meta.user,
    }
    head: dict[str, object] = {"type": "episode"}
    head |= {key: value for key, value in named.items() if value}
    head["started"] = meta.started.isoformat(timespec="seconds")
    head["tags"] = ["episode"]
    return document.header(head)


def render_entry(entry: Entry, day: date) -> str:
    """The block of an entry: a blank line, the callout, its id.

    `day` is the day in the file's name; an entry of another day says its date. Put `joint` of the
    file's end in front when appending.
    """
    fold = "-" if entry.role in FOLDED else ""
    body = "\n".join(f"> {line}" if line else ">" for line in entry.text.split("\n"))
    return f"\n> [!{entry.role}]{fold} {_heading(entry, day)}\n{body}\n\n^{entry.id}\n"


def joint(tail: str) -> str:
    """What must stand between the last characters of a file and the next block."""
    return "" if not tail or tail.endswith("\n") else "\n"


def _heading(entry: Entry, day: date) -> str:
    stamp = entry.at.strftime("%H:%M:%S")
    fields = [stamp if entry.at.date() == day else f"{entry.at.date().isoformat()} {stamp}"]
    if entry.priority is not Priority.NORMAL:
        fields.append(f"priority={entry.priority}")
    if entry.user:
        fields.append(f"user={encode(entry.user)}")
    if entry.name:
        fields.append(f"name={encode(entry.name)}")
    if entry.task is not None:
        fields.append(str(entry.task))
    if entry.left_out:
        fields.append(f"left-out={entry.left_out}")
    return DOT.join(fields)


# ---------------------------------------------------------------- reading


def parse_episode(name: str, text: str) -> Episode:
    """Read an episode file; what cannot be read becomes a problem, never an exception."""
    found = document.read(text)
    problems = [Problem(name, found.problem)] if found.problem else []
    day = _day_of(name, found.meta)
    if day is None:
        what = phrase(
            "The name does not begin with a date: rename it to something like 2026-11-30.md."
        )
        nobody = EpisodeMeta("", "", "", "", datetime(1970, 1, 1))
        return Episode(name, nobody, problems=(*problems, Problem(name, what)))
    reader = _Reader(name, _meta(found.meta, day), day)
    reader.take(scan(text, found))
    return replace(reader.episode(), problems=(*problems, *reader.problems))


def parse_meta(name: str, text: str) -> EpisodeMeta | None:
    """What the head of an episode file says, of which the beginning is enough; None without one."""
    found = document.read(text)
    day = _day_of(name, found.meta)
    return _meta(found.meta, day) if day and found.meta else None


def _day_of(name: str, meta: dict[str, object]) -> date | None:
    for text in (name[:10], str(meta.get("started", ""))[:10]):
        try:
            return date.fromisoformat(text)
        except ValueError:
            continue
    return None


def _meta(meta: dict[str, object], day: date) -> EpisodeMeta:
    session, agent, project, user = (
        _word(meta.get(key)) for key in ("session", "agent", "project", "user")
    )
    return EpisodeMeta(session, agent, project, user, _started(meta.get("started"), day))


def _word(value: object) -> str:
    return "" if value is None else str(value)


def _started(value: object, day: date) -> datetime:
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None)
    except ValueError:
        return datetime.combine(day, time())


class _Reader:
    """Turns the pieces of one file into entries, gaps and problems."""

    def __init__(self, name: str, meta: EpisodeMeta, day: date) -> None:
        self._name = name
        self._meta = meta
        self._day = day
        self._at = datetime.combine(day, time())
        self._entries: dict[str, Entry] = {}
        self._gaps: list[Gap] = []
        self._order: dict[str, None] = {}
        self.problems: list[Problem] = []

    def take(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, Block):
                self._block(piece)
            elif isinstance(piece, HandText):
                self._add(self._by_hand(piece))
            elif isinstance(piece, GapLine):
                self._gaps.append(Gap(piece.first, piece.last, piece.count))
                self._order |= dict.fromkeys((piece.first, piece.last))
            else:
                self.problems.append(Problem(self._name, piece.what, piece.start + 1))

    def episode(self) -> Episode:
        return Episode(
            self._name,
            self._meta,
            tuple(self._entries.values()),
            gaps=tuple(self._gaps),
            order=tuple(self._order),
        )

    def _add(self, entry: Entry) -> None:
        self._entries.setdefault(entry.id, entry)
        self._order.setdefault(entry.id)

    def _block(self, block: Block) -> None:
        try:
            entry = self._entry(block)
        except ValueError:
            what = phrase(
                "The heading of ^{id} cannot be read: give it back its time and fields.",
                id=block.id,
            )
            self.problems.append(Problem(self._name, what, block.start + 1))
            return
        self._at = entry.at
        self._add(entry)

    def _entry(self, block: Block) -> Entry:
        day = date.fromisoformat(block.day) if block.day else self._day
        entry = self._bare(Role(block.role), datetime.combine(day, time.fromisoformat(block.time)))
        entry = _with_fields(replace(entry, id=block.id), block.fields)
        text = next((text for text in block.texts if _matches(entry, text)), None)
        if text is None:
            return replace(entry, text=block.texts[0], intact=False)
        return replace(entry, text=text)

    def _bare(self, role: Role, at: datetime, text: str = "") -> Entry:
        meta = self._meta
        return Entry(
            id=hand_id(text),
            role=role,
            at=at,
            text=text,
            user=meta.user if role is Role.USER else "",
            episode=self._name,
            session=meta.session,
            agent=meta.agent,
            project=meta.project,
        )

    def _by_hand(self, piece: HandText) -> Entry:
        return replace(self._bare(Role.USER, self._at, piece.text), by_hand=True)


def _matches(entry: Entry, text: str) -> bool:
    return entry_id(entry.role, entry.at, text) == entry.id


def _with_fields(entry: Entry, fields: Iterable[str]) -> Entry:
    """Apply what the heading says beside the time; unknown fields are left for later versions."""
    for field in fields:
        key, _, value = field.partition("=")
        entry = _with_field(entry, key.strip(), decode(value.strip()))
    return entry


def _with_field(entry: Entry, key: str, value: str) -> Entry:
    match key:
        case "priority":
            return replace(entry, priority=Priority(value))
        case "user":
            return replace(entry, user=value)
        case "name":
            return replace(entry, name=value)
        case "left-out":
            return replace(entry, left_out=int(value))
        case "open" | "done":
            return replace(entry, task=TaskMark(key))
    return entry


# ---------------------------------------------------------------- forgetting


def forget_entries(text: str, ids: AbstractSet[str], seams: AbstractSet[str] = frozenset()) -> str:
    """The file without these entries: one line stands for each run of them.

    The line keeps the first and last id of its run. Runs grow together with gaps that are there
    already, but never so that an id among `seams` (the ends of absorbed ranges) would fall inside
    one. Everything else stays byte for byte.
    """
    lines = text.split("\n")
    for run in reversed(list(_runs(text, ids, seams))):
        first, last = run[0], run[-1]
        line = gap_line(first.first, last.last, sum(piece.count for piece in run))
        ending = "\r" if lines[first.start].endswith("\r") else ""
        lines[first.start : last.end] = [line + ending]
    return "\n".join(lines)


def is_spent(text: str) -> bool:
    """True for the file of an episode in which nothing is left but where something was."""
    return all(isinstance(piece, GapLine) for piece in scan(text, document.read(text)))


def _runs(text: str, ids: AbstractSet[str], seams: AbstractSet[str]) -> Iterator[list[GapLine]]:
    """Runs of neighbouring pieces that one line can stand for, lone gaps left out."""
    run: list[GapLine] = []
    for piece in scan(text, document.read(text)):
        gone = _as_gap(piece, ids)
        if run and (gone is None or {run[-1].last, gone.first} & seams):
            yield from _worth_writing(run)
            run = []
        if gone is not None:
            run.append(gone)
    yield from _worth_writing(run)


def _worth_writing(run: list[GapLine]) -> Iterator[list[GapLine]]:
    if run and (len(run) > 1 or not run[0].written):
        yield run


def _as_gap(piece: Piece, ids: AbstractSet[str]) -> GapLine | None:
    if isinstance(piece, GapLine):
        return piece
    if isinstance(piece, Block) and piece.id in ids:
        return GapLine(piece.start, piece.end, piece.id, piece.id, 1, written=False)
    if isinstance(piece, HandText) and (known := hand_id(piece.text)) in ids:
        return GapLine(piece.start, piece.end, known, known, 1, written=False)
    return None
