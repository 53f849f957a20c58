"""What an undoing did, change by change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What became of a change that was to be undone."""

    UNDONE = "undone"
    ALREADY = "already undone"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Taken:
    """One change with what became of it.

    Attributes:
        number: As in the report's list of changes; 0 for what stands in no list.
        card: Note name.
        words: What was done, or why nothing was.
    """

    number: int
    card: str
    outcome: Outcome
    words: str

    def as_json(self) -> dict[str, object]:
        """One change as `noctuary undo --json` prints it."""
        return {
            "change": self.number or None,
            "card": self.card,
            "outcome": str(self.outcome),
            "words": self.words,
        }


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did, or would do.

    Attributes:
        commit: Hash of its commit; empty without git, or when nothing changed.
        diff: The change as a unified diff.
        name: By which the undo can be undone; empty when nothing changed.
    """

    dream: str
    changes: tuple[Taken, ...]
    commit: str = ""
    diff: str = ""
    name: str = ""

    @property
    def left(self) -> tuple[Taken, ...]:
        """What could not be undone."""
        return tuple(item for item in self.changes if item.outcome is Outcome.LEFT)

    def as_json(self) -> dict[str, object]:
        """The shape that `noctuary undo --json` prints."""
        return {
            "dream": self.dream,
            "changes": [item.as_json() for item in self.changes],
            "commit": self.commit or None,
            "undo": self.name or None,
        }
