"""What was recalled since the last dream: a side log, so that recall never writes to a card."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from noctuary.vault.state import json_lines, sealed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from noctuary.vault.files import Disk


@dataclass(frozen=True, slots=True)
class Reference:
    """One card was given to somebody at this moment."""

    card: str
    at: datetime


@dataclass(frozen=True, slots=True)
class References:
    """The side log of one vault."""

    disk: Disk

    @property
    def _log(self) -> Path:
        return self.disk.layout.state / "references.jsonl"

    @property
    def _taken(self) -> list[Path]:
        return sorted(self.disk.layout.state.glob("references.taken-*.jsonl"))

    def append(self, ids: Iterable[str], at: datetime) -> None:
        """Note that these cards were recalled; where nothing may be written an answer does not count."""
        with suppress(OSError):
            self._append(list(ids), at)

    def append_once(self, ids: Iterable[str], at: datetime) -> None:
        """Note those that were not noted on this day yet: an agent may wake a hundred times."""
        with suppress(OSError):
            noted = self._read(self._log)
            today = {found.card for found in noted if found.at.date() == at.date()}
            self._append([card for card in ids if card not in today], at)

    def _append(self, cards: list[str], at: datetime) -> None:
        if cards:
            line = {"at": at.isoformat(timespec="seconds"), "cards": cards}
            self.disk.append_state(self._log, sealed(line) + b"\n")

    def drain(self) -> list[Reference]:
        """All that no finished dream has counted yet; `settle` says that it is counted now."""
        if self._log.exists():
            name = f"references.taken-{len(self._taken):04d}.jsonl"
            self.disk.rename(self._log, self._log.with_name(name))
        return [item for path in self._taken for item in self._read(path)]

    def _read(self, path: Path) -> list[Reference]:
        return [item for line in json_lines(self.disk.read(path)) for item in _parse(line)]

    def settle(self) -> None:
        """The dream that drained the log is done."""
        for path in self._taken:
            self.disk.unlink(path)


def _parse(line: dict[str, object]) -> list[Reference]:
    cards = line.get("cards")
    try:
        at = datetime.fromisoformat(str(line.get("at")))
    except ValueError:
        return []
    return [Reference(str(card), at) for card in cards] if isinstance(cards, list) else []
