"""A daemon's keeper in a world whose clock stands still until it is moved."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from noctuary.api import Vault
from noctuary.errors import NoctuaryError, VaultBusy
from noctuary.memory.report import Result
from noctuary.service.errands import BUSY, DONE, FAILED, Errand, Outcome, Task
from noctuary.service.keeper import Keeper, Rhythm, World
from noctuary.vault.lookout import Pace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from noctuary.distil.protocol import Distiller

MONDAY = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass
class Done:
    """An errand that was over before anybody asked."""

    found: Outcome

    def outcome(self) -> Outcome | None:
        return self.found

    def ask(self) -> None:
        pass

    def stop(self) -> None:
        pass


@dataclass
class Sandbox:
    """The world of a test: its own clock, errands in this very process."""

    folder: Path
    now: datetime = MONDAY
    slept: float = 0.0
    poll: float = 10.0
    tasks: list[tuple[datetime, Task]] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    distiller: Distiller | None = None
    stands_in: Callable[[Task], Outcome | None] = lambda _task: None

    def world(self) -> World:
        return World(
            now=lambda: self.now,
            ticks=lambda: self.now.timestamp() - self.slept,
            wake=lambda: None,
            errands=self,
            cache=lambda name: self.folder / name,
            alarm=self.alarms.append,
            poll=True,
            rhythm=Rhythm(pace=Pace(supervise=self.poll, poll=self.poll)),
        )

    def local(self) -> datetime:
        return self.now.replace(tzinfo=None, microsecond=0)

    def start(self, root: Path, task: Task, wake: Callable[[], None]) -> Errand:
        self.tasks.append((self.now, task))
        return Done(self.stands_in(task) or self._run(root, task))

    def _run(self, root: Path, task: Task) -> Outcome:
        vault = Vault.open(root, clock=self.local)
        try:
            if task.kind == "tidy":
                vault.tidy()
                return Outcome(DONE)
            report = vault.dream(
                trigger=task.trigger, settle=task.settle, deep=task.deep, distiller=self.distiller
            )
        except VaultBusy as error:
            return Outcome(BUSY, str(error))
        except NoctuaryError as error:
            return Outcome(FAILED, str(error), noted=True)
        state = FAILED if report.result is Result.FAILED else DONE
        data: dict[str, object] = {"seen": report.seen, "absorbed": report.absorbed}
        return Outcome(state, report.summary, noted=True, data=data)

    @property
    def dreams(self) -> list[tuple[datetime, Task]]:
        return [(at, task) for at, task in self.tasks if task.kind == "dream"]

    def pass_time(self, keeper: Keeper, **length: float) -> None:
        """Let the keeper live through so much time, turn by turn."""
        end = self.now + timedelta(**length)
        turns = 0
        while self.now < end:
            turns += 1
            assert turns < 20_000, "the keeper turns without end"
            pause = keeper.turn()
            self.now = min(end, self.now + timedelta(seconds=max(pause, 0.01)))
        keeper.turn()

    def sleep(self, **length: float) -> None:
        """The machine sleeps: the clock goes on, the ticks do not."""
        self.now += timedelta(**length)
        self.slept += timedelta(**length).total_seconds()

    def set_clock(self, **by: float) -> None:
        """Somebody sets the clock."""
        self.sleep(**by)
