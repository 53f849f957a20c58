"""The daemon's loop: one thread that turns every vault's keeper and pauses in between.

Signals, file events and errands that end only put a word into a queue; all work is done here.
"""

from __future__ import annotations

import logging
import queue
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError, VaultBusy, VaultNotFound
from noctuary.resources import cache_folder
from noctuary.service.keeper import LOG, Keeper, World

__all__ = ["LOG", "Mailbox", "Service", "World", "this_world"]

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from noctuary.service.errands import Errands

WAKE, STOP, RELOAD = "wake", "stop", "reload"
LOOK_FOR_GONE = 5.0
SLICE = 5.0
"""The longest pause: an endless one would keep Ctrl-C from arriving on Windows."""


class Mailbox:
    """Words for the loop, from threads and signal handlers alike."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[str] = queue.SimpleQueue()

    def put(self, word: str) -> None:
        """Leave a word; safe at any time, even inside a signal handler."""
        self._queue.put(word)

    def wake(self) -> None:
        """End the loop's pause."""
        self.put(WAKE)

    def take(self, seconds: float) -> set[str]:
        """Pause until a word comes, but not longer; all words that are there."""
        found = set()
        try:
            found.add(self._queue.get(timeout=max(0.0, min(seconds, SLICE))))
            while True:
                found.add(self._queue.get_nowait())
        except queue.Empty:
            return found


def this_world(
    mail: Mailbox, errands: Errands, alarm: Callable[[str], object], *, poll: bool
) -> World:
    """The real clocks, and the user's own cache folder."""
    return World(
        now=lambda: datetime.now(UTC),
        ticks=time.monotonic,
        wake=mail.wake,
        errands=errands,
        cache=cache_folder,
        alarm=alarm,
        poll=poll,
    )


@dataclass(slots=True)
class Service:
    """Keeps several vaults until it is asked to stop.

    Attributes:
        tell: Told `ready`, `alive`, `reloading` and `stopping`, for whoever supervises us.
    """

    roots: Sequence[Path]
    world: World
    mail: Mailbox
    tell: Callable[[str], None] = lambda _word: None
    _keepers: dict[Path, Keeper | None] = field(default_factory=dict)
    _again: float = 0.0

    @property
    def _log(self) -> logging.Logger:
        return logging.getLogger(LOG)

    def run(self) -> None:
        """Keep the vaults until told to stop.

        Raises:
            VaultBusy: Other daemons have all of these vaults.
            VaultNotFound: None of them is a vault.
        """
        try:
            self._open_all()
            self.tell("ready")
            while self._round():
                pass
            self.tell("stopping")
            self._log.info("leaving")
        finally:
            self._leave()

    def _leave(self) -> None:
        """All errands are asked before the first one is waited for."""
        keepers = [(root, keeper) for root, keeper in self._keepers.items() if keeper]
        for _, keeper in keepers:
            keeper.hush()
        for root, keeper in keepers:
            self._close(root, keeper)

    def _round(self) -> bool:
        """One turn of every keeper and a pause; False when it is time to leave."""
        pauses = [self._turn(root) for root in self.roots]
        self.tell("alive")
        words = self.mail.take(min(pauses))
        if RELOAD in words:
            self._reload()
        return STOP not in words

    # -- vaults that come and go --------------------------------------------------------------

    def _open_all(self) -> None:
        problems: list[NoctuaryError] = []
        for root in self.roots:
            try:
                self._keepers[root] = self._opened(root)
            except (VaultBusy, VaultNotFound) as error:
                problems.append(error)
                self._keepers[root] = None
                self._log.error("%s", error)
        if len(problems) == len(self.roots):
            raise problems[0]

    def _opened(self, root: Path) -> Keeper:
        keeper = Keeper(root, self.world)
        keeper.open()
        return keeper

    def _turn(self, root: Path) -> float:
        keeper = self._keepers.get(root)
        if keeper is None:
            return self._look_for(root)
        try:
            return keeper.turn()
        except (FileNotFoundError, VaultNotFound):
            self._log.error("%s is gone, or another folder is in its place; waiting for it", root)
            self._close(root, keeper)
            return 0.0
        except (OSError, NoctuaryError) as error:
            self._log.error("%s: %s; trying again", root, error)
            return LOOK_FOR_GONE

    def _close(self, root: Path, keeper: Keeper) -> None:
        self._keepers[root] = None
        try:
            keeper.close()
        except OSError as error:
            self._log.debug("closing %s: %s", root, error)

    def _look_for(self, root: Path) -> float:
        """A vault that was gone, or somebody else's, may be back."""
        left = self._again - self.world.ticks()
        if left > 0:
            return left
        self._again = self.world.ticks() + LOOK_FOR_GONE
        try:
            self._keepers[root] = self._opened(root)
        except (OSError, NoctuaryError):
            return LOOK_FOR_GONE
        return 0.0

    def _reload(self) -> None:
        self.tell("reloading")
        for keeper in self._keepers.values():
            if keeper is not None:
                keeper.reload()
        self.tell("ready")
        self._log.info("settings read again")
