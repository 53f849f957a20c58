"""What the index was built from, kept beside it: digests of its owners and heads of its cards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.recall.heads import Head
from noctuary.recall.index import fingerprint

if TYPE_CHECKING:
    from collections.abc import Container, Mapping


class State:
    """Two small files in the folder of the index, each put in place in one step."""

    def __init__(self, folder: Path) -> None:
        self._owners = folder / "owners.json"
        self._heads = folder / "heads.json"

    def owners(self) -> dict[str, str]:
        """Owner → digest; empty when it cannot be trusted: damaged, or of another version."""
        owners = {owner: str(digest) for owner, digest in _read(self._owners).items()}
        return owners if owners.pop(_HEADS_SIZE, "") == str(_size(self._heads)) else {}

    def heads(self) -> dict[str, Head]:
        """Path of a card → its head."""
        try:
            return {path: Head._make(row) for path, row in _read(self._heads).items()}  # type: ignore[arg-type]
        except (TypeError, ValueError, IndexError):
            return {}

    def write(
        self, owners: Mapping[str, str], same: Container[str], fresh: Mapping[str, Head]
    ) -> None:
        """Note what the index holds now: of the heads that were there, those that are the `same`.

        Heads first: an interruption between the two leaves digests that are out of date.
        """
        kept = {path: packed for path, packed in _read(self._heads).items() if path in same}
        _write(self._heads, {**kept, **fresh})
        _write(self._owners, {**owners, _HEADS_SIZE: str(_size(self._heads))})


_HEADS_SIZE = ""
"""Stands among the owners, none of which has an empty name."""


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _read(path: Path) -> dict[str, object]:
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict) or kept.get("fingerprint") != fingerprint():
        return {}
    data = kept.get("data")
    return data if isinstance(data, dict) else {}


def _write(path: Path, data: Mapping[str, object]) -> None:
    import tempfile

    text = json.dumps({"fingerprint": fingerprint(), "data": data})
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".state-")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
    Path(name).replace(path)
