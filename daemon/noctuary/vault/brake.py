"""The brake: when very many files are gone at once, no dream until they are back or a person agrees.

A half-synced or unmounted vault must not be taken for a person's wish to forget.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.tongue import phrase
from noctuary.vault.layout import note_name
from noctuary.vault.state import read_ledger
from noctuary.vault.tally import is_mass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from noctuary.vault.files import Disk

GUARDED = ("cards", "inbox", "archive", "episodes")


@dataclass(frozen=True, slots=True)
class Brake:
    """The brake of one vault; `.noctuary/brake.json` says that it is on, and for which files."""

    disk: Disk

    @property
    def _path(self) -> Path:
        return self.disk.layout.state / "brake.json"

    def pull(self, gone: Iterable[str]) -> None:
        """Stop dreams until these files are back, or a person says that they may be gone."""
        wanted = sorted(set(gone) | set(self.missing(())))
        self.disk.put_state(self._path, json.dumps(wanted, ensure_ascii=False).encode())

    def release(self) -> None:
        """Let dreams run again."""
        self.disk.unlink(self._path)

    def missing(self, there: Collection[str]) -> list[str]:
        """The files for which the brake is on and that are not among those that are there."""
        try:
            listed = json.loads(self.disk.read(self._path) or b"[]")
        except ValueError:
            return []
        return [path for path in listed if isinstance(path, str) and path not in there]

    def why(self, there: Collection[str]) -> str:
        """A sentence when the brake is on; empty when it is off. It comes off when files are back."""
        missing = self.missing(there)
        if not missing:
            return ""
        return phrase(
            "{count} files are gone at once, for example {missing}: no dream until they are back; if that was on purpose, say so with `noctuary doctor --fix`.",
            count=len(missing),
            missing=missing[0],
        )

    def gone_cards(self, there: Collection[str]) -> list[str]:
        """Cards that the program wrote and that are not in their place."""
        ledger = read_ledger(self.disk)
        if ledger is None:
            return []
        return [path for path, item in ledger.files.items() if item.card and path not in there]


@dataclass(slots=True)
class Losses:
    """What went lately, in the eyes of a daemon; much of it at once pulls the brake.

    Attributes:
        together: Seconds within which losses count as one.
    """

    brake: Brake
    together: float = 900.0
    gone: dict[str, float] = field(default_factory=dict)
    on: bool = False

    def note(self, paths: Iterable[str], ticks: float) -> None:
        """These files went now."""
        self.gone |= {path: ticks for path in paths if path.startswith(GUARDED)}

    def judge(self, there: Collection[str], ticks: float) -> str:
        """Why no dream may run; empty when it may. A note under another path is not gone."""
        names = {note_name(path) for path in there} if self.gone else set()
        self.gone = {
            path: at
            for path, at in self.gone.items()
            if at >= ticks - self.together and note_name(path) not in names
        }
        known = len(self.gone) + sum(path.startswith(GUARDED) for path in there)
        if self.gone and not self.on and is_mass(known, len(self.gone)):
            self.brake.pull(self.gone)
        why = self.brake.why(there)
        if self.on and not why:
            self.gone.clear()
            self.brake.release()
        self.on = bool(why)
        return why
