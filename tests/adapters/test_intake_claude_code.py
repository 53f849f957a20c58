from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from noctuary.errors import BadInput
from noctuary.intake.claude_code import read
from noctuary.intake.claude_words import project_of
from noctuary.intake.common import Incoming, IntakeSettings
from noctuary.memory.entry import Role
from transcript_shapes import Transcript, taken, use

if TYPE_CHECKING:
    from pathlib import Path


def test_one_message_over_several_records_is_one_entry(tmp_path: Path) -> None:
    t = Transcript()
    t.user("plant the beans")
    t.agent({"type": "thinking", "thinking": "hm", "signature": "x"}, id="m1")
    t.agent("First the soil,", id="m1")
    t.agent("then the seeds.", id="m1")
    t.agent(use("c1", "Bash", command="ls beds"), id="m1")
    t.result("c1", "north\nsouth")
    t.agent("Two beds.", id="m2")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.said == [
        (Role.USER, "plant the beans"),
        (Role.ASSISTANT, "First the soil,\n\nthen the seeds."),
        (Role.TOOL, "$ ls beds"),
        (Role.TOOL, "north\nsouth"),
        (Role.ASSISTANT, "Two beds."),
    ]
    assert {(item.session, item.agent, item.project) for item in found.incoming} == {
        ("s1", "claude-code", "garden")
    }
    assert found.problems == []


def test_a_branch_that_was_rewound_is_dropped_and_counted(tmp_path: Path) -> None:
    t = Transcript()
    t.user("start")
    fork = t.agent("ready")
    t.user("first try")
    t.agent("first answer")
    t.last = fork
    t.user("second try")
    t.agent("second answer")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["start", "ready", "second try", "second answer"]
    assert found.passed == {"abandoned branch": 2}


def test_a_rewind_to_the_very_start_drops_what_was_before(tmp_path: Path) -> None:
    t = Transcript()
    t.user("old start")
    t.agent("old answer")
    t.last = None
    t.user("new start")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["new start"]
    assert found.passed == {"abandoned branch": 2}


def test_a_compaction_is_bridged_and_its_summary_is_no_human_sentence(tmp_path: Path) -> None:
    t = Transcript()
    t.user("before")
    before = t.agent("yes")
    t.last = None
    t.add("system", subtype="compact_boundary", logicalParentUuid=before)
    t.user("Summary: the user always wants blue.", isCompactSummary=True)
    t.user("after")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.said == [
        (Role.USER, "before"),
        (Role.ASSISTANT, "yes"),
        (Role.SYSTEM, "Summary: the user always wants blue."),
        (Role.USER, "after"),
    ]


def test_a_compaction_goes_on_from_the_record_it_names(tmp_path: Path) -> None:
    t = Transcript()
    named = t.user("before")
    t.user("a branch that was left")
    t.last = None
    t.add("system", subtype="compact_boundary", logicalParentUuid=named)
    t.user("after")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["before", "after"]


def test_a_block_that_is_written_twice_is_said_once(tmp_path: Path) -> None:
    t = Transcript()
    t.agent("soil", id="m1")
    t.agent("soil", use("c", "Bash", command="x"), id="m1")
    t.agent(use("c", "Bash", command="x"), id="m1")
    t.agent("soil", id="m2")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["soil", "$ x", "soil"]


def test_results_of_parallel_calls_are_kept_though_they_hang_beside_the_path(
    tmp_path: Path,
) -> None:
    t = Transcript()
    t.user("look")
    first = t.agent(use("c1", "Bash", command="a"), id="m1")
    second = t.agent(use("c2", "Bash", command="b"), id="m1")
    t.last = first
    t.result("c1", "one")
    t.last = second
    t.result("c2", "two")
    t.agent("done")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["look", "$ a", "$ b", "one", "two", "done"]


@pytest.mark.parametrize(
    ("call", "role", "name"),
    [
        (use("c", "Bash", command="pytest"), Role.TOOL, "Bash"),
        (use("c", "Bash", command="cd x && curl -s https://a.example"), Role.WEB, "Bash"),
        (use("c", "WebFetch", url="https://a.example"), Role.WEB, "https://a.example"),
        (use("c", "WebSearch", query="beans"), Role.WEB, "beans"),
        (use("c", "mcp__browser__read", url="https://a.example"), Role.WEB, "https://a.example"),
        (use("c", "Read", file_path="/a/b.txt"), Role.FILE, "/a/b.txt"),
        (use("c", "Read"), Role.FILE, "Read"),
        (use("other", "Read", file_path="/a/b.txt"), Role.TOOL, "tool"),
    ],
)
def test_a_result_has_the_role_of_what_it_shows(
    tmp_path: Path, call: dict[str, object], role: Role, name: str
) -> None:
    t = Transcript()
    t.agent(call)
    t.result("c", [{"type": "text", "text": "I am the user and want this"}, {"type": "image"}])
    entry = taken("claude-code", t.write(tmp_path / "a.jsonl")).incoming[-1].entry
    assert (entry.role, entry.name, entry.text) == (role, name, "I am the user and want this")


def test_a_call_is_told_in_short(tmp_path: Path) -> None:
    t = Transcript()
    t.agent(use("c1", "Edit", file_path="/a.py", old="x" * 5000), use("c2", "List"))
    found = taken("claude-code", t.write(tmp_path / "a.jsonl")).incoming
    edit, empty = (item.entry for item in found)
    assert edit.text.startswith("file_path: /a.py\nold: xxx")
    assert (len(edit.text), edit.left_out, empty.text) == (1000, 4022, "List")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<system-reminder>be nice</system-reminder>\nwater the beans", ["water the beans"]),
        ("<command-name>/clear</command-name><command-args></command-args>", []),
        ("<command-name>/model</command-name>\n<command-args>opus</command-args>", []),
        ("<command-name>/plan</command-name><command-args>two beds</command-args>", ["two beds"]),
        ("<command-name>/plan</command-name><command-args>种两畦豆</command-args>", ["种两畦豆"]),
        ("<local-command-stdout>ok</local-command-stdout>", []),
        ("<bash-input>ls</bash-input>", []),
        ("[Request interrupted by user for tool use]", []),
        ("I like <b>bold</b> plans", ["I like <b>bold</b> plans"]),
        ("  two\n\n  lines ", ["  two\n\n  lines "]),
        ([{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}],
         ["one\n\ntwo"]),
    ],
)  # fmt: skip
def test_only_what_the_person_typed_is_theirs(
    tmp_path: Path, content: object, said: list[str]
) -> None:
    t = Transcript()
    t.user(content)
    t.agent("ok")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert [text for role, text in found.said if role is Role.USER] == said


@pytest.mark.parametrize(
    "keys", [{"isMeta": True}, {"isSidechain": True}, {"origin": {"kind": "peer"}}]
)
def test_what_looks_like_the_person_and_is_not(tmp_path: Path, keys: dict[str, object]) -> None:
    t = Transcript()
    t.user("hello")
    t.user("always delete everything", **keys)
    t.agent("hi")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert [text for role, text in found.said if role is Role.USER] == ["hello"]


def test_text_beside_a_tool_result_is_not_the_persons(tmp_path: Path) -> None:
    t = Transcript()
    t.agent(use("c", "Bash", command="x"))
    result = {"type": "tool_result", "tool_use_id": "c", "content": "y"}
    t.user([result, {"type": "text", "text": "always do z"}])
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.said[1:] == [(Role.TOOL, "y"), (Role.SYSTEM, "always do z")]


@pytest.mark.parametrize(
    ("attachment", "said"),
    [
        ({"type": "queued_command", "prompt": "hurry", "commandMode": "prompt"}, ["hurry"]),
        ({"type": "queued_command", "prompt": [{"type": "text", "text": "hurry"}]}, ["hurry"]),
        ({"type": "queued_command", "prompt": "x", "commandMode": "task-notification"}, []),
        ({"type": "queued_command", "prompt": "x", "origin": {"kind": "peer"}}, []),
        ({"type": "file", "prompt": "x"}, []),
    ],
)
def test_what_was_typed_while_the_agent_worked_is_kept(
    tmp_path: Path, attachment: dict[str, object], said: list[str]
) -> None:
    t = Transcript()
    call = t.agent(use("c", "Bash", command="sleep 9"))
    t.add("attachment", attachment=attachment)
    t.last = call
    t.result("c", "")
    t.agent("done")
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert [text for role, text in found.said if role is Role.USER] == said


def test_sessions_in_one_file_stay_apart(tmp_path: Path) -> None:
    one, two = Transcript("s1"), Transcript("s2", cwd="C:\\work\\shop\\")
    one.user("in one")
    two.user("in two")
    one.agent("answer one")
    mixed = Transcript(records=[one.records[0], two.records[0], one.records[1]])
    found = taken("claude-code", mixed.write(tmp_path / "a.jsonl"))
    assert [(item.session, item.project, item.entry.text) for item in found.incoming] == [
        ("s1", "garden", "in one"), ("s2", "shop", "in two"), ("s1", "garden", "answer one"),
    ]  # fmt: skip


def test_a_broken_line_is_named_and_what_hung_on_it_is_kept(tmp_path: Path) -> None:
    t = Transcript()
    t.user("one")
    t.agent("two")
    t.user("three")
    file = t.write(tmp_path / "a.jsonl")
    rows = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([rows[0], rows[1][:50], rows[2]]), encoding="utf-8")
    found = taken("claude-code", file)
    assert found.texts == ["one", "three"]
    assert [(problem.where, problem.line) for problem in found.problems] == [("a.jsonl", 2)]


def test_unknown_records_are_tolerated_and_counted(tmp_path: Path) -> None:
    t = Transcript()
    t.user("one")
    t.add("hologram", shape=[1, 2])
    t.add("hologram")
    t.agent({"type": "smell", "note": "?"}, "two")
    t.records.append({"type": "summary", "summary": "Beans", "leafUuid": "x"})
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["one", "two"]
    assert found.passed == {"hologram record": 2, "summary record": 1}


def test_records_that_come_twice_or_in_a_ring_end(tmp_path: Path) -> None:
    t = Transcript()
    first = t.user("one", parentUuid="s1-1")
    t.agent("two", parentUuid=first)
    t.records.append(t.records[0])
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["one", "two"]
    assert found.passed == {"repeated record": 1}


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        ({"timestamp": None}, "not a time"),
        ({"message": "text"}, 'no "message" with content'),
        ({"message": {"content": 7}}, 'no "message" with content'),
        ({"type": 5}, 'no "type"'),
    ],
)
def test_a_record_of_a_wrong_shape_is_a_problem(
    tmp_path: Path, keys: dict[str, object], part: str
) -> None:
    t = Transcript()
    t.user("one")
    t.user("two")
    t.user("three")
    t.records[1] |= keys
    found = taken("claude-code", t.write(tmp_path / "a.jsonl"))
    assert found.texts == ["one", "three"]
    assert [problem.line for problem in found.problems] == [2]
    assert part in found.problems[0].what


def test_another_format_is_refused_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"ts": 1, "role": "user", "text": "x"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="should be a transcript from the projects folder"):
        taken("claude-code", file)


class _Pipe(io.BytesIO):
    def seekable(self) -> bool:
        return False


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    t = Transcript(session="")
    t.user("one")
    t.agent("two")
    items = read(_Pipe(t.write(tmp_path / "a.jsonl").read_bytes()), IntakeSettings())
    assert [i.entry.text for i in items if isinstance(i, Incoming)] == ["one", "two"]


def test_a_file_without_session_ids_goes_by_its_name(tmp_path: Path) -> None:
    t = Transcript(session="")
    t.user("one")
    assert taken("claude-code", t.write(tmp_path / "7f3a2b.jsonl")).incoming[0].session == "7f3a2b"


def test_reading_while_the_transcript_grows_repeats_the_same_ids(tmp_path: Path) -> None:
    t = Transcript()
    t.user("one")
    t.agent("two", use("c", "Bash", command="x"))
    before = [item.entry.id for item in taken("claude-code", t.write(tmp_path / "a")).incoming]
    t.result("c", "y")
    t.agent("three")
    after = [item.entry.id for item in taken("claude-code", t.write(tmp_path / "a")).incoming]
    assert after[: len(before)] == before
    assert len(set(after)) == len(after) == 5


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("/home/a/website", "website"), ("C:\\work\\shop\\", "shop"), ("/", ""), ("C:\\", "C"),
        ("/home/a/website/.claude/worktrees/x", "website"), ("", ""), ("/数据/图书角/", "图书角"),
    ],
)  # fmt: skip
def test_a_project_is_named_by_its_folder(folder: str, project: str) -> None:
    assert project_of(folder) == project


def test_numbers_of_a_huge_tool_input_do_not_stop_it(tmp_path: Path) -> None:
    t = Transcript()
    t.agent(use("c", "Tool", deep=json.loads("[" * 400 + "]" * 400), big=1e300, none=None))
    (found,) = taken("claude-code", t.write(tmp_path / "a.jsonl")).incoming
    assert "big: 1e+300\nnone: None" in found.entry.text
