"""Bytes of a transcript, read safely line by line."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.errors import BadInput, Problem
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from noctuary.intake.common import Item, Source

MAX_LINE = 16 * 1024 * 1024
"""Longest line that is read, in bytes; pictures inside transcripts reach some megabytes."""

_BOM = b"\xef\xbb\xbf"
_GIVE_UP_AFTER = 1000
_PACKED = {b"PK\x03\x04": phrase("a zip archive"), b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its number from 1 and its place in bytes."""

    number: int
    start: int
    data: bytes


@contextmanager
def opened(source: Source) -> Iterator[tuple[BinaryIO, str]]:
    """The stream behind a source and the name that problems give it.

    Raises:
        BadInput: It is missing, a folder, or may not be read.
    """
    if not isinstance(source, Path):
        yield source, "stdin"
        return
    try:
        stream = source.open("rb")
    except FileNotFoundError as error:
        raise BadInput(phrase("{source} does not exist; check the path.", source=source)) from error
    except IsADirectoryError as error:
        raise BadInput(
            phrase("{source} is a folder; name the files in it, as in {source}/*.", source=source)
        ) from error
    except OSError as error:
        raise BadInput(_unopened(source, error)) from error
    with stream:
        yield stream, source.name


def _unopened(source: Path, error: OSError) -> str:
    if source.is_dir():
        return phrase(
            "{source} is a folder; name the files in it, as in {source}/*.", source=source
        )
    return phrase(
        "{source} cannot be read ({strerror}); check its permissions.",
        source=source,
        strerror=error.strerror,
    )


def lines(stream: BinaryIO, name: str) -> Iterator[Line | Problem]:
    """The lines of a text file that are not blank, without their ends.

    A line over `MAX_LINE` bytes is a problem and is never held in memory as a whole.

    Raises:
        BadInput: The file is empty, packed, or not text in UTF-8.
    """
    number, start, any_text = 0, 0, False
    while data := stream.readline(MAX_LINE + 1):
        number += 1
        length = len(data)
        if number == 1:
            _check_start(data, name)
        if length > MAX_LINE and not data.endswith(b"\n"):
            length += _skip_line(stream)
            yield Problem(
                name,
                phrase("the line is longer than {size} MiB; split it.", size=MAX_LINE >> 20),
                number,
            )
            any_text = True
        elif text := (data.removeprefix(_BOM) if number == 1 else data).strip(b" \t\r\n"):
            yield Line(number, start, text)
            any_text = True
        start += length
    if not any_text:
        raise BadInput(phrase("{name} is empty; there is nothing to take in.", name=name))


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while data := stream.readline(1 << 20):
        skipped += len(data)
        if data.endswith(b"\n"):
            break
    return skipped


def _check_start(data: bytes, name: str) -> None:
    for mark, what in _PACKED.items():
        if data.startswith(mark):
            raise BadInput(
                phrase(
                    "{name} is {what}; unpack it and import what is inside.", name=name, what=what
                )
            )
    if data.startswith(_UTF16) or b"\x00" in data[:4096]:
        raise BadInput(
            phrase("{name} is not text in UTF-8; save it as UTF-8 and import it again.", name=name)
        )


def json_object(line: Line, name: str) -> dict[str, object] | Problem:
    """The JSON object on a line, or what is wrong with it."""
    try:
        value = json.loads(line.data.decode())
    except UnicodeDecodeError:
        what = phrase("the line is not UTF-8; save the file as UTF-8.")
        return Problem(name, what, line.number)
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", phrase("too deep or too large"))
        return Problem(name, phrase("the line is not JSON ({why}).", why=why), line.number)
    if not isinstance(value, dict):
        return Problem(name, phrase("the line is JSON, but not an object in braces."), line.number)
    return value


def usable(items: Iterable[Item], name: str, hint: str) -> Iterator[Item]:
    """The same items, unless the file holds problems only: then it is not such a file at all.

    Problems are held back until something could be read, so that nothing is taken from a file
    that is unusable as a whole.

    Raises:
        BadInput: No record could be read.
    """
    held: list[Problem] = []
    stream = iter(items)
    for item in stream:
        if not isinstance(item, Problem):
            yield from held
            yield item
            yield from stream
            return
        held.append(item)
        if len(held) >= _GIVE_UP_AFTER:
            break
    if held:
        first = held[0]
        raise BadInput(
            phrase(
                "{name} holds nothing that can be read; {hint} First problem: {first}",
                name=name,
                hint=hint,
                first=first,
            )
        )
