"""What a person ticked since the last dream is carried out before the next one thinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.care.boxes import ticked_changes
from noctuary.care.review import carry_out_verdicts
from noctuary.care.undo import undo
from noctuary.errors import Problem, UsageError
from noctuary.tongue import phrase
from noctuary.vault.notes import Notes

if TYPE_CHECKING:
    from noctuary.config import Settings
    from noctuary.pages import Pages
    from noctuary.vault.store import Store


def attend(store: Store, settings: Settings, pages: Pages) -> list[Problem]:
    """Undo ticked changes, take in or throw out what was judged; what could not be done is told."""
    problems: list[Problem] = []
    for dream, numbers in ticked_changes(Notes(store.disk)):
        try:
            done = undo(store, settings, pages, dream, numbers=numbers)
        except UsageError as error:
            problems.append(Problem(dream, error.args[0]))
            continue
        problems += [
            Problem(
                dream,
                phrase("change {number} was not undone: {why}", number=item.number, why=item.words),
            )
            for item in done.left
        ]
    return problems + carry_out_verdicts(store, settings, pages)
