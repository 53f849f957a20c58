"""Short-term memory in numbers, kept at the cost of what changed: nothing is parsed twice.

What was found is kept in the user's cache folder too, so that a start need not read the vault.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noctuary.errors import Problem
from noctuary.memory.entry import Role, TaskMark, text_bytes
from noctuary.memory.ranges import AbsorbedRange, by_episode, covered, parse_range
from noctuary.vault.layout import note_name
from noctuary.vault.reading import Reader
from noctuary.vault.state import holds_seal, ledger_path, read_ledger, sealed
from noctuary.vault.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from noctuary.memory.entry import Entry
    from noctuary.vault.files import Disk
    from noctuary.vault.survey import Changes, Stamp

VERSION = 5
_OURS = ("episodes/", "dreams/")


@dataclass(frozen=True, slots=True)
class Beat:
    """One episode in numbers; moments are ISO local time of the vault, empty when there is none.

    Attributes:
        stamp: Of the file that was read.
        spans: Digest of what dreams had absorbed of it by then.
        first: When the oldest pending entry was said.
        opened: Tasks that were opened here, as moment, blank, title; `done` those that were closed.
        closed: When the first of the pending marks that close a task was set.
        raw: How many entries still have the text that they had, and may be forgotten.
        wrong: What is wrong with the file, as line, blank, words.
        entries: How many there are, with `size` bytes of text, `waiting` of which are pending.
        gone: How many the file says were forgotten.
    """

    stamp: tuple[int, ...]
    spans: str
    pending: int = 0
    first: str = ""
    began: str = ""
    ended: str = ""
    session: bool = False
    opened: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    closed: str = ""
    raw: int = 0
    wrong: tuple[str, ...] = ()
    entries: int = 0
    size: int = 0
    waiting: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What the report of one dream says."""

    stamp: tuple[int, ...]
    started: str = ""
    trigger: str = ""
    result: str = ""
    absorbed: tuple[str, ...] = ()


@dataclass(slots=True)
class Pulse:
    """The pulse of one vault.

    Attributes:
        cache: File that keeps it between runs; None keeps nothing.
        beats: By path of the episode.
        told: By path of the report.
        unsaved: Something is known that the cache file does not hold.
        lost: Episodes that the cache knew and that were gone at the start.
    """

    disk: Disk
    cache: Path | None = None
    beats: dict[str, Beat] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)
    unsaved: bool = False
    lost: list[str] = field(default_factory=list)
    _todo: dict[str, Stamp] = field(default_factory=dict)
    _ranges: dict[str, list[AbsorbedRange]] = field(default_factory=dict)
    _reopened: dict[str, set[str]] = field(default_factory=dict)
    _ledger: tuple[int, ...] = ()
    _stale: bool = True

    # -- what changed -------------------------------------------------------------------------

    def begin(self, stamps: Mapping[str, Stamp]) -> None:
        """Start from the cache; only what is not as it was then needs to be read."""
        self._load()
        self.lost = [path for path in self.beats if path not in stamps]
        for path in self.lost:
            del self.beats[path]
        for path in [path for path in self.told if path not in stamps]:
            del self.told[path]
        for path, stamp in stamps.items():
            if path.startswith(_OURS):
                known = self.beats.get(path) or self.told.get(path)
                if known is None or known.stamp != stamp:
                    self._todo[path] = stamp

    def note(self, changes: Changes, stamps: Mapping[str, Stamp]) -> None:
        """Files came, changed or went; reading them is left to `work`."""
        for path in changes.gone:
            self._todo.pop(path, None)
            self.beats.pop(path, None)
            if self.told.pop(path, None) is not None:
                self._stale = True
        for path in changes.fresh | changes.changed:
            if path.startswith(_OURS):
                self._todo[path] = stamps[path]

    def work(self, seconds: float) -> bool:
        """Read what is to be read, for about so long; True when nothing is left."""
        until = time.monotonic() + seconds
        self._look_at_ledger()
        reports = [path for path in self._todo if path.startswith("dreams/")]
        for path in reports:
            self._read_report(path, self._todo.pop(path))
            if time.monotonic() > until:
                return False
        if self._stale:
            self._settle_ranges()
        for path in list(self._todo):
            self._read_episode(path, self._todo.pop(path))
            if time.monotonic() > until:
                break
        return not self._todo

    def _look_at_ledger(self) -> None:
        """Entries whose card could not be written are pending again, says the ledger."""
        try:
            found = ledger_path(self.disk).stat()
        except OSError:
            return
        stamp = (found.st_size, found.st_mtime_ns, found.st_ino)
        if stamp != self._ledger:
            ledger = read_ledger(self.disk)
            self._ledger, self._stale, self.unsaved = stamp, True, True
            self._reopened = dict(ledger.reopened) if ledger else {}

    def _settle_ranges(self) -> None:
        """Episodes of which a dream has absorbed more, or less, since they were read."""
        spans = [
            span
            for told in self.told.values()
            for line in told.absorbed
            if (span := parse_range(line, told.started))
        ]
        self._ranges, self._stale = by_episode(spans), False
        for path, beat in self.beats.items():
            if beat.spans != self._spans(note_name(path)):
                self._todo[path] = beat.stamp  # type: ignore[assignment]

    def _spans(self, name: str) -> str:
        ranges, reopened = self._ranges.get(name, ()), self._reopened.get(name, ())
        if not ranges and not reopened:
            return ""
        basis = "\n".join([*sorted(map(str, ranges)), *sorted(reopened)])
        return hashlib.sha256(basis.encode()).hexdigest()[:12]

    # -- reading ------------------------------------------------------------------------------

    def _read_report(self, path: str, stamp: Stamp) -> None:
        from noctuary.memory import document

        data = Reader(self.disk.root).bytes_of(path)
        meta = document.read(data.decode("utf-8", "replace")).meta if data else {}
        told = Told(stamp)
        if meta.get("type") == "dream":
            started, trigger, result = (str(meta.get(k, "")) for k in _REPORT_KEYS)
            lines = meta.get("absorbed")
            absorbed = tuple(map(str, lines)) if isinstance(lines, list) else ()
            told = Told(stamp, started, trigger, result, absorbed)
        self.told[path] = told
        self._stale = self.unsaved = True

    def _read_episode(self, path: str, stamp: Stamp) -> None:
        name = note_name(path)
        reader = Reader(self.disk.root)
        episode = reader.episode(path)
        wrong = tuple(f"{problem.line} {problem.what}" for problem in reader.problems)
        beat = Beat(stamp, self._spans(name), wrong=wrong)
        if episode is not None:
            known = covered(episode.order, self._ranges.get(name, ()))
            known -= self._reopened.get(name, set())
            fresh = [entry for entry in episode.entries if entry.id not in known]
            session, gone = bool(episode.meta.session), sum(gap.count for gap in episode.gaps)
            beat = _beat(replace(beat, session=session, gone=gone), episode.entries, fresh)
        self.beats[path] = beat
        self.unsaved = True

    @classmethod
    def taken(cls, disk: Disk, cache: Path, survey: Survey | None = None) -> Pulse:
        """The pulse as it is now, read at the cost of what changed and kept for the next time."""
        survey = survey or Survey(disk.root, zones=("episodes", "dreams"))
        survey.rescan()
        pulse = cls(disk, cache)
        pulse.begin(survey.stamps)
        pulse.catch_up()
        return pulse

    def catch_up(self) -> bool:
        """Read all that is to be read and keep it for the next time; True when there was any."""
        self._look_at_ledger()
        was_ready = self.ready
        while not self.work(60):
            pass
        with suppress(OSError):
            self.save()
        return not was_ready

    # -- telling ------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Everything that is known to be there has been read."""
        return not self._todo and not self._stale

    @property
    def pending(self) -> int:
        """Entries that no dream has absorbed."""
        return sum(beat.pending for beat in self.beats.values())

    @property
    def reopened(self) -> Mapping[str, set[str]]:
        """Entries by episode that are pending again, since their card could not be written."""
        return self._reopened

    @property
    def ranges(self) -> Mapping[str, Sequence[AbsorbedRange]]:
        """What the reports say that dreams absorbed, by name of the episode."""
        return self._ranges

    @property
    def last_dream(self) -> str:
        """Id of the latest dream; empty when there was none."""
        told = ((dream.started, note_name(path)) for path, dream in self.told.items())
        return max((dream for dream in told if dream[0]), default=("", ""))[1]

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the episodes, in order of their paths."""
        found = [
            (path, *told.partition(" "))
            for path in sorted(self.beats)
            for told in self.beats[path].wrong
        ]
        return [Problem(path, what, int(line)) for path, line, _, what in found]

    def waiting(self) -> dict[str, Beat]:
        """Episodes with pending entries, by path."""
        return {path: beat for path, beat in self.beats.items() if beat.pending}

    def open_tasks(self) -> int:
        """Tasks that were opened in these episodes and closed nowhere since."""
        done = _latest(mark for beat in self.beats.values() for mark in beat.done)
        opened = _latest(mark for beat in self.waiting().values() for mark in beat.opened)
        return sum(at > done.get(title, "") for title, at in opened.items())

    # -- between runs -------------------------------------------------------------------------

    def save(self) -> None:
        """Keep it for the next start."""
        if self.cache is None or not self.unsaved:
            return
        content = {
            "version": VERSION,
            "beats": {path: _plain(beat) for path, beat in self.beats.items()},
            "told": {path: _plain(told) for path, told in self.told.items()},
            "ledger": self._ledger,
            "reopened": {name: sorted(ids) for name, ids in self._reopened.items()},
        }
        import tempfile

        self.cache.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=self.cache.parent, prefix=".pulse-")
        with os.fdopen(handle, "wb") as file:
            file.write(sealed(content))
        Path(fresh).replace(self.cache)
        self.unsaved = False

    def _load(self) -> None:
        try:
            content = json.loads(self.cache.read_bytes()) if self.cache else {}
            if content.get("version") == VERSION and holds_seal(content):
                self.beats = {path: Beat(*_tuples(row)) for path, row in content["beats"].items()}
                self.told = {path: Told(*_tuples(row)) for path, row in content["told"].items()}
                self._reopened = {name: set(ids) for name, ids in content["reopened"].items()}
                self._ledger = tuple(content["ledger"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.beats, self.told, self._reopened, self._ledger = {}, {}, {}, ()


_REPORT_KEYS = ("started", "trigger", "result")


def _beat(beat: Beat, entries: Sequence[Entry], fresh: Sequence[Entry]) -> Beat:
    said = [entry for entry in entries if not entry.by_hand] or list(entries)
    closings = [entry.at for entry in fresh if entry.task is TaskMark.DONE]
    return replace(
        beat,
        pending=len(fresh),
        first=_earliest(entry.at for entry in fresh),
        began=_earliest(entry.at for entry in (said if beat.session else fresh)),
        ended=max((entry.at.isoformat() for entry in said), default=""),
        opened=_tasks(entries, TaskMark.OPEN),
        done=_tasks(entries, TaskMark.DONE),
        closed=_earliest(closings),
        raw=sum(entry.intact and not entry.by_hand for entry in entries),
        entries=len(entries),
        size=sum(map(text_bytes, entries)),
        waiting=sum(map(text_bytes, fresh)),
    )


def _earliest(moments: Iterable[datetime]) -> str:
    found = min(moments, default=None)
    return "" if found is None else found.isoformat()


def _tasks(entries: Iterable[Entry], mark: TaskMark) -> tuple[str, ...]:
    found = (entry for entry in entries if entry.role is Role.TASK and entry.task is mark)
    return tuple(f"{entry.at.isoformat()} {_folded(entry.text)}" for entry in found)


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _latest(marks: Iterable[str]) -> dict[str, str]:
    """Title of a task to the moment of its last mark."""
    found: dict[str, str] = {}
    for mark in sorted(marks):
        at, _, title = mark.partition(" ")
        found[title] = at
    return found


_PARTS = {kind: attrgetter(*(part.name for part in fields(kind))) for kind in (Beat, Told)}


def _plain(item: Beat | Told) -> Sequence[object]:
    found: tuple[object, ...] = _PARTS[type(item)](item)
    return found


def _tuples(row: Iterable[Any]) -> list[Any]:
    return [tuple(part) if isinstance(part, list) else part for part in row]
