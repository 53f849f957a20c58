"""A vault by day: sessions that are logged as they run, and a window that is kept from overflowing.

What is behind a method is imported when the method is called.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from noctuary.vault.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from noctuary.day.daybook import Daybook, Session
    from noctuary.distil.protocol import Distiller
    from noctuary.window.compaction import Compacted


class Awake(Opened):
    """A vault as it is lived with."""

    @contextmanager
    def session(
        self, agent: str = "", project: str = "", user: str = "", *, session: str = ""
    ) -> Iterator[Session]:
        """A running conversation, each turn written at once; without a name it gets one."""
        from secrets import token_hex

        from noctuary.day.daybook import Session
        from noctuary.intake.common import Where

        yield Session(self.daybook(), Where(session or token_hex(3), agent, project, user))

    def compact(
        self,
        messages: Sequence[Any],
        window: int = 128_000,
        *,
        session: str | Session = "",
        agent: str = "",
        threshold: float | None = None,
        keep_last: int | None = None,
        used: int = 0,
        always: bool = False,
        distiller: Distiller | None = None,
        dry_run: bool = False,
    ) -> Compacted:
        """Like `noctuary.compact`, with figures: what was dropped, logged, kept and lost.

        `session` is the running session, or its name, with the name of its agent if it has one;
        without it the conversation gets a name from its first words. `dry_run` logs nothing.

        Raises:
            BadInput: A message is none.
            UsageError: A number is out of its range.
            VaultBusy: Another process is writing; the messages are as they were.
        """
        from noctuary.day.compacting import Wish, compact_into

        wish = Wish(window, session, threshold, keep_last, used, always)
        return compact_into(
            self._store, self.settings, messages, wish,
            agent=agent, distiller=distiller, dry_run=dry_run,
        )  # fmt: skip

    def daybook(self, clock: Callable[[], datetime] | None = None) -> Daybook:
        """What writes to the episodes; `clock` gives local time of the vault."""
        from noctuary.day.daybook import Daybook

        return Daybook(self._store, self.settings, clock or self._store.clock)
