"""A session that knows when to sleep, for agents that run without the daemon."""

from __future__ import annotations

from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

from noctuary.day.daybook import Session
from noctuary.intake.common import Where
from noctuary.memory.entry import Role, TaskMark
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from noctuary.api import Vault
    from noctuary.day.daybook import Logged
    from noctuary.memory.report import DreamReport
    from noctuary.recall.wake import Wake


class SessionTracker(Session):
    """A session that logs each turn, keeps the queue of open tasks, and says when to sleep.

    It is time when nothing was said for `idle_minutes`, the session lasted `min_session_minutes`
    before that (both in the vault's settings), and no task is open. Safe to use from threads.

    Args:
        session: Name of the session; without one it gets one.
        clock: Local time of the vault, if not the vault's own clock.
    """

    def __init__(
        self,
        vault: Vault,
        agent: str = "",
        project: str = "",
        user: str = "",
        *,
        session: str = "",
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        from secrets import token_hex

        book = vault.daybook(clock)
        super().__init__(book, Where(session or token_hex(3), agent, project, user))
        self._vault = vault
        self._lock = Lock()
        self._began: datetime | None = None
        self._latest: datetime | None = None
        self._tasks: list[str] = []
        self._messages = 0
        self.last_sleep: DreamReport | None = None
        self.sleeps = 0

    @property
    def messages(self) -> int:
        """How many turns were logged since the last sleep."""
        return self._messages

    @property
    def open_tasks(self) -> tuple[str, ...]:
        """Tasks that were opened and not closed, oldest first."""
        return tuple(self._tasks)

    def begin(self, task: str) -> Logged | None:
        """A task is open from now on, also over sleeps; `task` does this for a `with` block."""
        return self._log(task, Role.TASK, task=TaskMark.OPEN)

    def finish(self, task: str) -> Logged | None:
        """A task is done."""
        return self._log(task, Role.TASK, task=TaskMark.DONE)

    def should_sleep(self, now: datetime | None = None) -> bool:
        """Whether it is time to dream."""
        return not self.awake_because(now)

    def awake_because(self, now: datetime | None = None) -> str:
        """Why it is not time to dream, in words; empty when it is."""
        rules = self._vault.settings.triggers
        with self._lock:
            if self._began is None or self._latest is None:
                return phrase("nothing was said since the last sleep")
            if self._tasks:
                return phrase("a task is open: {tasks}", tasks=self._tasks[0])
            if self._latest - self._began < timedelta(minutes=rules.min_session_minutes):
                return phrase(
                    "the session is shorter than {min_session_minutes} minutes",
                    min_session_minutes=rules.min_session_minutes,
                )
            idle = (now or self._daybook.now()) - self._latest
            if idle < timedelta(minutes=rules.idle_minutes):
                return phrase(
                    "the last word is less than {idle_minutes} minutes ago",
                    idle_minutes=rules.idle_minutes,
                )
        return ""

    def wake(self, budget: int | None = None) -> Wake:
        """What to know at the start, for this session's project and person."""
        return self._vault.context(budget, project=self._where.project, user=self._where.user)

    def sleep(self, *, deep: bool = False) -> DreamReport:
        """Dream now; `sessions` of the report has what each session came to.

        Raises:
            VaultBusy: Another process is writing, or dreaming; try again later.
            DistillerError: Who should think cannot.
        """
        report = self._vault.dream(deep=deep, trigger="idle", now=self._daybook.now())
        with self._lock:
            self._began = self._latest = None
            self._messages = 0
            self.sleeps += 1
            self.last_sleep = report
        return report

    def _heard(self, text: str, at: datetime | None, task: TaskMark | None) -> None:
        with self._lock:
            moment = at or self._daybook.now()
            self._began = self._began or moment
            self._latest = max(moment, self._latest or moment)
            self._messages += 1
            if task is TaskMark.OPEN and text not in self._tasks:
                self._tasks.append(text)
            if task is TaskMark.DONE and text in self._tasks:
                self._tasks.remove(text)
