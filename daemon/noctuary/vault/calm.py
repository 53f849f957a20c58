"""Whether a night has anything to do at all, told by looking at files without reading them.

After a night that left nothing to do, the state of all episodes, reports and proposals is kept in
the cache folder with the day on which the next raw entry may be forgotten. As long as nothing
changed and that day has not come, there is nothing to think about.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from noctuary.memory.report import DreamReport, Result
from noctuary.resources import cache_folder
from noctuary.vault.layout import dream_id
from noctuary.vault.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from noctuary.vault.store import Store
    from noctuary.vault.survey import Stamp

_ZONES = ("episodes", "dreams", "inbox")


@dataclass(frozen=True, slots=True)
class Calm:
    """What is known of the last night that left nothing to do."""

    root: Path
    file: Path

    @classmethod
    def of(cls, store: Store) -> Calm:
        """For one vault."""
        return cls(store.root, cache_folder(store.vault_id) / "calm.json")

    def look(self) -> dict[str, Stamp]:
        """The files that could give a night something to do, as they are now."""
        survey = Survey(self.root, zones=_ZONES)
        survey.rescan()
        return survey.stamps

    def holds(self, today: date) -> bool:
        """True when nothing changed since and nothing is due to be forgotten."""
        try:
            known = json.loads(self.file.read_bytes())
            due = known["due"] and date.fromisoformat(known["due"])
            if due and today >= due:
                return False
            return bool(known["state"] == _state(self.look()))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def keep(self, seen: Mapping[str, Stamp], due: date | None) -> None:
        """Remember that with these files nothing is left to do until the day `due`."""
        content = json.dumps({"state": _state(seen), "due": due.isoformat() if due else ""})
        with suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.file.with_suffix(".new")
            fresh.write_text(content, "ascii")
            fresh.replace(self.file)

    def keep_after(self, before: Mapping[str, Stamp], due: date | None) -> None:
        """Remember it after a dream, unless an episode changed while the dream was under way."""
        after = self.look()
        if _episodes(before) == _episodes(after):
            self.keep(after, due)


def _episodes(stamps: Mapping[str, Stamp]) -> dict[str, Stamp]:
    return {path: stamp for path, stamp in stamps.items() if path.startswith("episodes/")}


def _state(stamps: Mapping[str, Stamp]) -> str:
    lines = (f"{path} {stamp}" for path, stamp in sorted(stamps.items()))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def quiet_report(now: datetime, trigger: str, distiller: str) -> DreamReport:
    """What a night says that had nothing to do."""
    return DreamReport(dream_id(now), trigger, Result.NOTHING, now, distiller=distiller)
