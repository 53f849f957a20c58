"""Which transcript formats there are, and the reader of each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from noctuary.errors import UsageError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.intake.common import IntakeSettings, Item, Source

FORMATS = {
    "jsonl": "noctuary.intake.jsonl:read",
    "claude-code": "noctuary.intake.claude_code:read",
    "summaries": "noctuary.intake.memories:read_summaries",
    "memory-md": "noctuary.intake.memories:read_memory_md",
    "notes": "noctuary.intake.memories:read_notes",
}
"""Name of a format -> module and function, loaded when it is asked for."""


class Reader(Protocol):
    """Reads one file of a format."""

    def __call__(self, source: Source, settings: IntakeSettings) -> Iterator[Item]:
        """Entries and problems in the order of the file."""


def reader(name: str) -> Reader:
    """The reader of a format.

    Raises:
        UsageError: No such format.
    """
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(
            phrase("There is no format {name!r}; choose one of {known}.", name=name, known=known)
        )
    module, function = FORMATS[name].split(":")
    return cast("Reader", getattr(import_module(module), function))
