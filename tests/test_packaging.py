"""The wheel holds everything, and does the main job in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = "Scripts" if os.name == "nt" else "bin"

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=outside | env,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target, cwd=ROOT)
    [built] = target.glob("*.whl")
    return built


def test_the_wheel_holds_every_template_and_data_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    templates = {
        f"noctuary/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "templates").rglob("*")
        if path.is_file()
    }
    package = {
        path.relative_to(ROOT / "daemon").as_posix()
        for path in (ROOT / "daemon" / "noctuary").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in inside if ".dist-info/" not in name} == templates | package


def test_installed_outside_the_tree_it_does_the_main_job(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    python = tmp_path / "env" / BIN / "python"
    run(python, "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    noctuary = tmp_path / "env" / BIN / "noctuary"
    env = {"NOCTUARY_VAULT": str(tmp_path / "v"), "NOCTUARY_CACHE": str(tmp_path / "cache")}

    assert "0.1" in run(noctuary, "--version", cwd=tmp_path)
    run(noctuary, "init", tmp_path / "v", cwd=tmp_path)
    run(noctuary, "log", "预算不超过人民币五万元。", "--session", "s1", cwd=tmp_path, **env)
    dream = json.loads(run(noctuary, "dream", "--json", cwd=tmp_path, **env))
    assert (dream["result"], dream["facts"]["lost"]) == ("done", 0)
    answer = json.loads(run(noctuary, "recall", "预算", "--json", cwd=tmp_path, **env))
    assert "五万元" in answer["hits"][0]["text"]
    assert "五万元" in run(noctuary, "context", cwd=tmp_path, **env)
    run(noctuary, "verify", cwd=tmp_path, **env)
    where = run(python, "-c", "import noctuary; print(noctuary.__file__)", cwd=tmp_path)
    assert str(tmp_path / "env") in where
