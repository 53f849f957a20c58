"""Reads the public cases that consolidation is measured with.

A case is a folder with `episodes.jsonl` (the format of `noctuary import jsonl`, plus `ref`, the
data set's own id of a turn) and `questions.jsonl`; a set is a folder of cases.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNANSWERED = frozenset({"abstention", "instruction_following", "preference_following"})
"""Kinds whose gold is not an answer that memory could hold."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One entry of a case; `at` is local time."""

    ref: str
    at: datetime
    role: str
    text: str
    session: str
    user: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question with everything that it is judged by.

    Attributes:
        answers: Wordings of the right answer; the telling tokens of all of them count.
        gold: The decisive values of the answer, where the set names them.
        evidence: Refs of the turns that hold the answer.
        newer: Refs of the turns that told the new value, for a question about an update.
        older: Refs of the turns that told the old one.
        must: Standing rule that has to be known when this question is asked.
    """

    id: str
    kind: str
    text: str
    answers: tuple[str, ...]
    gold: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    older: tuple[str, ...] = ()
    must: str = ""
    choices: dict[str, str] = field(default_factory=dict)
    truth: str = ""
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One person's or one chat's history with its questions."""

    set: str
    name: str
    episodes: Path
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def raw_bytes(self) -> int:
        """UTF-8 bytes of what was said."""
        return sum(len(turn.text.encode()) for turn in self.turns)


def read_set(
    root: Path, names: frozenset[str] = frozenset(), *, every: int = 1, limit: int = 0
) -> list[Case]:
    """The cases below one set's folder, by name: those named, every so-many-th, the first few."""
    folders = sorted(path for path in root.iterdir() if (path / "questions.jsonl").is_file())
    chosen = [path for path in folders if not names or path.name in names][::every]
    return [read_case(path) for path in (chosen[:limit] if limit else chosen)]


def read_case(folder: Path) -> Case:
    """One case; raises OSError or ValueError when its files cannot be read."""
    turns = tuple(_turn(row, at) for at, row in enumerate(_rows(folder / "episodes.jsonl")))
    questions = tuple(_question(row) for row in _rows(folder / "questions.jsonl"))
    return Case(folder.parent.name, folder.name, folder / "episodes.jsonl", turns, questions)


def _rows(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _turn(row: dict[str, object], at: int) -> Turn:
    return Turn(
        ref=str(row.get("ref", at)),
        at=datetime.fromisoformat(str(row["ts"])),
        role=str(row["role"]),
        text=str(row["text"]),
        session=str(row.get("session", "")),
        user=str(row.get("user", "")),
        agent=str(row.get("agent", "")),
    )


def _question(row: dict[str, object]) -> Question:
    groups = row.get("evidence_groups")
    groups = groups if isinstance(groups, dict) else {}
    choices = row.get("choices")
    now = row.get("now")
    return Question(
        id=str(row["id"]),
        kind=str(row.get("kind", "")),
        text=str(row["question"]),
        answers=_texts(row.get("answers")),
        gold=_texts(row.get("gold")),
        evidence=_texts(row.get("evidence")),
        newer=_texts(groups.get("updated_info")),
        older=_texts(groups.get("original_info")),
        must=str(row.get("must") or ""),
        choices={str(k): str(v) for k, v in choices.items()} if isinstance(choices, dict) else {},
        truth=str(row.get("truth", "")),
        now=datetime.fromisoformat(str(now)) if now else None,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value if str(item)) if isinstance(value, list) else ()
