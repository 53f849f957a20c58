"""`undo`, `review`, `forget`, `diff` and `verify` as they are typed: words, JSON, exit codes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from noctuary.doors.cli import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., tuple[int, str, str]]

DREAM = "2026-12-01T0312"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return tmp_path / "v"


@pytest.fixture
def cli(vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process, in a vault after its first night."""
    monkeypatch.setenv("NOCTUARY_CACHE", str(vault.parent / "cache"))
    monkeypatch.setenv("NOCTUARY_VAULT", str(vault))

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    call("init", str(vault), "--timezone", "UTC")
    for minute, text in enumerate(("I prefer tabs over spaces.", "预算不超过人民币五万元。")):
        call("log", text, "--at", f"2026-11-30T14:0{minute}:00")
    call("dream", "--now", "2026-12-01T03:12:00")
    for file in vault.rglob("*.md"):
        os.utime(file, (0, 0))
    return call


def in_json(cli: Cli, *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 - JSON of any shape
    found, out, err = cli(*arguments, "--json")
    assert (found, err) == (code, "")
    return json.loads(out)


def number_of(cli: Cli, word: str) -> str:
    changes: dict[str, str] = in_json(cli, "diff")["changes"]
    return next(number for number, words in changes.items() if word in words)


def test_a_diff_tells_the_number_under_which_a_change_is_undone(cli: Cli) -> None:
    number = number_of(cli, "tabs")
    code, out, _ = cli("diff", DREAM)
    assert code == 0
    assert f"#{number}  created · [[i-prefer-tabs-over-spaces]]" in out
    assert f"noctuary undo {DREAM}#NUMBER" in out
    assert "+++ b/cards/" in out


def test_undo_one_change(cli: Cli, vault: Path) -> None:
    change = f"{DREAM}#{number_of(cli, 'tabs')}"
    shown = cli("undo", change, "--dry-run")
    assert shown[0] == 0
    assert "Would undo" in shown[1]
    assert "+status: archived" in shown[1]
    done = in_json(cli, "undo", change)
    assert [item["outcome"] for item in done["changes"]] == ["undone"]
    assert len(done["commit"]) == 40
    assert (vault / "archive/cards/preferences/i-prefer-tabs-over-spaces.md").is_file()
    assert cli("verify")[0] == 0
    assert in_json(cli, "undo", done["undo"])["undo"] != done["undo"]
    assert (vault / "cards/preferences/i-prefer-tabs-over-spaces.md").is_file()
    assert "Take it back with `noctuary undo undo-" in cli("undo", change)[1]


def test_undo_what_is_ticked(cli: Cli, vault: Path) -> None:
    assert "No box is ticked" in cli("undo")[1]
    report = next((vault / "dreams").rglob("*.md"))
    report.write_text(report.read_text("utf-8").replace("- [ ] undo", "- [x] undo"), "utf-8")
    os.utime(report, (0, 0))
    assert len(in_json(cli, "undo")) >= 2
    assert not list((vault / "cards").rglob("*.md"))
    assert "- [x] undone" in report.read_text("utf-8")


def test_what_cannot_be_undone_is_exit_1(cli: Cli, vault: Path) -> None:
    card = vault / "cards/preferences/i-prefer-tabs-over-spaces.md"
    card.write_text(card.read_text("utf-8") + "\nMine.\n", "utf-8")
    code, out, _ = cli("undo", f"{DREAM}#{number_of(cli, 'tabs')}")
    assert code == 1
    assert "your own" in out


@pytest.mark.parametrize(("arguments", "word"), [
    (("undo", "1999-01-01T0000"), "noctuary dreams"),
    (("undo", "#1"), "write it like"),
    (("review", "approve"), "noctuary review"),
    (("review", "approve", "nothing"), "noctuary review"),
    (("forget",), "--matching"),
    (("forget", "a-card", "--matching", "words"), "--matching"),
    (("forget", "no-such-card"), "noctuary recall"),
])  # fmt: skip
def test_wrong_use_is_one_sentence_and_exit_2(
    cli: Cli, arguments: tuple[str, ...], word: str
) -> None:
    code, _, err = cli(*arguments)
    assert code == 2
    assert word in err
    assert len(err.splitlines()) == 1


def test_an_empty_inbox(cli: Cli) -> None:
    assert cli("review") == (0, "The inbox is empty.\n", "")
    assert in_json(cli, "review") == []


def test_several_verdicts_are_one_document(cli: Cli, vault: Path) -> None:
    for card in (vault / "cards").rglob("*.md"):
        card.write_text(card.read_text("utf-8") + "\nMine.\n", "utf-8")
        os.utime(card, (0, 0))
    for minute, text in enumerate(("I prefer tabs over spaces.", "预算不超过人民币五万元。")):
        cli("log", text, "--at", f"2026-12-01T14:0{minute}:00")
    cli("dream", "--now", "2026-12-02T03:12:00")
    ids = [item["id"] for item in in_json(cli, "review")]
    assert len(ids) == 2
    told = in_json(cli, "review", "reject", *ids, "--dry-run")
    assert [item["id"] for item in told] == ids
    assert in_json(cli, "review", "reject", ids[0])["verdict"] == "reject"


def test_forget_says_what_git_still_has(cli: Cli, vault: Path) -> None:
    told = in_json(cli, "forget", "--matching", "tabs over", "--dry-run")
    assert (told["entries"], told["dry_run"]) == (1, True)
    done = in_json(cli, "forget", "--matching", "tabs over", code=1)
    assert "--rewrite-history" in done["left"][0]
    code, out, _ = cli("forget", "--matching", "tabs over", "--rewrite-history")
    assert code == 0
    assert "stands in no file" in out
    assert (vault / "cards").is_dir()


def test_verify_names_the_mend_and_repairs(cli: Cli, vault: Path) -> None:
    (vault / ".noctuary/ledger.json").write_text("{", "utf-8")
    found = in_json(cli, "verify", code=1)
    assert "--repair" in found["problems"][0]
    code, out, _ = cli("verify", "--repair")
    assert (code, "rebuilt the ledger" in out) == (0, True)
