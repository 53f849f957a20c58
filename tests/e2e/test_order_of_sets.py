"""The same life gives the same memory and the same answers, in whatever order sets hand things out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WEEKS = Path(__file__).parents[1] / "weeks"
LIFE = """
import hashlib, json, sys
from pathlib import Path
from noctuary.api import Vault

home, week = Path(sys.argv[1]), Path(sys.argv[2])
rows = [json.loads(line) for line in week.read_text("utf-8").splitlines()]
vault = Vault.init(home / "vault", timezone="UTC")
for day in sorted({row["ts"][:10] for row in rows}):
    said = [json.dumps(row) for row in rows if row["ts"].startswith(day)]
    (home / "day.jsonl").write_text("\\n".join(said), encoding="utf-8")
    vault.import_("jsonl", [home / "day.jsonl"])
    vault.dream(now=f"{day}T23:30:00")
notes = sorted((home / "vault").glob("[cim]*/**/*.md")) + [home / "vault" / "index.md"]
found = {note.name: hashlib.sha256(note.read_bytes()).hexdigest() for note in notes}
found["context"] = vault.context(budget=1500).text
for row in rows:
    if row["role"] == "user":
        found[row["text"]] = vault.recall(row["text"][:300]).framed()
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.parametrize("week", sorted(path.stem for path in WEEKS.glob("*.jsonl"))[:2])
def test_memory_and_answers_do_not_depend_on_the_order_of_sets(week: str, tmp_path: Path) -> None:
    told = []
    for seed in ("1", "2"):
        home = tmp_path / seed
        home.mkdir()
        surroundings = os.environ | {"PYTHONHASHSEED": seed, "NOCTUARY_CACHE": str(home / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", LIFE, str(home), str(WEEKS / f"{week}.jsonl")],
            env=surroundings,
            capture_output=True,
            text=True,
            check=True,
        )
        told.append(json.loads(done.stdout))
    one, other = told
    assert len(one) > 40
    assert {name for name in one if one[name] != other.get(name)} == set()
    assert one.keys() == other.keys()
