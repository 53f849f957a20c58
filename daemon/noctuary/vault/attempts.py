"""How the last dreams went, also those that left no report: failures in a row, the last deep one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.vault.files import Disk

_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Attempts:
    """What is remembered; moments are ISO with offset, empty for never.

    Attributes:
        failures: Dreams in a row that failed, or absorbed nothing of what was pending.
        failed: When the last of them ended; `why` in words.
        deep: When the last deep dream ended well.
    """

    failures: int = 0
    failed: str = ""
    why: str = ""
    deep: str = ""


@dataclass(frozen=True, slots=True)
class AttemptLog:
    """The file that remembers; losing it costs a warning, or makes a deep dream come early."""

    disk: Disk

    @property
    def _path(self) -> Path:
        return self.disk.layout.state / "attempts.json"

    def read(self) -> Attempts:
        """What is known; nothing when the file is not there or cannot be read."""
        try:
            content = json.loads(self.disk.read(self._path) or b"{}")
            return Attempts(
                int(content.get("failures", 0)),
                _moment(content.get("failed")),
                str(content.get("why", "")),
                _moment(content.get("deep")),
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return Attempts()

    def note_failure(self, why: str, at: datetime) -> Attempts:
        """One more dream that did not do its work."""
        known = self.read()
        return self._write(
            replace(known, failures=known.failures + 1, failed=at.isoformat(), why=why[:_LONGEST])
        )

    def note_success(self, at: datetime, *, deep: bool) -> Attempts:
        """A dream did its work; nothing is written when that changes nothing."""
        known = self.read()
        fresh = Attempts(deep=at.isoformat() if deep else known.deep)
        return known if fresh == known else self._write(fresh)

    def _write(self, attempts: Attempts) -> Attempts:
        self.disk.put_state(self._path, json.dumps(asdict(attempts), ensure_ascii=False).encode())
        return attempts


def _moment(value: object) -> str:
    text = str(value or "")
    if text:
        datetime.fromisoformat(text)
    return text
