"""What a dream would change on a card that a person made their own becomes a proposal. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.memory.card import Card, HistoryLine, Status, source_links
from noctuary.memory.entry import lowest_trust
from noctuary.memory.inbox import Proposal, proposal_of
from noctuary.memory.report import ChangeKind
from noctuary.memory.sentences import language
from noctuary.tongue import phrase, spoken

if TYPE_CHECKING:
    from noctuary.dream.brain import Brain
    from noctuary.memory.card import Receipt
    from noctuary.memory.report import Change

MOST_LINES = 5


def propose(brain: Brain, target: Card, receipt: Receipt, *, by: Card | None = None) -> None:
    """Put new evidence for a person's card into the inbox; `by` would take its place."""
    wanted = Proposal(target.id, f"[[{brain.name_of(target.id)}]]")
    if by is not None and by.id != target.id and not target.is_digest:
        wanted = replace(wanted, status=str(Status.SUPERSEDED), by=f"[[{brain.name_of(by.id)}]]")
    known = _waiting(brain, wanted)
    if known is None:
        brain.put(*_fresh(brain, target, receipt, wanted))
    elif len(known.evidence) < MOST_LINES and all(r.key != receipt.key for r in known.evidence):
        grown = replace(known.with_evidence((*known.evidence, receipt)), updated=brain.now)
        brain.put(
            grown, brain.change(ChangeKind.REVISED, grown, phrase("one line more"), receipt.link)
        )


def _waiting(brain: Brain, wanted: Proposal) -> Card | None:
    for card in brain.cards.values():
        ours = card.status is Status.QUARANTINED and card.id not in brain.by_person
        if ours and card.extra and proposal_of(card) == wanted:
            return card
    return None


def _fresh(brain: Brain, target: Card, receipt: Receipt, wanted: Proposal) -> tuple[Card, Change]:
    title = spoken(phrase("Proposal: {title}", title=target.title), language(target.title))
    card = Card(
        id=brain.new_id(target.type, title, receipt),
        type=target.type,
        title=title,
        statement="",
        importance=target.importance,
        confidence=target.confidence,
        status=Status.QUARANTINED,
        trust=lowest_trust([receipt.role]),
        created=receipt.at,
        updated=brain.now,
        last_referenced=brain.now.date(),
        evidence=(receipt,),
        history=(HistoryLine(brain.now.date(), brain.deed(phrase("proposed"))),),
        user=target.user,
        project=target.project,
        source=source_links((receipt,)),
        tags=(f"memory/{target.type}",),
        extra=wanted.as_extra(),
    )
    what = phrase("to be superseded") if wanted.status else phrase("new evidence")
    why = phrase(
        "{what} for {link}, which is yours: approve or reject it", what=what, link=wanted.link
    )
    return card, brain.change(ChangeKind.QUARANTINED, card, why, receipt.link)
