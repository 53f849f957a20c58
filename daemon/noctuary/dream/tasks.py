"""Open tasks that are done: by a mark of their writer, by a distiller's word, or as a person says.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from noctuary.dream.proposals import propose
from noctuary.dream.scope import in_scope
from noctuary.memory.candidate import Known
from noctuary.memory.card import Status
from noctuary.memory.entry import Role
from noctuary.memory.report import ChangeKind
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.brain import Brain
    from noctuary.dream.conflicts import Conflicts
    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Quote
    from noctuary.memory.card import Receipt

SAME_TASK = 0.5
"""So much of the words of a task must stand in what names it as done, and no other beside them."""


def close_named(conflicts: Conflicts, distiller: Distiller, item: Passed) -> bool:
    """Mark the open task that a closing candidate names as done; False if there is none."""
    brain, receipt = conflicts.brain, item.receipts[0]
    if brain.holds(receipt):
        return True
    tasks = _open(brain, item, receipt)
    told = (item.candidate.title, receipt.quote)
    best = max(tasks, key=lambda task: _likeness(task, told), default=None)
    if best is not None and _likeness(best, told) >= SAME_TASK:
        _close(conflicts, best, receipt)
        return True
    named = distiller.finished(item.candidate.quotes[0], tasks)
    for task in named:
        _close(conflicts, task, receipt)
    return bool(named)


def close_said(
    conflicts: Conflicts, distiller: Distiller, item: Passed, quote: Quote, receipt: Receipt
) -> None:
    """Mark the open tasks that a line of a person tells to be done."""
    if receipt.role is not Role.USER:
        return
    theirs = [
        task
        for task in _open(conflicts.brain, item, receipt)
        if not task.receipt.speaker or task.receipt.speaker == receipt.speaker
    ]
    for task in distiller.finished(quote, theirs) if theirs else ():
        _close(conflicts, task, receipt)


def _open(brain: Brain, item: Passed, receipt: Receipt) -> list[Known]:
    return [
        task
        for task in brain.open_tasks()
        if task.receipt.at <= receipt.at
        and task.receipt.key != receipt.key
        and in_scope(item.candidate, task.card)
    ]


def _close(conflicts: Conflicts, task: Known, receipt: Receipt) -> None:
    """A task that is one line of many steps aside; one with a card of its own is done."""
    brain = conflicts.brain
    card = brain.cards[task.card.id]
    if card.is_digest and len(card.evidence) > 1:
        conflicts.retire(task, Known(card, receipt), "done")
        return
    done = replace(card, status=Status.DONE, valid_until=receipt.at.date())
    if card.id in brain.by_person:
        propose(brain, card, receipt)
    else:
        done = done.with_evidence((*card.evidence, receipt))
    change = brain.change(ChangeKind.REVISED, done, "done", receipt.link)
    brain.put(brain.note(done, "done, noted"), change)


def _likeness(task: Known, told: Iterable[str]) -> float:
    """How much of its words a task shares with what tells of it, where one names no more."""
    asked = [frozenset(content_tokens(text)) for text in (task.card.title, task.receipt.quote)]
    pairs = product(asked, (frozenset(content_tokens(text)) for text in told))
    shares = (
        len(one & other) / len(one | other)
        for one, other in pairs
        if one | other and (one <= other or other <= one)
    )
    return max(shares, default=0.0)
