"""One step of a dream on disk: put, replace, move or bury a file, unless a person was faster.

Every step can be run again after a crash at any point and ends the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.vault.files import displaced_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from noctuary.vault.files import Disk
    from noctuary.vault.graveyard import Graveyard
    from noctuary.vault.journal import Step


@dataclass(frozen=True, slots=True)
class Worker:
    """Carries out steps; each returns True when it is done, False when it was dropped."""

    disk: Disk
    graveyard: Graveyard
    clock: Callable[[], datetime]

    @property
    def stage(self) -> Path:
        """Where new bytes wait."""
        return self.disk.layout.state / "stage"

    def put_on_stage(self, name: str, data: bytes, mode: int, *, exact: bool) -> None:
        """Write new bytes where they wait; `exact` keeps the mode whatever the umask says."""
        self.disk.make_folder(self.stage, 0o700)
        self.disk.unlink(self.stage / name)
        self.disk.write_new(self.stage / name, data, mode)
        if exact:
            (self.stage / name).chmod(mode)

    def run(self, step: Step) -> bool:
        """Carry out one step, or finish it where a crash left it."""
        target = self.disk.guard(step.path)
        if step.digest is None:
            return self._bury(target, step.path, step.base)
        staged = self.stage / step.staged
        self._mend(staged)
        if step.moved_from:
            return self._move(step, staged, target)
        if step.base is None:
            return self._create(step, staged, target)
        return self._swap(step, staged, target)

    def _mend(self, staged: Path) -> None:
        """Finish a swap by hand, on systems without a real one, where a crash cut it in two."""
        kept = displaced_name(staged)
        if not kept.exists():
            return
        if staged.exists():
            self.disk.unlink(kept)
        else:
            self.disk.rename(kept, staged)

    # -- create -------------------------------------------------------------------------------

    def _create(self, step: Step, staged: Path, target: Path) -> bool:
        if not staged.exists():
            return True
        self.disk.make_folder(target.parent)
        if not self.disk.link(staged, target) and not self._is_there(step, staged, target):
            return False
        self.disk.sync_folder(target.parent)
        self.disk.unlink(staged)
        return True

    def _is_there(self, step: Step, staged: Path, target: Path) -> bool:
        return target.samefile(staged) or self.disk.digest(target) == step.digest

    # -- swap ---------------------------------------------------------------------------------

    def _swap(self, step: Step, staged: Path, target: Path) -> bool:
        waiting = self.disk.digest(staged)
        if waiting is None:
            return True
        if waiting == step.digest:
            now = self.disk.digest(target)
            if now != step.base:
                return now == step.digest
            self._exchange(staged, target)
        return self._look_at_displaced(step, staged, target)

    def _exchange(self, staged: Path, target: Path) -> None:
        self.disk.exchange(staged, target)
        self.disk.sync_folder(target.parent)
        self.disk.sync_folder(staged.parent)

    def _look_at_displaced(self, step: Step, staged: Path, target: Path) -> bool:
        displaced = self.disk.digest(staged)
        if displaced == step.base and displaced is not None:
            self.graveyard.bury(staged, step.path, displaced, self.clock())
            return True
        self._give_back(step, staged, target)
        return False

    def _give_back(self, step: Step, staged: Path, target: Path) -> None:
        """A person saved in the last moment: their file goes back to its place."""
        if self.disk.digest(target) != step.digest:
            self._keep(step, staged)
            return
        self.graveyard.copy(staged, step.path, self.clock())
        self._exchange(staged, target)
        if self.disk.digest(staged) != step.digest:
            self._exchange(staged, target)
            self._keep(step, staged)

    def _keep(self, step: Step, staged: Path) -> None:
        """Two saves of a person met: the later one has the name, the earlier gets its own."""
        digest = self.disk.digest(staged)
        if digest is not None:
            self.graveyard.rescue(staged, step.path, digest)

    # -- move and bury ------------------------------------------------------------------------

    def _move(self, step: Step, staged: Path, target: Path) -> bool:
        source = self.disk.guard(step.moved_from)
        if staged.exists() and self.disk.digest(source) != step.base:
            return False
        if not self._create(step, staged, target):
            return False
        if self._bury(source, step.moved_from, step.base):
            return True
        self._bury(target, step.path, step.digest)
        return False

    def _bury(self, target: Path, path: str, base: str | None) -> bool:
        now = self.disk.digest(target)
        if now is None or base is None:
            return now is None
        if now != base:
            return False
        grave = self.graveyard.bury(target, path, base, self.clock())
        if self.disk.digest(grave) == base:
            return True
        if self.disk.link(grave, target):
            self.disk.sync_folder(target.parent)
            self.disk.unlink(grave)
        return False
