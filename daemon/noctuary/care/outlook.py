"""What the triggers need to know of one vault, and what they say: which dream comes next, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from noctuary.dream.triggers import Dream, Memory, Past, Policy, Wait, decide
from noctuary.memory.report import Result
from noctuary.tongue import phrase
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.pulse import Pulse
from noctuary.vault.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo
    from pathlib import Path

    from noctuary.config import Settings
    from noctuary.vault.attempts import Attempts
    from noctuary.vault.pulse import Beat
    from noctuary.vault.store import Store


@dataclass(frozen=True, slots=True)
class Seen:
    """When a daemon saw an episode come to life, and when it last saw it change."""

    first: datetime
    last: datetime


def memory_of(
    pulse: Pulse, zone: tzinfo, now: datetime, seen: Mapping[str, Seen], over: datetime | None
) -> Memory:
    """Short-term memory as the triggers see it; what was not seen is as old as its entries."""
    waiting = pulse.waiting()
    if not waiting:
        return Memory()
    firsts = [_first(path, beat, zone, seen) for path, beat in waiting.items()]
    lasts = [_last(moment(beat.ended, zone), seen.get(path), now) for path, beat in waiting.items()]
    closed = [moment(beat.closed, zone) for beat in waiting.values() if beat.closed]
    return Memory(
        pending=pulse.pending,
        since=min(filter(None, firsts), default=None),
        latest=max(filter(None, lasts), default=None),
        longest=max(map(_length, waiting.values())),
        open_tasks=pulse.open_tasks(),
        closed=min(filter(None, closed), default=None),
        over=over,
    )


def _first(path: str, beat: Beat, zone: tzinfo, seen: Mapping[str, Seen]) -> datetime | None:
    return seen[path].first if path in seen else moment(beat.first, zone)


def _last(said: datetime | None, seen: Seen | None, now: datetime) -> datetime | None:
    """The later of what was said and what was seen; words from the future were seen at the latest."""
    if seen is None or said is None:
        return seen.last if seen else said
    return seen.last if said > now else max(said, seen.last)


def _length(beat: Beat) -> timedelta:
    began, ended = moment(beat.began, UTC), moment(beat.ended, UTC)
    return max(ended - began, timedelta()) if began and ended else timedelta()


def moment(text: str, zone: tzinfo) -> datetime | None:
    """A moment from ISO text; without an offset it is local time of the zone."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def past_of(
    pulse: Pulse, attempts: Attempts, zone: tzinfo, now: datetime, looked: datetime | None = None
) -> Past:
    """Earlier dreams, from their reports and from what left none.

    One that a wrong clock dates to the future does not hide those before it.
    """
    done = [told for told in pulse.told.values() if told.result and told.result != Result.FAILED]
    starts = [at for told in done if (at := moment(told.started, zone)) and at <= now]
    deep = [moment(told.started, zone) for told in done if "deep" in told.trigger]
    known = [at for at in (*deep, moment(attempts.deep, zone)) if at and at <= now]
    return Past(
        dreamt=max(starts, default=None),
        looked=looked,
        deep=max(known, default=min(starts, default=None)),
        failures=attempts.failures,
        failed=moment(attempts.failed, zone),
    )


@dataclass(frozen=True, slots=True)
class Next:
    """The dream that comes next, if nothing happens before.

    Attributes:
        at: Local time of the vault; None when nothing will wake a dream as things are.
        because: The trigger.
    """

    at: datetime | None
    because: str

    @property
    def words(self) -> str:
        """For people."""
        if self.at is None:
            return phrase("when there is something to dream about")
        when = f"{self.at:%Y-%m-%d %H:%M}"
        return phrase("{when} ({why})", when=when, why=phrase(self.because))


def next_dream(store: Store, settings: Settings, cache: Path) -> Next:
    """What a daemon that starts now would decide."""
    zone = settings.vault.zone
    survey = Survey(store.root)
    pulse = Pulse.taken(store.disk, cache, survey)
    now = store.clock().replace(tzinfo=zone).astimezone(UTC)
    changed = _by_file_times(survey, pulse, zone, now)
    memory = memory_of(pulse, zone, now, changed, now)
    past = past_of(pulse, AttemptLog(store.disk).read(), zone, now)
    return told_next(decide(now, memory, past, Policy.of(settings.triggers, zone)), now, zone)


def told_next(verdict: Dream | Wait, now: datetime, zone: tzinfo) -> Next:
    """A verdict as local time."""
    if isinstance(verdict, Dream):
        return Next(_local(now, zone), str(verdict.because))
    if verdict.at is None or verdict.because is None:
        return Next(None, "")
    return Next(_local(verdict.at, zone), str(verdict.because))


def _local(at: datetime, zone: tzinfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, microsecond=0)


def _by_file_times(survey: Survey, pulse: Pulse, zone: tzinfo, now: datetime) -> dict[str, Seen]:
    """Where nobody watched, the times of the files say when they changed last."""
    found = {}
    for path, beat in pulse.waiting().items():
        at = datetime.fromtimestamp(survey.stamps[path][1] / 1e9, UTC)
        first = moment(beat.first, zone)
        if at <= now and first is not None:
            found[path] = Seen(min(first, at), at)
    return found
