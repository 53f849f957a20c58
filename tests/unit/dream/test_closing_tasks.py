"""Marks and words that close a task close that task and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dream_kit import NIGHT, brain, candidate, reconciler, said
from noctuary.dream.gate import check
from noctuary.dream.tasks import close_told
from noctuary.memory.card import CardType, Status
from noctuary.memory.entry import Role

if TYPE_CHECKING:
    from noctuary.dream.reconcile import Reconciler
    from noctuary.memory.candidate import Candidate
    from noctuary.memory.entry import Entry


def take(work: Reconciler, *items: Candidate) -> Reconciler:
    work.take(check(items).passed)
    return work


def tell(work: Reconciler, words: Entry) -> Reconciler:
    """What a dream does with a turn: its line is kept, then the tasks are closed that it names."""
    take(work, candidate(words))
    close_told(work.conflicts, work.distiller, [words])
    return work


def task(text: str, minute: int = 0, *, closes: bool = False) -> Candidate:
    entry = said(text, minute, role=Role.TASK)
    return candidate(entry, type_=CardType.TASK, title=text, closes=closes)


def statuses(work: Reconciler) -> dict[str, Status]:
    return {card.title: card.status for card in work.brain.cards.values()}


@pytest.mark.parametrize("text", ["Ship page {n}", "给客户{n}发合同"])
def test_a_mark_for_what_is_done_already_closes_no_look_alike(text: str) -> None:
    names = [text.format(n=n) for n in range(1, 41)]
    work = take(reconciler(), *[task(name, place) for place, name in enumerate(names)])
    take(work, task(names[6], 50, closes=True))
    take(work, task(names[6], 51, closes=True))
    assert [name for name, status in statuses(work).items() if status is Status.DONE] == [names[6]]
    assert len(work.brain.cards) == len(names) + 1


def test_a_mark_for_a_task_that_nobody_set_opens_none() -> None:
    work = take(reconciler(), task("Ship the page", closes=True))
    assert statuses(work) == {"Ship the page": Status.DONE}


def test_what_a_person_says_is_done_closes_its_task_and_leads_there() -> None:
    work = take(reconciler(), task("Ship the page"), task("Pay the bill"))
    words = said("Done: Ship the page", 30)
    tell(work, words)
    assert statuses(work)["Ship the page"] is Status.DONE
    assert statuses(work)["Pay the bill"] is Status.OPEN
    card = next(card for card in work.brain.cards.values() if card.title == "Ship the page")
    assert card.evidence[-1].quote == words.text
    assert card.valid_until == words.at.date()


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL, Role.WEB])
def test_what_anybody_else_says_is_done_stays_open(role: Role) -> None:
    work = take(reconciler(), task("Ship the page"))
    tell(work, said("Done: Ship the page", 30, role=role))
    assert statuses(work)["Ship the page"] is Status.OPEN


def test_a_task_that_is_set_again_afterwards_is_open() -> None:
    work = take(reconciler(), task("Ship the page"))
    words, again = said("Done: Ship the page", 30), task("Ship the page", 60)
    take(work, candidate(words), again)
    close_told(work.conflicts, work.distiller, [words, again.quotes[0].entry])
    open_ones = [card for card in work.brain.cards.values() if card.status is Status.OPEN]
    assert [card.evidence[0].at.minute for card in open_ones] == [0]
    assert open_ones[0].created.hour == 13


def test_words_from_before_the_task_close_nothing() -> None:
    work = take(reconciler(), task("Ship the page", 30))
    tell(work, said("Done: Ship the page", 0))
    assert statuses(work)["Ship the page"] is Status.OPEN


def test_what_another_person_did_leaves_ones_own_task_open() -> None:
    from dataclasses import replace

    mine = replace(said("Buy a car"), user="ana")
    work = take(reconciler(), candidate(mine, type_=CardType.TASK))
    tell(work, replace(said("Done: Buy a car", 30), user="ben"))
    assert next(iter(statuses(work).values())) is Status.OPEN
    tell(work, replace(said("Done: Buy a car", 40), user="ana"))
    assert next(iter(statuses(work).values())) is Status.DONE


def test_a_card_of_a_persons_own_keeps_its_words_when_it_is_done() -> None:
    first = take(reconciler(), task("Ship the page"))
    (card,) = first.brain.cards.values()
    mind = brain(by_person=frozenset({card.id}))
    mind.learn([(card, "ship-the-page")])
    work = tell(reconciler(mind=mind), said("Done: Ship the page", 30))
    after = work.brain.cards[card.id]
    assert (after.status, after.evidence) == (Status.DONE, card.evidence)
    assert NIGHT.date() >= (after.valid_until or NIGHT.date())
