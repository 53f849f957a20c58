from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.cases import read_case
from benchmarks.product import Dreamt, portions

from model_server import serving
from noctuary import profiles

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SAID = ("The barn is in Lindau.", "The roof costs 4,300 euros.")


def test_a_case_is_dreamt_by_the_model_that_a_profile_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"NOCTUARY_{name}", str(tmp_path / name.lower()))
    folder = tmp_path / "set" / "case"
    folder.mkdir(parents=True)
    rows = [
        json.dumps({"ts": f"2026-11-0{day}T09:00:00", "role": "user", "text": text, "session": "s"})
        for day, text in enumerate(SAID, 1)
    ]
    (folder / "episodes.jsonl").write_text("\n".join(rows), "utf-8")
    question = {
        "id": "q",
        "kind": "fact",
        "question": "What does the roof cost?",
        "answers": ["4,300"],
    }
    (folder / "questions.jsonl").write_text(json.dumps(question), "utf-8")
    case = read_case(folder)
    with serving() as server:
        profiles.add(profiles.known_profile("mine", base_url=server.url))
        thought = Dreamt.of(case, portions(case, 0), "mine")
        assert thought.costs["questions"] == len(server.calls) >= len(SAID)
    assert thought.costs["tokens sent"] > thought.costs["tokens received"] > 0
    assert "4,300" in str(thought.ask(case.questions[0], 200).hits)
    ruled = Dreamt.of(case, portions(case, 0))
    assert "questions" not in ruled.costs
    for made in (thought, ruled):
        made.folder.cleanup()
