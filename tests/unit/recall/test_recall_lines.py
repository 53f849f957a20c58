from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.tokens import quarters
from noctuary.recall.lines import LEFT_OUT, cut


@given(st.text("ab, .。，我们不 5万[]\n", max_size=80), st.integers(0, 200))
def test_a_cut_line_is_its_own_start_and_fits(text: str, room: int) -> None:
    piece = cut(text, room)
    assert quarters(piece) <= room
    assert not piece or text.startswith(piece.removesuffix(LEFT_OUT))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The rent rose to 1 200 euros", "The rent rose to…"),
        ("我们明年的房租一共是五千元整", "我们明年的房租一共是…"),
        ("We met there last Friday [27 November 2026] again", "We met there last Friday…"),
        ("我们上周末[2026年11月28日]见的面", "我们上周末…"),
        ("我真的已经想好了不去爬山", "我真的已经想好了…"),
    ],
)
def test_a_cut_leaves_no_half_number_bracket_or_denial(text: str, kept: str) -> None:
    for room in range(quarters(kept), quarters(kept) + 7):
        assert cut(text, room) == kept
