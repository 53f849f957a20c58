from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from noctuary.recall.chain import GAIN, Lines, gains

if TYPE_CHECKING:
    from collections.abc import Collection

WORDS = st.sets(st.sampled_from(["sister", "39", "phone", "email", "cousin", "park", "a"]))


def lines(*words: Collection[str]) -> Lines:
    telling = {word: 1 for line in words for word in line}
    return Lines([frozenset(line) for line in words], [1.0] * len(words), telling)


def test_what_answers_the_rest_about_the_same_one_gains() -> None:
    told = lines({"sister", "39"}, {"cousin", "phone"}, {"sister", "phone"}, {"sister", "park"})
    found = gains(told, [{"39": 1.0, "phone": 1.0}])
    assert found == [1 + GAIN, 1.0, 1 + GAIN, 1.0]


def test_a_line_that_leaves_nothing_open_has_no_followers() -> None:
    told = lines({"sister", "39", "phone"}, {"sister", "phone"})
    assert gains(told, [{"39": 2.0, "phone": 1.0}]) == [1.0, 1.0]


def test_what_many_lines_hold_points_to_none_of_them() -> None:
    told = lines({"aunt", "phone", "call"}, {"cousin", "phone", "call"}, {"sister", "39"})
    found = gains(lines(*told.words, {"sister", "phone"}), [{"39": 1.0, "phone": 1.0, "call": 0.9}])
    assert found[2:] == [1 + GAIN, 1 + GAIN]


def test_a_line_that_hardly_matches_leads_nowhere() -> None:
    told = lines({"aunt", "39"}, {"aunt", "phone"}, {"sister", "phone"}, {"sister", "mail"})
    strong = Lines(told.words, [0.1, 1.0, 1.0, 1.0], told.telling)
    asked = [{"39": 9.0, "phone": 1.0, "mail": 1.0}]
    assert gains(told, asked)[1] == 1 + GAIN
    assert gains(strong, asked)[0] == 1.0


def test_each_part_of_a_question_has_a_lead_of_its_own() -> None:
    told = lines({"sister", "39"}, {"sister", "phone"}, {"park", "big"}, {"park", "email"})
    parts = [{"39": 2.0, "phone": 1.0}, {"big": 2.0, "email": 1.0}]
    assert gains(told, parts) == [1 + GAIN] * 4


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=3))
def test_no_line_loses_or_gains_more_than_all(words: list[set[str]], parts: list[set[str]]) -> None:
    found = gains(lines(*words), [dict.fromkeys(part, 1.0) for part in parts])
    assert len(found) == len(words)
    assert all(1 <= gain <= 1 + GAIN for gain in found)
