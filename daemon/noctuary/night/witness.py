"""Stands beside a dream: no second one at the same time, and its failure is remembered."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from noctuary.errors import Interrupted, NoctuaryError, VaultBusy
from noctuary.memory.report import Result
from noctuary.tongue import phrase
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.lock import dream_lock

if TYPE_CHECKING:
    from types import TracebackType

    from noctuary.memory.report import DreamReport
    from noctuary.vault.store import Store


class Nightwatch:
    """Holds the dream lock; notes in the vault how the dream went. A dry run does neither."""

    def __init__(self, store: Store, *, deep: bool, dry_run: bool) -> None:
        self._store = store
        self._deep = deep
        self._idle = dry_run
        self._held = ExitStack()

    def __enter__(self) -> Self:
        """Begin; raises VaultBusy when another dream is under way."""
        if not self._idle:
            self._held.enter_context(dream_lock(self._store.layout.state, self._store.wait))
        return self

    def report(self, report: DreamReport) -> DreamReport:
        """Take down how it went, and pass the report on."""
        if self._idle:
            return report
        why = _failure(report)
        if why:
            self._log.note_failure(why, _now())
        else:
            self._log.note_success(_now(), deep=self._deep)
        return report

    @property
    def _log(self) -> AttemptLog:
        return AttemptLog(self._store.disk)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the next dream begin."""
        counts = isinstance(error, NoctuaryError) and not isinstance(error, VaultBusy | Interrupted)
        if counts and not self._idle:
            with suppress(OSError, NoctuaryError):
                self._log.note_failure(str(error), _now())
        self._held.close()


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _failure(report: DreamReport) -> str:
    """Why a dream did not do its work; empty when it did."""
    if report.result is Result.FAILED:
        return next((item.what for item in report.problems), phrase("the dream failed"))
    if report.seen and not report.absorbed:
        return phrase("none of {seen} entries was absorbed", seen=report.seen)
    return ""
