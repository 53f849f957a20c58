"""Ids of entries that were forgotten, so that a second import does not revive them.

One log a month of episodes, so that looking one up costs the same after years as after days; of
each id its ten hex digits, packed.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import defaultdict
from typing import TYPE_CHECKING

from noctuary.vault.files import digest_of
from noctuary.vault.state import json_lines, sealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from noctuary.vault.files import Disk

LOGS = "forgotten-"
"""How the names of the logs begin."""
_HEX = 10


def forgotten_ids(disk: Disk, name: str) -> set[str]:
    """Ids of entries that an episode held until they were purged."""
    data = disk.read(_log(disk, name)) or b""
    mark = json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass")
    lines = b"\n".join(line for line in data.splitlines() if mark in line)
    found: set[str] = set()
    for line in json_lines(lines):
        if line.get("episode") == name:
            found.update(_ids(line))
    return found


def all_forgotten(disk: Disk) -> dict[str, set[str]]:
    """Ids of all entries that were purged, by episode."""
    found: dict[str, set[str]] = defaultdict(set)
    for log in sorted(disk.layout.state.glob(f"{LOGS}*.jsonl")):
        for line in json_lines(disk.read(log)):
            found[str(line.get("episode"))].update(_ids(line))
    return dict(found)


def note_forgotten(disk: Disk, name: str, ids: Iterable[str]) -> None:
    """Remember ids that are about to be purged."""
    line: dict[str, object] = {"episode": name}
    for kind in "eh":
        digits = "".join(one[1:] for one in sorted(ids) if one[0] == kind)
        if digits:
            line[kind] = b64encode(bytes.fromhex(digits)).decode()
    disk.append_state(_log(disk, name), sealed(line) + b"\n")


def spent_digest(disk: Disk, name: str) -> str | None:
    """Digest of an episode file in which nothing is left but where something was; else None."""
    from noctuary.memory.episode import is_spent

    data = disk.read(disk.guard(disk.layout.episode_path(name)))
    spent = data is not None and is_spent(data.decode("utf-8", "surrogatepass"))
    return digest_of(data) if data is not None and spent else None


def _log(disk: Disk, name: str) -> Path:
    """By the month in the episode's name; what has no such name comes together."""
    month = name[:7] if name[4:5] == "-" and name[:4].isdigit() and name[5:7].isdigit() else "other"
    return disk.layout.state / f"{LOGS}{month}.jsonl"


def _ids(line: dict[str, object]) -> Iterator[str]:
    for kind in "eh":
        try:
            packed = b64decode(str(line.get(kind, "")), validate=True).hex()
        except ValueError:
            continue
        yield from (kind + packed[at : at + _HEX] for at in range(0, len(packed), _HEX))
