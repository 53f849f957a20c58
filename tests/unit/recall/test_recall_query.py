from __future__ import annotations

from noctuary.recall.query import asked, terms
from recall_samples import NOW


def test_asking_words_are_not_searched_for() -> None:
    assert set(terms("What is the budget?")) == {"budget"}
    assert "什么" not in terms("预算是什么？")


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
