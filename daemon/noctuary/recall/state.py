"""What the index was built from, kept beside it: digests of its owners and heads of its cards."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.recall.heads import Head
from noctuary.recall.index import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class State:
    """Two files in the folder of the index, each put in place in one step.

    One has a line for each owner, so that what did not change is neither taken apart nor put
    together again; the other, a mark of all that the first was made from.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "owners.txt"
        self._mark = folder / "mark.json"
        self._read_as: list[int] = []

    def read(self) -> tuple[dict[str, str], dict[str, str]]:
        """Owner → digest, and owner → head as JSON; empty when damaged, or of another version."""
        owners: dict[str, str] = {}
        heads: dict[str, str] = {}
        for key, digest, head in self._rows():
            owner = _owner(key) if "\\" in key else key
            owners[owner] = digest
            if head:
                heads[owner] = head
        return owners, heads

    def write(self, owners: Mapping[str, str], heads: Mapping[str, str]) -> None:
        """Note what the index holds now."""
        found = heads.get
        lines = [f"{_key(name)}\t{digest}\t{found(name, '')}" for name, digest in owners.items()]
        body = "\n".join(lines).encode("ascii")
        _put(self._file, _head(body) + body)
        self._read_as = _stamp(self._file)

    def holds(self, mark: str) -> bool:
        """True when all is as it was when this mark was left."""
        try:
            kept = json.loads(self._mark.read_bytes())
        except (OSError, ValueError):
            return False
        return bool(kept == [fingerprint(), mark, _stamp(self._file)])

    def leave(self, mark: str) -> None:
        """What was read or written last was made from all that this mark stands for."""
        _put(self._mark, json.dumps([fingerprint(), mark, self._read_as]).encode())

    def _rows(self) -> Iterator[list[str]]:
        self._read_as = _stamp(self._file)
        try:
            head, _, body = self._file.read_bytes().partition(b"\n")
        except OSError:
            return
        rows = [line.split("\t") for line in body.decode("ascii", "replace").split("\n")]
        if _head(body) == head + b"\n" and all(len(row) == _PARTS for row in rows):
            yield from rows


_PARTS = 3


def head_line(head: Head) -> str:
    """A head as it is kept."""
    return json.dumps(head)


def heads_of(lines: Mapping[str, str]) -> list[Head]:
    """The heads that are kept, by path."""
    rows = json.loads(f"[{','.join([lines[path] for path in sorted(lines)])}]")
    return [Head._make(row) for row in rows]


def _key(owner: str) -> str:
    """The name of an owner as it stands on a line: names of files may hold anything."""
    plain = owner.isascii() and owner.isprintable() and "\\" not in owner
    return owner if plain else json.dumps(owner)[1:-1]


def _owner(key: str) -> str:
    return str(json.loads(f'"{key}"'))


def _head(body: bytes) -> bytes:
    return f"{fingerprint()} {zlib.crc32(body):08x}\n".encode()


def _stamp(path: Path) -> list[int]:
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns, found.st_ino]


def _put(path: Path, data: bytes) -> None:
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".state-")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).replace(path)
