"""What of a question need not be looked for over many passages, and that the rest finds the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.recall import common as rule
from noctuary.recall import query
from noctuary.recall.common import by_chance, common, paired
from noctuary.recall.index import Index
from noctuary.recall.packed import Row

if TYPE_CHECKING:
    from pathlib import Path

TOTAL = 1_000_000
COUNTS = st.dictionaries(st.text("abcd", min_size=1, max_size=3), st.integers(0, TOTAL), max_size=9)


def test_a_word_of_most_lines_is_put_aside_with_the_most_it_can_add() -> None:
    counts = {"rare": 500, "seldom": 2_000, "often": 700_000}
    found = common(dict.fromkeys(counts, 1.0), counts, TOTAL)
    assert list(found) == ["often"]
    assert found["often"] > math.log(1 + 300_000 / 700_000)


def test_words_alike_in_number_all_stay() -> None:
    counts = {"one": 90_000, "two": 100_000}
    assert not common(dict.fromkeys(counts, 1.0), counts, TOTAL)


@given(COUNTS)
def test_there_is_always_a_word_left_to_look_for(counts: dict[str, int]) -> None:
    found = common(dict.fromkeys(counts, 1.0), counts, TOTAL)
    assert not counts or len(found) < len(counts)


@pytest.mark.parametrize(
    ("question", "stands", "chance"),
    [
        ("火星离地球多远", (), True),
        ("火星离地球多远", ("地球",), False),
        ("换人了吗", (), False),
        ("how far is Mars", (), False),
    ],
)
def test_characters_alone_find_nothing_for_a_question_of_which_no_word_is_known(
    question: str, stands: tuple[str, ...], chance: bool
) -> None:
    assert by_chance(query.terms(question), lambda term: int(term in stands)) is chance


def _row(number: int) -> Row:
    words = ["often"] * (number % 10 > 0) + ["rare"] * (number % 97 == 0) + [f"n{number}"]
    return Row(f"e{number}", (), [], " ".join(words), b"", 1.0, number % 7)


def _found(index: Index, terms: dict[str, float], limit: int) -> list[tuple[object, float]]:
    return [(match.key, round(match.score, 3)) for match in index.search(terms, limit)]


def test_the_same_is_found_with_and_without_putting_words_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(tmp_path)
    with index.changing() as change:
        for number in range(2_000):
            change.replace(f"e{number}", [_row(number)], ())
    questions: list[dict[str, float]] = [
        {"rare": 1.0, "often": 1.0},
        {"n7": 1.0, "often": 1.0},
        {"nowhere": 1.0, "often": 1.0},
    ]
    for terms in questions:
        for limit in (5, 15, 100):
            monkeypatch.setattr(rule, "MANY", 10_000)
            plain = _found(index, terms, limit)
            monkeypatch.setattr(rule, "MANY", 100)
            assert _found(index, terms, limit) == plain


def test_a_character_of_a_telling_pair_need_not_be_looked_for() -> None:
    asked = dict.fromkeys(("办公", "公室", "办", "公", "室", "猫", "猫的", "office"), 1.0)
    assert set(paired(asked)) == {"办公", "公室", "猫", "猫的", "office"}


def test_what_holds_no_pair_of_the_question_is_found_where_pairs_find_too_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(tmp_path)
    told = ["办公 办 公"] * 3 + ["公 司 公司"] * 40
    with index.changing() as change:
        for number, words in enumerate(told):
            change.replace(f"e{number}", [Row(f"e{number}", (), [], words, b"", 1.0, number)], ())
    monkeypatch.setattr(rule, "MANY", 10)
    asked = {"办公": 1.0, "办": 0.2, "公": 0.2}
    assert {match.key for match in index.search(asked, 3)} == {0, 1, 2}
    assert len(index.search(asked, 20)) == 20
