from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from noctuary.recall.chain import Lines, gains
from noctuary.recall.choice import word_weight

if TYPE_CHECKING:
    from collections.abc import Sequence


@given(st.lists(st.integers(1, 400), min_size=3, max_size=5))
def test_the_weight_of_a_line_is_the_same_in_whatever_order_its_words_come(
    counts: Sequence[int],
) -> None:
    assert len({sum(map(word_weight, order)) for order in permutations(counts)}) == 1


def test_the_rarer_a_word_the_more_it_tells() -> None:
    assert word_weight(1) > word_weight(2) > word_weight(50) > 0


def test_gains_are_the_same_in_whatever_order_the_words_asked_for_come() -> None:
    asked = {"age": 0.1, "phone": 0.2, "mail": 0.3, "town": 0.7}
    words = [frozenset({"aunt", "age"}), frozenset({"aunt", "phone", "mail", "town"})]
    lines = Lines(words, [1.0, 0.9], dict.fromkeys(("aunt", *asked), 1))
    found = {tuple(gains(lines, [dict(order)])) for order in permutations(asked.items())}
    assert len(found) == 1
