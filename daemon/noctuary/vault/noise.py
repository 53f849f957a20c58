"""Which absorbed entries were noise, so that they are forgotten earlier; lost, they rest longer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.vault.state import SEAL, sealed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from noctuary.vault.files import Disk


@dataclass(frozen=True, slots=True)
class NoiseLog:
    """Ids of noise, by episode."""

    disk: Disk

    @property
    def _path(self) -> Path:
        return self.disk.layout.state / "noise.json"

    def read(self) -> dict[str, set[str]]:
        """What is known; empty when there is nothing, or nothing that can be read."""
        try:
            content = json.loads(self.disk.read(self._path) or b"{}")
            content.pop(SEAL, None)
            return {str(name): {str(entry) for entry in ids} for name, ids in content.items()}
        except (ValueError, TypeError, AttributeError):
            return {}

    def keep(self, noise: Mapping[str, AbstractSet[str]]) -> None:
        """Remember these, and nothing else."""
        kept = {name: sorted(ids) for name, ids in sorted(noise.items()) if ids}
        self.disk.put_state(self._path, sealed(kept))
