"""What Claude Code's tools did, in words: calls in short, results with the trust they deserve."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.memory.entry import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

CALL_BYTES = 1000
"""Longest rendering of a call, in bytes; the results say what came of it."""

_WEB = re.compile(r"web|fetch|browser|playwright|puppeteer|navigate|http", re.IGNORECASE)
_DOWNLOAD = re.compile(r"(?:^|[\s;&|(`])(?:curl|wget)\s")
_SHELLS = frozenset({"Bash", "PowerShell"})
_READERS = frozenset({"Read", "NotebookRead", "ReadMcpResourceTool"})
_PLAIN = (str, int, float)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with what it was given."""

    tool: str
    given: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The call in short: the command itself, or one line per argument."""
        command = self.given.get("command")
        if self.tool in _SHELLS and isinstance(command, str):
            return f"$ {command}"
        rows = [f"{key}: {_shown(value)}" for key, value in self.given.items()]
        return "\n".join(rows) or self.tool

    @property
    def result_role(self) -> Role:
        """Who speaks in the result: a page, a file, or the tool itself."""
        if self.tool in _READERS:
            return Role.FILE
        return Role.WEB if self._from_web() else Role.TOOL

    @property
    def result_name(self) -> str:
        """Address, query or path of what was read; else the name of the tool."""
        if self.result_role is Role.TOOL:
            return self.tool
        keys = ("url", "query", "file_path", "notebook_path", "path", "uri")
        found = (self.given.get(key) for key in keys)
        return next((value for value in found if isinstance(value, str) and value), self.tool)

    def _from_web(self) -> bool:
        if self.tool in _SHELLS:
            return bool(_DOWNLOAD.search(str(self.given.get("command"))))
        return bool(_WEB.search(self.tool))


def _shown(value: object) -> str:
    if isinstance(value, _PLAIN) or value is None:
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return "…"
