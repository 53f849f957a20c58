from __future__ import annotations

from noctuary.recall.hop import further_terms, together
from noctuary.recall.match import Match
from noctuary.recall.passages import card_passages
from recall_samples import card, receipt


def found(quote: str, score: float = 1.0) -> Match:
    passage = card_passages(card(quote, receipt(quote)), f"{quote}.md")[0].passage
    return Match.of(score, passage)


def test_rare_words_of_what_matches_are_followed_common_and_asked_ones_are_not() -> None:
    share = {"estat": 0.1, "call": 0.5, "greenfield": 0.01}
    leads = further_terms(
        [found("The estate is called Greenfield.")],
        {"estat"},
        lambda terms: {term: share.get(term, 0.9) for term in terms},
        1000,
    )
    assert set(leads) == {"greenfield"}


def test_in_a_young_memory_even_what_most_lines_tell_of_is_followed() -> None:
    lead = found("我婶婶在医院上班。")
    assert "婶婶" in further_terms([lead], (), lambda terms: dict.fromkeys(terms, 0.8), 5)


def test_a_word_that_only_the_lead_itself_holds_leads_nowhere() -> None:
    lead = found("The estate is called Greenfield.")
    assert further_terms([lead], (), lambda terms: dict.fromkeys(terms, 0.1), 10) == {}


def test_nothing_found_leads_nowhere() -> None:
    assert further_terms([], (), lambda _: {}, 10) == {}


def test_what_both_searches_find_counts_twice() -> None:
    leads = [found(name, 2.0) for name in "abcd"]
    both = found("e", 1.0)
    merged = together([*leads, both], [both, found("f", 1.5)])
    assert [match.passage.text for match in merged] == ["a", "b", "c", "d", "e", "f"]
    assert merged[4].score == 2.0


def test_leads_do_not_gain_by_their_own_words() -> None:
    merged = together([found("a", 2.0), found("b", 1.9)], [found("b", 9.0), found("c", 1.0)])
    assert [(match.passage.text, match.score) for match in merged][:2] == [("b", 2.9), ("a", 2.0)]
