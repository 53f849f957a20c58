from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.intake.text import clean, cut, label, without_blocks, without_memory
from noctuary.intake.times import RecordError, moment

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-30T14:02:11+08:00", "2026-11-30T14:02:11"),
        ("2026-11-30T14:02:11.999Z", "2026-11-30T22:02:11"),
        ("2026-11-30T23:30:00-05:00", "2026-12-01T12:30:00"),
        ("2026-11-30T14:02:11", "2026-11-30T14:02:11"),
        (" 2026-11-30 14:02 ", "2026-11-30T14:02:00"),
        ("2026-11-30", "2026-11-30T00:00:00"),
        (1796018531, "2026-11-30T14:02:11"),
        (1796018531.75, "2026-11-30T14:02:11"),
        (1796018531000, "2026-11-30T14:02:11"),
        ("1796018531000", "2026-11-30T14:02:11"),
        (0, "1970-01-01T08:00:00"),
    ],
)
def test_a_time_becomes_local_time_of_the_vault(value: object, expected: str) -> None:
    assert moment(value, SHANGHAI) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "value",
    [
        None, True, "", "soon", "2026-13-01", [], {}, float("nan"), float("inf"), 10**400, -100_000_000,
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "1969-12-31", "2200-01-01",
    ],
)  # fmt: skip
def test_what_is_no_time_is_said_in_a_sentence(value: object) -> None:
    with pytest.raises(RecordError, match="not a time; write it like 2026-11-30T14:02:11"):
        moment(value, SHANGHAI)


def test_the_hour_that_comes_twice_is_still_one_local_time() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    first = moment("2026-10-25T00:30:00Z", berlin)
    second = moment("2026-10-25T01:30:00Z", berlin)
    assert first == second == datetime(2026, 10, 25, 2, 30)
    assert second.fold == 0


def test_lone_surrogates_are_replaced_and_pairs_kept() -> None:
    assert clean("a\ud800b🙂") == "a\ufffdb🙂"


@given(st.text(), st.integers(0, 40))
def test_cut_keeps_whole_characters_and_counts_the_rest(text: str, limit: int) -> None:
    text = clean(text)
    kept, left_out = cut(text, limit)
    assert text.startswith(kept)
    assert len(kept.encode()) <= max(limit, 0)
    assert len(kept.encode()) + left_out == len(text.encode())
    assert left_out == 0 or limit - len(kept.encode()) < 4


def test_a_label_is_one_short_line() -> None:
    assert label(" a\r\nb\x00c\u2028d ") == "a b c d"
    assert len(label("x" * 5000)) == 200


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("no tags at all\n", "no tags at all\n"),
        ("a <b>c</b>", "a <b>c</b>"),
        ("<note>x</note>\nmine", "mine"),
        ("mine\n<NOTE kind='1'>x\ny</Note >\n", "mine"),
        ("one <note>x</note> two <note>y</note> three", "one  two  three"),
        ("<note>open for ever", "<note>open for ever"),
        ("<notes>x</notes>", "<notes>x</notes>"),
        ("<note>a<note>b</note>c", "c"),
    ],
)
def test_blocks_are_taken_out_of_text(text: str, rest: str) -> None:
    assert without_blocks(text, ("note",)) == rest


def test_a_block_without_end_is_cut_only_where_text_may_be_cut_short() -> None:
    text = "before <noctuary-memory id=1>\n- a card"
    assert without_memory(text, cut_short=True) == "before"
    assert without_memory(text, cut_short=False) == text


def test_a_hundred_thousand_open_blocks_are_read_in_one_pass() -> None:
    text = "<note>" * 100_000 + "<other " * 100_000
    assert without_blocks(text, ("note", "other")) == text
