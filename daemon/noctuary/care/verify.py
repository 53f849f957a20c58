"""Checks a whole vault against itself. Reads only, unless it is asked to repair first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.care import proof
from noctuary.care.checks_git import git_problems
from noctuary.care.checks_notes import note_problems
from noctuary.care.checks_state import state_problems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noctuary.care.proof import Verified
    from noctuary.config import Settings
    from noctuary.errors import Problem
    from noctuary.pages import Pages
    from noctuary.vault.store import Store


def verify(
    store: Store,
    settings: Settings,
    pages: Pages,
    problems: Iterable[Problem],
    *,
    repair: bool = False,
) -> Verified:
    """Everything that is wrong, each with its mend; `problems` are those of the settings.

    Raises:
        VaultBusy: It is to repair while another process writes.
    """
    repaired: tuple[str, ...] = ()
    if repair:
        from noctuary.care.repair import repair as mend

        repaired = tuple(mend(store, settings, pages))
    found = list(state_problems(store))
    base = proof.verify(store, problems)
    found += note_problems(store, settings, pages)
    found += git_problems(store)
    told = dict.fromkeys((*base.problems, *found))
    return replace(base, problems=tuple(told), repaired=repaired)
