from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dream_kit import candidate, said
from noctuary.dream.limit import SMALLEST, allowed, fit, gather
from noctuary.memory.card import CardType
from noctuary.memory.entry import Role


def test_a_short_day_may_still_make_a_few_cards() -> None:
    assert allowed(1, 25) == SMALLEST
    assert allowed(400, 25) == 100


@given(singles=st.integers(0, 30), digests=st.integers(0, 30), limit=st.integers(1, 20))
def test_no_quote_is_dropped_when_candidates_are_merged(
    singles: int, digests: int, limit: int
) -> None:
    made = [candidate(said(f"single {n}", n), importance=1 + n % 5) for n in range(singles)]
    made += [
        candidate(said(f"line {n}", 100 + n), statement="", importance=2) for n in range(digests)
    ]
    fitted = fit(made, limit)
    before = {quote.text for item in made for quote in item.quotes}
    after = {quote.text for item in fitted for quote in item.quotes}
    assert after == before
    assert len(fitted) <= len(made)
    assert sum(len(item.quotes) for item in fitted) == len(before)


def test_many_small_digests_become_few() -> None:
    made = [candidate(said(f"line {n}", n), statement="", importance=2) for n in range(40)]
    assert len(fit(made, 5)) == 5


def test_the_most_important_statements_keep_cards_of_their_own() -> None:
    made = [candidate(said(f"minor {n}", n), importance=4) for n in range(20)]
    rule = candidate(said("Never push to main", 99), type_=CardType.CONSTRAINT, importance=5)
    fitted = fit([*made, rule], 6)
    assert rule in fitted


def test_digests_of_a_line_or_two_join_their_neighbours() -> None:
    small = [candidate(said(f"line {n}", n), statement="", importance=2) for n in range(6)]
    large = candidate(*(said(f"more {n}", 50 + n) for n in range(12)), statement="", importance=2)
    gathered = gather([*small, large])
    assert [len(item.quotes) for item in gathered] == [6, 12]


def test_what_a_tool_said_does_not_join_what_the_person_said() -> None:
    own = candidate(said("my port is 5000"), statement="", importance=2)
    tool = candidate(said("listening on 5000", 1, Role.TOOL), statement="", importance=2)
    assert gather([own, tool]) == [own, tool]
