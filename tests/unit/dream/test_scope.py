from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dream_kit import candidate, reconciler, said
from noctuary.dream.gate import check
from noctuary.dream.scope import apart, in_scope
from noctuary.memory.card import Card, CardType

if TYPE_CHECKING:
    from noctuary.memory.entry import Entry


def entry(minute: int, project: str = "", user: str = "") -> Entry:
    return replace(said(f"I like number {minute}", minute), project=project, user=user)


def card(type_: CardType = CardType.PREFERENCE, **changes: str) -> Card:
    work = reconciler()
    work.take(check([candidate(entry(0), type_=type_)]).passed)
    (made,) = work.brain.cards.values()
    return replace(made, **changes)  # type: ignore[arg-type]


def test_projects_say_nothing_of_each_other_but_what_has_none_fits_all() -> None:
    line = replace(candidate(entry(1)), project="web")
    assert not in_scope(line, card(project="shop"))
    assert in_scope(line, card(project="web"))
    assert in_scope(line, card())


def test_wishes_are_a_persons_own_and_facts_are_shared() -> None:
    line = replace(candidate(entry(1)), user="ana")
    assert not in_scope(line, card(CardType.PREFERENCE, user="ben"))
    assert in_scope(line, card(CardType.FACT, user="ben"))


def test_a_mixed_candidate_comes_apart_by_project_and_no_quote_is_lost() -> None:
    mixed = candidate(entry(0, "web"), entry(1, "shop"), entry(2, "web"), type_=CardType.DECISION)
    parts = apart([mixed])
    assert [(part.project, part.seen) for part in parts] == [("web", 2), ("shop", 1)]
    assert {quote for part in parts for quote in part.quotes} == set(mixed.quotes)
    assert parts[1].statement == "I like number 1"


def test_wishes_of_two_people_come_apart() -> None:
    mixed = candidate(entry(0, user="ana"), entry(1, user="ben"), type_=CardType.PREFERENCE)
    assert [part.user for part in apart([mixed])] == ["ana", "ben"]


def test_a_pattern_of_several_projects_stays_whole_and_belongs_to_none() -> None:
    quotes = (entry(0, "web"), entry(1, "shop"), entry(2, "api"))
    mixed = replace(candidate(*quotes, type_=CardType.PATTERN), project="web")
    (whole,) = apart([mixed])
    assert (whole.project, len(whole.quotes)) == ("", 3)


def test_what_is_not_mixed_stays_as_it_is() -> None:
    plain = candidate(entry(0, "web"), entry(1, "web"))
    assert apart([plain]) == [plain]
