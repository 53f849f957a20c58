"""The summary of each session for the report: what was decided, what went wrong, what went well.

Pure.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from noctuary.memory.card import CardType
from noctuary.memory.entry import Role
from noctuary.memory.report import SessionSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.memory.candidate import Candidate, Scored
    from noctuary.memory.entry import Entry

_MOST = 5
_PREFERENCES = frozenset({CardType.PREFERENCE, CardType.CONSTRAINT, CardType.PATTERN})


def summaries(
    scored: Iterable[Scored], candidates: Iterable[Candidate]
) -> tuple[SessionSummary, ...]:
    """One summary per session, in the order of their start."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for item in scored:
        entries[item.entry.episode].append(item.entry)
    told: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        for episode in {quote.entry.episode for quote in candidate.quotes}:
            told[episode].append(candidate)
    return tuple(_one(episode, entries[episode], told[episode]) for episode in entries)


def _one(episode: str, entries: list[Entry], told: list[Candidate]) -> SessionSummary:
    spoken = [entry for entry in entries if entry.role in {Role.USER, Role.ASSISTANT}]
    times = [entry.at for entry in entries]
    return SessionSummary(
        episode=episode,
        messages=len(spoken),
        minutes=round((max(times) - min(times)).total_seconds() / 60),
        decisions=_titles(told, {CardType.DECISION}),
        errors=_titles(told, {CardType.LESSON}),
        successes=tuple(item.title for item in told if item.closes)[:_MOST],
        preferences=_titles(told, _PREFERENCES),
    )


def _titles(
    told: Sequence[Candidate], types: set[CardType] | frozenset[CardType]
) -> tuple[str, ...]:
    found = (item for item in told if item.type in types and item.statement)
    return tuple(item.title for item in sorted(found, key=lambda item: -item.importance))[:_MOST]
