from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noctuary.recall.lines import LEFT_OUT
from noctuary.recall.retold import Retold


def shortened(text: str, *told: str) -> str:
    retold = Retold()
    for line in told:
        retold.shortened(line)
        retold.add()
    return retold.shortened(text)


@pytest.mark.parametrize(
    ("told", "line", "new"),
    [
        (
            "I'm moving to the flat on Ash Lane in May.",
            "I want blue curtains, considering I'm moving to the flat on Ash Lane in May.",
            "I want blue curtains…",
        ),
        (
            "I’m moving to the old flat on Ash Lane by the river in May.",
            "I want curtains, considering I’m moving to the flat on Ash Lane by the river in spring or May.",
            "I want curtains…",
        ),
        (
            "I work at the bakery on weekdays.",
            "I work at the bakery on weekdays, but I sing in a choir.",
            "…but I sing in a choir.",
        ),
        (
            "We keep three hens in the garden.",
            "Rain is coming. We keep three hens in the garden. The roof leaks.",
            "Rain is coming.… The roof leaks.",
        ),
        ("我住在河边的老房子里", "我买了新窗帘，因为我住在河边的老房子里", "我买了新窗帘…"),
        ("我住在河边的老房子里", "我住在河边的老房子里，但我想搬家", "…但我想搬家"),
    ],
)
def test_a_clause_that_was_told_is_left_out(told: str, line: str, new: str) -> None:
    assert shortened(line, told) == new


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("I met Carla at the harbour café.", "It rained, and I met Dora at the harbour café."),
        ("I pay 300 for the old garage.", "It rained, and I pay 350 for the old garage."),
        ("I eat fish from the market.", "It rained, and I don't eat fish from the market."),
        ("I run `make all` before lunch.", "It rained, and I run `make test` before lunch."),
        ("My sister likes cold green tea.", "My brother likes cold green tea."),
        ("我住在河边的老房子里", "下雨了，但我不住在河边的老房子里"),
        ("我住在河边的老房子里", "下雨了，但我住在山边的老房子里"),
    ],
)
def test_another_name_value_or_denial_is_news(told: str, line: str) -> None:
    assert shortened(line, told) == line


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("When the shop opens early.", "When the shop opens early, I bring the bread."),
        ("如果明天早上下大雨", "如果明天早上下大雨，我就不去爬山"),
        ("I bought a second boat.", "I bought a second boat. It leaks at the bow."),
        ("我又买了一条新的船", "我又买了一条新的船。它的船头漏水"),
    ],
)
def test_nothing_is_parted_from_what_it_hangs_on(told: str, line: str) -> None:
    assert shortened(line, told) == line


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("Can you help me sort the photos of Rome?", "…sort the photos of Rome?"),
        ("It's late, so could you please help me to find a hotel?", "It's late… find a hotel?"),
        ("I'm trying to plant beans in March.", "…plant beans in March."),
        ("你能不能帮我订一张去杭州的票", "…订一张去杭州的票"),
        ("Can you help me with the beans?", "Can you help me with the beans?"),
        ("I'm not trying to plant beans.", "I'm not trying to plant beans."),
        ("I'm planning to plant beans.", "I'm planning to plant beans."),
        ("谢谢你帮我的忙", "谢谢你帮我的忙"),
    ],
)
def test_a_phrase_that_only_asks_for_help_is_left_out(line: str, new: str) -> None:
    assert shortened(line) == new


def test_a_line_that_was_told_is_left_out_whole() -> None:
    told = "My sister Ida, who paints, lives in Turin."
    assert shortened(told, told) == ""


@pytest.mark.parametrize(
    "line",
    [
        "And here's my list of guests:",
        "Here is the `seats.py` file:",
        "And my seating plan:",
        "**First draft (400 words)**:",
        "**Second draft:**",
        "下面是我的购物清单：",
        "**第二稿**：",
    ],
)
def test_a_line_that_announces_what_is_not_there_is_left_out(line: str) -> None:
    assert shortened(line) == ""
    assert shortened(f"{line} Ann") == f"{line} Ann"


def test_a_sentence_at_the_end_that_only_announces_is_left_out() -> None:
    assert shortened("The band is booked. Here's my `songs.txt` file:") == "The band is booked.…"
    assert shortened("乐队订好了。下面是我的歌单：") == "乐队订好了。…"


@pytest.mark.parametrize("line", ["My goals are three:", "**Budget: 500 EUR**", "我的目标有三个："])
def test_a_line_that_says_something_before_its_colon_stays(line: str) -> None:
    assert shortened(line) == line


def test_code_and_lines_of_a_list_stay_whole() -> None:
    text = "I run it so:\n- make clean\n- make all"
    assert shortened(text, text) == text


WORDS = st.sampled_from(
    [
        "I",
        "we",
        "can",
        "you",
        "help",
        "me",
        "if",
        "because",
        "and",
        "but",
        "not",
        ",",
        ".",
        "!",
        "我",
        "们",
        "能",
        "不",
        "帮",
        "，",
        "。",
        "但",
        "May",
        "12",
        "told",
        "[4",
        "…",
        "Ann",
    ]
)


@given(st.lists(WORDS, max_size=30), st.lists(WORDS, max_size=30))
def test_what_stays_is_verbatim_and_in_order(told: list[str], words: list[str]) -> None:
    line = " ".join(words)
    place = 0
    for piece in shortened(line, " ".join(told)).split(LEFT_OUT):
        place = line.index(piece.strip(), place) + len(piece.strip())
