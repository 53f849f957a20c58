"""What replaces a card is as important as that card; what a new page is called beside the others.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.dream.gate import tidy_title, verbatim
from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import INSTRUCTION_LIKE, CardType, Status
from noctuary.memory.entry import Role
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Candidate, Quote, Relation
    from noctuary.memory.card import Card, Receipt

_ONE_THOUGHT = INSTRUCTION_LIKE | {CardType.DECISION}
"""Kinds of cards that wake an agent; what takes their place must not sink into a digest.

So does a thing to do that is still open.
"""
_WHEN = frozenset({"date", "time", "weekday"})


def replaced_card(relation: Relation) -> Card | None:
    """The card of one thought whose line a newer one takes the place of."""
    if relation.kind is not RelationKind.SUPERSEDES or relation.known is None:
        return None
    card = relation.known.card
    wakes = card.type in _ONE_THOUGHT or card.status is Status.OPEN
    return card if card.statement and wakes else None


def heir(
    item: Passed, quote: Quote, receipt: Receipt, old: Card, title: Callable[[Sequence[str]], str]
) -> Passed | None:
    """A line of a digest as the card that it replaces; None where it has no right to be one.

    A thing to do is still to be done only where the line says when.
    """
    if item.candidate.statement or quote.entry.role is not Role.USER:
        return None
    if old.type is CardType.TASK and not _WHEN & {fact.kind for fact in hard_facts(quote.text)}:
        return None
    candidate = replace(
        item.candidate,
        type=old.type,
        title=tidy_title(title([quote.text])),
        statement=verbatim(quote),
        quotes=(quote,),
        importance=old.importance,
        topics=old.topics,
        seen=1,
    )
    return replace(item, candidate=candidate, receipts=(receipt,))


def weighed(item: Passed, old: Card) -> Passed:
    """A card that replaces another: as important, and of its kind where it has none of its own."""
    candidate = item.candidate
    kind = old.type if candidate.type is CardType.FACT else candidate.type
    return replace(
        item,
        candidate=replace(
            candidate, type=kind, importance=max(candidate.importance, old.importance)
        ),
    )


def told_apart(item: Passed, others: frozenset[str], distiller: Distiller) -> Passed:
    """A digest by what the titles of others do not say; by its day where there is nothing else.

    A talk between people is known by its day first of all.
    """
    candidate = item.candidate
    if not others:
        return item
    title = tidy_title(distiller.title([one.text for one in candidate.quotes], others))
    if lead_of(candidate) or set(content_tokens(title)) <= others:
        title = f"{candidate.title} ({candidate.quotes[0].entry.at:%Y-%m-%d})"
    return replace(item, candidate=replace(candidate, title=title))


def lead_of(candidate: Candidate) -> str:
    """How a title begins that names those who talk."""
    users = list(dict.fromkeys(quote.entry.user for quote in candidate.quotes))
    who = f"{' & '.join(users[:3])}: "
    return who if any(users) and candidate.title.startswith(who) else ""


def renamed(item: Passed, left: Sequence[Quote], title: Callable[[Sequence[str]], str]) -> Passed:
    """A digest some of whose lines found another home, under a name that stands on it still."""
    candidate = item.candidate
    if candidate.statement or len(left) == len(candidate.quotes):
        return item
    lead = lead_of(candidate)
    words = set(content_tokens(candidate.title.removeprefix(lead)))
    namesakes = [one for one in candidate.quotes if words <= set(content_tokens(one.text))]
    if not namesakes or any(one in left for one in namesakes):
        return item
    fresh = tidy_title(lead + title([one.text for one in left]))
    return replace(item, candidate=replace(candidate, title=fresh))
