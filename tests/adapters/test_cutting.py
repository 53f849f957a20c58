from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from noctuary.memory.entry import Role
from noctuary.recall import cutting
from noctuary.recall.turns import turns
from recall_samples import entry

if TYPE_CHECKING:
    from pathlib import Path

    from noctuary.memory.entry import Entry

WORDS = (
    "I moved to Vienna yesterday.",
    "预算不超过人民币五万元。",
    "x" * 700,
    "\ud800 odd",
    "a\x1fb",
)


def talk() -> list[Entry]:
    roles = (Role.USER, Role.ASSISTANT)
    said = [
        entry(f"{WORDS[n % 5]} {n}", f"2026-11-30T14:{n:02}:11", role=roles[n % 2])
        for n in range(40)
    ]
    return [*said, *(replace(one, session="other", id=f"e{n}") for n, one in enumerate(said))]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Helpers are asked soon, and counted."""
    begun: list[object] = []

    class Counted(subprocess.Popen[bytes]):
        def __init__(self, *args: object, **more: object) -> None:
            begun.append(args)
            super().__init__(*args, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", Counted)
    monkeypatch.setattr(cutting, "ALONE", 10)
    monkeypatch.setattr(cutting, "BATCH", 3)
    monkeypatch.setattr(cutting, "_helpers", lambda: 2)
    return begun


@pytest.mark.parametrize("most_open", [2, 40])
def test_with_helpers_all_is_cut_as_without(
    started: list[object], monkeypatch: pytest.MonkeyPatch, most_open: int
) -> None:
    monkeypatch.setattr(cutting, "MOST_OPEN", most_open)
    wanted = [(turn.entry.id, cutting.rows_of(turn)) for turn in turns(talk())]
    assert list(cutting.cut(turns(talk()))) == wanted
    assert len(started) == 2


@pytest.mark.parametrize("program", ["false", "missing", "talks nonsense"])
def test_helpers_that_fail_cost_nothing_but_time(
    started: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str
) -> None:
    false = tmp_path / "false"
    false.write_text("#!/bin/sh\n" + ("echo nonsense\n" if program != "false" else "exit 1\n"))
    false.chmod(0o700)
    chosen = tmp_path / "missing" if program == "missing" else false
    wanted = [(turn.entry.id, cutting.rows_of(turn)) for turn in turns(talk())]
    monkeypatch.setattr(sys, "executable", str(chosen))
    assert list(cutting.cut(turns(talk()))) == wanted


def test_a_small_memory_asks_nobody(started: list[object]) -> None:
    assert len(list(cutting.cut(turns(talk()[:10])))) == 10
    assert started == []


def test_who_stops_in_the_middle_leaves_no_helper_behind(
    started: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[subprocess.Popen[bytes]] = []
    dismiss = cutting._dismiss

    def noted(process: subprocess.Popen[bytes]) -> None:
        dismiss(process)
        ended.append(process)

    monkeypatch.setattr(cutting, "_dismiss", noted)
    coming = cutting.cut(turns(talk()))
    for _ in range(15):
        next(coming)
    coming.close()  # type: ignore[attr-defined]
    assert [process.returncode is not None for process in ended] == [True] * len(started)
