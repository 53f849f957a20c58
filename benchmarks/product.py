"""Drives the product over one case: import, dream, purge, ready to be asked."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.cases import Case, Turn
    from benchmarks.memories import Memory


def dream_case(case: Case, dreams: int, *, in_memory: bool = False) -> Memory:
    """The memory after its dreams: one a day, or the days cut into so many portions."""
    from benchmarks.thinking import think

    return think(case, portions(case, dreams))


def portions(case: Case, dreams: int) -> list[list[Turn]]:
    """The turns by day; with `dreams` the days joined to at most so many even runs."""
    ordered = sorted(case.turns, key=lambda turn: turn.at.date())
    days = [list(turns) for _, turns in groupby(ordered, key=lambda turn: turn.at.date())]
    if not dreams or dreams >= len(days):
        return days
    edges = [round(at * len(days) / dreams) for at in range(dreams + 1)]
    runs = [days[first:last] for first, last in pairwise(edges)]
    return [[turn for day in run for turn in day] for run in runs]
