from __future__ import annotations

import io
import json
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.errors import BadInput, UsageError
from noctuary.intake import lines
from noctuary.intake.common import Incoming, IntakeSettings
from noctuary.intake.jsonl import read
from noctuary.intake.registry import FORMATS, reader
from noctuary.memory.entry import Priority, Role, TaskMark, entry_id
from transcript_shapes import taken

if TYPE_CHECKING:
    from pathlib import Path

GOOD = {"ts": "2026-11-30T14:02:11", "role": "user", "text": "预算不超过人民币五万元。"}


def test_every_field_arrives(tmp_path: Path) -> None:
    file = tmp_path / "day.jsonl"
    record = {
        "ts": "2026-11-30T14:02:11Z", "role": "TOOL", "text": " two\r\nlines ", "session": 7,
        "agent": "mine", "project": "garden", "user": "ana", "priority": "high", "name": "bash",
        "mood": {"ignored": True},
    }  # fmt: skip
    file.write_text(json.dumps(record), encoding="utf-8")
    found = taken("jsonl", file, IntakeSettings(ZoneInfo("Asia/Shanghai"))).incoming[0]
    entry = found.entry
    at = datetime(2026, 11, 30, 22, 2, 11)
    assert (found.session, found.agent, found.project, found.user) == ("7", "mine", "garden", "ana")
    assert (entry.role, entry.at, entry.text) == (Role.TOOL, at, " two\r\nlines ")
    assert (entry.priority, entry.name, entry.left_out) == (Priority.HIGH, "bash", 0)
    assert entry.id == entry_id(Role.TOOL, at, " two\r\nlines ")


def test_tasks_are_opened_and_closed(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    opened = {"ts": "2026-11-30T14:00:00", "text": "buy ink", "task": "open"}
    done = {"ts": "2026-11-30T15:00:00", "role": "task", "text": "buy ink", "task": "done"}
    file.write_text(f"{json.dumps(opened)}\n{json.dumps(done)}\n", encoding="utf-8")
    marks = [(item.entry.role, item.entry.task) for item in taken("jsonl", file).incoming]
    assert marks == [(Role.TASK, TaskMark.OPEN), (Role.TASK, TaskMark.DONE)]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"ts": None}, "not a time"),
        ({"ts": "yesterday"}, "not a time"),
        ({"role": "robot"}, "it can be user, assistant"),
        ({"role": None}, "there is no role"),
        ({"text": 5}, '"text"'),
        ({"priority": "urgent"}, "it can be high, normal, low"),
        ({"task": "open"}, "go together"),
        ({"role": "task"}, "go together"),
        ({"role": "task", "task": "later"}, "it can be open, done"),
        ({"session": ["x"]}, '"session" is not a string'),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(
    tmp_path: Path, change: dict[str, object], part: str
) -> None:
    file = tmp_path / "mixed.jsonl"
    rows = [json.dumps(GOOD), json.dumps(GOOD | change), "", json.dumps(GOOD)]
    file.write_text("\n".join(rows), encoding="utf-8")
    found = taken("jsonl", file)
    assert len(found.incoming) == 2
    assert [(problem.where, problem.line) for problem in found.problems] == [("mixed.jsonl", 2)]
    assert part in found.problems[0].what


@pytest.mark.parametrize(
    "bad",
    [b"{", b"[1]", b"null", b"\xff\xfe\xfd", b'{"ts": 1' + b"0" * 5000 + b"}", b"[" * 100_000],
    ids=["cut", "list", "null", "latin", "number", "deep"],
)
def test_a_line_that_is_no_json_object_is_one_problem(tmp_path: Path, bad: bytes) -> None:
    file = tmp_path / "mixed.jsonl"
    file.write_bytes(json.dumps(GOOD).encode() + b"\r\n" + bad + b"\r\n")
    found = taken("jsonl", file)
    assert found.texts == [GOOD["text"]]
    assert [problem.line for problem in found.problems] == [2]


def test_a_secret_in_a_broken_line_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "mixed.jsonl"
    file.write_text(json.dumps(GOOD) + "\npassword=hunter2hunter2\n", encoding="utf-8")
    assert "hunter2" not in str(taken("jsonl", file).problems)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "is empty"),
        (b" \n\n\r\n", "is empty"),
        ('{"ts": "…"}'.encode("utf-16"), "save it as UTF-8"),
        (b"\x00\x01\x02", "not text in UTF-8"),
        (b"PK\x03\x04rest", "unpack it"),
        (b"\x1f\x8b\x08rest", "unpack it"),
        (b'[\n{"ts": 1}\n]', "holds nothing that can be read"),
        ("größer\n".encode("latin-1") * 3, "holds nothing that can be read"),
        (b"x\n" * 5000, "holds nothing that can be read"),
    ],
)
def test_a_file_that_is_unusable_gives_one_sentence_and_no_entry(
    tmp_path: Path, data: bytes, part: str
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_bytes(data)
    with pytest.raises(BadInput, match=part):
        next(read(file, IntakeSettings()))


def test_a_missing_file_and_a_folder_are_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist; check the path"):
        list(read(tmp_path / "none.jsonl", IntakeSettings()))
    with pytest.raises(BadInput, match="is a folder; name the files in it"):
        list(read(tmp_path, IntakeSettings()))


def test_a_line_beyond_the_limit_is_skipped_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 1 << 20)
    file = tmp_path / "huge.jsonl"
    good = json.dumps(GOOD).encode()
    file.write_bytes(good + b"\n" + b"x" * (3 << 20) + b"\n" + good + b"\n" + b"y" * (2 << 20))
    found = taken("jsonl", file)
    assert len(found.incoming) == 2
    assert [problem.line for problem in found.problems] == [2, 4]
    assert "longer than 1 MiB" in found.problems[0].what


def test_a_stream_is_read_like_a_file() -> None:
    stream = io.BytesIO(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    (found,) = read(stream, IntakeSettings())
    assert isinstance(found, Incoming)
    assert found.entry.text == GOOD["text"]


def test_only_tool_like_text_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    rows = [
        json.dumps(GOOD | {"role": role, "text": "字" * 100}) for role in Role if role != "task"
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    found = taken("jsonl", file, IntakeSettings(tool_output_bytes=100)).incoming
    sizes = {item.entry.role: (len(item.entry.text), item.entry.left_out) for item in found}
    assert sizes == {
        Role.USER: (100, 0), Role.ASSISTANT: (100, 0), Role.SYSTEM: (100, 0),
        Role.TOOL: (33, 201), Role.WEB: (33, 201), Role.FILE: (33, 201),
    }  # fmt: skip


def test_a_secret_is_gone_before_the_id_is_made(tmp_path: Path) -> None:
    file = tmp_path / "secret.jsonl"
    token = "ghp_" + "0123456789abcdefABCD" * 2
    record = GOOD | {"role": "tool", "text": f"token {token}", "name": f"https://x.example/{token}"}
    file.write_text(json.dumps(record), encoding="utf-8")
    entry = taken("jsonl", file).incoming[0].entry
    assert token not in entry.text + entry.name
    assert entry.id == entry_id(entry.role, entry.at, entry.text)


def test_a_secret_that_the_cut_would_split_is_found_first(tmp_path: Path) -> None:
    file = tmp_path / "secret.jsonl"
    token = "ghp_" + "0123456789abcdefABCD" * 2
    text = "x" * 90 + " " + token + " rest" * 10_000
    file.write_text(json.dumps(GOOD | {"role": "tool", "text": text}), encoding="utf-8")
    entry = taken("jsonl", file, IntakeSettings(tool_output_bytes=100)).incoming[0].entry
    assert entry.text == "x" * 90 + " [secret:g"
    assert entry.left_out == len(text) - len(token) + len("[secret:github-token:12345678]") - 100


def test_what_noctuary_told_the_agent_is_not_taken_in(tmp_path: Path) -> None:
    file = tmp_path / "frame.jsonl"
    frame = '<noctuary-memory date="2026-11-30">\n- likes tea\n</noctuary-memory>'
    rows = [
        json.dumps(GOOD | {"text": f"{frame}\nhello"}),
        json.dumps(GOOD | {"role": "tool", "text": frame}),
        json.dumps(GOOD | {"role": "tool", "text": "$ recall\n" + frame[:-30]}),
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    found = taken("jsonl", file)
    assert found.texts == ["hello", "$ recall"]
    assert found.passed == {"empty text": 1}


def test_clocks_that_jump_keep_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "clock.jsonl"
    stamps = ["2026-11-30T14:00:00", "2026-11-29T14:00:00", "2026-12-09T14:00:00"]
    file.write_text("\n".join(json.dumps(GOOD | {"ts": ts}) for ts in stamps), encoding="utf-8")
    times = [item.entry.at.isoformat() for item in taken("jsonl", file).incoming]
    assert times == stamps


@given(st.text(), st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM]))
def test_any_text_comes_in_as_it_was(text: str, role: Role) -> None:
    record = json.dumps(GOOD | {"text": text, "role": role}).encode()
    items = list(read(io.BytesIO(record), IntakeSettings(redact=str)))
    entries = [item.entry.text for item in items if isinstance(item, Incoming)]
    assert entries == ([text] if text.strip() else [])


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="jsonl, claude-code"):
        reader("pigeon")


def test_every_format_has_its_reader() -> None:
    assert all(callable(reader(name)) for name in FORMATS)
