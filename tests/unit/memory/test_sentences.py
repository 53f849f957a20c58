from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.sentences import language, sentences

CASES = [
    ("It works. It is fast!", ["It works.", "It is fast!"]),
    ("Ask Dr. Lee, e.g. on v2.3.1. Fine.", ["Ask Dr. Lee, e.g. on v2.3.1.", "Fine."]),
    ("It costs 3.5 euros. Pay.", ["It costs 3.5 euros.", "Pay."]),
    ("See https://a.org/x?y=1. Then stop.", ["See https://a.org/x?y=1.", "Then stop."]),
    ("Open notes.v2.md now. Bye.", ["Open notes.v2.md now.", "Bye."]),
    ("Well... maybe. Yes.", ["Well... maybe.", "Yes."]),
    ("Run `a. B. c` first. Next.", ["Run `a. B. c` first.", "Next."]),
    ('He said "no." She left.', ['He said "no."', "She left."]),
    (
        "At 5 p.m. we left. See no. 5 and Fig. 2. J. Smith",
        ["At 5 p.m. we left.", "See no. 5 and Fig. 2.", "J. Smith"],
    ),
    ("你好。吃了吗？吃了！", ["你好。", "吃了吗？", "吃了！"]),
    ("先做A；再做B", ["先做A；", "再做B"]),
    ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
    ("版本是3.5。OK. 完成", ["版本是3.5。", "OK.", "完成"]),
    ("one line\nanother line", ["one line", "another line"]),
    ("", []),
    (" \n\t\r\n", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_splits_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert [piece.text for piece in sentences(text)] == expected


def test_kinds_are_told_apart_and_markers_left_out() -> None:
    text = "# Title\n- one\n2. two\n> said\n| a | b |\n```sh\nx. Y.\n```\n一、第一点\nplain"
    assert [(piece.kind, piece.text) for piece in sentences(text)] == [
        ("heading", "Title"),
        ("list", "one"),
        ("list", "two"),
        ("quote", "said"),
        ("table", "| a | b |"),
        ("code", "```sh\nx. Y.\n```"),
        ("list", "第一点"),
        ("prose", "plain"),
    ]


def test_an_open_fence_runs_to_the_end() -> None:
    assert [piece.kind for piece in sentences("a\n~~~\nb. C\nd")] == ["prose", "code"]


@given(
    st.text(
        alphabet=st.sampled_from('aB1 .!?。！？…；"”`~#>-|*\n\r\t中文\u2028\ud800😀(）'),
        max_size=80,
    )
)
def test_offsets_are_exact_and_nothing_is_lost(text: str) -> None:
    pieces = sentences(text)
    assert all(text[piece.start : piece.end] == piece.text != "" for piece in pieces)
    assert all(a.end <= b.start for a, b in pairwise(pieces))
    left = text
    for piece in reversed(pieces):
        left = left[: piece.start] + left[piece.end :]
    assert not any(char.isalpha() for char in left)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello there", "en"),
        ("我喜欢苹果", "zh"),
        ("我用 Docker 部署服务", "zh"),
        ("", "en"),
        ("The word 好 only", "en"),
    ],
)
def test_language_goes_by_the_share_of_chinese(text: str, expected: str) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("all green. moshi is gone", ["all green.", "moshi is gone"]),
        (
            "did you edit it? i said no!! ok. fine",
            ["did you edit it?", "i said no!!", "ok.", "fine"],
        ),
        ("files, mails etc. and so on", ["files, mails etc. and so on"]),
        ("use v1.2 e.g. here, i.e. now", ["use v1.2 e.g. here, i.e. now"]),
        ("Written with care. it goes on", ["Written with care. it goes on"]),
    ],
)
def test_who_begins_with_a_small_letter_goes_on_with_one(text: str, parts: list[str]) -> None:
    assert [piece.text for piece in sentences(text)] == parts
