from __future__ import annotations

import pytest

from noctuary.recall.query import BESIDE, asked, asking, asks_before, terms
from recall_samples import NOW


def test_asking_words_are_not_searched_for() -> None:
    assert set(terms("What is the budget?")) == {"budget"}
    assert "什么" not in terms("预算是什么？")


@pytest.mark.parametrize("asks", ["是什么时候", "什么地方", "是什么意思", "什么样"])
def test_no_half_of_an_asking_word_is_searched_for(asks: str) -> None:
    assert set(terms(f"答辩{asks}")) <= {"答辩", "答", "辩"}


def test_a_question_of_asking_words_alone_still_asks_something() -> None:
    assert terms("what about it?")


def test_one_chinese_character_counts_less_than_a_pair() -> None:
    found = terms("预算限额")
    assert found["预"] < found["预算"]


def test_a_single_chinese_character_alone_counts_fully() -> None:
    assert terms("茶") == {"茶": 1.0}


def test_several_questions_are_taken_apart() -> None:
    found = asked("上司的邮箱地址？另外，论坛的地点在哪里？", NOW)
    assert len(found.parts) == 2
    assert "邮箱" not in found.parts[1]


def test_one_question_has_no_parts() -> None:
    assert asked("Where is the forum held?", NOW).parts == ()


def test_relative_dates_in_a_question_mean_days_before_now() -> None:
    assert "d:2026-12-23" in asked("What did I buy yesterday?", NOW).whole


def test_nothing_asked_gives_nothing_to_look_for() -> None:
    assert asked("?!", NOW).whole == {}


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("We moved in May. Where is the new office?", ["Where is the new office?"]),
        ("五月我们搬家了。新办公室在哪里？", ["新办公室在哪里？"]),
        ("What a day! Is it late? What I really wanted to ask is who has the key.", ["key"]),
        ("今天好累啊。要不要喝杯茶？其实我想问的是，钥匙在谁那里？", ["钥匙"]),
        ("天气真好。钥匙在谁那里？另外，路上堵车了。车停在哪儿？", ["钥匙", "车停在哪儿"]),
        ("Where is the key? Also, it rained. Where is the car?", ["the key", "the car"]),
        ("Where is the key and what does it open?", ["the key", "open"]),
        ("Tell me about the key. Tell me about the car.", ["the key", "the car"]),
    ],
)
def test_what_is_said_around_a_question_does_not_ask(message: str, questions: list[str]) -> None:
    found = asking(message)
    assert len(found) == len(questions)
    assert all(one in part for one, part in zip(questions, found, strict=True))


def test_what_is_said_around_a_question_counts_less_than_what_it_asks() -> None:
    whole = asked("We moved in May. Where is the office?", NOW).whole
    assert [whole[term] for term in terms("moved office")] == [BESIDE, 1.0]


@pytest.mark.parametrize(
    "question",
    ["谁写了“天黑了。下雨了？”这句话？", "Who wrote 'Home' or \"Go. Now! Where?\" for us?"],
)
def test_a_quoted_sentence_is_no_sentence_of_the_question(question: str) -> None:
    assert asking(question) == (question,)


@pytest.mark.parametrize(
    "question",
    [
        "What was the original deadline of the fence?",
        "How has the budget of the fence changed?",
        "How many days lie between the first deadline and the updated one?",
        "Where did I use to live, and what did we agree on at first?",
        "围栏最初的期限是什么时候？",
        "预算改之前是多少？",
        "预算怎么变的？",
    ],
)
def test_a_question_may_ask_for_what_was_so_before(question: str) -> None:
    assert asks_before(question)


@pytest.mark.parametrize(
    "question",
    [
        "When is the deadline of the fence?",
        "Who is the original broadcaster of the show?",
        "How should I tell of my previous projects?",
        "围栏的期限是什么时候？",
        "预算是多少？",
    ],
)
def test_other_questions_ask_for_what_is_so(question: str) -> None:
    assert not asks_before(question)
