"""What belongs together: what holds in one project, or for one person, says nothing of another.

Pure.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.memory.card import INSTRUCTION_LIKE, CardType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from noctuary.memory.candidate import Candidate, Quote
    from noctuary.memory.card import Card


def in_scope(candidate: Candidate, card: Card) -> bool:
    """Whether a new line can speak for or against a card at all.

    Facts are shared between people; wishes are not. What names no project or person fits any.
    """
    if candidate.project and card.project and candidate.project != card.project:
        return False
    wish = candidate.type in INSTRUCTION_LIKE or card.type in INSTRUCTION_LIKE
    return not (wish and candidate.user and card.user and candidate.user != card.user)


def apart(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates that mix projects, or the wishes of several people, as one candidate for each.

    A pattern that shows in several projects stays whole and belongs to none of them.
    """
    return [part for candidate in candidates for part in _parts(candidate)]


def _parts(candidate: Candidate) -> Iterator[Candidate]:
    groups: dict[tuple[str, str], list[Quote]] = defaultdict(list)
    for quote in candidate.quotes:
        groups[_owner(candidate, quote)].append(quote)
    if len(groups) <= 1:
        projects = {quote.entry.project for quote in candidate.quotes}
        mixed = len(projects) > 1 and candidate.type is CardType.PATTERN
        yield replace(candidate, project="") if mixed else candidate
        return
    for (project, user), quotes in groups.items():
        yield replace(
            candidate,
            statement=candidate.statement and _said(candidate, quotes),
            quotes=tuple(quotes),
            seen=len(quotes),
            project=project,
            user=user or candidate.user,
        )


def _owner(candidate: Candidate, quote: Quote) -> tuple[str, str]:
    project = "" if candidate.type is CardType.PATTERN else quote.entry.project
    return project, quote.entry.user if candidate.type in INSTRUCTION_LIKE else ""


def _said(candidate: Candidate, quotes: list[Quote]) -> str:
    """The statement as far as these quotes may be its source, else their own words."""
    whole = candidate.quotes[0] in quotes
    return candidate.statement if whole else quotes[0].text
