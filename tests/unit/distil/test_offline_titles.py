from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distil_kit import distilled, said
from noctuary.distil.offline.titles import LONGEST, timeless, title_of, width
from noctuary.distil.offline.topics import topic_title, topic_words
from noctuary.memory.card import CardType


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "And I've chosen oak for the table because it lasts for generations and looks warm.",
            "I've chosen oak for the table",
        ),
        (
            "From now on, always weigh the flour on the new scale before mixing the dough.",
            "Always weigh the flour on the new scale before mixing the dough",
        ),
        ("Before I forget, the hall must not cost more than 80 euros.",
         "The hall must not cost more than 80 euros"),
        ("Lesson learned: always soak the beans over night.", "Always soak the beans over night"),
        ("另外，会场租金不超过三千元，因为经费有限。", "会场租金不超过三千元"),
        ("预算不超过人民币五万元，只能使用开源技术栈。", "预算不超过人民币五万元，只能使用开源技术栈"),
        ("这个教训要记住：先断电，再换灯泡。", "先断电，再换灯泡"),
        ("Todo: paint the fence before that.", "Paint the fence"),
        ("Still open: the list of guests.", "Still open: the list of guests"),
        ("在那之前把篱笆刷一遍。", "把篱笆刷一遍"),
        ("I'm trying to update my orchard plan to the new date.",
         "Update my orchard plan to the new date"),
        ("Although the hut is small and stands far away from every road in the valley, we sleep in it.",
         "We sleep in it"),
        ("Hello Ida, I baked 12 loaves for the fair.", "I baked 12 loaves for the fair"),
        ("I've always been someone who oils every hinge of the gate twice in a wet year.",
         "I've always been someone who oils every hinge of the gate twice in a wet year"),
        ("I've decided on this order for the beds: rows(beans, leeks, garlic, peas, chard, beets), hedge",
         "I've decided on this order for the beds"),
        ("By following this careful plan for the orchard, you can prune every tree in autumn, "
         + "and the whole of November is left for the hedges.",
         "You can prune every tree in autumn"),
        ("The time to row across the whole of the old harbour fell from 20 to 12 minutes",
         "The time to row across the whole of the old harbour fell from 20 to 12 minutes"),
        ("I don't understand why I have never pruned a pear tree, it seems like I should have, given the fruit.",
         "I have never pruned a pear tree"),
        ("Always name tides and piers in whole words when I ask about the way to the old ferry in winter.",
         "Always name tides and piers in whole words when I ask about the way"),
        ("The beds of the new garden belong to three groups: beans, leeks, and pale garlic",
         "The beds of the new garden belong to three groups: beans, leeks, and pale garlic"),
        ("I've met “TideError: the pier: 14 is shut” on the ferry, and mended it with a buoy at noon",
         "I've met “TideError: the pier: 14 is shut” on the ferry"),
    ],
)  # fmt: skip
def test_a_title_is_a_whole_clause_without_hedges(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_title_takes_the_clause_that_is_asked_for() -> None:
    text = "I'm trying to plan the summer, and I have a deadline of 4 June for the harvest list."
    assert (
        title_of(text, text.index("deadline")) == "I have a deadline of 4 June for the harvest list"
    )


@pytest.mark.parametrize(
    ("text", "cue", "title"),
    [
        (
            "I think the garden needs three rounds of two weeks each, with the deadline being 1 April.",
            "deadline",
            "The garden needs three rounds of two weeks each",
        ),
        (
            "Rosa left the old harbour club; the winch scripts are ours now, feel free to change them.",
            "feel free",
            "The winch scripts are ours now, feel free to change them",
        ),
        (
            "I'm allergic to mussels by the way, so keep that in mind for the lunch.",
            "keep that",
            "I'm allergic to mussels by the way, so keep that in mind for the lunch",
        ),
        (
            "tide.port.TideException: the gauge reports high water but returned no level",
            "tide",
            "tide.port.TideException: the gauge reports high water but returned no level",
        ),
        (
            "I prefer short paths, which is my third preference, because they are quick to weed.",
            "preference",
            "I prefer short paths",
        ),
        (
            "I laid 400 bricks by the deadline of 9 May, and I was wondering if the limit is good.",
            "limit",
            "I laid 400 bricks by the deadline of 9 May",
        ),
        (
            "I'm worried about handing in the plan of the whole orchard on time, five days before the deadline.",
            "deadline",
            "Handing in the plan of the whole orchard on time",
        ),
    ],
)
def test_a_title_begins_where_something_is_said(text: str, cue: str, title: str) -> None:
    assert title_of(text, text.index(cue)) == title


@pytest.mark.parametrize(
    "text",
    [
        "I chose to spend my $5,000 bonus on a loom that cost $2,499 and a set of shuttles for it.",
        "The archive of the choir holds 12,400 sheets which nobody has ever put into any order at all.",
    ],
)
def test_a_title_never_ends_inside_a_number_or_on_a_word_that_waits(text: str) -> None:
    title = title_of(text)
    assert width(title) <= LONGEST
    assert not re.search(r"(?:^|\\s)(?:a|the|of|to|and|with|for|that|which)$", title)
    assert all(number in text.split() or number in text for number in re.findall(r"[\\d,]+", title))
    assert not title.endswith(("$5", "$2", "12"))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.integers(0, 300))
def test_any_text_has_a_title_that_fits(text: str, at: int) -> None:
    title = title_of(text, at)
    assert title
    assert width(title) <= LONGEST


def test_a_digest_is_named_by_the_terms_that_come_back() -> None:
    lines = [
        "Please provide an example for the harbour map.",
        "The harbour map shows 14 piers.",
        "I want to include the tide table in the harbour map.",
        "Our tide table was printed in Ghent.",
    ]
    title = topic_title(lines)
    assert title.lower().startswith("harbour map, tide table")
    assert not re.search("please|provide|include|example", title.lower())


def test_a_small_digest_is_named_by_its_most_telling_line() -> None:
    lines = ["Great!", "My aunt Rosa opened a bakery in Porto, it sells rye bread."]
    assert topic_title(lines, telling=1).startswith("My aunt Rosa opened a bakery in Porto")


def test_no_topic_is_better_than_a_bad_one() -> None:
    assert topic_words(["We went home early.", "Somebody sang a song."], 2) == []


def test_a_few_lines_about_many_things_are_named_by_the_one_that_tells_most() -> None:
    lines = [
        "There is a page about looms.",
        "Please add it to the admin page.",
        "Ida, you won't guess it, the weaving room opens on 4 May 2027.",
        "She signs every letter.",
        "Keep the blue one.",
    ]
    assert topic_title(lines, telling=2) == "The weaving room opens on 4 May 2027"


def test_chinese_topics_are_names_that_come_back() -> None:
    lines = [
        "春季园艺展的地点是苏州。",
        "我想参加春季园艺展。",
        "春季园艺展有两百人。",
        "门票已经买了。",
    ]
    assert topic_words(lines, 1) == ["春季园艺展"]
    assert topic_title(lines) == "春季园艺展"


def test_the_title_of_a_choice_names_the_choice() -> None:
    text = "We decided on larch, because the terrace gets 30 guests a week at most."
    (decision,) = distilled([said(text)])
    assert (decision.type, decision.title) == (CardType.DECISION, "We decided on larch")
    assert decision.statement == text


def test_a_plain_word_or_a_quality_names_no_digest() -> None:
    lines = [
        "Their harvest was long-lasting and cost-effective.",
        "A harvest like it needs rain, and the harvest needs hands.",
        "My aunt Rosa weighed the harvest in Porto on 4 May.",
        "Every harvest has its price.",
    ]
    title = topic_title(lines, telling=2)
    assert title.lower() != "harvest"
    assert not re.search("long-lasting|cost-effective", title)


def test_a_title_begins_like_a_sentence_whatever_its_first_word() -> None:
    assert title_of("and it's the winch that needs oil") == "It's the winch that needs oil"


@pytest.mark.parametrize(
    ("title", "timeless_title"),
    [
        ("Yesterday we moved the press", "We moved the press"),
        ("昨天晚上发面失败了", "晚上发面失败了"),
        ("下周三陈默生日", "陈默生日"),
        ("Friday is over", "Friday is over"),
        ("11月28日剪彩", "11月28日剪彩"),
        ("We moved the press yesterday", "We moved the press yesterday"),
        ("Tomorrow works", "Tomorrow works"),
    ],
)
def test_a_title_does_not_begin_with_a_day_that_moves_on(title: str, timeless_title: str) -> None:
    assert timeless(title, datetime(2026, 3, 2, 9)) == timeless_title


@pytest.mark.parametrize(
    ("statement", "title"),
    [
        (
            "lesson for the two of us: never fire the kiln on gas alone",
            "Never fire the kiln on gas alone",
        ),
        ("Note to self: renew the winch permit", "Renew the winch permit"),
        (
            "gotta send Ana the glaze chart before thursday",
            "Send Ana the glaze chart before thursday",
        ),
        ("Need to renew the winch permit", "Renew the winch permit"),
        ("踩了个坑：釉料要先过筛再称重", "釉料要先过筛再称重"),
        ("结论：釉料要先过筛再称重", "釉料要先过筛再称重"),
    ],
)
def test_what_only_announces_is_no_title(statement: str, title: str) -> None:
    assert title_of(statement) == title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            'The poster should read "Open Press" and hang in June.',
            'The poster should read "Open Press" and hang in June',
        ),
        (
            'We agreed that the new press will be called "Heron" and that it prints from June on.',
            'We agreed that the new press will be called "Heron"',
        ),
        ("给读者的信一律用“您”，结尾写“此致敬礼”。", "给读者的信一律用“您”，结尾写“此致敬礼”"),
        (
            "他说“周末把架子搬到阳台”，所以我们决定周六上午十点在楼下集合一起搬。",
            "他说“周末把架子搬到阳台”",
        ),
        (
            'The card should say "You are warmly invited to the opening of our small press on Friday" in front.',
            'The card should say "You are warmly invited to the opening of our small press…"',
        ),
        ("“Paper first” is what the sign says", "“Paper first” is what the sign says"),
        ('"Paper before ink."', "Paper before ink"),
    ],
)
def test_a_quotation_in_a_title_keeps_both_its_marks(said: str, title: str) -> None:
    assert title_of(said) == title
