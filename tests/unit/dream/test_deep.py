from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from dream_kit import NIGHT, Scripted, brain, candidate, reconciler, said
from noctuary.dream.brain import MAX_HISTORY
from noctuary.dream.deep import MAX_REPLACED, Upkeep, deepen, keep_up
from noctuary.dream.gate import check
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import (
    DISTINCT,
    Anchor,
    Candidate,
    Known,
    Quote,
    Relation,
    RelationKind,
)
from noctuary.memory.card import Card, CardType, Status
from noctuary.memory.entry import Role

if TYPE_CHECKING:
    from noctuary.dream.brain import Brain

WISHES = ("start directly", "no preamble, start directly", "please start directly now")


def mind_of(*candidates: Candidate, by_person: frozenset[str] = frozenset()) -> Brain:
    """A brain that holds these as cards of the vault, untouched."""
    work = reconciler()
    work.take(check(candidates).passed)
    mind = brain(by_person)
    mind.learn((card, f"note-{card.id}") for card in work.brain.cards.values())
    return mind


def alike(quote: Quote, _type: CardType, known: list[Known]) -> Relation:
    same = next((one for one in known if one.receipt.quote == quote.text), None)
    return Relation(RelationKind.DUPLICATE, same) if same else DISTINCT


def wish(text: str, minute: int = 0, **more: object) -> Candidate:
    type_ = more.pop("type_", CardType.PREFERENCE)
    entry = replace(said(text, minute), **more)  # type: ignore[arg-type]
    made = candidate(entry, type_=type_)  # type: ignore[arg-type]
    return replace(made, project=entry.project, user=entry.user)


def deep(mind: Brain, *found: Candidate) -> Brain:
    thinker = Scripted(candidates=list(found), relate_with=alike)  # type: ignore[arg-type]
    deepen(mind, Reconciler(mind, thinker), Anchor())
    return mind


def status_of(mind: Brain) -> list[Status]:
    return sorted(card.status for card in mind.cards.values())


def test_of_two_that_say_the_same_the_older_takes_the_receipts() -> None:
    mind = deep(mind_of(wish("I like tea", 0), wish("I like tea", 9)))
    kept = next(card for card in mind.cards.values() if card.status is Status.ACTIVE)
    gone = next(card for card in mind.cards.values() if card.status is Status.ARCHIVED)
    assert kept.created < gone.created
    assert (len(kept.evidence), kept.seen) == (2, 2)
    assert gone.superseded_by == (f"[[note-{kept.id}]]",)


@pytest.mark.parametrize(
    "other",
    [
        wish("I like tea", 9, project="other"),
        wish("I like tea", 9, user="ben"),
        wish("I like tea", 9, type_=CardType.FACT),
        wish("I like tea", 9, type_=CardType.FACT, role=Role.TOOL),
        wish("I like coffee", 9),
    ],
)
def test_what_differs_in_owner_kind_trust_or_words_is_not_merged(other: Candidate) -> None:
    first = wish("I like tea", 0, project="web", user="ana")
    mind = deep(mind_of(first, other))
    assert mind.touched == set()


def test_a_card_that_a_person_edited_is_left_alone() -> None:
    plain = mind_of(wish("I like tea", 0), wish("I like tea", 9))
    ids = frozenset(plain.cards)
    mind = deep(mind_of(wish("I like tea", 0), wish("I like tea", 9), by_person=ids))
    assert mind.touched == set()


def pattern(texts: tuple[str, ...], statement: str = "start directly", **more: object) -> Candidate:
    return candidate(
        *(replace(said(text, n), **more) for n, text in enumerate(texts)),  # type: ignore[arg-type]
        type_=CardType.PATTERN,
        statement=statement,
    )


def test_three_cards_become_a_pattern_made_from_their_receipts() -> None:
    mind = deep(mind_of(*(wish(text, n) for n, text in enumerate(WISHES))), pattern(WISHES))
    assert status_of(mind) == [Status.ACTIVE, Status.ARCHIVED, Status.ARCHIVED]
    lifted = next(card for card in mind.cards.values() if card.status is Status.ACTIVE)
    assert (lifted.type, lifted.seen) == (CardType.PATTERN, 3)
    assert {line.quote for line in lifted.evidence} == set(WISHES)


def test_two_cards_are_no_pattern() -> None:
    two = WISHES[:2]
    mind = deep(mind_of(*(wish(text, n) for n, text in enumerate(two))), pattern(two))
    assert mind.touched == set()


def test_a_pattern_swallows_no_card_that_says_more() -> None:
    texts = tuple(f"always run check{n} first" for n in range(3))
    cards = [wish(text, n) for n, text in enumerate(texts)]
    mind = deep(mind_of(*cards), pattern(texts, texts[0]))
    assert mind.touched == set()


def test_a_pattern_of_several_projects_belongs_to_none() -> None:
    cards = [wish(text, n, project=f"p{n}") for n, text in enumerate(WISHES)]
    mind = deep(mind_of(*cards), pattern(WISHES))
    lifted = next(card for card in mind.cards.values() if card.type is CardType.PATTERN)
    assert lifted.project == ""


def test_wishes_of_different_people_are_no_pattern() -> None:
    cards = [wish(text, n, user=f"u{n}") for n, text in enumerate(WISHES)]
    mind = deep(mind_of(*cards), pattern(WISHES))
    assert mind.touched == set()


def aged(card: Card, days: int) -> Card:
    return replace(card, importance=2, last_referenced=(NIGHT - timedelta(days=days)).date())


def test_upkeep_archives_the_stale_and_touches_nothing_else() -> None:
    mind = mind_of(wish("I like tea", 0), wish("I like rain", 1))
    old, young = mind.cards.values()
    mind.learn([(aged(old, 60), "old"), (aged(young, 59), "young")])
    keep_up(mind, {}, Upkeep(stale_days=60))
    assert mind.cards[old.id].status is Status.ARCHIVED
    assert mind.touched == {old.id}


def test_upkeep_ends_what_had_an_end() -> None:
    mind = mind_of(wish("I like tea", 0), wish("I like rain", 1))
    first, second = mind.cards.values()
    today = NIGHT.date()
    mind.learn([(replace(first, valid_until=today - timedelta(days=1)), "a")])
    mind.learn([(replace(second, valid_until=today), "b")])
    keep_up(mind, {}, Upkeep())
    assert mind.cards[first.id].status is Status.EXPIRED
    assert mind.touched == {first.id}


def test_upkeep_keeps_to_its_bytes() -> None:
    mind = mind_of(*(wish(f"I like number {n}", n) for n in range(4)))
    sizes = dict.fromkeys(mind.cards, 100)
    keep_up(mind, sizes, Upkeep(max_bytes=250))
    assert status_of(mind).count(Status.ARCHIVED) == 2


def test_of_many_outdated_lines_the_latest_stay_and_those_outdated_of_late() -> None:
    mind = mind_of(wish("I like tea"))
    [card] = mind.cards.values()
    lines = tuple(
        replace(
            card.evidence[0], quote=f"line {number}", replaced=NIGHT.date() - timedelta(days=age)
        )
        for number, age in enumerate([200] * 10 + [5] + [150] * MAX_REPLACED)
    )
    mind.learn([(replace(card, replaced=lines), "note")])
    keep_up(mind, {}, Upkeep(stale_days=1_000_000))
    [same] = mind.cards.values()
    assert len(same.replaced) == len(lines)
    keep_up(mind, {}, Upkeep(stale_days=60))
    [thin] = mind.cards.values()
    assert [line.quote for line in thin.replaced] == [line.quote for line in lines[10:]]
    assert mind.changes[-1].why == "10 lines let go that had been outdated for long"


def test_the_history_of_a_card_keeps_its_beginning_and_its_latest_lines() -> None:
    mind = mind_of(wish("I like tea"))
    [card] = mind.cards.values()
    first = card.history[0]
    for number in range(3 * MAX_HISTORY):
        card = mind.note(card, f"change {number}, noted")
    assert len(card.history) == MAX_HISTORY
    assert card.history[0] == first
    assert f"change {3 * MAX_HISTORY - 1}" in card.history[-1].text
