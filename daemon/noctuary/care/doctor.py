"""Everything that can keep a vault from dreaming well: looked at, told with its mend, and mended."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary import profiles
from noctuary.care.health import health
from noctuary.errors import NoctuaryError
from noctuary.resources import lasting_cache, may_be_made
from noctuary.tongue import phrase
from noctuary.vault.brake import Brake
from noctuary.vault.history import GitState
from noctuary.vault.journal import read_journal
from noctuary.vault.lock import is_held
from noctuary.vault.survey import Survey
from noctuary.vault.tally import is_mass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from noctuary.care.health import Health
    from noctuary.config import Settings
    from noctuary.errors import Problem
    from noctuary.vault.store import Store

    Mend: TypeAlias = Callable[[], object]

LITTLE_ROOM = 200_000_000
AHEAD = timedelta(hours=1)
OLD_LOCK = timedelta(minutes=10)
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
_MOST_NOTES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: What it is about, in a word or two.
        said: How it is; for a problem what is wrong.
        mend: What to do about it; empty when all is well.
        fixed: It was wrong and has been mended just now.
    """

    check: str
    ok: bool
    said: str
    mend: str = ""
    fixed: bool = False

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary doctor --json` prints for each check."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Sick:
    """A problem, and how it can be mended without a person, if it can."""

    finding: Finding
    cure: Mend | None = None


def examine(
    store: Store, settings: Settings, problems: Sequence[Problem], *, fix: bool = False
) -> list[Finding]:
    """Look at everything; with `fix` mend what can be mended. Reads only, without it."""
    doctor = _Doctor(store, settings, tuple(problems), health(store, settings))
    found = [found for check in doctor.checks() for found in check()]
    return [_mended(item) if fix else item.finding for item in found]


def _mended(item: _Sick) -> Finding:
    if item.finding.ok or item.cure is None:
        return item.finding
    try:
        item.cure()
    except (OSError, NoctuaryError) as error:
        return replace(
            item.finding,
            mend=phrase("{mend} (mending failed: {error})", mend=item.finding.mend, error=error),
        )
    return replace(item.finding, ok=True, fixed=True)


def _well(check: str, said: str) -> _Sick:
    return _Sick(Finding(check, True, said))


def _sick(check: str, said: str, mend: str, cure: Mend | None = None) -> _Sick:
    return _Sick(Finding(check, False, said, mend), cure)


@dataclass(frozen=True, slots=True)
class _Doctor:
    """The checks, in the order in which a person should mend."""

    store: Store
    settings: Settings
    problems: tuple[Problem, ...]
    nights: Health

    def checks(self) -> tuple[Callable[[], Iterator[_Sick]], ...]:
        return (
            self.settings_file, self.permissions, self.disk, self.clock, self.notes, self.brake,
            self.interrupted, self.locks, self.git, self.distiller, self.search, self.meaning,
            self.watching, self.daemon, self.dreams,
        )  # fmt: skip

    def settings_file(self) -> Iterator[_Sick]:
        for problem in self.problems:
            yield _sick("settings", problem.said, phrase("correct that line"))
        if not self.problems:
            yield _well("settings", phrase("noctuary.toml is sound"))

    def permissions(self) -> Iterator[_Sick]:
        root, state = self.store.root, self.store.layout.state
        if not os.access(root, os.W_OK | os.X_OK):
            yield _sick(
                "permissions",
                phrase("{root} cannot be written to", root=root),
                phrase("make {root} your own", root=root),
            )
        elif sys.platform != "win32" and stat.S_IMODE(state.stat().st_mode) & 0o077:
            what = phrase("others on this machine can read {state}", state=state)
            yield _sick(
                "permissions",
                what,
                phrase("chmod 700 {state}", state=state),
                lambda: state.chmod(0o700),
            )
        else:
            yield _well("permissions", phrase("the vault can be written to, its state is private"))

    def disk(self) -> Iterator[_Sick]:
        free = shutil.disk_usage(self.store.root).free
        said = phrase("{size:,.1f} GB free", size=free / 1e9)
        if free < LITTLE_ROOM:
            yield _sick(
                "disk",
                phrase("only {said}", said=said),
                phrase("make room, or dreams will stop half-way"),
            )
        else:
            yield _well("disk", said)

    def clock(self) -> Iterator[_Sick]:
        newest = max((at for at in self._file_times() if at), default=0) / 1e9
        now = datetime.now(UTC)
        if newest and datetime.fromtimestamp(newest, UTC) - now > AHEAD:
            what = phrase(
                "a note was changed in the future; this machine says {now:%Y-%m-%d %H:%M} UTC",
                now=now,
            )
            yield _sick("clock", what, phrase("set the clock of this machine, or touch that note"))
        else:
            yield _well(
                "clock",
                phrase("{clock:%Y-%m-%d %H:%M} in the vault's zone", clock=self.store.clock()),
            )

    def _file_times(self) -> Iterator[int]:
        survey = Survey(self.store.root)
        survey.rescan()
        return (stamp[1] for stamp in survey.stamps.values())

    def notes(self) -> Iterator[_Sick]:
        found = self.store.snapshot().problems
        for problem in found[:_MOST_NOTES]:
            yield _sick("notes", problem.said, phrase("see there"))
        if len(found) > _MOST_NOTES:
            more = len(found) - _MOST_NOTES
            yield _sick(
                "notes",
                phrase("{more} more notes have problems", more=more),
                phrase("`noctuary status` lists all"),
            )
        if not found:
            yield _well("notes", phrase("every note can be read"))

    def brake(self) -> Iterator[_Sick]:
        survey = Survey(self.store.root)
        survey.rescan()
        brake = Brake(self.store.disk)
        gone = brake.gone_cards(survey.stamps)
        why = brake.why(survey.stamps)
        if not why and is_mass(len(gone) + len(survey.stamps), len(gone)):
            why = phrase(
                "{count} cards are gone since the last dream, for example {gone}",
                count=len(gone),
                gone=gone[0],
            )
        if why:
            mend = phrase("put them back, or say with --fix that they may be gone")
            yield _sick("files", why, mend, lambda: self._accept(brake))
        else:
            yield _well("files", phrase("nothing is missing"))

    def _accept(self, brake: Brake) -> None:
        self.store.accept_deletions()
        brake.release()

    def interrupted(self) -> Iterator[_Sick]:
        if read_journal(self.store.disk) is None or is_held(self.store.layout.state, "lock"):
            yield _well("journal", phrase("no dream is half-way"))
            return
        what = phrase("a dream was interrupted while it was writing")
        yield _sick("journal", what, phrase("the next dream finishes it"), self.store.recover)

    def locks(self) -> Iterator[_Sick]:
        owner = self.store.layout.state / "owner.json"
        if owner.exists() and not is_held(self.store.layout.state, "lock"):
            what = phrase("a process that wrote to the vault ended without a word")
            mend = phrase("remove {owner}", owner=owner)
            yield _sick("locks", what, mend, lambda: owner.unlink(missing_ok=True))
        else:
            yield _well("locks", phrase("no lock is left behind"))

    def git(self) -> Iterator[_Sick]:
        standing = self.store.history.standing()
        lock = self.store.root / ".git" / "index.lock"
        if standing.state is GitState.BUSY:
            yield _sick("git", standing.why, phrase("dreams wait until then"))
        elif standing.state is GitState.NONE:
            mend = phrase("`git init` in the vault, or git = false in [history]")
            yield _sick("git", standing.why, mend)
        elif lock.exists() and _age(lock) > OLD_LOCK:
            what = phrase("{lock} is left behind by a git that ended without a word", lock=lock)
            yield _sick("git", what, phrase("remove it, when no git is at work"))
        else:
            yield _well("git", standing.why or phrase("each dream becomes one commit"))

    def distiller(self) -> Iterator[_Sick]:
        name = self.settings.dream.distiller
        from noctuary.thinker import offline, try_profile

        if name == profiles.OFFLINE:
            try:
                offline()
                yield _well("distiller", phrase("offline: rules, no network"))
            except NoctuaryError as error:
                yield _sick("distiller", error.args[0], phrase("until then nothing is dreamt"))
            return
        try:
            tried = try_profile(name)
            ok, said = tried.ok, tried.said
        except NoctuaryError as error:
            ok, said = False, error.args[0]
        mend = phrase(
            "`noctuary profile test {name}`; until then dreams fall back or wait, as set", name=name
        )
        yield _well("distiller", said) if ok else _sick("distiller", said, mend)

    def search(self) -> Iterator[_Sick]:
        from noctuary.recall.index import Index, IndexDamagedError

        cache = lasting_cache(self.store.vault_id)
        index = Index(cache / "index")
        if not may_be_made(cache):
            what = phrase(
                "{cache} may not be written to, so each question builds the index anew", cache=cache
            )
            yield _sick(
                "search", what, phrase("set $NOCTUARY_CACHE to a folder that may be written to")
            )
        elif not index.exists():
            yield _well("search", phrase("the index is built at the next question"))
        else:
            try:
                index.search({"a": 1.0}, 1)
                yield _well("search", phrase("the index can be read"))
            except IndexDamagedError as error:
                yield _Sick(Finding("search", True, error.args[0], fixed=True))

    def meaning(self) -> Iterator[_Sick]:
        from noctuary.recall.embedding import embedder, trouble

        wanted = self.settings.recall.semantic
        if wanted and (why := trouble()):
            what = phrase(
                "by words alone, since the extra `semantic` cannot be used: {why}", why=why
            )
            yield _sick(
                "finding", what, phrase("install it again, or set semantic = false in [recall]")
            )
            return
        if embedder() is None:
            said = phrase("by words; also by meaning with the extra `semantic` of this package")
        elif wanted:
            said = phrase("by words and by meaning (the extra `semantic`)")
        else:
            said = phrase("by words: semantic = false in [recall]")
        yield _well("finding", said)

    def watching(self) -> Iterator[_Sick]:
        try:
            limit = int(_WATCHES.read_text("ascii"))
        except (OSError, ValueError):
            return
        survey = Survey(self.store.root)
        survey.rescan()
        need = survey.folders()
        if need * 2 > limit:
            setting = phrase(
                "sudo sysctl fs.inotify.max_user_watches={max}", max=max(524_288, need * 4)
            )
            what = phrase(
                "the system allows {limit:,} watches; this vault needs {need:,}",
                limit=limit,
                need=need,
            )
            yield _sick(
                "watching", what, phrase("`{setting}`, or `noctuary watch --poll`", setting=setting)
            )
        else:
            yield _well(
                "watching",
                phrase(
                    "{need:,} of {limit:,} watches that the system allows", need=need, limit=limit
                ),
            )

    def daemon(self) -> Iterator[_Sick]:
        found = self.nights.daemon
        silent = [item for item in self.nights.problems if item.startswith("The daemon")]
        for item in silent:
            yield _sick("daemon", item, phrase("see there"))
        if silent:
            return
        coming = (
            phrase("; next dream: {words}", words=self.nights.coming.words)
            if self.nights.coming
            else ""
        )
        if found.running:
            yield _well(
                "daemon",
                phrase(
                    "running, process {pid} ({mode}){coming}",
                    pid=found.pid,
                    mode=found.mode,
                    coming=coming,
                ),
            )
        else:
            yield _well("daemon", phrase("none runs: dreams come when you ask for them"))

    def dreams(self) -> Iterator[_Sick]:
        attempts = self.nights.attempts
        said = phrase(
            "{failures} dreams in a row failed: {why}", failures=attempts.failures, why=attempts.why
        )
        if self.nights.red:
            yield _sick("dreams", said, phrase("mend what it says, then `noctuary dream`"))
        elif attempts.failures:
            yield _well("dreams", phrase("{said}; the daemon tries again", said=said))
        else:
            yield _well("dreams", phrase("the last dream did its work, or there was none"))


def _age(file: Path) -> timedelta:
    with suppress(OSError):
        return datetime.now(UTC) - datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return timedelta()
