"""Runs the tour in the READMEs and writes what it printed back: python docs/build_tour.py.

In a `console` block each line behind `$ ` is a command; what follows is its output. Output that
is shown as `…` is left out.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from pathlib import Path

from noctuary.doors.cli import run

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
LEFT_OUT = "…\n"
_BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_SOME = 40
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_COMMIT = re.compile(r"\b[0-9a-f]{10}(?=; see it|；用)")


def retold(text: str) -> str:
    """The page with every command run again, in a folder of its own."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["NOCTUARY_CACHE"] = str(Path(scratch) / "cache")
        os.environ.pop("NOCTUARY_VAULT", None)
        os.environ["NOCTUARY_LANG"] = "zh" if len(_CHINESE.findall(text[:400])) > _SOME else "en"
        os.chdir(scratch)
        try:
            return _BLOCK.sub(lambda block: _COMMAND.sub(_again, block[0]), text)
        finally:
            os.chdir(here)


def _again(step: re.Match[str]) -> str:
    command, shown = step[1], step[2]
    words = shlex.split(command)
    if words[0] == "cd":
        os.chdir(words[1])
        return f"$ {command}\n"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = run(words[1:])
    if words[0] != "noctuary" or code:
        raise SystemExit(f"the tour cannot run: {command}")
    told = LEFT_OUT if shown == LEFT_OUT else _COMMIT.sub("0123456789", printed.getvalue())
    return f"$ {command}\n{told}"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(retold(page.read_text("utf-8")), "utf-8")
