from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.wiping import BLANK, Wiper, is_telling


@pytest.mark.parametrize("text", [
    "my secret plan", "My Secret  PLAN", "> my secret\n> plan", "x my\nsecret plan y",
])  # fmt: skip
def test_words_are_found_however_they_are_broken(text: str) -> None:
    assert Wiper.of(["My secret plan."]).hits(text)


@pytest.mark.parametrize("text", ["my secret", "plan my secret", ""])
def test_other_words_are_not(text: str) -> None:
    assert not Wiper.of(["my secret plan"]).hits(text)


def test_a_name_is_found_whole_only() -> None:
    wiper = Wiper.of([], ["use-tea"])
    assert wiper.hits("see [[use-tea]] and cards/facts/use-tea.md")
    assert not wiper.hits("see [[use-tea-leaves]] or reuse-tea")


def test_nothing_finds_nothing() -> None:
    assert not Wiper.of(["", "  "]).hits("anything")


def test_the_longest_goes_first() -> None:
    assert Wiper.of(["tea", "green tea"]).blank("green tea") == BLANK


@given(st.text(), st.text(min_size=1).filter(lambda text: text.strip(" \t\n.,;:!?")), st.text())
def test_what_was_blanked_is_gone(before: str, words: str, after: str) -> None:
    wiper = Wiper.of([words])
    assert words.strip() not in wiper.blank(before + words + after).replace(BLANK, "") or not (
        wiper.texts
    )


@pytest.mark.parametrize(("text", "telling"), [
    ("tea", False), ("五万元", False), ("预算不超过五万元", True), ("a longer sentence", True),
])  # fmt: skip
def test_short_words_stand_everywhere(text: str, telling: bool) -> None:
    assert is_telling(text) is telling
