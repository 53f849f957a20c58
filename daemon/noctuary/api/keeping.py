"""What keeps a vault well in the long run: tidying, the doctor, and the daemon that watches it.

What is behind a method is imported when the method is called.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from noctuary.vault.opened import Opened

if TYPE_CHECKING:
    from noctuary.care.doctor import Finding
    from noctuary.config import Settings
    from noctuary.day.asking import Asker
    from noctuary.errors import Problem
    from noctuary.vault.ground import Ground


class Kept(Opened):
    """A vault as it is kept."""

    def __init__(
        self, ground: Ground, settings: Settings, problems: tuple[Problem, ...] = ()
    ) -> None:
        super().__init__(ground, settings, problems)
        self._one_asks = Lock()

    @cached_property
    def _asker(self) -> Asker:
        """Who answers, and brings the index up to date; one thread at a time."""
        from noctuary.day.asking import Asker

        return Asker(self._ground, self.settings)

    @property
    def id(self) -> str:
        """The vault's own name, which stays when its folder is moved."""
        return self._store.vault_id

    @property
    def daemon(self) -> str:
        """Whether a daemon watches: `running` or `stopped`."""
        from noctuary.vault.heartbeat import heard

        return heard(self._store.layout.state).word

    def miss_no_daemon(self) -> None:
        """Say that no daemon is wanted, so that none is missed."""
        from noctuary.vault.heartbeat import forget_daemon

        forget_daemon(self._store.layout.state)

    def doctor(self, *, fix: bool = False) -> list[Finding]:
        """Look at everything that can keep the vault from dreaming; `fix` mends what it can."""
        from noctuary.care.doctor import examine

        return examine(self._store, self.settings, self.problems, fix=fix)

    def tidy(self) -> None:
        """Finish what a crash left, give back late saves, bring the search index up to date.

        The brain map is told when nights fail again and again, and when they no longer do.

        Raises:
            VaultBusy: Another process is writing.
        """
        from noctuary.dream.telling import tells_of_failures
        from noctuary.dream.triggers import RED_AFTER
        from noctuary.vault.attempts import AttemptLog

        self._store.recover()
        if any(True for _ in self._store.graveyard.graves()):
            self._store.sweep()
        with self._one_asks:
            self._asker.refresh()
        page = self._store.disk.read(self._store.layout.index) or b""
        failing = AttemptLog(self._store.disk).read().failures >= RED_AFTER
        if failing != tells_of_failures(page.decode("utf-8", "replace")):
            from noctuary.pages.mapping import rebuild

            rebuild(self._store, self.settings, dry_run=False)
