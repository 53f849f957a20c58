"""Checks a whole vault against itself. Reads only, unless it is asked to repair first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.care import proof
from noctuary.care.checks_git import git_problems
from noctuary.care.checks_notes import note_problems
from noctuary.care.checks_state import state_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from noctuary.care.proof import Verified
    from noctuary.config import Settings
    from noctuary.errors import Problem
    from noctuary.pages import Pages
    from noctuary.vault.store import Store


_STEPS = 4
"""What is looked at in turn: the machine state, receipts, notes, git."""


def verify(
    store: Store,
    settings: Settings,
    pages: Pages,
    problems: Iterable[Problem],
    *,
    repair: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Verified:
    """Everything that is wrong, each with its mend; `problems` are those of the settings.

    `progress` is called with the steps that are done, and how many there are.

    Raises:
        VaultBusy: It is to repair while another process writes.
    """
    repaired: tuple[str, ...] = ()
    if repair:
        from noctuary.care.repair import repair as mend

        repaired = tuple(mend(store, settings, pages))
    moved = progress or (lambda _done, _steps: None)
    found = list(state_problems(store))
    moved(1, _STEPS)
    base = proof.verify(store, problems)
    moved(2, _STEPS)
    found += note_problems(store, settings, pages)
    moved(3, _STEPS)
    found += git_problems(store)
    moved(_STEPS, _STEPS)
    told = dict.fromkeys((*base.problems, *found))
    return replace(base, problems=tuple(told), repaired=repaired)
