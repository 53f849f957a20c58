"""Waiting for what other threads and processes do: by condition, with a deadline, never by the clock."""

from __future__ import annotations

import logging
import queue
import time
from typing import TYPE_CHECKING

from noctuary.vault.lookout import Lookout, Pace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DEADLINE = 30.0
QUICK = Pace(rescan=3600.0, supervise=0.05, gather=0.02, poll=0.05)


def until(condition: Callable[[], object], what: str, seconds: float = DEADLINE) -> None:
    """Come back as soon as the condition holds; fail when it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come true in {seconds:g} seconds"
        time.sleep(0.02)


class Eyes:
    """A lookout whose hints wake whoever waits here, as they wake the daemon's loop."""

    def __init__(self, root: Path, *, poll: bool = False, pace: Pace = QUICK) -> None:
        self.words: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.lookout = Lookout(
            root, lambda: self.words.put("hint"), time.monotonic, time.time,
            logging.getLogger("noctuary.test"), pace, poll,
        )  # fmt: skip
        self.lookout.open()
        self.seen: set[str] = set()
        self.gone: set[str] = set()

    def look(self) -> None:
        changes = self.lookout.look()
        self.seen |= changes.fresh | changes.changed
        self.gone |= changes.gone

    def sees(self, *paths: str) -> None:
        """Wait until each of these is seen as new or changed, by hints alone."""

        def seen() -> bool:
            self.look()
            return set(paths) <= self.seen

        until(seen, f"seeing {paths}")

    def misses(self, *paths: str) -> None:
        """Wait until each of these is seen to be gone."""

        def gone() -> bool:
            self.look()
            return set(paths) <= self.gone

        until(gone, f"missing {paths}")
