"""A model from the command line: profiles, estimate, dream, status."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from model_server import ModelServer, error, honest, serving
from noctuary.api import Vault
from noctuary.doors.cli import run
from noctuary.doors.errand import Processes
from noctuary.service import LOG
from noctuary.service.errands import Task
from watch_kit import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from noctuary.distil.openai.desk import Beat

    Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as running:
        yield running


@pytest.fixture
def cli(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    server: ModelServer,
) -> Cli:
    """A vault that thinks with the profile `mine`."""
    for name in ("CACHE", "CONFIG", "STATE", "VAULT"):
        monkeypatch.setenv(f"NOCTUARY_{name}", str(tmp_path / name.lower()))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    call("init", str(tmp_path / "vault"), "--timezone", "UTC")
    call("profile", "add", "mine", "--base-url", server.url, "--price-in", "1", "--price-out", "2")
    config = tmp_path / "vault" / "noctuary.toml"
    config.write_text(
        config.read_text("utf-8").replace('distiller = "offline"', 'distiller = "mine"'), "utf-8"
    )
    call("log", "The budget for the boat is 14,500 euros.", "--session", "s1")
    return call


def in_json(cli: Cli, *arguments: str) -> Any:  # noqa: ANN401 - JSON of any shape
    code, out, err = cli(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_a_dry_run_says_what_a_dream_would_cost_and_asks_nothing(
    cli: Cli, server: ModelServer
) -> None:
    code, out, _ = cli("dream", "--dry-run")
    assert code == 0
    assert "2 questions to mine: its first model at 127.0.0.1" in out
    assert "USD" in out
    estimate = in_json(cli, "dream", "--dry-run")["estimate"]
    assert (estimate["entries"], estimate["calls"]) == (1, 2)
    assert 0 < estimate["cost"] < 0.01
    assert server.calls == []
    assert in_json(cli, "status")["pending"] == 1


@pytest.mark.usefixtures("cli")
def test_a_dry_run_from_python_asks_nothing_either(tmp_path: Path, server: ModelServer) -> None:
    report = Vault.open(tmp_path / "vault").dream(dry_run=True)
    assert "14,500" in report.preview
    assert (report.distiller, report.usage.calls, server.calls) == ("offline", 0, [])


def test_a_dream_with_a_model_leaves_receipts(cli: Cli, tmp_path: Path) -> None:
    code, out, _ = cli("dream")
    assert code == 0
    assert "Thought by mine" in out
    status = in_json(cli, "status")
    assert status["distiller"] == "mine"
    assert "127.0.0.1" in status["sent_to"]
    assert status["budget"]["tokens"] > 0
    assert status["budget"]["tokens_per_month"] == 10_000_000
    [report] = (tmp_path / "vault" / "dreams").rglob("*.md")
    told = report.read_text("utf-8")
    assert "distiller: mine\nmodel: tiny-model\n" in told
    assert "2 questions to tiny-model by profile mine (0 of them failed)" in told
    said = cli("status")[1]
    assert "sent to" in said
    assert "all vaults together" in said
    listed = in_json(cli, "profile", "list")
    assert [(one["name"], one["local"]) for one in listed] == [("mine", True)]
    assert listed[0]["spent"]["tokens"] == status["budget"]["tokens"]


def test_whoever_watches_a_dream_hears_how_much_is_to_come(cli: Cli, tmp_path: Path) -> None:
    beats: list[Beat] = []
    vault = Vault.open(tmp_path / "vault")
    vault.dream(watch=beats.append)
    assert [(beat.done, beat.total) for beat in beats] == [(1, 2), (2, 2)]
    assert replace(beats[0], seconds=7.0).words.endswith("USD · about 7 s left")


def test_forgetting_takes_the_words_out_of_replies_that_are_kept(
    cli: Cli, server: ModelServer, tmp_path: Path
) -> None:
    config = tmp_path / "config" / "config.toml"
    config.write_text(config.read_text("utf-8").replace('"offline"', '"wait"'), "utf-8")
    cli("log", "The rudder costs 900 euros.", "--at", "2026-11-01T09:00:00", "--session", "s0")
    answers = iter(["score", "distil"])
    server.script = lambda call: (
        honest(call) if call.kind == next(answers, "") else error(401, "no")
    )
    assert cli("dream")[0] == 0
    kept = [path.read_text("utf-8") for path in (tmp_path / "cache").rglob("replies/*")]
    assert any("rudder" in text for text in kept)
    code, _, err = cli("forget", "--matching", "rudder", "--rewrite-history", "--yes")
    assert (code, err) == (0, "")
    assert [path for path in tmp_path.rglob("*") if _holds(path, b"rudder")] == []


def _holds(path: Path, words: bytes) -> bool:
    return path.is_file() and words in path.read_bytes().lower()


@pytest.mark.usefixtures("cli")
def test_the_daemons_log_has_a_line_for_every_question(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    vault = tmp_path / "vault"
    with caplog.at_level(logging.INFO, LOG):
        errand = Processes().start(vault, Task("dream", "idle", settle=False), lambda: None)
        until(errand.outcome, "the dream")
    outcome = errand.outcome()
    assert outcome is not None
    assert (outcome.state, outcome.data["absorbed"]) == ("done", 1)
    said = [record.getMessage() for record in caplog.records]
    assert [line.split(" · ")[0] for line in said] == ["scoring 1 of 2", "distilling 2 of 2"]
    assert all("tokens" in line and "USD" in line for line in said)
    assert {vars(record)["vault"] for record in caplog.records} == {str(vault)}


def test_a_profile_is_tried_and_the_fault_named(cli: Cli, server: ModelServer) -> None:
    good = in_json(cli, "profile", "test", "mine")
    assert (good["ok"], good["model"], good["format"]) == (True, "tiny-model", "json_schema")
    server.script = lambda _: error(401, "bad key")
    code, out, _ = cli("profile", "test", "mine")
    assert code == 1
    assert "refuses the key" in out
    server.models = []
    assert "offers no model" in cli("profile", "test", "mine")[1]
    assert cli("profile", "test", "nobody")[0] == 2


def test_a_profile_that_is_not_there_is_a_problem_with_its_next_step(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "config" / "config.toml").unlink()
    code, _, err = cli("dream")
    assert code == 2
    assert "noctuary profile add mine" in err
    assert any("profile add mine" in problem for problem in in_json(cli, "status")["problems"])


def test_adding_without_writing(cli: Cli, tmp_path: Path) -> None:
    code, out, _ = cli("profile", "add", "openai", "--dry-run")
    assert code == 0
    assert "Would add" in out
    assert 'api_key_env = "OPENAI_API_KEY"' in out
    assert "openai" not in (tmp_path / "config" / "config.toml").read_text("utf-8")
    assert cli("profile", "add", "elsewhere")[0] == 2
