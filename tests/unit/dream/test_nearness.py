"""The nearest lines, found by rare words first, are those that looking at all lines finds."""

from __future__ import annotations

from math import log

from hypothesis import given
from hypothesis import strategies as st

from noctuary.dream.nearness import Nearness

WORDS = st.sets(st.sampled_from("abcdefghijklmnop"), max_size=8)


def _key(number: int) -> tuple[str, str, str]:
    return ("2026-05-04-s", f"t{number}", f"line {number}")


def _by_hand(lines: dict[int, set[str]], words: set[str]) -> dict[int, float]:
    total = len(lines) + 1
    held = {word: sum(word in line for line in lines.values()) for word in words}
    return {
        number: sum(log(1 + total / held[word]) for word in sorted(words & line))
        for number, line in lines.items()
        if words & line
    }


@given(st.lists(WORDS, min_size=1, max_size=60), WORDS, st.integers(1, 8), st.data())
def test_the_best_lines_are_found_whatever_is_left_unread(
    drawn: list[set[str]], words: set[str], limit: int, data: st.DataObject
) -> None:
    lines = dict(enumerate(drawn))
    near = Nearness()
    for number, line in lines.items():
        near.add(_key(number), line)
    for number in data.draw(st.sets(st.sampled_from(sorted(lines)), max_size=5)):
        near.remove(_key(number), lines.pop(number))

    found = near.best(words, limit, len(lines) + 1)

    scores = {_key(number): score for number, score in _by_hand(lines, words).items()}
    wanted = sorted(scores.values(), reverse=True)[:limit]
    assert [round(scores[key], 9) for key in found] == [round(score, 9) for score in wanted]


def test_of_lines_with_the_same_words_the_order_is_always_the_same() -> None:
    near, again = Nearness(), Nearness()
    for number in range(9):
        near.add(_key(number), {"desk", "lamp"})
        again.add(_key(8 - number), {"lamp", "desk"})

    assert near.best({"desk", "lamp"}, 4, 10) == again.best({"lamp", "desk"}, 4, 10)
    assert near.best({"desk", "lamp"}, 4, 10) == [_key(number) for number in (8, 7, 6, 5)]
