"""The command line speaks Chinese to whoever reads it, and English to programs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from noctuary.config import parse
from noctuary.doors.cli import COMMANDS, run
from noctuary.resources import person_language

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., tuple[int, str, str]]

TOLD = (
    "预算不超过人民币五万元，只能使用开源技术栈。",
    "数据库决定用飞鸟库，因为备份只有一个文件。",
)
NAMES = re.compile(
    r"`[^`\n]*`|\[\[[^\]]*\]\]|\[[^\]\n]*\]|--?[\w-]+|/\S+|\b[A-Z]{2,}\b|[\w-]+\.(?:md|toml|jsonl?)"
    r"|\$\w+|\S*=\S*|\b[ec][0-9a-z]{6,}\b|\b[0-9a-f]{8,}\b|2026-\S+|<[^>]*>|'[^']*'|\"[^\"]*\""
)
KEPT = frozenset(
    [
        "noctuary",
        "offline",
        "git",
        "semantic",
        "inbox",
        "frontmatter",
        "trust",
        "git",
        "AI",
        "Markdown",
        "Obsidian",
        "JSON",
        "UTC",
        "GB",
        "CSS",
        "commit",
        "touch",
        "Ctrl",
        "systemd",
        "launchd",
        "Linux",
        "macOS",
        "Windows",
        "shell",
        "OpenAI",
        "stdin",
        "CARD",
    ]
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process as a person who reads Chinese."""
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NOCTUARY_VAULT", str(tmp_path / "v"))
    monkeypatch.setenv("NOCTUARY_LANG", "zh")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def a_night(cli: Cli, tmp_path: Path) -> list[str]:
    """What is printed on the way."""
    printed = [cli("init", str(tmp_path / "v"), "--timezone", "UTC")]
    printed += [cli("log", text, "--at", "2026-11-30T14:02:11") for text in TOLD]
    printed += [cli("dream", "--now", "2026-12-01T03:12:00"), cli("dreams"), cli("stats")]
    assert [code for code, _, _ in printed] == [0] * len(printed)
    return [out for _, out, _ in printed]


def test_a_new_vault_is_explained_in_chinese(cli: Cli, tmp_path: Path) -> None:
    cli("init", str(tmp_path / "v"), "--timezone", "Asia/Shanghai")
    settings = (tmp_path / "v" / "noctuary.toml").read_text("utf-8")
    comments = [line for line in settings.splitlines() if line.startswith("#")]
    assert all(re.search(r"[\u4e00-\u9fff]", line) for line in comments)
    assert parse(settings)[1] == ()
    assert parse(settings)[0].vault.timezone == "Asia/Shanghai"
    views = (tmp_path / "v" / "memory.base").read_text("utf-8")
    assert "name: 未完成的任务" in views
    assert "displayName: 卡片" in views


def english(text: str) -> list[str]:
    words = re.findall(r"[A-Za-z]{2,}", NAMES.sub(" ", text))
    return [word for word in words if word not in KEPT]


def test_a_day_and_a_night_are_told_in_chinese(cli: Cli, tmp_path: Path) -> None:
    made, first, _, dream, *_ = printed = a_night(cli, tmp_path)
    assert "已成为记忆库" in made
    assert "已记入 episodes/" in first
    assert "个条目中吸收了" in dream
    assert [words for out in printed[1:] if (words := english(out))] == []


@pytest.mark.parametrize(
    "command",
    ["status", "doctor", "verify", "index", "review", "diff", "undo 2026-12-01T0312"],
)
def test_what_looks_at_a_vault_is_told_in_chinese(cli: Cli, tmp_path: Path, command: str) -> None:
    a_night(cli, tmp_path)
    _, out, err = cli(*command.split())
    assert re.search(r"[\u4e00-\u9fff]", out)
    told = re.sub(r"(?m)^(?:[-+@ ]|diff |index |new |deleted ).*$", "", out)
    assert english(told + err) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("why nothing", 2, "没有卡片"),
        ("log --session x", 2, "缺少"),
        ("recall x --foo", 2, "没有选项 --foo"),
        ("recall x -k many", 2, "'-k' 无法接受：必须是整数"),
        ("log x --role who", 2, "必须是 user、assistant、"),
        ("service nothing", 2, "没有命令"),
        ("profile add nowhere", 2, "不是已知的服务器"),
        ("diff 2020-01-01T0000", 2, "没有 2020-01-01T0000 这次梦"),
        ("import nothing x.txt", 2, "没有格式"),
        ("undo x#y", 2, "不是一项改动"),
        ("recall 预算 --as-of later", 2, "不是日期"),
        ("profile test nobody", 2, "没有配置"),
        ("compact nowhere.json", 2, "无法读取"),
    ],
)
def test_what_cannot_be_done_is_said_in_chinese(
    cli: Cli, tmp_path: Path, arguments: str, code: int, said: str
) -> None:
    a_night(cli, tmp_path)
    found, out, err = cli(*arguments.split())
    assert found == code
    assert said in out + err


@pytest.mark.parametrize("command", ["", *COMMANDS, "profile add", "service install"])
def test_help_is_chinese(cli: Cli, command: str) -> None:
    code, out, _ = cli(*command.split(), "--help")
    assert code == 0
    assert out.startswith("用法：noctuary")
    assert "显示这段说明并退出" in out
    assert "Show" not in out


def test_programs_are_answered_in_english(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_night(cli, tmp_path)
    commands = (
        "status",
        "dreams",
        "stats",
        "verify",
        "recall 预算",
        "why 数据库决定用飞鸟库",
    )
    chinese = [json.loads(cli(*command.split(), "--json")[1]) for command in commands]
    monkeypatch.setenv("NOCTUARY_LANG", "en")
    assert [json.loads(cli(*command.split(), "--json")[1]) for command in commands] == chinese


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8", "NOCTUARY_LANG": "zh"}, "zh"),
        ({"LC_ALL": "zh_CN.UTF-8", "NOCTUARY_LANG": "en"}, "en"),
    ],
)
def test_the_persons_language_is_that_of_their_locale_unless_they_say_otherwise(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NOCTUARY_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert person_language() == language


def test_what_is_wrong_with_a_file_is_said_in_chinese(cli: Cli, tmp_path: Path) -> None:
    cli("init", str(tmp_path / "v"))
    file = tmp_path / "talk.jsonl"
    file.write_text('{"ts": "?", "role": "user", "text": "早"}\n[]\nnothing\n', "utf-8")
    code, _, err = cli("import", "jsonl", str(file))
    assert code == 2
    told = err.partition("第一个问题：")[2]
    assert "不是时间" in told
    assert english(told) == []
    settings = tmp_path / "v" / "noctuary.toml"
    settings.write_text(settings.read_text("utf-8").replace("batch = 25", "batch = 0"), "utf-8")
    assert "[dream] 里的 batch 必须是：1 到 200 的整数；现在使用 25" in cli("status")[1]


def test_profiles_are_told_of_in_chinese(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTUARY_CONFIG", str(tmp_path / "settings"))
    monkeypatch.setenv("NOCTUARY_STATE", str(tmp_path / "state"))
    assert "还没有配置" in cli("profile", "list")[1]
    assert "已添加到" in cli("profile", "add", "ollama")[1]
    shown = cli("profile", "list")[1].replace("ollama", "").replace("localhost", "")
    assert english(shown) == []
