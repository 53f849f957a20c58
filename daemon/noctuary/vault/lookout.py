"""Looks after the files of one vault: follows hints, scans now and then, watches over the watching."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.vault.layout import CONFIG_FILE
from noctuary.vault.survey import Changes, Survey
from noctuary.vault.watch import EVERYTHING, ZONES, Hints, Polling, identity_of, watch

if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger, LoggerAdapter
    from pathlib import Path

    from noctuary.vault.watch import Watching

_SHARE = 50
"""A look may take a fiftieth of the time; the pause after it is as much longer."""
_SOON = 1.2
"""The longest pause while there are events: what happens is noticed within two seconds."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often what is looked at, in seconds.

    Attributes:
        gather: Pause after a look, so that a burst of events makes for one look.
        poll: The same where there are no events.
    """

    rescan: float = 300.0
    supervise: float = 5.0
    gather: float = 0.4
    poll: float = 1.5


@dataclass(slots=True)
class Lookout:
    """The eyes of a daemon on one vault; `ticks` are seconds that only grow, `age` that of a file."""

    root: Path
    wake: Callable[[], None]
    ticks: Callable[[], float]
    clock: Callable[[], float]
    log: Logger | LoggerAdapter[Logger]
    pace: Pace = field(default_factory=Pace)
    poll: bool = False
    survey: Survey = field(init=False)
    watching: Watching = field(init=False)
    hints: Hints = field(init=False)
    _identity: tuple[int, int] | None = None
    _held: int | None = None
    _rescan_at: float = 0.0
    _supervise_at: float = 0.0
    _look_at: float = 0.0

    def open(self) -> None:
        """Begin to watch, then look at everything once, so that nothing falls in between.

        Raises:
            FileNotFoundError: The vault is gone.
        """
        self._identity = identity_of(self.root)
        self._held = _hold(self.root)
        self.survey = Survey(self.root)
        self.hints = Hints(self.wake)
        try:
            self.watching = self._watch()
            self.survey.rescan()
        except BaseException:
            self._let_go()
            raise
        now = self.ticks()
        self._look_at = now
        self._rescan_at = now + self.pace.rescan
        self._supervise_at = now + self.pace.supervise

    def close(self) -> None:
        """Watch no more."""
        self.watching.stop()
        self._let_go()

    def _let_go(self) -> None:
        if self._held is not None:
            with suppress(OSError):
                os.close(self._held)
            self._held = None

    @property
    def stamps(self) -> dict[str, tuple[int, int, int, int]]:
        """Every watched file that is there."""
        return self.survey.stamps

    def _watch(self) -> Watching:
        watching = watch(self.root, self.hints, poll=self.poll)
        if isinstance(watching, Polling) and not self.poll:
            self.log.warning("looking at the files every few seconds instead: %s", watching.why)
        return watching

    def _watch_anew(self) -> None:
        self.watching.stop()
        self.watching = self._watch()

    # -- looking ------------------------------------------------------------------------------

    def look(self) -> Changes:
        """What changed since the last look, as far as it is time to look.

        Raises:
            FileNotFoundError: The vault is gone, or another folder is in its place.
        """
        now = self.ticks()
        if now >= self._supervise_at:
            self._supervise_at = now + self.pace.supervise
            self._supervise()
        if now >= self._rescan_at:
            return self._scheduled_scan()
        if now < self._look_at or not (self._polls or self.hints.waiting):
            return Changes()
        changes = self._follow(self.hints.take())
        self._pace_looks(now)
        return changes

    def scan(self) -> Changes:
        """Look at everything now."""
        self._rescan_at = self.ticks() + self.pace.rescan
        return self.survey.rescan()

    def hurry(self) -> None:
        """Look at everything at the next look."""
        self._rescan_at = self.ticks()

    def seconds(self) -> float:
        """Until there is something to do, if no hint comes."""
        wanted = [self._rescan_at, self._supervise_at]
        if self._polls or self.hints.waiting:
            wanted.append(self._look_at)
        return min(wanted) - self.ticks()

    @property
    def _polls(self) -> bool:
        return self.watching.mode == "polling"

    def _follow(self, hints: set[str]) -> Changes:
        if self._polls or EVERYTHING in hints:
            return self.survey.rescan()
        return self.survey.look(hints)

    def _pace_looks(self, began: float) -> None:
        """Events come in bursts, so that a short pause does; polling goes on for ever."""
        spent = self.ticks() - began
        if self._polls:
            pause = max(self.pace.poll, min(_SHARE * spent, self.pace.rescan))
        else:
            pause = max(self.pace.gather, min(_SHARE * spent, _SOON))
        self._look_at = began + pause

    def _scheduled_scan(self) -> Changes:
        """What no event told of, though it is not that new, means that events are lost."""
        hints = self.hints.take()
        changes = self.scan()
        untold = (changes.fresh | changes.changed) - hints
        told = self._polls or EVERYTHING in hints
        if not told and any(self._is_missed(path) for path in untold):
            self.log.warning("some file events did not arrive; watching anew")
            self._watch_anew()
        return changes

    def _is_missed(self, path: str) -> bool:
        age = self.clock() - self.stamps[path][1] / 1e9
        return path.startswith(ZONES) and age > self.pace.supervise

    def _supervise(self) -> None:
        if identity_of(self.root) != self._identity or not (self.root / CONFIG_FILE).is_file():
            raise FileNotFoundError(self.root)
        trouble = self.watching.trouble()
        if trouble:
            self.log.info("watching anew: %s", trouble)
            self._watch_anew()
            self.hurry()


def _hold(root: Path) -> int | None:
    """Keep the folder open: only then its number cannot be given to the one that replaces it."""
    return None if sys.platform == "win32" else os.open(root, os.O_RDONLY)
