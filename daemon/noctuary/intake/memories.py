"""Older memory, kept elsewhere until now: summaries of sessions, MEMORY.md files, notes.

It is taken in as entries of an agent named `import`. Who wrote such text cannot be seen from it,
so it counts as an agent's words unless the person vouches for it (`trust_user`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.errors import BadInput, Problem
from noctuary.intake.common import IntakeSettings, Passed, Where, incoming
from noctuary.intake.lines import opened, usable
from noctuary.intake.sections import day_named, sections
from noctuary.intake.text import without_memory
from noctuary.intake.times import RecordError, moment
from noctuary.memory.entry import Role
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import BinaryIO

    from noctuary.intake.common import Item, Source

AGENT = "import"
MAX_FILE = 16 * 1024 * 1024
"""Largest file of older memory that is read, in bytes."""

_LISTS = ("memories", "entries", "sessions", "summaries", "experiences", "items")
_DATES = ("date", "timestamp", "ts", "created_at", "created", "time")
_SUMMARIES = ("summary", "content", "text", "memory")
_FIGURES = ("message_count", "duration_minutes")
_NOTE_ENDINGS = frozenset({".md", ".markdown", ".txt"})


def read_summaries(source: Source, settings: IntakeSettings) -> Iterator[Item]:
    """Summaries of sessions in a JSON file: a list, or an object with such a list.

    Raises:
        BadInput: The file cannot be read, or holds no such list.
    """
    name, text = _whole(source)
    records = _list(text, name)
    yield from usable(
        _summaries(records, source, name, settings), name, phrase("each needs a date.")
    )


def _summaries(
    records: Sequence[Mapping[str, object]], source: Source, name: str, settings: IntakeSettings
) -> Iterator[Item]:
    where = Where(_stem(source), AGENT)
    for number, record in enumerate(records, 1):
        try:
            at = _date(record, settings)
        except RecordError as error:
            yield Problem(name, phrase("summary {number}: {error}.", number=number, error=error))
            continue
        found = incoming(where, Role.ASSISTANT, at, _summary(record), settings, name="summary")
        yield found or Passed(phrase("empty summary"))


def read_memory_md(source: Source, settings: IntakeSettings) -> Iterator[Item]:
    """A MEMORY.md: each bullet or paragraph is an entry, named by its headings.

    Raises:
        BadInput: The file cannot be read or is empty.
    """
    name, text = _whole(source)
    if not text.strip():
        raise BadInput(phrase("{name} is empty; there is nothing to take in.", name=name))
    where = Where(_stem(source), AGENT)
    yield from _sections(where, text, _written(source, settings), settings, by_item=True)


def read_notes(source: Source, settings: IntakeSettings) -> Iterator[Item]:
    """A folder of notes, or one note: each section is an entry, named by note and headings.

    Hidden folders and links are left alone.

    Raises:
        BadInput: There is no such folder or file, or no note in it.
    """
    if not isinstance(source, Path):
        raise BadInput(phrase("Notes are read from a folder; give its path."))
    notes = list(_notes(source))
    if not notes:
        raise BadInput(
            phrase("There are no .md or .txt notes in {source}; check the path.", source=source)
        )
    if source.is_dir():
        yield from usable(
            _folder(source, notes, settings), source.name, phrase("save notes as UTF-8.")
        )
    else:
        yield from _note(source, source.stem, settings)


def _folder(source: Path, notes: list[Path], settings: IntakeSettings) -> Iterator[Item]:
    for note in notes:
        try:
            yield from _note(note, source.name, settings)
        except BadInput as error:
            yield Problem(note.relative_to(source).as_posix(), error.args[0])


def _note(note: Path, collection: str, settings: IntakeSettings) -> Iterator[Item]:
    _, text = _whole(note)
    at = _written(note, settings)
    where = Where(f"{collection} {at:%Y-%m}", AGENT)
    yield from _sections(where, text, at, settings, title=note.stem)


def _notes(source: Path) -> Iterator[Path]:
    if not source.is_dir():
        yield source
        return
    for path in sorted(source.rglob("*")):
        parts = path.relative_to(source).parts
        hidden = any(part.startswith(".") for part in parts)
        if not hidden and path.suffix.lower() in _NOTE_ENDINGS and _is_plain(path):
            yield path


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _sections(
    where: Where,
    text: str,
    at: datetime,
    settings: IntakeSettings,
    *,
    title: str = "",
    by_item: bool = False,
) -> Iterator[Item]:
    role = Role.USER if settings.trust_user else Role.ASSISTANT
    for section in sections(without_memory(text, cut_short=False), by_item=by_item):
        name = " › ".join(part for part in (title, *section.headings) if part)
        found = incoming(where, role, section.day or at, section.text, settings, name=name)
        yield found or Passed(phrase("empty section"))


def _whole(source: Source) -> tuple[str, str]:
    with opened(source) as (stream, name):
        data = _bytes(stream, name)
    try:
        return name, data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = phrase(
            "{name} is not text in UTF-8; save it as UTF-8 and import it again.", name=name
        )
        raise BadInput(what) from error


def _bytes(stream: BinaryIO, name: str) -> bytes:
    data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise BadInput(
            phrase("{name} is larger than {size} MiB; split it.", name=name, size=MAX_FILE >> 20)
        )
    return data


def _list(text: str, name: str) -> Sequence[Mapping[str, object]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            phrase("{name} is not JSON; give a file with a list of summaries.", name=name)
        ) from error
    if isinstance(value, dict):
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    found = value if isinstance(value, list) else []
    records = [record for record in found if isinstance(record, dict)]
    if not records:
        what = phrase(
            "{name} holds no list of summaries; give a list, or an object with one", name=name
        )
        raise BadInput(phrase('{what} under "memories", "entries" or "sessions".', what=what))
    return records


def _date(record: Mapping[str, object], settings: IntakeSettings) -> datetime:
    value = next((record[key] for key in _DATES if record.get(key)), None)
    if value is None:
        raise RecordError(phrase('there is no "date"; say when it was'))
    return moment(value, settings.zone)


def _summary(record: Mapping[str, object]) -> str:
    body = next((_told(record[key]) for key in _SUMMARIES if record.get(key)), "")
    patterns = _told(record.get("patterns"))
    if not body and not patterns:
        return ""
    figures = ", ".join(f"{key}: {record[key]}" for key in _FIGURES if record.get(key))
    return "\n\n".join(part for part in (body, patterns, figures) if part)


def _told(value: object, depth: int = 0) -> str:
    """A value of a summary as Markdown: strings as they are, lists as bullets, keys as labels."""
    if depth > 3 or value is None:
        return ""
    if isinstance(value, list):
        rows = (_told(item, depth + 1) for item in value)
        return "\n".join(f"- {row}" for row in rows if row)
    if isinstance(value, dict):
        told = ((key, _told(item, depth + 1)) for key, item in value.items())
        return "\n".join(_labelled(key, text) for key, text in told if text)
    return str(value)


def _labelled(key: str, text: str) -> str:
    return f"{key}:\n{text}" if text.startswith("- ") else f"{key}: {text}"


def _stem(source: Source) -> str:
    return source.stem if isinstance(source, Path) else "stdin"


def _written(source: Source, settings: IntakeSettings) -> datetime:
    """The day in the file's name, else when it was last changed."""
    if not isinstance(source, Path):
        raise BadInput(
            phrase("Older memory is read from a file, whose date it takes; give its path.")
        )
    return day_named(source.stem) or moment(source.stat().st_mtime, settings.zone)
