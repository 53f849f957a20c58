from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distil_kit import distilled, distiller, said, scored
from noctuary.memory.candidate import Anchor
from noctuary.memory.card import CardType
from noctuary.memory.entry import Entry, Role, TaskMark
from noctuary.memory.facts import hard_facts, missing


def of_type(entries: list[Entry], type_: CardType) -> list[str]:
    return [each.statement for each in distilled(entries) if each.type is type_ and each.statement]


@pytest.mark.parametrize(
    "text",
    [
        "The budget is at most 50,000 yuan and open source only.",
        "预算不超过人民币五万元，只能使用开源技术栈。",
    ],
)
def test_a_budget_stays_word_for_word(text: str) -> None:
    (constraint,) = distilled([said(text)])
    assert constraint.type is CardType.CONSTRAINT
    assert constraint.statement == text
    assert constraint.quotes[0].text == text


def test_an_instruction_becomes_one_preference() -> None:
    found = of_type([said("Hi! Always use British spelling in my letters.")], CardType.PREFERENCE)
    assert found == ["Always use British spelling in my letters."]


def test_a_decision_keeps_its_reason() -> None:
    (decision,) = distilled([said("We decided to use SQLite because nobody runs a server here.")])
    assert decision.type is CardType.DECISION
    assert decision.reason == "because nobody runs a server here"


def test_a_relative_date_is_resolved_in_the_statement_and_kept_in_the_quote() -> None:
    (task,) = distilled([said("Remind me to call the plumber tomorrow.")])
    assert "tomorrow [3 March 2026]" in task.statement
    assert task.quotes[0].text == "Remind me to call the plumber tomorrow."


def test_a_request_tail_is_cut_and_its_facts_are_not() -> None:
    cut, kept = "can you help me plan the days?", "can you find a hotel under 90 euros?"
    start = "My cousin Rosa marries in Porto on 12 June, "
    (first,) = distilled([said(start + cut)])
    (second,) = distilled([said(start + kept)])
    assert cut not in first.quotes[0].text
    assert kept in second.quotes[0].text


def test_five_wishes_in_other_words_are_one_pattern() -> None:
    wishes = [
        "I'd rather start directly without a long introduction.",
        "Please don't write an introduction, start directly with the code.",
        "Always start directly with the code, no introduction.",
        "I prefer answers that start directly, without introduction.",
        "From now on start directly and skip the introduction.",
    ]
    found = distilled([said(text, minute) for minute, text in enumerate(wishes)])
    patterns = [each for each in found if each.type is CardType.PATTERN]
    assert [each.seen for each in patterns] == [5]
    assert {quote.text for quote in patterns[0].quotes} == set(wishes)


def test_the_same_words_many_times_are_one_candidate() -> None:
    entries = [said("I prefer window seats on night trains.", minute) for minute in range(5000)]
    (candidate,) = distilled(entries)
    assert candidate.seen == 5000
    assert len(candidate.quotes) <= 5


def test_minor_facts_become_digests_of_few_lines() -> None:
    towns = ("Lund", "Ghent", "Graz", "Porto", "Turin", "Basel", "Bergen", "Malmo", "Lyon", "Brno")
    entries = [
        said(f"My aunt number {n} bought {n + 3} old {what} in {town}.", n)
        for n, (town, what) in enumerate(
            (town, what) for what in ("clocks", "maps", "lamps") for town in towns
        )
    ]
    found = distilled(entries)
    assert all(each.type is CardType.FACT and not each.statement for each in found)
    assert all(6 <= len(each.quotes) <= 24 for each in found)
    assert sum(len(each.quotes) for each in found) == len(entries)


def test_talk_between_people_keeps_facts_of_both_and_drops_reactions() -> None:
    talk = [
        said("Ana: Hey Ben! How have you been?", 0, user="Ana"),
        said("Ben: Great! I adopted a greyhound named Pixel yesterday.", 1, user="Ben"),
        said("Ana: Wow, Ben! That's awesome!", 2, user="Ana"),
        said("Ana: My brother opened a bakery in Ghent in 2024.", 3, user="Ana"),
        said("Ben: Thanks, Ana!", 4, user="Ben"),
    ]
    lines = [quote.text for each in distilled(talk) for quote in each.quotes]
    assert "I adopted a greyhound named Pixel yesterday." in " ".join(lines)
    assert "My brother opened a bakery in Ghent in 2024." in " ".join(lines)
    assert not [line for line in lines if "awesome" in line or "How have you" in line]


def test_a_task_entry_opens_and_closes() -> None:
    opened = Entry("e1", Role.TASK, said("x").at, "Ship the page", task=TaskMark.OPEN)
    closed = Entry("e2", Role.TASK, said("x", 9).at, "Ship the page", task=TaskMark.DONE)
    found = distilled([opened, closed])
    assert [(each.type, each.closes) for each in found] == [
        (CardType.TASK, False),
        (CardType.TASK, True),
    ]


def test_an_error_with_its_cure_is_a_lesson() -> None:
    text = "部署失败的原因是磁盘满了，清理日志以后就好了。"
    assert of_type([said(text)], CardType.LESSON) == [text]


def test_hard_facts_of_important_entries_are_all_quoted() -> None:
    text = (
        "Always back up before 22:30. The server is 10.0.4.7 and the key file is /etc/nocti/key.pem. "
        "It costs $14.50 a month since 2025-11-02."
    )
    found = distilled([said(text)])
    quoted = "\n".join(quote.text for each in found for quote in each.quotes)
    assert not missing(hard_facts(text), quoted)


def test_titles_are_short_and_of_the_words_at_hand() -> None:
    long = "I prefer " + "very detailed and carefully worded explanations " * 4 + "of everything."
    found = distilled([said(long)])
    assert all(0 < len(each.title) <= 80 for each in found)
    assert all(each.title.strip("…") in long for each in found if each.statement)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=200), max_size=6))
def test_any_text_gives_verbatim_quotes(texts: list[str]) -> None:
    entries = [said(text, minute) for minute, text in enumerate(texts)]
    for candidate in distiller().distil(scored(entries), Anchor()):
        assert candidate.title
        assert candidate.quotes
        assert all(quote.text and quote.text in quote.entry.text for quote in candidate.quotes)


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x01\x02" * 500,
        "a" * 1_000_000,
        "word " * 200_000,
        "> [!user] 10:00\n> x\n\n^e0123456789",
    ],
)
def test_junk_makes_no_large_candidates(text: str) -> None:
    found = distiller().distil(scored([said(text)]), Anchor())
    assert sum(len(quote.text) for each in found for quote in each.quotes) < 60_000


def test_the_same_input_gives_the_same_candidates() -> None:
    entries = [said("I prefer tea. My train leaves at 7:45 from Graz.", n) for n in range(3)]
    assert distilled(entries) == distilled(entries)


def test_nothing_is_quoted_twice() -> None:
    entries = [said("Always use metric units. The hall is 12 m long. My cat is called Miro.")]
    quotes = Counter(quote.text for each in distilled(entries) for quote in each.quotes)
    assert set(quotes.values()) == {1}


@pytest.mark.parametrize(
    "text", ["韩梅是个木匠。", "我家的冰箱是双门的。", "Otters hold hands while they sleep."]
)
def test_a_plain_fact_in_a_quiet_log_is_kept(text: str) -> None:
    assert [quote.text for each in distilled([said(text)]) for quote in each.quotes] == [text]


def test_sentences_that_lean_on_the_one_before_share_its_quote() -> None:
    text = "My brother opened a bakery in Ghent. It sells rye bread."
    assert [quote.text for each in distilled([said(text)]) for quote in each.quotes] == [text]


def test_the_newer_of_two_short_facts_is_no_repeat() -> None:
    entries = [
        said("The keeper of the tower is a baker.", 0),
        said("The keeper of the mill is a weaver.", 1),
        said("The keeper of the tower is a weaver.", 2),
    ]
    assert sum(len(each.quotes) for each in distilled(entries)) == 3


def test_a_run_on_message_is_cut_into_lines() -> None:
    text = ", and ".join(
        f"my shelf number {n} holds {n * 7} books about harbour {n}" for n in range(40)
    )
    quotes = [quote.text for each in distilled([said(text)]) for quote in each.quotes]
    assert quotes
    assert max(map(len, quotes)) <= 420
    assert not missing(hard_facts(text), "\n".join(quotes))
