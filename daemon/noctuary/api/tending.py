"""What a person does with memory once it is there: look at a dream, undo, review, forget, verify.

What is behind a method is imported when the method is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.vault.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctuary.care.forget import Forgotten
    from noctuary.care.overview import Diff
    from noctuary.care.proof import Verified
    from noctuary.care.review import Judged, Waiting
    from noctuary.care.undone import Undone
    from noctuary.pages.mapping import Rebuilt


class Tended(Opened):
    """A vault as it is tended."""

    def diff(self, dream: str | None = None) -> Diff:
        """What a dream changed, line by line; without an id, the latest that changed anything.

        Raises:
            UsageError: There is no such dream, or git has no commit of it.
        """
        from noctuary.care.overview import diff

        return diff(self._store, dream)

    def undo(self, what: str, *, dry_run: bool = False) -> Undone:
        """Undo `DREAM` or `DREAM#CHANGE` (numbers as in its report), however long ago it was.

        Raises:
            UsageError: There is no such dream or change, or its old bytes are kept nowhere.
            VaultBusy: Another process is writing.
        """
        from noctuary.care.undo import undo
        from noctuary.pages import Pages

        return undo(self._store, self.settings, Pages(), what, dry_run=dry_run)

    def ticked(self) -> list[str]:
        """Changes whose box is ticked in a report, as `DREAM#CHANGE`."""
        from noctuary.care.boxes import ticked_changes
        from noctuary.vault.notes import Notes

        found = ticked_changes(Notes(self._store.disk))
        return [f"{dream}#{number}" for dream, numbers in found for number in numbers]

    def review(self) -> list[Waiting]:
        """What waits in the inbox; an approval holds for what this has shown."""
        from noctuary.care.review import waiting

        return waiting(self._store)

    def approve(self, what: str, *, dry_run: bool = False) -> Judged:
        """Let a note of the inbox in: `ID` as last shown, or `ID@DIGEST`.

        Raises:
            UsageError: There is no such note, or it was never shown.
            ConflictError: It has changed since it was shown.
        """
        return self._judge("approve", what, dry_run=dry_run)

    def reject(self, what: str, *, dry_run: bool = False) -> Judged:
        """Throw a note of the inbox out; what it says is not learnt again. Raises like `approve`."""
        return self._judge("reject", what, dry_run=dry_run)

    def _judge(self, verdict: str, what: str, *, dry_run: bool) -> Judged:
        from noctuary.care.review import judge
        from noctuary.pages import Pages

        return judge(self._store, self.settings, Pages(), verdict, what, dry_run=dry_run)

    def index(self, *, dry_run: bool = False) -> Rebuilt:
        """Rebuild the brain map from the cards.

        Raises:
            VaultBusy: Another process is writing.
        """
        from noctuary.pages.mapping import rebuild

        return rebuild(self._store, self.settings, dry_run=dry_run)

    def forget(
        self,
        name: str = "",
        *,
        project: str = "",
        matching: str = "",
        rewrite_history: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Forget a card or a session for good, or everything that holds the words `matching`.

        `project` tells sessions of one name apart. `rewrite_history` also takes it out of every
        git commit, whose ids change by it.

        Raises:
            UsageError: Nothing is called so, or sessions of several projects are, or the words
                are too short to be looked for.
            VaultBusy: Another process is writing.
            HistoryError: The history cannot be rewritten.
        """
        from noctuary.care.forget import forget
        from noctuary.care.forgetting import Aim
        from noctuary.pages import Pages

        return forget(
            self._store,
            self.settings,
            Pages(),
            Aim(name, project, matching),
            rewrite_history=rewrite_history,
            dry_run=dry_run,
        )

    def verify(
        self, *, repair: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> Verified:
        """Check cards, receipts, episodes, pages, machine state and git against each other.

        `repair` first rebuilds what follows from the rest: the brain map, the ledger, the index
        of the search; what only a person can mend stays a problem. `progress` is called with the
        steps that are done, and how many there are.
        """
        from noctuary.care.verify import verify
        from noctuary.pages import Pages

        return verify(
            self._store, self.settings, Pages(), self.problems, repair=repair, progress=progress
        )
