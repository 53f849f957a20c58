from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def every_file(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_the_example_vault_is_what_the_program_makes_of_the_transcripts(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, ROOT / "examples" / "build_example.py", tmp_path / "vault"],
        check=True,
        env={"PYTHONPATH": str(ROOT / "daemon"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    built, shipped = every_file(tmp_path / "vault"), every_file(ROOT / "vault")
    assert sorted(built) == sorted(shipped), "run make example and look at the diff"
    changed = [name for name in built if built[name] != shipped[name]]
    assert changed == [], "run make example and look at the diff"
