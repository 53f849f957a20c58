"""What git knows of the vault: one commit per dream, the person's own work never touched.

Only the git program is used, with `commit --only`: it alone leaves what a person has staged alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from shutil import which
from socket import gethostname
from typing import TYPE_CHECKING

from noctuary.config import HistorySettings
from noctuary.errors import HistoryError
from noctuary.tongue import phrase
from noctuary.vault.files import look
from noctuary.vault.gitsaid import UNDER_WAY, Reply, no_repository, refusal
from noctuary.vault.layout import FOLDERS, PAGES, SETUP_FILES, STATE_DIR
from noctuary.vault.reading import is_leftover

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

TRAILER = "Dream-Id"
SEARCHED = 50
_LOCK_WAIT = 30.0
_NAME = "Noctuary"
_MAIL = "noctuary@localhost"
RAW = "episodes"
ZONES = (*FOLDERS, *PAGES, *SETUP_FILES)
_STATUS = ("status", "--porcelain", "-z", "-uall", "--no-renames")
_UNKNOWN = "??"
_ARGUMENTS = 500
_CLOCK_SLACK = 2.0
_OLD_LOCK = 600.0
_TRY_AGAIN = ("index.lock", ".lock': File exists", "did not match any file", "cannot lock ref")


class GitState(StrEnum):
    """Whether dreams can be committed."""

    OFF = "off"
    NONE = "none"
    READY = "ready"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of git with its reason in words, where it is not ready."""

    state: GitState
    why: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The git side of one vault.

    Attributes:
        wait: Seconds to wait for a lock that another git holds.
    """

    root: Path
    settings: HistorySettings = field(default_factory=HistorySettings)
    wait: float = _LOCK_WAIT

    # -- calling git --------------------------------------------------------------------------

    def git(self, *args: str, stdin: bytes = b"", options: Sequence[str] = ()) -> Reply:
        """Run git in the vault, with settings that make it durable and leave bytes as they are."""
        command = ["git", "-C", str(self.root), *_literal(args), *self._config(), *options]
        done = subprocess.run(
            [*command, *args], input=stdin, capture_output=True, check=False, env=_environment()
        )
        return Reply(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def _config(self) -> list[str]:
        pairs = ["core.fsync=all", "core.autocrlf=false", "core.safecrlf=false"]
        pairs += ["core.quotepath=false", "gc.autoDetach=false", "advice.addIgnoredFile=false"]
        if not self.settings.hooks:
            pairs.append(f"core.hooksPath={self.root / '.noctuary' / 'no-hooks'}")
        if not self.settings.sign:
            pairs.append("commit.gpgsign=false")
        return [part for pair in pairs for part in ("-c", pair)]

    # -- where we stand -----------------------------------------------------------------------

    def standing(self) -> Standing:
        """Whether a dream can be committed now, and if not, why."""
        if not self.settings.git:
            return Standing(GitState.OFF, phrase("Git is switched off in noctuary.toml."))
        if which("git") is None:
            return Standing(
                GitState.NONE, phrase("There is no git program, so dreams have no history.")
            )
        found = self.git("rev-parse", "--absolute-git-dir")
        if found.code:
            return Standing(GitState.NONE, no_repository(found.err))
        if self._ignored():
            why = phrase(
                "Git ignores this folder; make a repository in it with `git init` for history."
            )
            return Standing(GitState.NONE, why)
        return self._busy(Path(found.text))

    def _ignored(self) -> bool:
        return self.git("check-ignore", "-q", "cards/any.md").code == 0

    def _busy(self, git_dir: Path) -> Standing:
        for mark, what in UNDER_WAY.items():
            if (git_dir / mark).exists():
                return Standing(
                    GitState.BUSY, phrase("{what} is under way; finish it first.", what=what)
                )
        if self.git("symbolic-ref", "-q", "HEAD").code:
            why = phrase("No branch is checked out; check one out with `git switch BRANCH` first.")
            return Standing(GitState.BUSY, why)
        return Standing(GitState.READY)

    def require_calm(self) -> bool:
        """Refuse to go on while git is in the middle of something; True when it can commit.

        Raises:
            HistoryError: A merge, rebase, cherry-pick or bisect is under way, or HEAD is detached.
        """
        standing = self.standing()
        if standing.state is GitState.BUSY:
            raise HistoryError(phrase("The dream waits: {why}", why=standing.why))
        return standing.state is GitState.READY

    # -- committing ---------------------------------------------------------------------------

    def init(self) -> bool:
        """Make a repository, if the vault lies in none that records it; True when it was made."""
        if not self.settings.git or which("git") is None:
            return False
        if self.git("rev-parse", "--git-dir").code == 0 and not self._ignored():
            return False
        return self.git("init", "-q").code == 0

    def commit(self, paths: Iterable[str], message: str, dream: str = "") -> str:
        """Commit these paths alone as they are on disk; returns the hash, empty if nothing changed.

        Raises:
            HistoryError: Git refused, or another git held its lock for too long.
        """
        self._clear_after_kill()
        if dream and (known := self.find(dream, SEARCHED)):
            return known
        changed = self.status(paths)
        if not changed:
            return ""
        if dream:
            message = f"{message}\n\n{TRAILER}: {dream}\n"
        with self._marked_call():
            self._stubbornly(changed, _sayable(message), by_us=bool(dream))
        return self.git("rev-parse", "HEAD").text

    @contextmanager
    def _marked_call(self) -> Iterator[None]:
        """Leave a note while git writes: found later, it says that we were killed in a commit."""
        self._mark.parent.mkdir(mode=0o700, exist_ok=True)
        self._mark.write_text(json.dumps([time.time(), gethostname()]), encoding="utf-8")
        try:
            yield
        finally:
            self._mark.unlink(missing_ok=True)

    @property
    def _mark(self) -> Path:
        return self.root / STATE_DIR / "git-call.json"

    def _clear_after_kill(self) -> None:
        earlier = _mark_of_dead_call(self._mark)
        if earlier:
            self.break_own_locks(earlier)
        self._mark.unlink(missing_ok=True)

    def _stubbornly(self, paths: Mapping[str, str], message: str, *, by_us: bool) -> None:
        pause, patience = 0.05, self.wait
        while True:
            reply = self._once(paths, message, by_us=by_us)
            if reply.code == 0:
                return
            passing = any(sign in reply.err for sign in _TRY_AGAIN)
            if not passing or patience <= 0:
                raise HistoryError(refusal(reply, passing=passing))
            time.sleep(pause)
            patience -= pause
            pause = min(pause * 2, 2.0)

    def _once(self, paths: Mapping[str, str], message: str, *, by_us: bool) -> Reply:
        """Files that git does not know are told to it by name alone: a refusal leaves nothing staged."""
        listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
        unknown = [path for path, mark in paths.items() if mark == _UNKNOWN]
        if new := [path for path in unknown if os.path.lexists(self.root / path)]:
            added = self.git("add", "--intent-to-add", *listed, stdin=_nul(new))
            if added.code:
                return added
        quiet = ["-q"] if self.settings.hooks else ["-q", "--no-verify"]
        return self.git(
            "commit",
            "--only",
            *quiet,
            "-m",
            message,
            *listed,
            stdin=_nul(paths),
            options=self._identity(by_us=by_us),
        )

    def _identity(self, *, by_us: bool) -> list[str]:
        """Dreams sign as themselves; edits by hand as the person, where git knows the name."""
        if (
            not by_us
            and self.git("config", "user.name").text
            and self.git("config", "user.email").text
        ):
            return []
        return ["-c", f"user.name={_NAME}", "-c", f"user.email={_MAIL}"]

    def commit_hand_edits(self, message: str, within: Iterable[str] = ()) -> str:
        """Commit what the person changed in the vault, so that a dream's commit is the dream's alone.

        Only `within` these paths, where some are given. Files of which the person has staged a
        part are left to the person.
        """
        zones = [zone for zone in ZONES if zone != RAW or self.settings.track_episodes]
        found = self.status(within or zones).items()
        paths = [path for path, mark in found if mark[0] in " ?" and _is_worth_keeping(path)]
        return self.commit(paths, message) if paths else ""

    def status(self, paths: Iterable[str]) -> dict[str, str]:
        """Two-letter status of each path that differs and git may record, as `git status` has it."""
        listed = list(paths)
        found: dict[str, str] = {}
        prefix = self.git("rev-parse", "--show-prefix").text
        for start in range(0, len(listed), _ARGUMENTS):
            part = listed[start : start + _ARGUMENTS]
            reply = self.git(*_STATUS, "--", *part, options=("--no-optional-locks",))
            for item in reply.out.decode("utf-8", "surrogateescape").split("\0"):
                if item:
                    found[item[3:].removeprefix(prefix)] = item[:2]
        return found

    # -- locks of a git that died with us -----------------------------------------------------

    def break_own_locks(self, since: float) -> None:
        """Remove git locks born after `since`, when an earlier run of ours was killed in its commit.

        Only while no git process works in this repository; a lock of the person's own git is
        older or has a living owner.
        """
        if self._git_is_at_work():
            return
        for lock in self._lock_files():
            try:
                if lock.stat().st_mtime >= since - _CLOCK_SLACK:
                    lock.unlink()
            except FileNotFoundError:
                continue

    def _lock_files(self) -> list[Path]:
        git_dir = Path(self.git("rev-parse", "--absolute-git-dir").text)
        common = self.root / self.git("rev-parse", "--git-common-dir").text
        branch = self.git("symbolic-ref", "-q", "HEAD").text
        locks = [git_dir / "index.lock", git_dir / "HEAD.lock", common / f"{branch}.lock"]
        locks += [*git_dir.glob("next-index-*.lock"), common / "objects" / "maintenance.lock"]
        return [lock for lock in locks if lock.exists()]

    def _git_is_at_work(self) -> bool:
        """True when a git process stands in this work tree, or where one cannot tell."""
        top = self.git("rev-parse", "--show-toplevel").text
        processes = Path("/proc")
        if not (processes / "self" / "comm").exists():
            found = map(look, self._lock_files())
            return any(time.time() - lock.st_mtime < _OLD_LOCK for lock in found if lock)
        return any(_is_git_in(process, top) for process in processes.glob("[0-9]*"))

    # -- looking back -------------------------------------------------------------------------

    def written_by_dreams(self, folders: Sequence[str]) -> set[str]:
        """Paths that a dream changed last, and that are on disk as it left them."""
        if self.standing().state not in {GitState.READY, GitState.BUSY}:
            return set()
        shape = f"--format=%x00%(trailers:key={TRAILER},valueonly,separator=%x2C)"
        log = self.git("log", shape, "--name-only", "--relative", "--", *folders)
        last: dict[str, bool] = {}
        for commit in log.out.decode("utf-8", "surrogateescape").split("\0"):
            dream, _, names = commit.partition("\n")
            for path in filter(None, names.split("\n")):
                last.setdefault(path, bool(dream))
        changed = self.status(folders)
        return {path for path, by_dream in last.items() if by_dream and path not in changed}

    def find(self, dream: str, depth: int = 0) -> str:
        """Hash of the commit of a dream; empty when there is none."""
        limit = [f"-n{depth}"] if depth else []
        shape = f"--format=%H%x00%(trailers:key={TRAILER},valueonly,separator=%x2C)"
        for line in self.git("log", *limit, shape).text.splitlines():
            commit, _, found = line.partition("\0")
            if dream in found.split(","):
                return commit
        return ""

    def dreams(self) -> list[tuple[str, str]]:
        """Dream id and commit hash of every dream, newest first."""
        shape = f"--format=%H%x00%(trailers:key={TRAILER},valueonly,separator=%x2C)"
        lines = [line.partition("\0") for line in self.git("log", shape).text.splitlines()]
        return [(found, commit) for commit, _, found in lines if found]

    def diff(self, dream: str) -> str:
        """What a dream changed, as a patch; empty when git knows no such dream."""
        commit = self.find(dream)
        if not commit:
            return ""
        return self.git("show", "--format=", "--no-color", "--relative", commit).out.decode(
            "utf-8", "replace"
        )


def _mark_of_dead_call(mark: Path) -> float:
    try:
        since, host = json.loads(mark.read_text(encoding="utf-8"))
        return float(since) if host == gethostname() else 0.0
    except (OSError, ValueError, TypeError):
        return 0.0


def _literal(args: Sequence[str]) -> list[str]:
    """Names are names, never patterns; only `check-ignore` does not know the switch."""
    return [] if args[0] == "check-ignore" else ["--literal-pathspecs"]


def _is_git_in(process: Path, top: str) -> bool:
    try:
        name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
        return name.startswith("git") and str((process / "cwd").readlink()).startswith(top)
    except OSError:
        return False


def _is_worth_keeping(path: str) -> bool:
    return path.endswith((".md", *SETUP_FILES)) and not is_leftover(path)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    carried = {name: os.environ[name] for name in _CARRIED if name in os.environ}
    return kept | carried | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}


_CARRIED = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")


def _sayable(message: str) -> str:
    """What a system can hand to a program as one word of a command."""
    return message.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _nul(paths: Iterable[str]) -> bytes:
    return b"\0".join(os.fsencode(path) for path in paths)
