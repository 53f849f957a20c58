from __future__ import annotations

import json
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from model_server import Answer, Call, distiller_for, profile_for, says, sensible, serving
from noctuary import Vault, compact
from noctuary.doors.cli import cli
from noctuary.errors import DistillerError, UsageError
from noctuary.memory.entry import Entry, Role
from noctuary.window.summary import is_summary, read
from talks import agent, call, result, system, user, work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> Callable[[], datetime]:
    moments: Iterator[datetime] = (
        datetime(2026, 11, 30, 12) + timedelta(minutes=minute) for minute in range(10_000)
    )
    return lambda: next(moments)


@pytest.fixture
def vault(tmp_path: Path, clock: Callable[[], datetime]) -> Vault:
    Vault.create(tmp_path / "memory", timezone="UTC", git=False)
    return Vault.open(tmp_path / "memory", clock=clock)


def entries(vault: Vault) -> list[Entry]:
    folder = vault.path / "episodes"
    names = [path.stem for path in sorted(folder.rglob("*.md"))]
    return [entry for episode in vault._store.read_episodes(names)[0] for entry in episode.entries]


def talk(turns: int = 12) -> list[Any]:
    return [system(), *work(Random(5), turns).messages]


def test_without_a_vault_messages_go_in_and_messages_come_out() -> None:
    messages = talk()
    assert compact(messages) == messages
    shorter = compact(messages, window=4000, keep_last=2)
    assert len(shorter) < len(messages)
    assert shorter[-1] is messages[-1]


def test_what_is_dropped_is_logged_first_and_never_twice(vault: Vault) -> None:
    messages = talk()
    done = vault.compact(messages, 4000, keep_last=2)
    held = entries(vault)
    assert done.logged == len(held) > 0
    spoken = {(entry.role, entry.text) for entry in held}
    assert {
        (Role.USER, item["content"]) for item in done.dropped if item["role"] == "user"
    } <= spoken
    again = vault.compact(messages, 4000, keep_last=2)
    assert again.logged == 0
    assert len(entries(vault)) == len(held)


def test_later_rounds_go_to_the_same_episode(vault: Vault) -> None:
    messages = talk(8)
    first = vault.compact(messages, always=True, keep_last=1)
    more = [*first.messages, *work(Random(6), 8, 8).messages]
    second = vault.compact(more, always=True, keep_last=1)
    assert first.session == second.session
    assert len(list((vault.path / "episodes").rglob("*.md"))) == 1
    assert not any("noctuary-memory" in entry.text for entry in entries(vault))


def test_turns_that_the_session_has_logged_are_not_logged_again(vault: Vault) -> None:
    messages: list[Any] = []
    with vault.session(agent="tester", project="shop") as session:
        for number in range(6):
            said, output = f"Please look at part {number} of the shop.", f"{number} failed\n" * 300
            session.user(said)
            session.tool("bash", output)
            session.assistant(f"Part {number} is fine.")
            messages += [user(said), call(f"c{number}", "bash", command="make"), result(f"c{number}", output), agent(f"Part {number} is fine.")]  # fmt: skip
        before = len(entries(vault))
        done = vault.compact(messages, always=True, keep_last=1, session=session)
    assert done.dropped
    assert done.logged == 0
    assert len(entries(vault)) == before


def test_a_tool_result_is_logged_under_its_command(vault: Vault) -> None:
    messages = [user("Test it."), call("a", "bash", command="pytest -q"), result("a", "3 failed"), agent("3 failed."), user("Go on.")]  # fmt: skip
    vault.compact(messages, always=True, keep_last=1)
    told = [entry for entry in entries(vault) if entry.role is Role.TOOL]
    assert [(entry.name, entry.text) for entry in told] == [("bash", "$ pytest -q\n3 failed")]


def test_a_dry_run_logs_nothing(vault: Vault) -> None:
    done = vault.compact(talk(), always=True, keep_last=1, dry_run=True)
    assert done.logged > 0
    assert entries(vault) == []


def test_the_settings_of_the_vault_hold(vault: Vault) -> None:
    page = vault.path / "noctuary.toml"
    page.write_text(
        "[context_management]\nkeep_last_n_turns = 4\ntrigger_threshold = 0.1\n"
        'summary_categories = ["decisions_made"]\n'
    )
    messages = talk()
    done = Vault.open(vault.path).compact(messages, 20_000)
    assert sum(item["role"] == "user" for item in done.messages) == 5
    summary = next(item["content"] for item in done.messages if is_summary(item))
    assert "decisions_made" in summary
    assert "user_preferences" not in summary


class Failing:
    name, model = "broken", "broken"

    def score(self, *_: object) -> list[Any]:
        raise DistillerError("The server is down.")


def test_rules_stand_in_where_the_model_fails(vault: Vault) -> None:
    done = vault.compact(talk(), always=True, keep_last=1, distiller=Failing())  # type: ignore[arg-type]
    assert done.problem == "Rules made the summary: The server is down."
    assert any(map(is_summary, done.messages))


def test_what_the_server_counted_decides(vault: Vault) -> None:
    messages = talk()
    assert vault.compact(messages, 100_000).dropped == ()
    assert vault.compact(messages, 100_000, used=70_000, keep_last=2).dropped


@pytest.mark.parametrize("wrong", [{"window": 0}, {"threshold": 1.5}, {"keep_last": -1}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        compact([], **wrong)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("NOCTUARY_VAULT", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_reads_and_prints_a_list(alone: Path) -> None:
    (alone / "talk.json").write_text(json.dumps(talk()), "utf-8")
    done = CliRunner().invoke(cli, ["compact", "talk.json", "--window", "4000"])
    assert done.exit_code == 0, done.output
    assert any(map(is_summary, json.loads(done.stdout)))
    assert "became a summary" in done.stderr


def test_the_command_answers_lines_with_lines(alone: Path) -> None:
    lines = "\n".join(map(json.dumps, talk()))
    done = CliRunner().invoke(
        cli, ["compact", "-", "--window", "4000", "--keep-last", "1"], input=lines
    )
    read = [json.loads(line) for line in done.stdout.splitlines()]
    assert read[0] == system()
    assert is_summary(read[1])


def test_the_command_logs_to_the_vault_that_is_near(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOCTUARY_VAULT", raising=False)
    monkeypatch.chdir(vault.path)
    arguments = ["compact", "-", "--always", "--keep-last", "1", "--json"]
    text = json.dumps({"messages": talk()})
    tried = CliRunner().invoke(cli, [*arguments, "--dry-run"], input=text)
    assert entries(vault) == []
    done = CliRunner().invoke(cli, arguments, input=text)
    told = json.loads(done.stdout)
    assert told["logged"] == json.loads(tried.stdout)["logged"] == len(entries(vault)) > 0
    assert set(told) == {"messages", "dropped", "session", "tokens", "facts", "logged", "problem"}


@pytest.mark.parametrize(
    ("text", "what"),
    [("", "is empty"), ("hello", "line 1 cannot be read"), ("3", "no list"), ("[3]", "must be an object")],
)  # fmt: skip
def test_bad_input_is_told_in_words(alone: Path, text: str, what: str) -> None:
    done = CliRunner().invoke(cli, ["compact", "-"], input=text)
    assert what in str(done.exception)


def test_what_a_weak_model_missed_is_added_by_rules(tmp_path: Path) -> None:
    def careless(asked: Call) -> Answer:
        return says({"cards": []} if asked.kind == "distil" else sensible(asked), asked)

    talked = work(Random(1), 8)
    with serving(careless) as server:
        thinks = distiller_for(profile_for(server), tmp_path)
        done = compact(talked.messages, always=True, keep_last=1, distiller=thinks)
        thinks.close()
        assert server.of("distil")
    summary = read(done[0])
    assert summary is not None
    wanted = [*talked.decisions, *talked.constraints, *talked.preferences]
    told = [text for texts in summary.told.values() for text in texts]
    kept = [item["content"] for item in done[1:]]
    assert [line for line in wanted if line not in (*told, *summary.void, *kept)] == []
