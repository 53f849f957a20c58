"""Builds transcripts in the shape of Claude Code's, record by record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.intake.common import Incoming, IntakeSettings, Passed
from noctuary.intake.registry import reader

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.errors import Problem
    from noctuary.memory.entry import Role

Record = dict[str, object]


@dataclass
class Transcript:
    session: str = "s1"
    cwd: str = "/home/someone/garden"
    records: list[Record] = field(default_factory=list)
    last: str | None = None
    minute: int = 0

    def add(self, type_: str, **keys: object) -> str:
        self.minute += 1
        uuid = f"{self.session}-{len(self.records)}"
        record: Record = {
            "type": type_,
            "uuid": uuid,
            "parentUuid": self.last,
            "sessionId": self.session,
            "timestamp": f"2026-11-30T{self.minute // 60:02d}:{self.minute % 60:02d}:00.250Z",
            "cwd": self.cwd,
            "isSidechain": False,
        }
        self.records.append(record | keys)
        self.last = uuid
        return uuid

    def user(self, content: object, **keys: object) -> str:
        return self.add("user", message={"role": "user", "content": content}, **keys)

    def agent(self, *blocks: object, id: str = "", **keys: object) -> str:
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        message = {"id": id or f"msg-{len(self.records)}", "content": content}
        return self.add("assistant", message=message, **keys)

    def result(self, id_: str, content: object, **keys: object) -> str:
        return self.user([{"type": "tool_result", "tool_use_id": id_, "content": content}], **keys)

    def write(self, path: Path) -> Path:
        rows = (json.dumps(record, ensure_ascii=False) for record in self.records)
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path


def use(id_: str, name: str, **given: object) -> Record:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


@dataclass
class Taken:
    incoming: list[Incoming] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=dict)

    @property
    def said(self) -> list[tuple[Role, str]]:
        return [(item.entry.role, item.entry.text) for item in self.incoming]

    @property
    def texts(self) -> list[str]:
        return [item.entry.text for item in self.incoming]


def taken(format_: str, path: Path, settings: IntakeSettings | None = None) -> Taken:
    found = Taken()
    for item in reader(format_)(path, settings or IntakeSettings()):
        if isinstance(item, Incoming):
            found.incoming.append(item)
        elif isinstance(item, Passed):
            found.passed[item.reason] = found.passed.get(item.reason, 0) + item.count
        else:
            found.problems.append(item)
    return found
