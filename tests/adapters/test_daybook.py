from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from noctuary import Vault
from noctuary.errors import UsageError
from noctuary.memory.entry import Entry, Role, TaskMark
from noctuary.memory.episode import parse_episode

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 11, 30, 12, 0)


def vault(tmp_path: Path, config: str = "") -> Vault:
    Vault.create(tmp_path / "v", timezone="Asia/Shanghai", git=False)
    path = tmp_path / "v" / "noctuary.toml"
    path.write_text('[vault]\ntimezone = "Asia/Shanghai"\n' + config, "utf-8")
    return Vault.open(tmp_path / "v", clock=lambda: NOON)


def entries(opened: Vault, name: str) -> list[Entry]:
    path = next((opened.path / "episodes").rglob(f"{name}.md"))
    return list(parse_episode(name, path.read_text("utf-8")).entries)


def lines(tmp_path: Path, *records: dict[str, str]) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), "utf-8")
    return path


def test_without_a_session_it_is_the_log_of_the_day(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    logged = opened.log("预算五万元", priority="high")
    assert logged.path == "episodes/2026/11/2026-11-30.md"
    [entry] = entries(opened, "2026-11-30")
    assert (entry.id, entry.text, entry.at) == (logged.id, "预算五万元", NOON)
    assert entry.priority == "high"


def test_the_same_again_adds_nothing(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    assert opened.log("once").added
    assert not opened.log("once").added
    assert len(entries(opened, "2026-11-30")) == 1


def test_a_project_without_a_session_is_not_lost(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    opened.log("for the site", project="website")
    opened.log("for nobody")
    [entry] = entries(opened, "2026-11-30-website")
    assert entry.project == "website"


def test_a_session_goes_on_in_its_file_on_the_next_day(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    opened.log("first", session="s1", project="website", at="2026-11-30T23:59:00")
    again = Vault.open(opened.path)
    path = again.log("second", session="s1", project="website", at="2026-12-01T00:01:00").path
    assert path == "episodes/2026/11/2026-11-30-s1.md"
    found = entries(opened, "2026-11-30-s1")
    assert [entry.at.day for entry in found] == [30, 1]
    daily = [again.log("x", project="website", at=f"2026-12-0{day}T08:00:00") for day in (1, 2)]
    assert len({logged.path for logged in daily}) == 2


def test_a_time_with_an_offset_becomes_local(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    opened.log("early", at="2026-11-29T20:30:00Z")
    assert entries(opened, "2026-11-30")[0].at == datetime(2026, 11, 30, 4, 30)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"text": "  \n"}, "nothing to log"),
        ({"text": "x", "role": "root"}, "choose one of user"),
        ({"text": "x", "priority": "urgent"}, "choose one of high"),
        ({"text": "x", "at": "noon"}, "2026-11-30T14:02:11"),
    ],
)
def test_what_cannot_be_logged_is_said_in_words(
    tmp_path: Path, how: dict[str, Any], told: str
) -> None:
    opened = vault(tmp_path)
    with pytest.raises(UsageError, match=told):
        opened.log(**how)
    assert opened.status().pending == 0


def test_secrets_and_private_terms_never_reach_the_disk(tmp_path: Path) -> None:
    opened = vault(tmp_path, '[privacy]\nprivate_terms = ["Zephyr", "瑞光公司", "Ann"]\n')
    token = "ghp_" + "a1B2" * 9
    opened.log(f"zephyr 和瑞光公司 use {token}; Annual report for Ann")
    text = entries(opened, "2026-11-30")[0].text
    assert text.startswith("[private] 和[private] use [secret:")
    assert text.endswith("; Annual report for [private]")


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "noon"]
)
def test_a_time_outside_all_calendars_is_refused_in_words(tmp_path: Path, at: str) -> None:
    opened = vault(tmp_path)
    with pytest.raises(UsageError, match="is not a time; write it like"):
        opened.log("A word.", at=at)
    with pytest.raises(UsageError, match="is not a time; write it like"):
        opened.dream(now=at)


def test_sessions_of_one_name_in_two_projects_keep_apart(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    rents = {"alpha": "The rent is 900 euros.", "beta": "The rent is 500 euros."}
    paths = {
        name: opened.log(text, session="s1", project=name).path for name, text in rents.items()
    }
    assert opened.log("Same words.", session="s1", project="alpha", at=NOON).added
    assert opened.log("Same words.", session="s1", project="beta", at=NOON).added
    tomorrow = Vault.open(opened.path, clock=lambda: NOON + timedelta(days=1))
    for name, path in paths.items():
        assert tomorrow.log("Going on.", session="s1", project=name).path == path
        held = entries(opened, path.rpartition("/")[2].removesuffix(".md"))
        assert {entry.project for entry in held} == {name}
        told = tomorrow.recall("rent", project=name, session="s1").framed()
        assert rents[name] in told
        assert all(text not in told for other, text in rents.items() if other != name)
    assert tomorrow.log("Nobody says which.", session="s1").path in paths.values()


def test_only_the_session_of_one_project_is_forgotten(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    rents = {"alpha": "The rent is 900 euros.", "beta": "The rent is 500 euros."}
    for name, text in rents.items():
        opened.log(text, session="s1", project=name)
    opened.dream(now=NOON + timedelta(days=1))
    with pytest.raises(UsageError, match=r"several projects \(alpha, beta\): add --project"):
        opened.forget("s1")
    assert opened.forget("s1", project="beta").entries == 1
    told = opened.recall("What is the rent?").framed()
    assert "900" in told
    assert "500" not in told
    assert opened.forget("s1").entries == 1
    with pytest.raises(UsageError, match="no card 's1'"):
        opened.forget("s1", project="gamma")


def test_sessions_of_which_the_names_begin_alike_keep_apart(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    ids = ("7f3a2b00-0000-4000-8000-000000000001", "7f3a2b00-0000-4000-8000-000000000002")
    paths = [opened.log("a word", session=one).path for one in ids]
    assert paths == [opened.log("another word", session=one).path for one in ids]
    assert len(set(paths)) == 2
    file = lines(
        tmp_path,
        *({"ts": NOON.isoformat(), "role": "user", "text": "more", "session": one} for one in ids),
    )
    assert opened.import_("jsonl", [file]).imported == 2
    assert opened.import_("jsonl", [file]).imported == 0


def test_a_session_is_one_file_with_roles_and_tasks(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    with opened.session(agent="my-agent", project="website", session="7f3a2b") as session:
        session.user("make it blue")
        with session.task("ship the page"):
            session.tool("bash", "ok")
        session.assistant("done")
        assert session.tool("bash", "") is None
    found = entries(opened, "2026-11-30-my-agent-7f3a2b")
    assert [entry.role for entry in found] == [
        Role.USER, Role.TASK, Role.TOOL, Role.TASK, Role.ASSISTANT,
    ]  # fmt: skip
    assert [entry.task for entry in found if entry.task] == [TaskMark.OPEN, TaskMark.DONE]
    assert found[2].name == "bash"


def test_a_task_that_breaks_off_stays_open(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    with (
        opened.session(session="s1") as session,
        pytest.raises(ValueError, match="no"),
        session.task("try it"),
    ):
        raise ValueError("no")
    assert [entry.task for entry in entries(opened, "2026-11-30-s1")] == [TaskMark.OPEN]


def test_import_twice_adds_nothing_and_dry_run_writes_nothing(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    file = lines(
        tmp_path,
        {"ts": "2026-11-30T09:00:00", "role": "user", "text": "one", "session": "a"},
        {"ts": "2026-12-01T09:00:00", "role": "user", "text": "two", "session": "a"},
        {"ts": "2026-12-01T09:00:00", "role": "nobody", "text": "three"},
    )
    would = opened.import_("jsonl", [file], dry_run=True)
    assert (would.imported, would.skipped, would.failed) == (2, 0, 1)
    assert opened.status().pending == 0
    first = opened.import_("jsonl", [file])
    second = opened.import_("jsonl", [file])
    assert (first.imported, first.skipped, first.failed) == (2, 0, 1)
    assert (second.imported, second.skipped) == (0, 2)
    assert first.episodes == {"episodes/2026/11/2026-11-30-a.md"}
    assert opened.import_("jsonl", [file], dry_run=True).imported == 0


def test_a_bad_file_stops_no_other(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    good = lines(tmp_path, {"ts": "2026-11-30T09:00:00", "role": "user", "text": "one"})
    taken = opened.import_("jsonl", [tmp_path / "missing", good])
    assert taken.imported == 1
    assert "does not exist" in taken.unusable[0]
    assert taken.as_json()["problems"] == taken.unusable


def test_two_people_in_one_session_keep_their_names(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    at = "2026-11-30T09:00:0"
    file = lines(
        tmp_path,
        {"ts": at + "0", "role": "user", "user": "Ana", "text": "hi", "session": "c"},
        {"ts": at + "1", "role": "user", "user": "Bo", "text": "hello", "session": "c"},
    )
    opened.import_("jsonl", [file])
    assert [entry.user for entry in entries(opened, "2026-11-30-c")] == ["Ana", "Bo"]


def test_many_entries_in_batches_all_arrive_in_order(tmp_path: Path) -> None:
    opened = vault(tmp_path)
    records = [
        {
            "ts": (NOON + timedelta(seconds=number)).isoformat(),
            "role": "user",
            "text": f"thing {number}",
            "session": "long",
        }
        for number in range(1201)
    ]
    moved: list[int] = []
    taken = opened.import_(
        "jsonl", [lines(tmp_path, *records)], progress=lambda done, _: moved.append(done)
    )
    assert (taken.imported, len(taken.episodes)) == (1201, 1)
    assert moved == [500, 1000, 1201]
    texts = [entry.text for entry in entries(opened, "2026-11-30-long")]
    assert texts == [record["text"] for record in records]
