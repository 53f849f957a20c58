"""What comes in by day: log lines, live sessions and transcripts, written to episodes."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.errors import BadInput, Problem
from noctuary.intake.common import Incoming, IntakeSettings, Passed, Where, incoming
from noctuary.intake.registry import reader
from noctuary.memory.document import MAX_HEADER
from noctuary.memory.entry import Entry, Priority, Role, TaskMark
from noctuary.memory.episode import EpisodeMeta, episode_name, parse_meta, session_part
from noctuary.memory.secrets import PRIVATE, private_pattern, redact
from noctuary.vault.appending import Appended
from noctuary.vault.forgotten import forgotten_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from noctuary.config import Settings
    from noctuary.intake.common import Item, Source
    from noctuary.vault.store import Store

    Progress = Callable[[int, int], None]

BATCH = 500
"""Entries that are held in memory and written at once."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One entry that was logged.

    Attributes:
        path: Episode file, relative to the vault.
        added: False when the very same entry was there already.
    """

    id: str
    path: str
    added: bool

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary log --json` prints."""
        return {"id": self.id, "path": self.path, "added": self.added}


@dataclass(slots=True)
class Imported:
    """What became of transcripts.

    Attributes:
        skipped: Entries that were in the vault already.
        failed: Records that could not be read; each has a problem.
        passed: Records left out on purpose, counted by reason.
        episodes: Paths of the episode files they went to.
        unusable: Why whole files could not be taken in.
    """

    imported: int = 0
    skipped: int = 0
    failed: int = 0
    problems: list[Problem] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)
    episodes: set[str] = field(default_factory=set)
    unusable: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary import --json` prints."""
        return {
            "imported": self.imported,
            "skipped": self.skipped,
            "failed": self.failed,
            "problems": [*self.unusable, *(str(problem) for problem in self.problems)],
            "passed": dict(self.passed),
            "episodes": sorted(self.episodes),
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said in a session; `name` is that of a tool."""

    role: Role
    text: str
    name: str = ""


class Daybook:
    """Writes what comes in to the episodes of one vault."""

    def __init__(self, store: Store, settings: Settings, now: Callable[[], datetime]) -> None:
        self._store = store
        self.now = now
        self._settings = settings
        self._metas: dict[Where, EpisodeMeta] = {}

    def log(
        self,
        text: str,
        where: Where,
        role: Role,
        *,
        at: datetime | None = None,
        name: str = "",
        priority: Priority = Priority.NORMAL,
        task: TaskMark | None = None,
        dry_run: bool = False,
    ) -> Logged | None:
        """Write one entry; None when nothing is left of its text."""
        found = incoming(
            where, role, at or self.now(), text, self._intake(),
            name=name, priority=priority, task=task,
        )  # fmt: skip
        if found is None:
            return None
        done = Imported()
        self._write([found], done, dry_run=dry_run)
        return Logged(found.entry.id, next(iter(done.episodes)), done.imported > 0)

    def add_missing(
        self, turns: Iterable[Turn], where: Where, *, dry_run: bool = False
    ) -> Imported:
        """Write those turns of a session that its episode does not hold yet, as said now."""
        now, settings = self.now(), self._intake()
        made = (
            incoming(where, turn.role, now, turn.text, settings, name=turn.name) for turn in turns
        )
        found = [item for item in made if item is not None]
        done = Imported()
        if found:
            meta = self._meta(_episode_of(found[0]), [item.entry for item in found])
            held, _ = self._store.read_episodes([episode_name(meta)])
            known = {(old.role, _spoken(old)) for episode in held for old in episode.entries}
            fresh = [it for it in found if (it.entry.role, _spoken(it.entry)) not in known]
            done.skipped = len(found) - len(fresh)
            self._write(fresh, done, dry_run=dry_run)
        return done

    def take_in(
        self,
        format_: str,
        files: Iterable[str | PathLike[str]],
        *,
        trust_user: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Write the entries of transcripts that are not there yet; a bad file stops no other.

        Raises:
            UsageError: There is no such format.
        """
        read = reader(format_)
        settings = self._intake(trust_user=trust_user)
        done = Imported()
        for file in files:
            try:
                self._stream(read(_source(file), settings), done, progress, dry_run=dry_run)
            except BadInput as error:
                done.unusable.append(error.args[0])
        return done

    def _stream(
        self, items: Iterable[Item], done: Imported, progress: Progress | None, *, dry_run: bool
    ) -> None:
        stream = iter(items)
        while batch := list(islice(stream, BATCH)):
            found = [item for item in batch if isinstance(item, Incoming)]
            problems = [item for item in batch if isinstance(item, Problem)]
            done.problems += problems
            done.failed += len(problems)
            for item in batch:
                if isinstance(item, Passed):
                    done.passed[item.reason] += item.count
            self._write(found, done, dry_run=dry_run)
            if progress is not None:
                progress(done.imported + done.skipped, 0)

    def _write(self, found: Sequence[Incoming], done: Imported, *, dry_run: bool) -> None:
        episodes: dict[Where, list[Entry]] = defaultdict(list)
        for item in found:
            episodes[_episode_of(item)].append(item.entry)
        for where, entries in episodes.items():
            meta = self._meta(where, entries)
            appended = (
                self._would_append(meta, entries)
                if dry_run
                else self._store.append_entries(meta, entries)
            )
            done.imported += appended.added
            done.skipped += appended.skipped
            done.episodes.add(appended.path)

    def _would_append(self, meta: EpisodeMeta, entries: Sequence[Entry]) -> Appended:
        name = episode_name(meta)
        episodes, _ = self._store.read_episodes([name])
        known = {entry for episode in episodes for entry in episode.order}
        known |= forgotten_ids(self._store.disk, name)
        added = len({entry.id for entry in entries} - known)
        path = self._store.layout.episode_path(name)
        return Appended(path, added, len(entries) - added)

    def _meta(self, where: Where, entries: Sequence[Entry]) -> EpisodeMeta:
        """The head of an episode, the same for all entries of a session that come one by one."""
        if where not in self._metas:
            meta = EpisodeMeta(
                where.session, where.agent, where.project, _owner(where, entries), entries[0].at
            )
            self._metas[where] = _of_day(meta) if where.user else self._continued(meta)
        return self._metas[where]

    def _continued(self, meta: EpisodeMeta) -> EpisodeMeta:
        """A session goes on in the file where it began, whatever day it is by now.

        One of the same name in another project has a file of its own.
        """
        layout = self._store.layout
        ways = {_ending(episode_name(one)): one for one in (meta, replace(meta, apart=True))}
        tail = f"*-{session_part(meta.session)}" if meta.session else ""
        begun = list(layout.episodes.rglob(f"????-??-??{tail}.md"))
        for ending, one in ways.items():
            own = sorted(
                file for file in begun if _ending(file.stem) == ending and _holds(file, meta)
            )
            if own:
                day = date.fromisoformat(own[-1].name[:10])
                return replace(one, started=datetime.combine(day, meta.started.time()))
        taken = layout.absolute(layout.episode_path(episode_name(meta))).exists()
        return replace(meta, apart=taken)

    def _intake(self, *, trust_user: bool = False) -> IntakeSettings:
        privacy = self._settings.privacy
        return IntakeSettings(
            zone=self._settings.vault.zone,
            tool_output_bytes=privacy.tool_output_bytes,
            trust_user=trust_user,
            redact=_redactor(privacy.private_terms, secrets=privacy.redact),
        )


ENOUGH = 1000
"""Characters at the start of what a tool gave back that tell a long output from others."""


def _spoken(entry: Entry) -> str:
    """The text; of a tool the start of its output, without the command on the line before."""
    if entry.role is not Role.TOOL:
        return entry.text.strip()
    _, _, output = entry.text.partition("\n") if entry.text.startswith("$ ") else ("", "", "")
    return (output or entry.text).strip()[:ENOUGH]


def _episode_of(item: Incoming) -> Where:
    """What an entry shares with the others of its episode.

    Without a session that is the day; a project or agent then has a log of its own for the day.
    """
    if item.session:
        return Where(item.session, item.agent, item.project)
    return Where(item.project or item.agent, item.agent, item.project, f"{item.entry.at:%Y-%m-%d}")


def _ending(name: str) -> str:
    """The name of an episode behind its day."""
    return name[len("2026-11-30") :]


def _holds(file: Path, meta: EpisodeMeta) -> bool:
    """Whether an episode is this session's; one without a head that can be read is taken for it."""
    try:
        with file.open("rb") as stream:
            beginning = stream.read(MAX_HEADER)
    except FileNotFoundError:
        return False
    found = parse_meta(file.stem, beginning.decode("utf-8", "replace"))
    return found is None or found.may_hold(meta)


def _owner(where: Where, entries: Sequence[Entry]) -> str:
    """The person whose session it is; nobody where several people speak."""
    users = {entry.user for entry in entries if entry.role is Role.USER}
    return users.pop() if where.session and len(users) == 1 else ""


def _of_day(meta: EpisodeMeta) -> EpisodeMeta:
    """A log without a session begins with its day, whatever came first."""
    return replace(meta, started=datetime.combine(meta.started.date(), time.min))


def _redactor(terms: Sequence[str], *, secrets: bool) -> Callable[[str], str]:
    """What takes secrets and private terms out of a text."""
    private = private_pattern(terms)

    def apply(text: str) -> str:
        safe = redact(text) if secrets else text
        return private.sub(PRIVATE, safe) if private else safe

    return apply


def _source(file: str | PathLike[str]) -> Source:
    return sys.stdin.buffer if str(file) == "-" else Path(file).expanduser()


class Session:
    """One running conversation; each call writes one entry at once."""

    def __init__(self, daybook: Daybook, where: Where) -> None:
        self._daybook = daybook
        self._where = where

    @property
    def where(self) -> Where:
        """Where its entries go: names of session, agent, project and person."""
        return self._where

    @property
    def id(self) -> str:
        """The name of the session, by which its episode is found again."""
        return self._where.session

    def user(self, text: str, *, priority: str = "normal") -> Logged | None:
        """What the person said."""
        return self._log(text, Role.USER, priority=Priority(priority))

    def assistant(self, text: str) -> Logged | None:
        """What the agent said."""
        return self._log(text, Role.ASSISTANT)

    def tool(self, name: str, output: str) -> Logged | None:
        """What a tool gave back."""
        return self._log(output, Role.TOOL, name=name)

    def web(self, name: str, text: str) -> Logged | None:
        """What a web page said; trusted least of all."""
        return self._log(text, Role.WEB, name=name)

    def file(self, name: str, text: str) -> Logged | None:
        """What stood in a file."""
        return self._log(text, Role.FILE, name=name)

    @contextmanager
    def task(self, title: str) -> Iterator[None]:
        """A task that is open inside the `with` block, and done when it ends without an error."""
        opened = self._daybook.now()
        self._log(title, Role.TASK, task=TaskMark.OPEN, at=opened)
        yield
        later = max(self._daybook.now(), opened + timedelta(seconds=1))
        self._log(title, Role.TASK, task=TaskMark.DONE, at=later)

    def _log(
        self,
        text: str,
        role: Role,
        *,
        name: str = "",
        priority: Priority = Priority.NORMAL,
        task: TaskMark | None = None,
        at: datetime | None = None,
    ) -> Logged | None:
        logged = self._daybook.log(
            text, self._where, role, at=at, name=name, priority=priority, task=task
        )
        self._heard(text, at, task)
        return logged

    def _heard(self, text: str, at: datetime | None, task: TaskMark | None) -> None:
        """A turn is written; a session that counts them does so here."""
