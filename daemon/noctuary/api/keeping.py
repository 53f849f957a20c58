"""What keeps a vault well in the long run: tidying, the doctor, and the daemon that watches it.

What is behind a method is imported when the method is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.vault.opened import Opened

if TYPE_CHECKING:
    from noctuary.care.doctor import Finding


class Kept(Opened):
    """A vault as it is kept."""

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
        from noctuary.day.asking import Asker
        from noctuary.dream.telling import tells_of_failures
        from noctuary.dream.triggers import RED_AFTER
        from noctuary.vault.attempts import AttemptLog

        self._store.recover()
        if any(True for _ in self._store.graveyard.graves()):
            self._store.sweep()
        Asker(self._store, self.settings).refresh()
        page = self._store.disk.read(self._store.layout.index) or b""
        failing = AttemptLog(self._store.disk).read().failures >= RED_AFTER
        if failing != tells_of_failures(page.decode("utf-8", "replace")):
            from noctuary.pages.mapping import rebuild

            rebuild(self._store, self.settings, dry_run=False)
