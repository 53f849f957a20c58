"""What the daemon has others do: dreams and tidying run in a process of their own.

So memory goes back to the system, a crash of a dream is no crash of the daemon, and leaving
within seconds is always possible.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STOPPED = "stopped"
BUSY = "busy"
FAILED = "failed"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Task:
    """One errand: `dream` or `tidy`.

    Attributes:
        trigger: What the report of a dream names as its reason.
    """

    kind: str
    trigger: str = ""
    settle: bool = True
    deep: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an errand.

    Attributes:
        state: `done`, `failed`, `busy` (somebody else writes to the vault) or `stopped` (by us).
        words: One line for the log.
        noted: The failure is in the vault's own record already.
    """

    state: str
    words: str = ""
    noted: bool = False
    data: dict[str, object] = field(default_factory=dict)


class Errand(Protocol):
    """An errand under way."""

    def outcome(self) -> Outcome | None:
        """What became of it; None while it runs."""
        ...

    def ask(self) -> None:
        """Ask it to leave soon, keeping what is done; comes back at once."""
        ...

    def stop(self) -> None:
        """Ask it to leave; after a few seconds it is made to."""
        ...


class Errands(Protocol):
    """Starts errands."""

    def start(self, root: Path, task: Task, wake: Callable[[], None]) -> Errand:
        """Begin; `wake` is called from any thread when it is over."""
        ...
