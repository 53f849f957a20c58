from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest
from benchmarks.baselines import Bm25, within
from benchmarks.calendar_days import Named, named, wanted
from benchmarks.cases import Case, Question, Turn
from benchmarks.measures import Recalled, has_date, judge
from benchmarks.misses import causes
from benchmarks.product import portions
from benchmarks.words import cost, coverage, cut, telling


def turn(ref: str, text: str, day: int = 1) -> Turn:
    return Turn(ref, datetime(2026, 3, day, 9, 0), "user", text, f"s{day}")


def case(*turns: Turn, of: str = "beam") -> Case:
    return Case(of, "one", Path("episodes.jsonl"), turns, ())


@pytest.mark.parametrize(
    "text",
    ["on 7 May 2023", "May 7, 2023", "May 7th, 2023.", "2023-05-07", "2023年5月7日", "7May, 2023"],
)
def test_a_day_is_the_same_in_every_spelling(text: str) -> None:
    assert named(text) == [Named(date(2023, 5, 7), date(2023, 5, 7))]


def test_a_whole_date_is_not_read_as_its_month_or_year_too() -> None:
    assert named("May 2023, then 2021") == [
        Named(date(2023, 5, 1), date(2023, 5, 31)),
        Named(date(2021, 1, 1), date(2021, 12, 31)),
    ]


def test_spans_of_days_are_one_period() -> None:
    assert named("from 29 May – 4 June 2023") == [Named(date(2023, 5, 29), date(2023, 6, 4))]
    assert named("12–13 May 2023") == [Named(date(2023, 5, 12), date(2023, 5, 13))]


def test_no_day_is_made_of_impossible_numbers() -> None:
    assert named("2023-02-31") == []


def test_a_weekday_before_a_date_is_that_day() -> None:
    assert wanted("The Friday before 14 July 2023") == [Named(date(2023, 7, 7), date(2023, 7, 7))]
    assert wanted("the Sunday before 25 May 2023") == [Named(date(2023, 5, 21), date(2023, 5, 21))]


def test_the_week_before_may_be_counted_in_two_ways() -> None:
    assert wanted("The week before 9 June 2023") == [
        Named(date(2023, 5, 29), date(2023, 6, 4)),
        Named(date(2023, 6, 2), date(2023, 6, 8)),
    ]


def test_a_date_counts_only_whole_and_in_one_line() -> None:
    assert has_date("7 May 2023", "They met (2023-05-07).")
    assert not has_date("7 May 2023", "They met in May 2023.")
    assert not has_date("7 May 2023", "They met on 8 May 2023.")
    assert has_date("The week before 9 June 2023", "last week [the week before 9 June 2023]")
    assert not has_date("The week before 9 June 2023", "said on 9 June 2023: last month")


def test_a_date_over_two_lines_does_not_count() -> None:
    question = Question("q", "temporal", "When?", ("7 May 2023",), evidence=("1",))
    one = judge(case(turn("1", "x")), question, Recalled(("on 7 May 2023",)))
    two = judge(case(turn("1", "x")), question, Recalled(("on 7 May\nof 2023",)))
    assert (one["date"], two["date"]) == (1, 0)
    assert one["answer"] > two["answer"] > 0


def test_the_new_value_must_not_stand_behind_the_old_one() -> None:
    old = turn("1", "The sprint ends on 3 April.")
    new = turn("2", "The sprint ends on 9 April now.", 2)
    question = Question(
        "q", "knowledge_update", "When does the sprint end?", ("9 April",), ("9 April",),
        ("1", "2"), newer=("2",), older=("1",),
    )  # fmt: skip
    both = case(old, new)
    ahead = judge(both, question, Recalled((new.text, old.text)))
    behind = judge(both, question, Recalled((old.text, new.text)))
    alone = judge(both, question, Recalled((old.text,)))
    assert (ahead["new value"], ahead["new first"]) == (1, 1)
    assert (behind["new value"], behind["new first"]) == (1, 0)
    assert (alone["new value"], alone["new first"]) == (0, 0)


def test_a_rule_counts_when_it_is_known_on_waking() -> None:
    question = Question("q", "instruction_following", "How?", (), must="Always answer in French.")
    told = Recalled((), wake="- Always answer in French")
    assert judge(case(turn("1", "x")), question, told) == {"rule": 1.0}
    assert judge(case(turn("1", "x")), question, Recalled(())) == {"rule": 0.0}


def test_a_tie_between_choices_is_wrong() -> None:
    question = Question(
        "q", "simple", "在哪里？", ("北京",), evidence=("1",),
        choices={"A": "北京", "B": "上海"}, truth="A",
    )  # fmt: skip
    both = case(turn("1", "论坛的地点是北京"), of="memdaily")
    assert judge(both, question, Recalled(("论坛的地点是北京",))) == {"choice": 1, "evidence": 1}
    assert judge(both, question, Recalled(("",))) == {"choice": 0, "evidence": 0}


def test_the_newest_fact_must_come_before_rivals_of_the_same_frame() -> None:
    old, new = turn("1", "Oslo is led by Ann."), turn("2", "Oslo is led by Bea.")
    facts = case(old, turn("3", "Rome is led by Ann."), new, of="factcons")
    question = Question("q", "sh_6k", "Who leads Oslo?", ("Bea",))
    right = judge(facts, question, Recalled(("Rome is led by Ann.\nOslo is led by Bea.",)))
    wrong = judge(facts, question, Recalled((old.text, new.text)))
    assert (right["newest first"], right["no older before"]) == (0, 1)
    assert (wrong["newest first"], wrong["no older before"]) == (0, 0)


def test_what_is_missing_adds_up_by_cause() -> None:
    question = Question("q", "single-hop", "What?", ("red green blue pink",), evidence=("1",))
    got = Recalled(("red",))
    scores = judge(case(turn("1", "red green blue")), question, got)
    lost = causes(case(turn("1", "red green blue")), question, got, "red green", scores)
    assert scores["answer"] == 0.25
    assert lost == {"not recalled": 0.25, "on no card": 0.25, "never said": 0.25}


def test_what_does_not_fit_the_budget_is_cut() -> None:
    assert within(["abcd" * 3, "efgh" * 3], 5) == ["abcd" * 3, "efgh" * 2]
    assert cost("abcd北京") == 3
    assert cut("北京上海", 2) == "北京"
    assert within(["北京"], 0) == []


def test_bm25_prefers_rare_words_and_then_the_earlier_text() -> None:
    index = Bm25(["the cat", "the dog", "the cat"])
    assert index.rank("the dog") == [1, 0, 2]
    assert index.rank("fish") == []


def test_tokens_cover_both_languages() -> None:
    assert telling("The cats' prices were 1,200.50") >= {"cat", "pric"}
    assert telling("在北京") == {"在北", "北京"}
    assert coverage(telling("walking"), "she walks") == 1
    assert coverage(frozenset(), "anything") == 0


def test_days_are_joined_to_runs_in_order() -> None:
    five = case(*(turn(str(day), "x", day) for day in range(1, 6)))
    assert [len(run) for run in portions(five, 0)] == [1] * 5
    assert [[t.ref for t in run] for run in portions(five, 2)] == [["1", "2"], ["3", "4", "5"]]
    assert len(portions(five, 30)) == 5


def test_a_gold_date_without_a_space_is_a_date_all_the_same() -> None:
    assert has_date("The Friday before 14September, 2022", "14 September 2022 Jo: last Friday")
    assert has_date("April.2023", "on 3 April 2023")
    assert has_date("16 March, 2023", "2023-03-16: the shop is open")
