"""The person's own page, in whatever way an editor has saved it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from noctuary.dream.anchor import parse_anchor
from noctuary.recall.wake import wake

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = [
    ("# Goal\n\nShip the shop by May.\n", "Ship the shop by May."),
    ("# 目标\n\n五月前上线商店。\n", "五月前上线商店。"),
]
SAVED: dict[str, Callable[[str], str]] = {
    "plain": str,
    "with a mark at its head": lambda page: "\ufeff" + page,
    "with frontmatter": lambda page: f"---\ntags:\n  - mine\n---\n{page}",
    "with all of it": lambda page: f"\ufeff---\ntags:\n  - mine\n---\n{page}".replace("\n", "\r\n"),
    "with comments": lambda page: f"%% mine alone %%\n<!-- mine\nalone -->\n{page}",
}


@pytest.mark.parametrize("way", SAVED)
@pytest.mark.parametrize(("page", "goal"), PAGES)
def test_only_its_words_are_told_and_all_of_them(way: str, page: str, goal: str) -> None:
    saved = SAVED[way](page)
    assert parse_anchor(saved).goal == goal
    told = wake([], preferences=saved, today=date(2026, 11, 30)).text
    assert goal in told
    assert "mine" not in told
    assert "---" not in told
