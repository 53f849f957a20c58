"""How far a dream has come on disk: PLANNED, APPLIED, COMMITTED, then nothing.

The journal is written whole before each step that depends on it, so that whatever stops the
machine, the next run knows what was meant and goes on.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.vault.files import Disk


class Stage(StrEnum):
    """The last step that is durable."""

    PLANNED = "planned"
    APPLIED = "applied"
    COMMITTED = "committed"


@dataclass(frozen=True, slots=True)
class Step:
    """One file to change.

    Attributes:
        path: Where the new bytes go.
        base: Digest of the file that is replaced; None when there must be none.
        digest: Digest of the new bytes; None for a burial.
        staged: Name of the file in `.noctuary/stage/` with the new bytes.
        moved_from: Where the file stood before, for a move; `base` is then its digest.
        owner: `person` when the file that is changed was edited by hand.
        card: Id of the card in it.
        marks: What the card says, see `rejected`.
        entries: Pairs of episode and entry id whose memory rests on this change.
    """

    path: str
    base: str | None
    digest: str | None
    staged: str = ""
    moved_from: str = ""
    owner: str = ""
    card: str = ""
    marks: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the step touches."""
        return (self.path, self.moved_from) if self.moved_from else (self.path,)


@dataclass(slots=True)
class Journal:
    """One dream's way through the disk.

    Attributes:
        purge: Episode name to ids of entries that go once the commit is made.
        purging: The purge as steps, planned when its turn came.
        lost: Steps that were dropped, since a person changed the file meanwhile.
        rejected: Marks of what a person threw away, which the ledger takes over.
    """

    dream: str
    stage: Stage
    message: str
    steps: tuple[Step, ...]
    purge: dict[str, list[str]] = field(default_factory=dict)
    purging: tuple[Step, ...] = ()
    done: tuple[str, ...] = ()
    lost: tuple[Step, ...] = ()
    commit: str = ""
    rejected: tuple[str, ...] = ()

    @property
    def dropped(self) -> tuple[str, ...]:
        """Paths of the steps that were dropped."""
        return tuple(dict.fromkeys(path for step in self.lost for path in step.paths))

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """Every step that may have bytes on stage."""
        return (*self.steps, *self.purging)


def journal_path(disk: Disk) -> Path:
    """Where the journal lies while a dream is under way."""
    return disk.layout.state / "journal.json"


def write_journal(disk: Disk, journal: Journal) -> None:
    """Make the journal's present stage durable."""
    disk.put_state(journal_path(disk), json.dumps(asdict(journal), ensure_ascii=False).encode())


def read_journal(disk: Disk) -> Journal | None:
    """The journal of a dream that did not come to its end; None when there is none.

    One that the disk has damaged is put aside: every file is whole without it, and nothing is
    purged that it would have purged.
    """
    path = journal_path(disk)
    data = disk.read(path)
    if data is None:
        return None
    try:
        return _decode(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError):
        disk.rename(path, path.with_name("journal.damaged"))
        return None


def clear_journal(disk: Disk) -> None:
    """The dream is finished."""
    disk.unlink(journal_path(disk))
    disk.sync_folder(disk.layout.state)


def _decode(content: dict[str, Any]) -> Journal:
    content["stage"] = Stage(content["stage"])
    for key in ("steps", "purging", "lost"):
        content[key] = tuple(_step(item) for item in content[key])
    content["done"] = tuple(content["done"])
    content["rejected"] = tuple(content.get("rejected", ()))
    return Journal(**content)


def _step(item: dict[str, Any]) -> Step:
    item["marks"] = tuple(item["marks"])
    item["entries"] = tuple((episode, entry) for episode, entry in item["entries"])
    return Step(**item)
