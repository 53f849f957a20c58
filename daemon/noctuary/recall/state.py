"""What the index was built from, kept beside it: digests of its owners and heads of its cards."""

from __future__ import annotations

import json
import os
import zlib
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.recall.heads import Head
from noctuary.recall.index import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class State:
    """Two files in the folder of the index, each put in place in one step.

    One has a line for each owner, then one for the head of each that has one, in the same order,
    so that what did not change is neither taken apart nor put together again. The other has a
    mark of all that the first was made from.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "owners.txt"
        self._mark = folder / "mark.json"
        self._read_as: list[int] = []

    def read(self) -> tuple[dict[str, str], dict[str, str]]:
        """Owner → digest, and owner → head as JSON; empty when damaged, or of another version."""
        told, _, kept = self._body().partition(_HEADS)
        rows = [line.split("\t") for line in told.splitlines()]
        owners = {_owner(key) if "\\" in key else key: digest for key, digest in rows}
        heads = kept.removesuffix(_END)
        return owners, dict(zip(owners, heads.split(",\n"), strict=False)) if heads else {}

    @property
    def is_as_read(self) -> bool:
        """True when nobody has written since it was last read or written here."""
        return self._read_as == _stamp(self._file)

    def heads(self) -> list[Head] | None:
        """The heads of all cards; None when they cannot be read."""
        kept = self._body().partition(_HEADS)[2]
        return [Head._make(row) for row in json.loads(f"[{kept}")] if kept else None

    def write(self, owners: Mapping[str, str], heads: Mapping[str, str]) -> None:
        """Note what the index holds now."""
        first = sorted(owners.keys() & heads.keys())
        rest = (name for name in owners if name not in heads)
        lines = (f"{_key(name)}\t{owners[name]}\n" for name in chain(first, rest))
        kept = ",\n".join([heads[path] for path in first])
        _put(self._file, chain(lines, (_HEADS, kept, _END)))
        self._read_as = _stamp(self._file)

    def holds(self, mark: str) -> bool:
        """True when all is as it was when this mark was left."""
        return _whole(self._mark) == json.dumps([mark, _stamp(self._file)])

    def leave(self, mark: str) -> None:
        """What was read or written last was made from all that this mark stands for."""
        _put(self._mark, (json.dumps([mark, self._read_as]),))

    def _body(self) -> str:
        """Both parts of the first file; empty when they are not as they were written."""
        self._read_as = _stamp(self._file)
        return _whole(self._file)


_AT_ONCE = 1_000
_HEADS, _END = "\n[\n", "\n]"


def head_line(head: Head) -> str:
    """A head as it is kept."""
    return json.dumps(head)


def _key(owner: str) -> str:
    """The name of an owner as it stands on a line: names of files may hold anything."""
    plain = owner.isascii() and owner.isprintable() and "\\" not in owner
    return owner if plain else json.dumps(owner)[1:-1]


def _owner(key: str) -> str:
    return str(json.loads(f'"{key}"'))


def _foot(total: int) -> bytes:
    """The last line, by which damage and another version are seen."""
    return f"{fingerprint()} {total:08x}".encode()


def _stamp(path: Path) -> list[int]:
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns, found.st_ino]


def _whole(path: Path) -> str:
    """A file without its foot; empty when it is not as it was written."""
    try:
        body, _, foot = path.read_bytes().rpartition(b"\n")
    except OSError:
        return ""
    return body.decode("ascii") if foot == _foot(zlib.crc32(body)) else ""


def _put(path: Path, parts: Iterable[str]) -> None:
    """Put a file in place whole, its foot included; written bit by bit, since it may be large."""
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".state-")
    coming, total = iter(parts), 0
    with os.fdopen(handle, "wb") as file:
        while some := "".join(islice(coming, _AT_ONCE)).encode("ascii"):
            total = zlib.crc32(some, total)
            file.write(some)
        file.write(b"\n" + _foot(total))
    Path(name).replace(path)
