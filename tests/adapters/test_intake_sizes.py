"""Large transcripts: as a stream, in little memory, in little time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from noctuary.intake.common import Incoming, IntakeSettings
from noctuary.intake.registry import reader

DAEMON = Path(__file__).parents[2] / "daemon"

COUNT = """
import resource, sys
from pathlib import Path
from noctuary.intake.common import Incoming, IntakeSettings
from noctuary.intake.registry import reader

items = reader(sys.argv[1])(Path(sys.argv[2]), IntakeSettings(redact=str))
count = sum(isinstance(item, Incoming) for item in items)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(count, peak // 1024 if sys.platform != "darwin" else peak >> 20)
"""


def _row(number: int, format_: str, text: str) -> str:
    stamp = f"2026-11-30T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}Z"
    if format_ == "jsonl":
        return json.dumps({"ts": stamp, "role": "user", "text": text, "session": "s"})
    parent = f"id-{number - 1}" if number else None
    return json.dumps(
        {
            "type": "user", "uuid": f"id-{number}", "parentUuid": parent, "sessionId": "s",
            "timestamp": stamp, "cwd": "/home/a/b", "message": {"role": "user", "content": text},
        }
    )  # fmt: skip


def _write(path: Path, format_: str, rows: int, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{_row(number, format_, text)}\n" for number in range(rows))


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["jsonl", "claude-code"])
def test_a_hundred_megabytes_are_read_within_200_mb_of_memory(tmp_path: Path, format_: str) -> None:
    pytest.importorskip("resource")
    file = tmp_path / "long.jsonl"
    _write(file, format_, 125_000, "豆子 and beans " * 40)
    assert file.stat().st_size > 100_000_000
    command = [sys.executable, "-c", COUNT, format_, str(file)]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(DAEMON)}, capture_output=True, text=True, check=True
    )
    count, megabytes = map(int, done.stdout.split())
    assert count == 125_000
    assert megabytes < 200


@pytest.mark.parametrize("format_", ["jsonl", "claude-code"])
def test_a_reader_gives_entries_before_it_has_read_everything(tmp_path: Path, format_: str) -> None:
    file = tmp_path / "long.jsonl"
    _write(file, format_, 500, "x")
    with file.open("rb") as stream:
        items = reader(format_)(stream, IntakeSettings())
        assert isinstance(next(items), Incoming)
        next(items)
        assert stream.tell() < file.stat().st_size
