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
    )
    assert set(leads) == {"greenfield"}


def test_nothing_found_leads_nowhere() -> None:
    assert further_terms([], (), lambda _: {}) == {}


def test_what_both_searches_find_counts_twice_and_comes_first() -> None:
    both = found("a", 1.0)
    merged = together([found("b", 1.5), both], [both, found("c", 0.2)])
    assert [match.passage.text for match in merged] == ["a", "b", "c"]
    assert merged[0].score == 2.0
