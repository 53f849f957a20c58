from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.threeway import put_back

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n"]), max_size=8)


def test_a_line_that_was_added_goes_and_later_ones_stay() -> None:
    assert put_back("a\nb\n", "a\nnew\nb\n", "mine\na\nnew\nb\nlate\n") == "mine\na\nb\nlate\n"


def test_a_line_that_was_taken_comes_back() -> None:
    assert put_back("a\nb\nc\n", "a\nc\n", "a\nc\nlate\n") == "a\nb\nc\nlate\n"


def test_the_same_line_changed_again_is_nobodys_to_decide() -> None:
    assert put_back("one\n", "two\n", "three\n") is None


def test_what_was_put_back_already_stays() -> None:
    assert put_back("one\nx\n", "two\nx\n", "one\nx\nlate\n") == "one\nx\nlate\n"


@given(LINES, LINES)
def test_without_later_changes_the_old_text_comes_back(old: list[str], new: list[str]) -> None:
    before, after = "".join(old), "".join(new)
    assert put_back(before, after, after) == before
    assert put_back(after, after, before) == before


@given(LINES, LINES, st.lists(st.sampled_from(["x\n", "y\n"]), min_size=1, max_size=3))
def test_lines_of_a_person_are_never_lost(old: list[str], new: list[str], own: list[str]) -> None:
    now = "".join([*new, *own])
    found = put_back("".join(old), "".join(new), now)
    assert found is None or found.endswith("".join(own))
