"""What replaces a card is as important as that card: a rule put right stays a rule.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.memory.candidate import RelationKind
from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.dates import resolved
from noctuary.memory.entry import Role
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Quote, Relation
    from noctuary.memory.card import Card, Receipt

_ONE_THOUGHT = INSTRUCTION_LIKE | {CardType.DECISION}
"""Kinds of cards that wake an agent; what takes their place must not sink into a digest."""


def replaced_card(relation: Relation) -> Card | None:
    """The card of one thought whose line a newer one takes the place of."""
    if relation.kind is not RelationKind.SUPERSEDES or relation.known is None:
        return None
    card = relation.known.card
    return card if card.statement and card.type in _ONE_THOUGHT else None


def heir(
    item: Passed, quote: Quote, receipt: Receipt, old: Card, title: Callable[[Sequence[str]], str]
) -> Passed | None:
    """A line of a digest as the card that it replaces; None where it has no right to be one."""
    if item.candidate.statement or quote.entry.role is not Role.USER:
        return None
    candidate = replace(
        item.candidate,
        type=old.type,
        title=title([quote.text]),
        statement=resolved(quote.text, quote.entry.at),
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


def renamed(item: Passed, left: Sequence[Quote], title: Callable[[Sequence[str]], str]) -> Passed:
    """A digest some of whose lines found another home, under a name that stands on it still."""
    candidate = item.candidate
    if candidate.statement or len(left) == len(candidate.quotes):
        return item
    lead = f"{candidate.user}: " if candidate.title.startswith(f"{candidate.user}: ") else ""
    words = set(content_tokens(candidate.title.removeprefix(lead)))
    namesakes = [one for one in candidate.quotes if words <= set(content_tokens(one.text))]
    if not namesakes or any(one in left for one in namesakes):
        return item
    return replace(
        item, candidate=replace(candidate, title=lead + title([one.text for one in left]))
    )
