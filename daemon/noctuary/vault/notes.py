"""Notes of a vault that are neither cards nor episodes: reports, maps, the person's page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from noctuary.memory import document
from noctuary.vault.files import digest_of
from noctuary.vault.layout import note_name
from noctuary.vault.reading import Reader
from noctuary.vault.transaction import Write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.vault.files import Disk


@dataclass(frozen=True, slots=True)
class Notes:
    """Looks at notes by path; everything is relative to the vault, with `/`."""

    disk: Disk

    def paths(self, folder: str) -> list[str]:
        """Notes below a folder, in order of their names."""
        return list(Reader(self.disk.root).notes(folder))

    def names(self) -> Iterator[str]:
        """Names of all notes of the vault, which no new note may take."""
        for path in Reader(self.disk.root).notes(""):
            yield note_name(path)

    def read(self, path: str) -> bytes | None:
        """Bytes of a note; None when there is none."""
        return self.disk.read(self.disk.layout.absolute(path))

    def latest_reports(self, limit: int) -> list[dict[str, object]]:
        """Frontmatter of the latest dream reports, newest first."""
        newest = sorted(self.paths("dreams"), key=lambda path: PurePosixPath(path).name)[::-1]
        metas: list[dict[str, object]] = []
        for path in newest:
            meta = document.read((self.read(path) or b"").decode("utf-8", "replace")).meta
            if meta.get("type") == "dream":
                metas.append(meta)
            if len(metas) >= limit:
                break
        return metas

    def burial(self, path: str) -> Write | None:
        """What sends a generated note that is no longer needed to the graveyard."""
        raw = self.read(path)
        return None if raw is None else Write(path, None, digest_of(raw))
