from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from noctuary.errors import BadInput
from noctuary.intake.common import IntakeSettings
from noctuary.intake.sections import sections
from noctuary.memory.entry import Role
from transcript_shapes import taken

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = {
    "date": "2026-10-05T18:30:00",
    "summary": "把网站改成了深色主题。",
    "patterns": ["先写测试", "提交信息只写一行"],
    "message_count": 42,
    "duration_minutes": 35,
}


@pytest.mark.parametrize("key", ["", "memories", "entries", "sessions"])
def test_summaries_of_sessions_become_an_agents_words(tmp_path: Path, key: str) -> None:
    file = tmp_path / "store.json"
    content = {"total": 1, key: [SUMMARY]} if key else [SUMMARY]
    file.write_text(json.dumps(content), encoding="utf-8")
    (found,) = taken("summaries", file).incoming
    assert (found.agent, found.session) == ("import", "store")
    assert found.entry.role is Role.ASSISTANT
    assert found.entry.at == datetime(2026, 10, 5, 18, 30)
    assert found.entry.text == (
        "把网站改成了深色主题。\n\n- 先写测试\n- 提交信息只写一行\n\n"
        "message_count: 42, duration_minutes: 35"
    )


def test_a_summary_by_categories_keeps_its_labels(tmp_path: Path) -> None:
    file = tmp_path / "store.json"
    summary = {"decisions": ["use SQLite"], "errors": [], "mood": "good"}
    file.write_text(json.dumps([{"date": "2026-10-05", "summary": summary}]), encoding="utf-8")
    assert taken("summaries", file).texts == ["decisions:\n- use SQLite\nmood: good"]


def test_a_summary_without_a_date_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "store.json"
    file.write_text(json.dumps([SUMMARY, {"summary": "x"}, {"date": 1, "summary": ""}]))
    found = taken("summaries", file)
    assert len(found.incoming) == 1
    assert [str(problem) for problem in found.problems] == [
        'store.json: summary 2: there is no "date"; say when it was.'
    ]
    assert found.passed == {"empty summary": 1}


@pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '{"memories": 3}', '"x"', "[1, 2]"])
def test_a_file_without_summaries_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "store.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"store\.json"):
        taken("summaries", file)


MEMORY = """---
kind: memory
---
# Memory

## Editor
- Uses four spaces
  and no tabs
- [x] 深色主题
<!-- importance: 7 -->

## 2026-10-03
Plain words
on two lines.

```sh
# not a heading

- not a bullet
```
"""


def test_a_memory_file_gives_an_entry_per_bullet_or_paragraph(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text(MEMORY, encoding="utf-8")
    changed = datetime(2026, 10, 9, 8, 7, 6, tzinfo=UTC).timestamp()
    os.utime(file, (changed, changed))
    found = [item.entry for item in taken("memory-md", file).incoming]
    assert [(entry.name, entry.at.isoformat(), entry.text) for entry in found] == [
        ("Memory › Editor", "2026-10-09T08:07:06", "Uses four spaces\n  and no tabs"),
        ("Memory › Editor", "2026-10-09T08:07:06", "深色主题"),
        ("Memory › 2026-10-03", "2026-10-03T00:00:00", "Plain words\non two lines."),
        (
            "Memory › 2026-10-03",
            "2026-10-03T00:00:00",
            "```sh\n# not a heading\n\n- not a bullet\n```",
        ),
    ]
    assert {entry.role for entry in found} == {Role.ASSISTANT}


def test_older_notes_are_the_persons_words_only_when_they_say_so(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("- likes tea\n", encoding="utf-8")
    found = taken("memory-md", file, IntakeSettings(trust_user=True))
    assert found.said == [(Role.USER, "likes tea")]


def test_a_folder_of_notes_is_read_section_by_section(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / ".obsidian").mkdir()
    (folder / "sub" / "2026-09-01 walk.md").write_text("top\n\n# Trees\n- oak\n- ash\n")
    (folder / ".obsidian" / "hidden.md").write_text("hidden")
    (folder / "bad.md").write_bytes(b"\xff\xfe\xfd")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    found = taken("notes", folder)
    assert [(item.session, item.entry.name, item.entry.text) for item in found.incoming] == [
        ("notes 2026-09", "2026-09-01 walk", "top"),
        ("notes 2026-09", "2026-09-01 walk › Trees", "- oak\n- ash"),
    ]
    assert [problem.where for problem in found.problems] == ["bad.md"]


def test_a_link_out_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "open.md").write_text("open")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert taken("notes", folder).texts == ["open"]


def test_no_notes_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no \.md or \.txt notes"):
        taken("notes", tmp_path)
    with pytest.raises(BadInput, match="does not exist"):
        taken("notes", tmp_path / "none.md")
    (tmp_path / "MEMORY.md").write_text(" \n")
    with pytest.raises(BadInput, match="is empty"):
        taken("memory-md", tmp_path / "MEMORY.md")


def test_headings_nest_and_end() -> None:
    text = "# A\n## B\none\n# C ##\ntwo\n"
    assert [(s.headings, s.text) for s in sections(text, by_item=False)] == [
        (("A", "B"), "one"),
        (("C",), "two"),
    ]
