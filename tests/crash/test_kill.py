from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TypedDict, cast

import pytest

from vault_kit import SHAPES, tell

DRIVER = Path(__file__).parent.parent / "crash_driver.py"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


class Found(TypedDict):
    locks: int
    mutations: int
    points: int
    wrong: dict[str, list[str]]


def drive(
    work: Path, shape: str, share: float, doubles: int, kills: int = 0, mutant: str = "none"
) -> Found:
    arguments = [str(work), shape, str(share), str(doubles), str(kills), mutant]
    done = subprocess.run(
        [sys.executable, str(DRIVER), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    wrong = len(found["wrong"])
    tell(f"{shape}: {found['points']} kills, {found['locks']} git locks met, {wrong} wrong")
    return cast("Found", found)


def test_a_killed_dream_ends_as_if_nothing_had_been(tmp_path: Path) -> None:
    found = drive(tmp_path, "mixed", 0.15, 1)
    assert found["points"] >= 5
    assert found["wrong"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_killed_at_every_mutation(tmp_path: Path, shape: str) -> None:
    found = drive(tmp_path, shape, 1.0, 15)
    assert found["points"] == found["mutations"] + 15
    assert found["wrong"] == {}


@pytest.mark.slow
def test_killed_at_any_time_with_git_and_all(tmp_path: Path) -> None:
    found = drive(tmp_path, "growing", 0.0, 0, 40)
    assert found["points"] == 40
    assert found["wrong"] == {}


@pytest.mark.slow
def test_the_kill_test_sees_a_purge_before_the_commit(tmp_path: Path) -> None:
    assert drive(tmp_path, "shrinking", 1.0, 0, mutant="purge-first")["wrong"]
