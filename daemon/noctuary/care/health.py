"""How well the nights go: the daemon, the dream that comes next, and what needs a person."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from noctuary.care.outlook import Next, next_dream
from noctuary.dream.triggers import RED_AFTER
from noctuary.resources import cache_folder
from noctuary.tongue import phrase
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.brake import Brake
from noctuary.vault.heartbeat import Heard, heard
from noctuary.vault.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.config import Settings
    from noctuary.vault.attempts import Attempts
    from noctuary.vault.store import Store


@dataclass(frozen=True, slots=True)
class Health:
    """How the nights of one vault go.

    Attributes:
        coming: The dream that comes next; None while no daemon runs.
        problems: One sentence each, with the next step.
    """

    daemon: Heard
    coming: Next | None
    attempts: Attempts
    problems: tuple[str, ...]

    @property
    def red(self) -> bool:
        """The nights do not work, and will not get better by themselves."""
        return self.attempts.failures >= RED_AFTER


def health(store: Store, settings: Settings) -> Health:
    """How the nights of a vault go; reads, and changes nothing."""
    daemon = heard(store.layout.state)
    attempts = AttemptLog(store.disk).read()
    coming = None
    if daemon.running:
        cache = cache_folder(store.vault_id) / "pulse.json"
        coming = next_dream(store, settings, cache)
    return Health(daemon, coming, attempts, tuple(_problems(store, daemon, attempts)))


def _problems(store: Store, daemon: Heard, attempts: Attempts) -> Iterator[str]:
    brake = Brake(store.disk)
    if brake.missing(()):
        survey = Survey(store.root)
        survey.rescan()
        why = brake.why(survey.stamps)
        if why:
            yield why
    if attempts.failures:
        count = attempts.failures
        said = phrase("The last dream")
        if count > 1:
            said = phrase("The last {count} dreams", count=count)
        yield phrase(
            "{dreams} failed: {why}; `noctuary dream` tries again.",
            dreams=said,
            why=attempts.why.rstrip("."),
        )
    if daemon.silent(time.time()):
        yield silence(daemon)


def silence(daemon: Heard) -> str:
    """That a daemon is missed, and what to do."""
    last = datetime.fromtimestamp(daemon.last, UTC).astimezone()
    if daemon.running:
        return phrase(
            "The daemon (process {pid}) has not been heard since {last:%Y-%m-%d %H:%M}; stop it and start it again.",
            pid=daemon.pid,
            last=last,
        )
    return phrase(
        "The daemon has not been heard since {last:%Y-%m-%d %H:%M}; start it with `noctuary watch` or `noctuary service install`, or say with `noctuary service uninstall` that none is wanted.",
        last=last,
    )
