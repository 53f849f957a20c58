from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from noctuary.doors.cli import run

if TYPE_CHECKING:
    from collections.abc import Callable

    Cli = Callable[..., tuple[int, str, str]]

SOURCE = Path(__file__).parents[2] / "daemon"
BUDGET = "预算不超过人民币五万元，只能使用开源技术栈。"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process; gives exit code, stdout and stderr."""
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NOCTUARY_VAULT", str(tmp_path / "v"))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    call("init", str(tmp_path / "v"), "--timezone", "UTC")
    return call


def in_json(cli: Cli, *arguments: str) -> Any:  # noqa: ANN401 - JSON of any shape
    code, out, err = cli(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_whole_day_and_night(cli: Cli, tmp_path: Path) -> None:
    assert in_json(cli, "log", BUDGET, "--at", "2026-11-30T14:02:11")["added"] is True
    file = tmp_path / "chat.jsonl"
    said = {"ts": "2026-11-30T15:00:00", "role": "user", "session": "s1"}
    lines = [said | {"text": "I prefer tabs over spaces."}, said | {"text": "no time", "ts": "?"}]
    file.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    taken = in_json(cli, "import", "jsonl", str(file))
    assert (taken["imported"], taken["skipped"], taken["failed"]) == (1, 0, 1)
    assert "chat.jsonl:2" in taken["problems"][0]
    assert in_json(cli, "status")["pending"] == 2

    dream = in_json(cli, "dream", "--now", "2026-12-01T03:12:00")
    assert (dream["id"], dream["result"]) == ("2026-12-01T0312", "done")
    assert dream["entries"]["absorbed"] == 2
    assert dream["cards"]["created"] >= 2
    assert len(dream["commit"]) == 40
    assert in_json(cli, "dreams")[0]["id"] == "2026-12-01T0312"
    assert in_json(cli, "diff")["commit"] == dream["commit"]
    assert in_json(cli, "dream")["result"] == "nothing"

    [hit, *_] = in_json(cli, "recall", "预算", "-k", "3")["hits"]
    assert hit["kind"] == "card"
    assert "五万元" in hit["text"]
    assert in_json(cli, "why", hit["id"])["receipts"][0]["state"] == "verified"
    context = in_json(cli, "context", "--budget", "300")
    assert hit["id"] in context["cards"]
    assert in_json(cli, "stats")["entries"] == 2
    assert in_json(cli, "verify")["problems"] == []


SHAPES = {
    ("status",): {
        "vault", "daemon", "pending", "last_dream", "next_dream", "failures_in_a_row", "cards",
        "episodes_bytes", "cards_bytes", "quarantined", "disputed", "budget", "distiller",
        "problems", "sent_to", "next_trigger", "mode",
    },
    ("stats",): {"entries", "cards", "bytes", "compression", "by_type", "by_status"},
    ("recall", "x"): {"note", "query", "hits", "tokens", "end"},
    ("context",): {"text", "tokens", "cards"},
    ("dream",): {
        "id", "trigger", "result", "entries", "cards", "facts", "tokens", "cost", "seconds",
        "commit", "problems",
    },
}  # fmt: skip


@pytest.mark.parametrize("arguments", SHAPES, ids=" ".join)
def test_shapes_that_scripts_rely_on(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert set(in_json(cli, *arguments)) == SHAPES[arguments]


def test_dry_runs_write_nothing(cli: Cli, tmp_path: Path) -> None:
    cli("log", BUDGET)
    before = {path: path.read_bytes() for path in (tmp_path / "v").rglob("*.md")}
    code, out, _ = cli("dream", "--dry-run")
    assert code == 0
    assert f"+{BUDGET}" in out
    assert cli("log", "more", "--dry-run")[0] == 0
    assert cli("index", "--dry-run")[0] == 0
    assert {path: path.read_bytes() for path in (tmp_path / "v").rglob("*.md")} == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("import", "jsonl", "missing.jsonl"), "does not exist; check the path"),
        (("import", "morse", "x"), "There is no format 'morse'"),
        (("why", "nothing"), "There is no card 'nothing'"),
        (("recall", "x", "--as-of", "yesterday"), "write it like 2026-11-30"),
        (("dream", "--now", "soon"), "write it like 2026-11-30T14:02:11"),
        (("diff",), "No dream has changed anything yet"),
        (("status", "--vault", "/"), "noctuary init"),
        (("log", " "), "nothing to log"),
        (("snore",), "No such command"),
        (("recall",), "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_said_in_words(
    cli: Cli, arguments: tuple[str, ...], told: str
) -> None:
    code, out, err = cli(*arguments)
    assert code == 2
    assert told in err
    assert "Traceback" not in out + err


def test_verify_exits_1_when_something_is_wrong(cli: Cli, tmp_path: Path) -> None:
    cli("log", BUDGET, "--session", "s1")
    cli("dream")
    [episode] = (tmp_path / "v" / "episodes").rglob("*.md")
    episode.write_text(episode.read_text("utf-8").replace("五万", "六万"), "utf-8")
    code, out, _ = cli("verify")
    assert code == 1
    assert "s1.md" in out or "s1#" in out


def test_a_busy_vault_is_exit_75(cli: Cli, tmp_path: Path) -> None:
    from filelock import FileLock

    cli("log", BUDGET)
    with FileLock(tmp_path / "v" / ".noctuary" / "lock"):
        code, _, err = cli("dream")
    assert code == 75
    assert "busy" in err


def test_a_bug_is_exit_70_in_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("half a dream")

    monkeypatch.setattr("noctuary.api.Vault.stats", broken)
    code, out, err = cli("stats")
    assert (code, out) == (70, "")
    assert err.count("\n") == 1
    assert "ZeroDivisionError: half a dream" in err


def test_a_map_that_was_edited_just_now_is_left_and_said(cli: Cli, tmp_path: Path) -> None:
    cli("log", BUDGET)
    cli("dream")
    index = tmp_path / "v" / "index.md"
    index.write_text(index.read_text("utf-8").replace("\n# ", "\n# Mine ", 1), "utf-8")
    code, out, err = cli("index")
    assert (code, out) == (0, "")
    assert "index.md was edited just now" in err
    assert "# Mine" in index.read_text("utf-8")
    os.utime(index, (0, 0))
    assert cli("index") == (0, "Rebuilt: index.md\n", "")


def test_a_long_night_is_told_in_short(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noctuary.doors.cli.night.SHOWN", 1)
    cli("log", BUDGET)
    cli("log", "I prefer tabs over spaces.")
    out = cli("dream")[1]
    assert out.count("  created  ") == 1
    assert "… and 1 more" in out


def test_text_from_stdin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("line one\nline two\n"))
    assert in_json(cli, "log", "-")["added"] is True
    assert "line two" in in_json(cli, "recall", "line two")["hits"][0]["text"]


def test_programs_get_memory_in_a_frame_that_is_never_learnt_again(cli: Cli) -> None:
    cli("log", BUDGET)
    told = cli("recall", "预算")[1]
    assert told.startswith("<noctuary-memory")
    assert told.rstrip().endswith("</noctuary-memory>")
    assert cli("log", told, "--role", "tool")[0] == 2


def test_settings_problems_go_to_stderr(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "v" / "noctuary.toml").write_text("[dream]\nbatch = 0\n", "utf-8")
    code, out, err = cli("stats", "--json")
    assert (code, json.loads(out)["entries"]) == (0, 0)
    assert "noctuary.toml:2: batch in [dream] must be" in err


def test_completion_prints_a_script(cli: Cli) -> None:
    assert "_NOCTUARY_COMPLETE" in cli("completion", "bash")[1]


QUICK = {
    "status": ("status",),
    "log": ("log", "hello"),
    "stats": ("stats", "--json"),
}


@pytest.mark.parametrize("arguments", QUICK.values(), ids=QUICK)
def test_quick_commands_load_nothing_heavy(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    script = (
        "import sys; from noctuary.doors.cli import run; "
        f"run(['init', {str(tmp_path / 'v')!r}]); "
        f"code = run([*{arguments!r}, '--vault', {str(tmp_path / 'v')!r}]); "
        "heavy = {'openai', 'jinja2', 'watchdog', 'rich', 'pydantic', 'tantivy'}; "
        "found = heavy & set(sys.modules); sys.exit(code or (str(found) if found else 0))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert (done.stderr.strip(), done.returncode) == ("", 0)
