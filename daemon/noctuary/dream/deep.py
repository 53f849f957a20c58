"""The second-level dream, over the cards themselves: merge, lift patterns, archive.

Pure. Works on receipts alone, never on the prose of other cards, so that a hundred nights do not
blur what was said; a card that nothing happens to stays as it is, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from noctuary.dream.brain import is_live
from noctuary.dream.conflicts import as_quote
from noctuary.dream.forget import expired, over_capacity, stale
from noctuary.dream.gate import check
from noctuary.dream.returning import MAX_RECEIPTS
from noctuary.dream.telling import count_of_lines
from noctuary.memory.candidate import Anchor, Candidate, RelationKind, Score, Scored
from noctuary.memory.card import Card, CardType, Status
from noctuary.memory.facts import fact_keys
from noctuary.memory.report import ChangeKind
from noctuary.memory.tokens import tokens
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.brain import Brain
    from noctuary.dream.reconcile import Reconciler

MAX_REPLACED = 24
"""Outdated lines that a card keeps whatever their age."""
_LONG = 36_500
PATTERN_FROM = 3
"""So many cards must show a pattern before it is lifted from them."""
_LIFTED_FROM = frozenset({CardType.PREFERENCE, CardType.LESSON})


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The limits that cards are kept within."""

    stale_days: int = 60
    max_cards: int = 5000
    max_bytes: int = 20_000_000


def deepen(brain: Brain, reconciler: Reconciler, anchor: Anchor) -> None:
    """Merge what says the same, and lift what recurs."""
    merge_duplicates(brain, reconciler.distiller)
    lift_patterns(brain, reconciler, anchor)


def keep_up(brain: Brain, sizes: Mapping[str, int], upkeep: Upkeep) -> None:
    """Expire, archive what is stale, and archive the weakest until capacity is kept."""
    today = brain.now.date()
    for card in _ours(brain):
        if expired(card, today):
            gone = replace(card, status=Status.EXPIRED)
            change = brain.change(
                ChangeKind.ARCHIVED, gone, phrase("valid until {day}", day=card.valid_until)
            )
            brain.put(brain.note(gone, phrase("expired, noted")), change)
    for card in _ours(brain):
        if stale(card, today, upkeep.stale_days):
            archive(
                brain,
                card,
                phrase("neither recalled nor important for {days} days", days=upkeep.stale_days),
            )
    for card in _ours(brain):
        thin(brain, card, today - timedelta(days=min(upkeep.stale_days, _LONG)))
    sized = [(card, sizes.get(card.id, 0)) for card in _ours(brain)]
    for card_id in over_capacity(sized, today, upkeep.max_cards, upkeep.max_bytes):
        archive(
            brain, brain.cards[card_id], phrase("the vault is full, and this is its weakest memory")
        )


def thin(brain: Brain, card: Card, before: date) -> None:
    """Of many outdated lines on a card only the latest stay, and those outdated of late."""
    latest = len(card.replaced) - MAX_REPLACED
    kept = tuple(
        line
        for place, line in enumerate(card.replaced)
        if place >= latest or line.replaced is None or line.replaced >= before
    )
    if kept != card.replaced:
        thinner = replace(card, replaced=kept)
        gone = len(card.replaced) - len(kept)
        why = phrase("{lines} let go that had been outdated for long", lines=count_of_lines(gone))
        brain.put(
            brain.note(thinner, phrase("{lines} let go", lines=count_of_lines(gone))),
            brain.change(ChangeKind.REVISED, thinner, why),
        )


def archive(brain: Brain, card: Card, why: str) -> None:
    """Move a card to the archive, where it can still be read."""
    kept = replace(card, status=Status.ARCHIVED)
    brain.put(brain.note(kept, phrase("archived")), brain.change(ChangeKind.ARCHIVED, kept, why))


def _ours(brain: Brain) -> list[Card]:
    """Cards outside archive and inbox that no person has made their own, in a stable order."""
    gone = {Status.ARCHIVED, Status.QUARANTINED}
    return [
        brain.cards[card_id]
        for card_id in sorted(brain.cards)
        if card_id not in brain.by_person and brain.cards[card_id].status not in gone
    ]


# -- merging ----------------------------------------------------------------------------------


def merge_duplicates(brain: Brain, distiller: Distiller) -> None:
    """Of two cards that say the same, the older one takes over the receipts of the other."""
    for card in sorted(_ours(brain), key=lambda item: (item.created, item.id)):
        if card.is_digest or not is_live(brain.cards[card.id]) or not card.evidence:
            continue
        for other in _same(brain, distiller, brain.cards[card.id]):
            _merge(brain, brain.cards[card.id], other)


def _same(brain: Brain, distiller: Distiller, card: Card) -> list[Card]:
    quote = as_quote(card.evidence[0], card)
    found: dict[str, Card] = {}
    for known in brain.near(quote.text):
        other = known.card
        fits = other.id != card.id and other.type is card.type and not other.is_digest
        alike = other.user == card.user and other.project == card.project
        ours = other.id not in brain.by_person and other.trust is card.trust
        if fits and alike and ours:
            relation = distiller.relate(quote, card.type, [known])
            if relation.kind is RelationKind.DUPLICATE:
                found[other.id] = other
    return list(found.values())


def _merge(brain: Brain, kept: Card, other: Card) -> None:
    evidence = sorted((*kept.evidence, *other.evidence), key=lambda item: (item.at, item.entry))
    grown = replace(
        kept.with_evidence(tuple(evidence[-MAX_RECEIPTS:])),
        seen=kept.seen + other.seen,
        references=kept.references + other.references,
        importance=max(kept.importance, other.importance),
        last_referenced=max(kept.last_referenced, other.last_referenced),
    )
    gone = replace(
        other,
        status=Status.ARCHIVED,
        superseded_by=(f"[[{brain.name_of(kept.id)}]]",),
    )
    link = f"[[{brain.name_of(kept.id)}]]"
    brain.put(
        brain.note(gone, phrase("merged into {link}", link=link)),
        brain.change(ChangeKind.ARCHIVED, gone, phrase("it says the same as {link}", link=link)),
    )
    merged = f"[[{brain.name_of(other.id)}]]"
    brain.put(
        brain.note(grown, phrase("merged with {link}", link=merged)),
        brain.change(
            ChangeKind.REVISED, grown, phrase("took over the receipts of {link}", link=merged)
        ),
    )


# -- lifting ----------------------------------------------------------------------------------


def lift_patterns(brain: Brain, reconciler: Reconciler, anchor: Anchor) -> None:
    """What at least three cards show becomes a pattern of its own, from their receipts."""
    shown = [
        (receipt, card)
        for card in _ours(brain)
        if card.type in _LIFTED_FROM and is_live(card) and not card.is_digest
        for receipt in card.evidence
    ]
    if len({card.id for _, card in shown}) < PATTERN_FROM:
        return
    home = {(receipt.episode, receipt.entry): card for receipt, card in shown}
    scored = [Scored(as_quote(receipt, card).entry, Score(4)) for receipt, card in shown]
    for candidate in reconciler.distiller.distil(scored, anchor):
        cards = {
            home[quote.entry.episode, quote.entry.id].id: home[quote.entry.episode, quote.entry.id]
            for quote in candidate.quotes
        }
        owners = {card.user for card in cards.values()}
        recurs = len(cards) >= PATTERN_FROM and len(owners) == 1
        if candidate.type is CardType.PATTERN and recurs:
            _lift(brain, candidate, list(cards.values()))


def _lift(brain: Brain, candidate: Candidate, shown: list[Card]) -> None:
    for item in check([candidate]).passed:
        cards = [card for card in shown if _covers(item.candidate.statement, card)]
        if item.quarantined or len(cards) < PATTERN_FROM:
            return
        first, *others = sorted(cards, key=lambda card: (card.created, card.id))
        tags = tuple(tag for tag in first.tags if not tag.startswith("memory/"))
        seen = sum(card.seen for card in cards)
        lifted = replace(
            first.with_evidence(item.receipts[:MAX_RECEIPTS]),
            type=CardType.PATTERN,
            title=item.candidate.title,
            statement=item.candidate.statement,
            importance=max(item.candidate.importance, *(card.importance for card in cards)),
            seen=seen,
            project=first.project if len({card.project for card in cards}) == 1 else "",
            tags=(f"memory/{CardType.PATTERN}", *tags),
        )
        change = brain.change(
            ChangeKind.REVISED, lifted, phrase("a pattern of {count} cards", count=len(cards))
        )
        brain.put(brain.note(lifted, phrase("lifted to a pattern")), change)
        for card in others:
            archive(
                brain,
                card,
                phrase("part of the pattern {link}", link=f"[[{brain.name_of(first.id)}]]"),
            )


def _covers(pattern: str, card: Card) -> bool:
    """Whether a pattern holds all that is special in a card, so that it may stand for it."""
    return _special(card.statement) <= _special(pattern)


def _special(text: str) -> set[str]:
    coded = {word for word in tokens(text) if any(map(str.isdigit, word))}
    return coded | fact_keys(text)
