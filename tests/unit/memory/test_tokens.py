from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.memory.tokens import content_tokens, estimate, tokens
from noctuary.memory.words import stem

FORMS = [
    "hope hopes hoped hoping",
    "run runs running ran",
    "study studies studied studying",
    "city cities",
    "adopt adopts adopted adoption",
    "paint paints painted painting",
    "organize organizes organized organizing organization",
    "educate educated education",
    "buy buys bought buying",
    "child children",
    "box boxes",
    "die dies died dying",
    "lie lies lied lying",
    "tie ties tied tying",
]


@pytest.mark.parametrize("forms", FORMS)
def test_forms_of_a_word_meet(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["news new", "bus bu", "thing the", "king kin", "class clas"])
def test_other_words_stay_apart(pair: str) -> None:
    one, other = pair.split()
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("50,000", "50000"),
        ("5万", "50000"),
        ("it cost 5 million, all in", "5000000"),
        ("花了 5 万，算上运费", "50000"),
        ("五万", "50,000"),
        ("50k", "50 000".replace(" ", "")),
        ("2023-05-07", "7 May 2023"),
        ("2023年5月7日", "May 7, 2023"),
        ("May 2023", "2023年5月"),
        ("iPhone13", "iPhone 13"),
        ("render_template", "render template"),
        ("getUserName", "user name"),
        ("住在绿洲家园", "绿洲"),
    ],
)
def test_spellings_of_one_thing_share_a_telling_token(one: str, other: str) -> None:
    shared = set(tokens(one)) & set(tokens(other))
    assert any(len(token) > 1 for token in shared)


def test_dates_give_their_day_and_month() -> None:
    assert {"d:2023-05-07", "d:2023-05"} <= set(tokens("on 7 May 2023"))


def test_identifiers_stand_whole_and_in_parts() -> None:
    found = tokens("src/app_main.py")
    assert found == ["src/app_main.py", "src", "app", "main", "py"]


def test_content_tokens_leave_out_stop_words_of_both_languages() -> None:
    assert content_tokens("the dog and the cat") == ["dog", "cat"]
    assert "的" not in content_tokens("我的狗")
    assert "狗" in content_tokens("我的狗")
    assert content_tokens("in May we may go to the US") == ["may", "go", "us"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("你好", 2), ("你好abcd", 3), ("，。", 2)],
)
def test_estimate_counts_characters(text: str, count: int) -> None:
    assert estimate(text) == count


@given(st.text())
def test_no_text_raises_and_tokens_are_never_blank(text: str) -> None:
    assert all(token.strip() for token in tokens(text))
    assert estimate(text) <= len(text)
    assert len(content_tokens(text)) <= len(tokens(text))


_WORDS = st.sampled_from(
    [
        "get_user",
        "v1.2.3",
        "don't",
        "US",
        "3.5",
        "1,000",
        "k",
        "million",
        "预算",
        "五万",
        "5万",
        "７个",
        "é中",
        "10:30",
    ]
)


@given(st.lists(_WORDS, max_size=8), st.lists(_WORDS, max_size=8))
def test_a_line_break_parts_words_and_nothing_else(one: list[str], other: list[str]) -> None:
    above, below = " ".join(one), " ".join(other)
    assert sorted(tokens(f"{above}\n{below}")) == sorted(tokens(above) + tokens(below))
