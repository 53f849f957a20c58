"""Drives the product over one case: import, dream, purge, ready to be asked."""

from __future__ import annotations

import json
import os
import tempfile
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measures import Recalled

if TYPE_CHECKING:
    from benchmarks.cases import Case, Question, Turn
    from benchmarks.memories import Memory

    from noctuary import Vault
    from noctuary.memory.report import DreamReport

LATER = timedelta(hours=6)
"""From the last turn to the dream over it."""


def dream_case(case: Case, dreams: int, *, in_memory: bool = False, profile: str = "") -> Memory:
    """The memory after its dreams: one a day, or the days cut into so many portions.

    `profile` names the model that thinks instead of rules, in a vault on disk.
    """
    if in_memory and not profile:
        from benchmarks.thinking import think

        return think(case, portions(case, dreams))
    return Dreamt.of(case, portions(case, dreams), profile)


def portions(case: Case, dreams: int) -> list[list[Turn]]:
    """The turns by day; with `dreams` the days joined to at most so many even runs."""
    ordered = sorted(case.turns, key=lambda turn: turn.at.date())
    days = [list(turns) for _, turns in groupby(ordered, key=lambda turn: turn.at.date())]
    if not dreams or dreams >= len(days):
        return days
    edges = [round(at * len(days) / dreams) for at in range(dreams + 1)]
    runs = [days[first:last] for first, last in pairwise(edges)]
    return [[turn for day in run for turn in day] for run in runs]


@dataclass(slots=True)
class _Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass(slots=True)
class Dreamt:
    """A vault on disk after the dreams of one case; its raw entries are gone."""

    vault: Vault
    clock: _Clock
    last: datetime
    costs: dict[str, float]
    folder: tempfile.TemporaryDirectory[str] = field(repr=False)

    @classmethod
    def of(cls, case: Case, runs: list[list[Turn]], profile: str = "") -> Dreamt:
        """Import and dream run by run, purging at once."""
        folder = tempfile.TemporaryDirectory(prefix="noctuary-bench-")
        os.environ["NOCTUARY_CACHE"] = str(Path(folder.name) / "cache")
        clock = _Clock(runs[0][0].at)
        vault = _found(Path(folder.name) / "vault", clock, profile)
        start = time.perf_counter()
        reports = [_live(vault, clock, run, Path(folder.name)) for run in runs]
        costs = {"seconds a dream": (time.perf_counter() - start) / len(runs)}
        costs |= _facts(reports) | _usage(reports) | _sizes(vault, case)
        return cls(vault, clock, case.turns[-1].at + timedelta(days=1), costs, folder)

    @property
    def held(self) -> str:
        """Whole card files."""
        return "\n".join(path.read_text(encoding="utf-8") for path in _cards(self.vault))

    def ask(self, question: Question, budget: int) -> Recalled:
        """Recall, with the wake context of that day beside it."""
        os.environ["NOCTUARY_CACHE"] = str(Path(self.folder.name) / "cache")
        self.clock.now = question.now or self.last
        answer = self.vault.recall(question.text, budget=budget)
        wake = self.vault.context().text if question.must else ""
        return Recalled(tuple(hit.text for hit in answer.hits), wake)


def _found(root: Path, clock: _Clock, profile: str) -> Vault:
    from noctuary import Vault

    Vault.create(root, language="en", timezone="UTC")
    settings = root / "noctuary.toml"
    text = settings.read_text(encoding="utf-8")
    text = text.replace("\ngit = true", "\ngit = false")
    if profile:
        text = text.replace('distiller = "offline"', f'distiller = "{profile}"')
    settings.write_text(text, encoding="utf-8")
    return Vault.open(root, clock=clock)


def _live(vault: Vault, clock: _Clock, turns: list[Turn], folder: Path) -> DreamReport:
    source = folder / "turns.jsonl"
    rows = (json.dumps(_row(turn), ensure_ascii=False) for turn in turns)
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    clock.now = max(turn.at for turn in turns) + LATER
    vault.import_("jsonl", [source])
    return vault.dream(purge_now=True, now=clock.now)


def _row(turn: Turn) -> dict[str, str]:
    row = {"ts": turn.at.isoformat(), "role": turn.role, "text": turn.text}
    return row | {"session": turn.session, "agent": turn.agent, "user": turn.user}


def _facts(reports: list[DreamReport]) -> dict[str, float]:
    kept = sum(report.facts_kept for report in reports)
    lost = sum(len(report.facts_lost) for report in reports)
    failed = sum(report.failed for report in reports)
    found = {
        "dreams": float(len(reports)),
        "facts kept a dream": kept / len(reports),
        "facts lost a dream": lost / len(reports),
        "facts lost, share": lost / (kept + lost) if kept + lost else 0.0,
    }
    return found | ({"failed entries": float(failed)} if failed else {})


def _usage(reports: list[DreamReport]) -> dict[str, float]:
    """What a model was asked in all; nothing where rules thought."""
    used = [report.usage for report in reports]
    found = {
        "questions": float(sum(one.calls for one in used)),
        "questions failed": float(sum(one.failed_calls for one in used)),
        "tokens sent": float(sum(one.tokens_in for one in used)),
        "tokens received": float(sum(one.tokens_out for one in used)),
        "held back or put right": float(sum(len(report.rejected) for report in reports)),
    }
    return found if found["questions"] else {}


def _sizes(vault: Vault, case: Case) -> dict[str, float]:
    cards = _cards(vault)
    size = sum(path.stat().st_size for path in cards)
    return {
        "bytes": size / case.raw_bytes,
        "cards": float(len(cards)),
        "raw left": vault.stats().raw_kept / case.raw_bytes,
    }


def _cards(vault: Vault) -> list[Path]:
    folders = (vault.path / "cards", vault.path / "inbox", vault.path / "archive" / "cards")
    return sorted(path for folder in folders for path in folder.rglob("*.md"))
