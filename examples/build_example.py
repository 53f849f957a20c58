"""Builds the example vault from the example transcripts: same transcripts, same bytes.

    python examples/build_example.py vault

Each night is dreamt at a fixed moment, by the offline distiller, and git stays out of it.
"""

from __future__ import annotations

import shutil
import sys
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from noctuary import Vault

HERE = Path(__file__).parent
TRANSCRIPTS = (
    ("claude-code", HERE / "transcripts" / "website.claude-code.jsonl"),
    ("jsonl", HERE / "transcripts" / "everyday.zh.jsonl"),
)
NIGHT = datetime(2026, 11, 9, 3, 0)
WEEK = timedelta(days=7)
NOT_SHIPPED = (".noctuary", ".git", ".gitattributes", ".gitignore")


def build(root: Path) -> None:
    """Make a vault, take both transcripts in, dream, and look the cards over a week later."""
    Vault.create(root, language="en", timezone="UTC", git=False)
    vault = Vault.open(root, clock=lambda: NIGHT)
    for format_, file in TRANSCRIPTS:
        taken = vault.import_(format_, [file])
        print(f"{file.name}: {taken.imported} entries")
    print(vault.dream(now=NIGHT, stopwatch=lambda: 0.0).summary)
    print(vault.dream(now=NIGHT + WEEK, deep=True, stopwatch=lambda: 0.0).summary)


def publish(built: Path, target: Path) -> None:
    """Put what was built in the place of what is there, machine state left out."""
    for name in NOT_SHIPPED:
        path = built / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(built, target)


def main() -> None:
    """Build into the folder that is named on the command line."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "vault")
    with TemporaryDirectory() as scratch:
        built = Path(scratch) / "vault"
        build(built)
        publish(built, target)
    print(f"built {target}")


if __name__ == "__main__":
    main()
