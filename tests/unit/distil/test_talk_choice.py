"""Which lines of a talk between people stay when there is no room for all of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from distil_kit import said
from noctuary.distil.offline.cues import load_cues
from noctuary.distil.offline.digest import Line
from noctuary.distil.offline.pieces import Cutter
from noctuary.distil.offline.talk import SHARE, SMALL_TALK, most_telling

CUTTER = Cutter(load_cues())


def lines(*texts: str) -> list[Line]:
    found = []
    for minute, text in enumerate(texts):
        piece = CUTTER.piece(text)
        assert piece is not None
        found.append(Line(said(text, minute, user="Ana"), piece, 2.0))
    return found


def kept(*texts: str) -> list[str]:
    """What stays of these lines in the room of a short talk."""
    return [line.piece.text for line in most_telling(lines(*texts), 0)]


@pytest.mark.parametrize(
    ("telling", "empty"),
    [
        ("My sister keeps bees and sells honey at the market in Ghent", "It was such a good time and I really love it so much, wow"),
        ("Yesterday I planted seven apricot saplings", "These things are always nice and so very good for everyone"),
        ("我妹妹在根特的集市上卖蜂蜜和蜡烛", "真的非常好，大家都觉得特别开心特别好"),
    ],
)  # fmt: skip
def test_a_line_that_tells_something_stays_before_one_that_only_feels(
    telling: str, empty: str
) -> None:
    many = [f"{empty} {'indeed ' * count}".strip() for count in range(20)]
    assert telling in kept(*many[:10], telling, *many[10:])


def test_what_was_told_already_makes_room_for_something_new() -> None:
    again = [f"The lighthouse keeper paints gulls, ferries and storms {word}" for word in
             ("daily", "often", "mostly", "lately", "gladly", "slowly", "boldly", "calmly",
              "neatly", "wildly", "firmly", "warmly")]  # fmt: skip
    new = "A cobbler mends saddles, bridles and copper kettles"
    assert new in kept(*again, new)


def test_a_line_with_a_hard_fact_stays_however_little_room_there_is() -> None:
    many = [f"The lighthouse keeper paints gulls, ferries and storms number {word}" for word in
            ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")]  # fmt: skip
    fact = "The ferry costs 47 euros"
    assert fact in kept(*many, fact)


@given(
    st.lists(st.sampled_from(["harp", "kiln", "ferry", "quay", "moss"]), max_size=40),
    st.integers(0, 9000),
)
def test_lines_stay_in_order_and_within_the_room(words: list[str], said_bytes: int) -> None:
    told = lines(*(f"The {word} stood beside the {other} again" for word, other in pairwise(words)))
    chosen = most_telling(told, said_bytes)
    assert chosen == [line for line in told if line in chosen]
    assert sum(line.cost for line in chosen) <= max(SMALL_TALK, SHARE * said_bytes)
