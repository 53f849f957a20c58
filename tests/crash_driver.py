"""Kills dreams at chosen mutations and says what became of the vault; run as a program.

It is a process of its own because it forks, which a test runner with threads should not.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).parent),
    str(Path(__file__).parent.parent / "daemon"),
]

from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError
from noctuary.vault.transaction import Transaction
from vault_kit import (
    DREAM,
    SESSIONS,
    Night,
    count_mutations,
    counting,
    dream_commits,
    furnished_vault,
    git,
    graves,
    night_of,
    open_store,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctuary.vault.files import Hook


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(run: Callable[[Hook], object], point: int) -> bool:
    """Run in a child that is killed just before mutation `point`; False when it got through."""
    child = os.fork()
    if child == 0:
        try:
            run(counting(point, die))
        except BaseException:  # noqa: BLE001 - a child must never return into the parent
            os._exit(3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"the child failed at point {point}")
    return os.WIFSIGNALED(status)


class Case:
    """One shape of a dream, its start, its plan and its right end."""

    def __init__(self, work: Path, shape: str) -> None:
        self.work = work
        self.start = furnished_vault(work / "start")
        self.night: Night = night_of(self.start, shape)
        self.before = visible(self.start)
        self.stage = git(self.start, "status", "--porcelain", "user.txt")
        clean = self.copy("clean")
        self.met_locks = 0
        begun = time.monotonic()
        self.mutations = count_mutations(lambda hook: self.dream(clean, hook))
        self.seconds = time.monotonic() - begun
        self.after = visible(clean)
        self.committed = self.paths_of_commit(clean)

    def copy(self, name: str) -> Path:
        target = self.work / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.start, target, symlinks=True)
        return target

    def dream(self, root: Path, hook: Hook | None = None) -> None:
        store = open_store(root, hook)
        store.apply(DREAM, self.night.writes, f"Dream {DREAM}", self.night.purge)

    def paths_of_commit(self, root: Path) -> list[str]:
        commits = dream_commits(root)
        names = [git(root, "show", "--format=", "--name-only", commit) for commit in commits]
        return sorted("".join(names).split())

    # -- oracles --------------------------------------------------------------------------------

    def torn(self, root: Path) -> list[str]:
        """Right after the crash: each file is old or new, and purged only behind a commit."""
        now = visible(root)
        wrong = [
            f"{path} is neither old nor new"
            for path, data in now.items()
            if data not in (self.before.get(path), self.after.get(path))
        ]
        purged = [name for name in self.night.purge if _purged(root, name)]
        if purged and len(dream_commits(root)) != 1:
            wrong.append(f"{purged} purged without a commit")
        return wrong

    def unlike_clean(self, root: Path) -> list[str]:
        """After the rerun: the same end as without a crash."""
        wrong = []
        if visible(root) != self.after:
            wrong.append("the end differs from a run without a crash")
        if len(dream_commits(root)) != 1 or self.paths_of_commit(root) != self.committed:
            wrong.append(f"commits: {dream_commits(root)} {self.paths_of_commit(root)}")
        if git(root, "status", "--porcelain", "user.txt") != self.stage:
            wrong.append("staged work was touched")
        if list((root / ".noctuary" / "stage").glob("*")):
            wrong.append("bytes are left on stage")
        buried = b"".join(graves(root))
        wrong += [
            f"{path} is in no grave"
            for path, data in self.before.items()
            if self.after.get(path) != data and data not in buried
        ]
        return wrong

    # -- runs -----------------------------------------------------------------------------------

    def once(self, point: int) -> list[str]:
        root = self.copy("victim")
        killed(lambda hook: self.dream(root, hook), point)
        wrong = self.torn(root)
        self.dream(root)
        return wrong + self.unlike_clean(root)

    def twice(self, point: int, second: int) -> list[str]:
        root = self.copy("victim")
        killed(lambda hook: self.dream(root, hook), point)
        killed(lambda hook: self.dream(root, hook), second)
        wrong = self.torn(root)
        self.dream(root)
        return wrong + self.unlike_clean(root)

    def at_any_time(self, seconds: float) -> list[str]:
        """The whole process group dies, git in the middle of its work included."""
        root = self.copy("victim")
        child = os.fork()
        if child == 0:
            os.setpgrp()
            self.dream(root)
            os._exit(0)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        wrong = self.torn(root)
        self.met_locks += (root / ".git" / "index.lock").exists()
        self.dream(root)
        locks = [path.name for path in (root / ".git").rglob("*.lock")]
        return wrong + [f"{name} is left" for name in locks] + self.unlike_clean(root)


def _purged(root: Path, name: str) -> bool:
    text = (root / f"episodes/2026/11/{name}.md").read_text(encoding="utf-8")
    return not any(f"{session} says" in text for session in SESSIONS)


def purge_before_commit() -> None:
    """The mutant: forgets raw entries before git has their cards."""
    commit = Transaction._commit

    def hasty(self: Transaction, journal: object) -> None:
        self._purge(journal)  # type: ignore[arg-type]
        commit(self, journal)  # type: ignore[arg-type]

    Transaction._commit = hasty  # type: ignore[method-assign]


def main(
    work: Path, shape: str, share: float, doubles: int, kills: int, mutant: str
) -> dict[str, object]:
    if mutant == "purge-first":
        purge_before_commit()
    case = Case(work, shape)
    dice = random.Random(f"{shape} {share}")
    points = [point for point in range(1, case.mutations + 1) if dice.random() < share]
    found = {f"{point}": case.once(point) for point in points}
    for _ in range(doubles):
        one, two = dice.randint(1, case.mutations), dice.randint(1, case.mutations)
        found[f"{one}+{two}"] = case.twice(one, two)
    for number in range(kills):
        found[f"kill {number}"] = case.at_any_time(dice.uniform(0, case.seconds))
    return {
        "locks": case.met_locks,
        "mutations": case.mutations,
        "points": len(found),
        "wrong": {point: wrong for point, wrong in found.items() if wrong},
    }


if __name__ == "__main__":
    folder, shape_, share_, doubles_, kills_, mutant_ = sys.argv[1:]
    try:
        said = main(Path(folder), shape_, float(share_), int(doubles_), int(kills_), mutant_)
    except NoctuaryError as error:
        raise SystemExit(str(error)) from error
    sys.stdout.write(json.dumps(said))
