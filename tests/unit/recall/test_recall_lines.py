from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.tokens import quarters
from noctuary.recall.lines import LEFT_OUT, cut, of_year


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


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("We leave on May 4 [2026] by bus", "We leave on May 4 by bus"),
        ("We leave on the 4th of May [4 May 2026]", "We leave on the 4th of May"),
        ("我们5月4日[2026年]出发", "我们5月4日出发"),
        ("We leave on May 4 [2027]", "We leave on May 4 [2027]"),
        ("We left yesterday [4 May 2026]", "We left yesterday [4 May 2026]"),
        ("我们昨天[2026年5月4日]出发了", "我们昨天[2026年5月4日]出发了"),
    ],
)
def test_a_day_is_not_said_twice_to_a_reader_who_knows_the_year(text: str, plain: str) -> None:
    assert of_year(text, 2026) == plain
