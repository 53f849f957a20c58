"""What the index was built from, kept beside it: digests of its owners and heads of its cards."""

from __future__ import annotations

import json
import marshal
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noctuary.recall.heads import Head
from noctuary.recall.index import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class State:
    """Two files in the folder of the index, each put in place in one step.

    One has three lists: the heads of the cards, the names of all owners, those with a head first and
    in the same order, and their digests. Each head is bytes of its own, so that what did not change
    is neither taken apart nor put together again. The other file has a mark of all that the first
    was made from.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "owners.bin"
        self._mark = folder / "mark.json"
        self._read_as: list[int] = []

    def read(self) -> tuple[dict[str, str], dict[str, bytes]]:
        """Owner → digest, and owner → packed head; empty when damaged, or of another version."""
        heads, names, digests = map(_values, self._parts())
        return dict(zip(names, digests, strict=True)), dict(zip(names, heads, strict=False))

    @property
    def is_as_read(self) -> bool:
        """True when nobody has written since it was last read or written here."""
        return self._read_as == _stamp(self._file)

    def heads(self) -> list[Head] | None:
        """The heads of all cards; None when they cannot be read."""
        heads, names, _ = self._parts()
        return [Head._make(row) for row in map(marshal.loads, _values(heads))] if names else None

    def write(self, owners: Mapping[str, str], heads: Mapping[str, bytes]) -> None:
        """Note what the index holds now."""
        first = sorted(owners.keys() & heads.keys())
        names = [*first, *(name for name in owners if name not in heads)]
        kept, digests = [heads[path] for path in first], [owners[name] for name in names]
        _put(self._file, (*_sized(kept), *_sized(names), *_sized(digests)))
        self._read_as = _stamp(self._file)

    def holds(self, mark: str) -> bool:
        """True when all is as it was when this mark was left."""
        return _whole(self._mark) == json.dumps([mark, _stamp(self._file)]).encode()

    def leave(self, mark: str) -> None:
        """What was read or written last was made from all that this mark stands for."""
        _put(self._mark, (json.dumps([mark, self._read_as]).encode(),))

    def _parts(self) -> list[bytes]:
        """The three parts of the first file; empty when they are not as they were written."""
        self._read_as = _stamp(self._file)
        body, start, found = _whole(self._file), 0, []
        for _ in range(3):
            end = start + _SIZE + int.from_bytes(body[start : start + _SIZE])
            found.append(body[start + _SIZE : end])
            start = end
        return found


_SIZE = 8
_FORM = 2
"""The form of marshalled values that every version of Python reads, and writes in the same bytes."""


def packed(head: Head) -> bytes:
    """A head as it is kept."""
    return marshal.dumps([_plain(value) for value in head], _FORM)


def _plain(value: str | int | Sequence[str] | None) -> object:
    """Text as text alone, whatever stands for it."""
    if isinstance(value, str):
        return str(value)
    return value if value is None or isinstance(value, int) else list(map(str, value))


def _sized(values: list[Any]) -> tuple[bytes, bytes]:
    """One part of the file, and its length before it."""
    part = marshal.dumps(values, _FORM)
    return len(part).to_bytes(_SIZE), part


def _values(part: bytes) -> list[Any]:
    """What one part of the file holds; nothing for an empty one."""
    return marshal.loads(part) if part else []  # noqa: S302 - our own file, whole as it was left


def _foot(total: int) -> bytes:
    """The last line, by which damage and another version are seen."""
    return f"{fingerprint()} {total:08x}".encode()


def _stamp(path: Path) -> list[int]:
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns, found.st_ino]


def _whole(path: Path) -> bytes:
    """A file without its foot; empty when it is not as it was written."""
    try:
        body, _, foot = path.read_bytes().rpartition(b"\n")
    except OSError:
        return b""
    return body if foot == _foot(zlib.crc32(body)) else b""


def _put(path: Path, parts: Iterable[bytes]) -> None:
    """Put a file in place whole, its foot included."""
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".state-")
    total = 0
    with os.fdopen(handle, "wb") as file:
        for part in parts:
            total = zlib.crc32(part, total)
            file.write(part)
        file.write(b"\n" + _foot(total))
    Path(name).replace(path)
