"""A→B→A: what was replaced is said again, and holds again. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.memory.candidate import Known, RelationKind
from noctuary.memory.card import Status
from noctuary.memory.report import ChangeKind
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.distil.protocol import Distiller
    from noctuary.dream.brain import Brain
    from noctuary.dream.gate import Passed
    from noctuary.memory.card import Card, Receipt

MAX_RECEIPTS = 5
"""Receipts on a card with a statement of its own; more of the same only raise `seen`."""


def revived(
    brain: Brain, distiller: Distiller, item: Passed, receipt: Receipt, current: Card
) -> Card | None:
    """The card that said this very thing before `current` did, active again; None without one."""
    old = _superseded(brain, distiller, item, current)
    if old is not None:
        alive = old.with_evidence((*old.evidence, receipt)[-MAX_RECEIPTS:])
        alive = replace(alive, status=Status.ACTIVE, superseded_by=(), valid_until=None)
    else:
        narrowed = _narrowed(brain, receipt)
        if narrowed is None:
            return None
        parts = tuple(one for one in narrowed.evidence if one.quote not in receipt.quote)
        alive = narrowed.with_evidence((*parts, receipt))
        alive = replace(alive, statement=item.candidate.statement, title=item.candidate.title)
    alive = replace(alive, valid_from=receipt.at.date(), seen=alive.seen + 1)
    change = brain.change(ChangeKind.REVISED, alive, phrase("true again"), receipt.link)
    return brain.put(brain.note(alive, phrase("true again, noted")), change)


def _superseded(brain: Brain, distiller: Distiller, item: Passed, current: Card) -> Card | None:
    """The superseded card in the chain behind `current` that the candidate repeats."""
    by_name = {brain.name_of(card.id): card for card in brain.cards.values()}
    seen: set[str] = set()
    chain = list(current.supersedes)
    while chain:
        card = by_name.get(chain.pop().strip("[]"))
        if card is None or card.id in seen:
            continue
        seen.add(card.id)
        if card.evidence and card.status is Status.SUPERSEDED:
            known = [Known(card, receipt) for receipt in card.evidence]
            kind = distiller.relate(item.candidate.quotes[0], item.candidate.type, known).kind
            if kind is RelationKind.DUPLICATE:
                return card
        chain.extend(card.supersedes)
    return None


def _narrowed(brain: Brain, receipt: Receipt) -> Card | None:
    """The card of which a part stepped aside that is said again word for word."""
    return next(
        (
            card
            for card in brain.cards.values()
            if card.statement and card.status is Status.ACTIVE and card.id not in brain.by_person
            if any(one.quote == receipt.quote for one in card.replaced)
        ),
        None,
    )
