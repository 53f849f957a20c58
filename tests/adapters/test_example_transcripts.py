"""The shipped transcripts: whole, and with everything in them that they are to show."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from noctuary.memory.entry import Role, TaskMark
from transcript_shapes import Taken, taken

FOLDER = Path(__file__).parents[2] / "examples" / "transcripts"


@pytest.fixture(scope="module")
def website() -> Taken:
    return taken("claude-code", FOLDER / "website.claude-code.jsonl")


@pytest.fixture(scope="module")
def everyday() -> Taken:
    return taken("jsonl", FOLDER / "everyday.zh.jsonl")


def test_both_are_read_without_a_problem(website: Taken, everyday: Taken) -> None:
    assert website.problems == everyday.problems == []
    assert 150 <= len(website.incoming) + len(everyday.incoming) <= 250
    ids = [item.entry.id for item in (*website.incoming, *everyday.incoming)]
    assert len(set(ids)) == len(ids)


def test_the_coding_project_has_three_sessions_on_four_days(website: Taken) -> None:
    assert len({item.session for item in website.incoming}) == 3
    days = {item.entry.at.date() for item in website.incoming}
    assert days == {date(2026, 11, day) for day in (2, 3, 5, 6)}
    assert {item.project for item in website.incoming} == {"website"}


def test_the_rewound_branch_is_gone_and_what_replaced_it_is_there(website: Taken) -> None:
    user = [text for role, text in website.said if role is Role.USER]
    assert not any("PostgreSQL then" in text for text in user)
    assert any(text.startswith("We decided on SQLite, because") for text in user)
    assert website.passed["abandoned branch"] == 5
    assert website.passed["subagent"] == 2


def test_the_summary_of_the_compaction_is_not_the_persons(website: Taken) -> None:
    system = [text for role, text in website.said if role is Role.SYSTEM]
    assert [text[:12] for text in system] == ["This session"]


def test_injections_come_from_pages_alone(website: Taken, everyday: Taken) -> None:
    said = [*website.said, *everyday.said]
    assert {role for role, text in said if "collect.example.net" in text} == {Role.WEB}


def test_no_secret_comes_in(website: Taken, everyday: Taken) -> None:
    said = "\n".join([*website.texts, *everyday.texts])
    assert "EXAMPLEonly" not in said
    assert said.count("[secret:github-token:") == 2


def test_tasks_are_opened_and_some_are_closed(everyday: Taken) -> None:
    marks = {mark: set[str]() for mark in TaskMark}
    for item in everyday.incoming:
        if item.entry.task:
            marks[item.entry.task].add(item.entry.text)
    assert len(marks[TaskMark.OPEN]) == 5
    assert marks[TaskMark.DONE] == {"给小满订生日蛋糕", "给图书角采购两把扫码枪"}


def test_words_that_a_memory_must_keep_stand_in_the_entries(everyday: Taken) -> None:
    assert (Role.USER, "预算不超过人民币五万元，只能使用开源技术栈。") in everyday.said
