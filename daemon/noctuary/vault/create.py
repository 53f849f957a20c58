"""Makes a folder into a vault: adds files that are not there, and touches none that are."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.errors import UsageError
from noctuary.tongue import phrase
from noctuary.vault.layout import CONFIG_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDERS = ("episodes", "cards", "inbox", "dreams")
MARKER_IGNORE = "*\n"
_ZONE_FILE = Path("/etc/localtime")


@dataclass(frozen=True, slots=True)
class Created:
    """What `create` did, or would do.

    Attributes:
        made: Files and folders that were added, relative to the root; folders end in `/`.
        kept: Files that were there already and were left as they are.
        already: The folder was a vault before; nothing was done.
    """

    root: Path
    made: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    already: bool = False


def create(root: Path, files: Mapping[str, str], *, dry_run: bool = False) -> Created:
    """Add the folders of a vault and those of `files` (path to text) that do not exist yet.

    `noctuary.toml` comes last, so that a folder is a vault only once everything is there.

    Raises:
        UsageError: The path is a file, or may not be written to.
    """
    root = root.expanduser().absolute()
    if (root / CONFIG_FILE).exists():
        return Created(root, already=True)
    if root.exists() and not root.is_dir():
        raise UsageError(phrase("{root} is a file; give the path of a folder.", root=root))
    wanted = dict(sorted(files.items(), key=lambda item: item[0] == CONFIG_FILE))
    try:
        folders = [name for name in FOLDERS if not (root / name).exists()]
        missing = [name for name in wanted if not os.path.lexists(root / name)]
        if not dry_run:
            _make(root, folders, {name: wanted[name] for name in missing})
    except OSError as error:
        what = phrase(
            "{root} cannot be made a vault ({strerror}); check its permissions.",
            root=root,
            strerror=error.strerror,
        )
        raise UsageError(what) from error
    made = (*(f"{name}/" for name in folders), *missing)
    return Created(root, made, tuple(name for name in wanted if name not in missing))


def _make(root: Path, folders: list[str], files: Mapping[str, str]) -> None:
    for name in folders:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)


def ignore_files(root: Path, gitignore: str) -> dict[str, str]:
    """What keeps machine state and raw episodes out of git, without touching a `.gitignore`."""
    if (root.expanduser() / ".gitignore").exists():
        return {".noctuary/.gitignore": MARKER_IGNORE, "episodes/.gitignore": MARKER_IGNORE}
    return {".gitignore": gitignore}


def machine_zone() -> str:
    """Name of the time zone of this machine; `UTC` where it has no name that can be found."""
    for found in (os.environ.get("TZ", "").lstrip(":"), _linked_zone(), _written_zone()):
        if re.fullmatch(r"[A-Za-z][\w+-]*(/[\w+-]+)*", found) and _is_zone(found):
            return found
    return "UTC"


def _linked_zone() -> str:
    try:
        return str(_ZONE_FILE.resolve()).partition("zoneinfo/")[2]
    except OSError:
        return ""


def _written_zone() -> str:
    try:
        return Path("/etc/timezone").read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


def _is_zone(name: str) -> bool:
    from zoneinfo import ZoneInfo

    try:
        return bool(ZoneInfo(name).key)
    except (OSError, ValueError, KeyError):
        return False
