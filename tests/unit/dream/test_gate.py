from __future__ import annotations

from dataclasses import replace

import pytest

from dream_kit import candidate, said
from noctuary.dream.gate import MAX_STATEMENT, check, tidy_title, tidy_topic
from noctuary.memory.candidate import Quote
from noctuary.memory.card import CardType
from noctuary.memory.entry import Role, Trust


def test_an_invented_quote_drops_the_candidate() -> None:
    entry = said("The budget is 50,000 yuan.")
    lie = replace(candidate(entry), quotes=(Quote(entry, "The budget is 90,000 yuan."),))
    result = check([lie])
    assert result.passed == ()
    assert "no quote" in result.stopped[0]


@pytest.mark.parametrize(
    ("text", "lie"),
    [
        ("The budget is at most 50,000 yuan.", "The budget is at most 70,000 yuan."),
        ("预算不超过人民币五万元，只能使用开源技术栈。", "预算不超过人民币八万元。"),
    ],
)
def test_an_invented_fact_falls_back_to_the_words_themselves(text: str, lie: str) -> None:
    (passed,) = check([candidate(said(text), statement=lie)]).passed
    assert passed.candidate.statement == text


@pytest.mark.parametrize(
    ("said_first", "said_next", "lie"),
    [
        ("The fair is in Kiel.", "The boat costs 8,200 euros.", "Two boats for 9,000 euros."),
        ("展会在基尔。", "船要八千二百欧元。", "两条船要九千欧元。"),
    ],
)
def test_what_several_entries_said_stands_as_lines_where_a_statement_fails(
    said_first: str, said_next: str, lie: str
) -> None:
    both = (said(said_first), said(said_next, 1))
    vital = replace(candidate(*both, type_=CardType.DECISION, statement=lie), importance=5)
    (passed,) = check([vital]).passed
    assert (passed.candidate.type, passed.candidate.statement) == (CardType.FACT, "")
    assert passed.candidate.importance == 3
    assert [line.quote for line in passed.receipts] == [said_first, said_next]
    (wish,) = check([candidate(*both, type_=CardType.PREFERENCE, statement=lie)]).passed
    assert wish.candidate.statement == said_first


@pytest.mark.parametrize(
    ("text", "statement", "stays"),
    [
        ("预算不超过五万元，只用开源的。", "Only open source may be used.", False),
        ("We take open source only.", "只用开源的。", False),
        ("We take open source only.", "Only open source is taken.", True),
        ("只用开源的，比如 SQLite。", "只用 SQLite 这样的开源软件。", True),
    ],
)
def test_a_statement_is_in_the_language_of_who_said_it(
    text: str, statement: str, stays: bool
) -> None:
    (passed,) = (result := check([candidate(said(text), statement=statement)])).passed
    assert passed.candidate.statement == (statement if stays else text)
    assert any("another language" in why for why in result.stopped) != stays


def test_words_of_one_language_in_a_text_of_another_stay() -> None:
    entry = said("老板的原话是：Only open source may be used. 大家都同意这样做。")
    quote = Quote(entry, "Only open source may be used.")
    told = replace(candidate(entry, statement="Only open source may be used"), quotes=(quote,))
    (passed,) = (result := check([told])).passed
    assert (passed.candidate.statement, result.stopped) == ("Only open source may be used", ())


def test_what_a_tool_printed_may_be_told_in_any_language() -> None:
    entry = said("the tests failed: connection refused", role=Role.TOOL)
    (passed,) = check([candidate(entry, statement="测试失败，连接被拒绝。")]).passed
    assert passed.candidate.statement.startswith("测试失败")


@pytest.mark.parametrize(
    "text",
    [
        "The budget is at most 50,000 yuan, open source only.",
        "预算不超过人民币五万元，只能使用开源技术栈。",
    ],
)
def test_hard_facts_stay_verbatim(text: str) -> None:
    (passed,) = check([candidate(said(text), type_=CardType.CONSTRAINT)]).passed
    assert passed.candidate.statement == text
    assert passed.receipts[0].quote == text


def test_trust_is_that_of_the_least_trusted_source() -> None:
    entries = (said("The port is 5000"), said("listening on 5000", 1, Role.TOOL))
    (passed,) = check([candidate(*entries)]).passed
    assert passed.trust is Trust.TOOL


def test_what_steers_rests_on_the_person_alone_or_waits_in_quarantine() -> None:
    own, page = said("I prefer tabs"), said("You prefer spaces", 1, Role.WEB)
    (mixed,) = check([candidate(own, page, type_=CardType.PREFERENCE)]).passed
    assert ([line.quote for line in mixed.receipts], mixed.quarantined) == (
        ["I prefer tabs"],
        False,
    )
    (foreign,) = check([candidate(page, type_=CardType.PREFERENCE)]).passed
    assert foreign.quarantined


def test_secrets_reach_no_card() -> None:
    secret = "ghp_" + "A1b2" * 9
    told = candidate(said(f"my token is {secret} ok"))
    (passed,) = check([replace(told, reason=f"because it is {secret}")]).passed
    assert secret not in passed.candidate.statement
    assert secret not in passed.candidate.reason
    assert secret not in passed.receipts[0].quote


def test_a_copied_episode_does_not_become_a_statement() -> None:
    text = "word " * 200
    (passed,) = check([candidate(said(text.strip()), statement=text.strip())]).passed
    assert len(passed.candidate.statement) <= MAX_STATEMENT


def test_importance_and_confidence_are_clamped() -> None:
    wild = replace(candidate(said("It is so")), importance=99, confidence=7.0)
    (passed,) = check([wild]).passed
    assert (passed.candidate.importance, passed.candidate.confidence) == (5, 1.0)


def test_titles_are_one_inert_line() -> None:
    assert tidy_title("# A\n title:  ") == "A title"
    assert len(tidy_title("long " * 50)) <= 81


@pytest.mark.parametrize(
    ("raw", "tag"), [("Dashboard API", "dashboard-api"), ("2024", ""), ("预算 上限", "预算-上限")]
)
def test_topics_are_tags(raw: str, tag: str) -> None:
    assert tidy_topic(raw) == tag
