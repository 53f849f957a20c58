from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from noctuary.doors.cli import COMMANDS

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "README.zh-CN.md",
    "CONTRIBUTING.md",
    "docs/cli.md",
    "docs/python.md",
    "docs/compaction.md",
]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_commands_is_what_help_says() -> None:
    shown = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert shown == script("build_cli").page(), "run python docs/build_cli.py"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES[:2])
def test_the_tour_prints_what_the_page_shows(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOCTUARY_VAULT", raising=False)
    monkeypatch.setenv("NOCTUARY_CACHE", "set by the tour")
    monkeypatch.setenv("NOCTUARY_LANG", "set by the tour")
    shown = (ROOT / page).read_text("utf-8")
    assert script("build_tour").retold(shown) == shown, "run python docs/build_tour.py"


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_only_commands_that_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"(?:^|[`$] ?)noctuary ([a-z]+)", text, re.MULTILINE))
    assert named - set(COMMANDS) == set()


@pytest.mark.parametrize("page", [*PAGES, "ARCHITECTURE.md", "CHANGELOG.md"])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []


def test_both_readmes_have_the_same_shape() -> None:
    english, chinese = ((ROOT / name).read_text("utf-8") for name in PAGES[:2])
    for pattern in (r"^#+ ", r"^```", r"^\|", r"\d+ ?%|\.\d\d"):
        counts = [len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)]
        assert counts[0] == counts[1], pattern
