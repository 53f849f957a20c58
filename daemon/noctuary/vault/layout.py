"""Where everything lies in a vault, and which of it may be written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.errors import NoctuaryError, VaultNotFound
from noctuary.tongue import phrase
from noctuary.vault.names import card_file_name, name_key

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime
    from pathlib import Path

    from noctuary.memory.card import CardType

__all__ = [
    "CONFIG_FILE",
    "STATE_DIR",
    "Layout",
    "OutsideZones",
    "card_file_name",
    "find_vault",
    "name_key",
    "note_name",
    "safe_relative",
]

CONFIG_FILE = "noctuary.toml"
STATE_DIR = ".noctuary"
FOLDERS = ("cards", "inbox", "maps", "dreams", "archive", "episodes")
PAGES = ("index.md",)
SETUP_FILES = ("preferences.md", CONFIG_FILE, ".gitignore", ".gitattributes")
RESCUED = ".dream-rescued-"
"""In the name of a note that holds what a person saved while a dream was writing."""
_DATE = re.compile(r"(\d{4})-(\d{2})-\d{2}")


class OutsideZones(NoctuaryError):
    """A path that the program has no business writing to."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one vault; `*_path` methods give POSIX paths relative to its root."""

    root: Path

    @property
    def state(self) -> Path:
        """Folder of the machine state, `.noctuary/`."""
        return self.root / STATE_DIR

    @property
    def config(self) -> Path:
        """The vault's settings file."""
        return self.root / CONFIG_FILE

    @property
    def index(self) -> Path:
        """The brain map."""
        return self.root / "index.md"

    @property
    def preferences(self) -> Path:
        """The person's own page."""
        return self.root / "preferences.md"

    @property
    def cards(self) -> Path:
        """Folder of all cards in use."""
        return self.root / "cards"

    @property
    def episodes(self) -> Path:
        """Folder of the raw logs."""
        return self.root / "episodes"

    def absolute(self, path: str) -> Path:
        """The file behind a relative POSIX path."""
        return self.root / path

    def relative(self, path: Path) -> str:
        """The relative POSIX path of a file of this vault."""
        return path.relative_to(self.root).as_posix()

    def episode_path(self, name: str) -> str:
        """Where the episode of this name lies: by year and month of its date."""
        found = _DATE.match(name)
        folder = f"{found[1]}/{found[2]}/" if found else ""
        return f"episodes/{folder}{name}.md"

    def card_path(self, type_: CardType, title: str, taken: Collection[str]) -> str:
        """Where a new card of this title goes; `taken` are the note names in use."""
        return f"cards/{type_.folder}/{card_file_name(title, taken)}"

    def dream_path(self, dream_id: str) -> str:
        """Where the report of a dream lies; ids look like `2026-11-30T0312`."""
        return f"dreams/{dream_id[:4]}/{dream_id}.md"


def dream_id(at: datetime, taken: Collection[str] = ()) -> str:
    """Name of a dream that starts now, `2026-11-30T0312`, with `-2` where the minute is taken."""
    base = at.strftime("%Y-%m-%dT%H%M")
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def find_vault(start: Path) -> Path:
    """The vault that `start` is, or lies in.

    Raises:
        VaultNotFound: No parent folder holds a `noctuary.toml`.
    """
    here = start.expanduser().absolute()
    for folder in (here, *here.parents):
        if (folder / CONFIG_FILE).is_file():
            return folder
    raise VaultNotFound(
        phrase("{here} is in no vault; make one with `noctuary init PATH`.", here=here)
    )


def note_name(path: str) -> str:
    """The name under which Obsidian links to a note."""
    return path.rpartition("/")[2].removesuffix(".md")


def safe_relative(path: str, *, setup: bool = False) -> str:
    """The path itself, when the program may write there.

    Raises:
        OutsideZones: It leaves the vault, or names a place that belongs to the person.
    """
    parts = path.split("/")
    sound = all(part not in {"", ".", ".."} and not part.startswith(".") for part in parts[:-1])
    if not sound or not _legal(path, parts) or not _in_zone(path, parts, setup):
        raise OutsideZones(
            phrase(
                "{path!r} is not a place that the program writes to; nothing was done.", path=path
            )
        )
    return path


def _legal(path: str, parts: list[str]) -> bool:
    plain = not any(char in path for char in "\\\0") and ":" not in parts[0]
    return plain and parts[-1] not in {"", ".", ".."}


def _in_zone(path: str, parts: list[str], setup: bool) -> bool:
    if path in PAGES or (setup and path in SETUP_FILES):
        return True
    if len(parts) == 1:
        return path.endswith(".md") and RESCUED in path
    return parts[0] in FOLDERS and path.endswith(".md") and parts[-1][0] != "."
