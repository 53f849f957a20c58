"""When to dream: how long to wait, or why to dream now.

Pure: a moment, short-term memory in numbers, earlier dreams and the rules decide. All moments are aware datetimes; only the night is a matter of local time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import time, tzinfo

    from noctuary.config import TriggerSettings

PATIENCE = 5
"""For so many settle times a due dream waits for people and agents to pause."""
MISSED = timedelta(hours=1)
"""So long after its end a night counts as missed; what is caught up waits for a pause."""
BACKOFF = timedelta(minutes=5)
LONGEST_BACKOFF = timedelta(hours=6)
RED_AFTER = 3
"""So many failed dreams in a row are more than bad luck."""


class Because(StrEnum):
    """What wakes a dream."""

    COUNT = "count"
    TASK = "task done"
    IDLE = "idle"
    NIGHT = "night"
    HOURS = "hours"
    DEEP = "deep"


@dataclass(frozen=True, slots=True)
class Memory:
    """Short-term memory in numbers.

    Attributes:
        pending: Entries that no dream has absorbed.
        since: When the oldest of them came in.
        latest: When the last sign of life was seen in a session that has some.
        longest: The longest that one of these sessions lasted.
        open_tasks: Tasks that were opened in these sessions and not closed.
        closed: When a task was closed that no dream has absorbed yet.
        over: Since when there have been as many pending as the rules allow.
    """

    pending: int = 0
    since: datetime | None = None
    latest: datetime | None = None
    longest: timedelta = timedelta()
    open_tasks: int = 0
    closed: datetime | None = None
    over: datetime | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """Earlier dreams.

    Attributes:
        dreamt: When the last dream that did its work began.
        looked: When the daemon last dreamt, even if there was nothing to do.
        deep: When the last deep dream was, or, if none was, the first dream.
        failures: Dreams in a row that failed since.
        failed: When the last of these ended.
    """

    dreamt: datetime | None = None
    looked: datetime | None = None
    deep: datetime | None = None
    failures: int = 0
    failed: datetime | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one vault."""

    zone: tzinfo = UTC
    idle: timedelta = timedelta(minutes=10)
    session: timedelta = timedelta(minutes=5)
    max_pending: int = 200
    max_wait: timedelta = timedelta(hours=24)
    on_task_done: bool = True
    night: tuple[time, time] | None = None
    deep_every: timedelta = timedelta(days=7)
    settle: timedelta = timedelta(seconds=60)

    @classmethod
    def of(cls, triggers: TriggerSettings, zone: tzinfo) -> Policy:
        """The rules that stand in `noctuary.toml`."""
        return cls(
            zone,
            timedelta(minutes=triggers.idle_minutes),
            timedelta(minutes=triggers.min_session_minutes),
            triggers.max_pending,
            timedelta(hours=triggers.max_hours),
            triggers.on_task_done,
            triggers.night,
            timedelta(days=triggers.deep_dream_days),
            timedelta(seconds=triggers.settle_seconds),
        )


@dataclass(frozen=True, slots=True)
class Dream:
    """Dream now.

    Attributes:
        settle: Leave out sessions that are not quiet; False when they have been waited for.
        deep: Look over the cards themselves too.
    """

    because: Because
    settle: bool = True
    deep: bool = False

    @property
    def words(self) -> str:
        """How the trigger stands in a report."""
        deep = self.deep and self.because is not Because.DEEP
        return f"{self.because}, deep" if deep else str(self.because)


@dataclass(frozen=True, slots=True)
class Wait:
    """Dream later, unless something happens before.

    Attributes:
        because: The trigger that comes next; None when none will without something new.
        at: When it comes.
    """

    seconds: float
    because: Because | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Due:
    """A reason with the moment it holds from, and how long it can wait for a pause."""

    at: datetime
    because: Because
    until: datetime


FOR_EVER = timedelta(days=1).total_seconds()


def decide(now: datetime, memory: Memory, past: Past, policy: Policy) -> Wait | Dream:
    """Whether to dream now; never twice for the same reason."""
    memory = _not_ahead(memory, now)
    starts = [(_start(due, memory, policy), due) for due in _dues(now, memory, past, policy)]
    if not starts:
        return Wait(FOR_EVER)
    at, due = min(starts, key=lambda pair: pair[0])
    at = max(at, _held_back(now, past))
    if at > now:
        return Wait((at - now).total_seconds(), due.because, at)
    deep = _deep_since(past, now)
    return Dream(
        due.because,
        settle=_is_quiet(now, memory, policy),
        deep=deep is not None and now - deep >= policy.deep_every,
    )


def _not_ahead(memory: Memory, now: datetime) -> Memory:
    """What another clock, or this one before it was set back, dates to the future is of now."""
    return replace(
        memory,
        since=_capped(memory.since, now),
        latest=_capped(memory.latest, now),
        closed=_capped(memory.closed, now),
        over=_capped(memory.over, now),
    )


def _capped(moment: datetime | None, now: datetime) -> datetime | None:
    return None if moment is None else min(moment, now)


def _dues(now: datetime, memory: Memory, past: Past, policy: Policy) -> Iterator[_Due]:
    if memory.pending:
        since = memory.since or now
        if _has_come_alive(memory, past, now):
            yield from _by_amount(now, memory, policy)
            yield from _by_pause(memory, policy)
        yield _due(_overdue_at(since, past, now, policy), Because.HOURS, policy)
    yield from _by_night(now, memory, past, policy)
    yield from _deep(now, past, policy)


def _has_come_alive(memory: Memory, past: Past, now: datetime) -> bool:
    """Something was said since the last dream: what that one left is left to nights and days."""
    if past.dreamt is None or past.dreamt > now or memory.latest is None:
        return True
    return memory.latest >= past.dreamt


def _due(at: datetime, because: Because, policy: Policy) -> _Due:
    return _Due(at, because, at + PATIENCE * policy.settle)


def _by_amount(now: datetime, memory: Memory, policy: Policy) -> Iterator[_Due]:
    if memory.pending >= policy.max_pending:
        yield _due(memory.over or now, Because.COUNT, policy)


def _by_pause(memory: Memory, policy: Policy) -> Iterator[_Due]:
    if memory.closed is not None and policy.on_task_done:
        yield _due(memory.closed, Because.TASK, policy)
    rests = memory.latest is not None and memory.open_tasks == 0
    if memory.latest and rests and memory.longest >= policy.session:
        yield _due(memory.latest + policy.idle, Because.IDLE, policy)


def _overdue_at(since: datetime, past: Past, now: datetime, policy: Policy) -> datetime:
    """A day after the last dream, but not before there was anything to dream of."""
    if past.dreamt is None or past.dreamt > now:
        return since + policy.max_wait
    return max(past.dreamt + policy.max_wait, since)


# -- the night ---------------------------------------------------------------------------------


def _by_night(now: datetime, memory: Memory, past: Past, policy: Policy) -> Iterator[_Due]:
    """This night, a night that was missed, or the next one."""
    if policy.night is None:
        return
    opens, closes = night_before(now, policy)
    if _is_owed(now, opens, closes, memory, past):
        end = closes + PATIENCE * policy.settle
        was_missed = now >= end + MISSED
        yield _Due(opens, Because.NIGHT, now + policy.settle if was_missed else end)
        return
    later, end = night_after(now, policy)
    yield _Due(later, Because.NIGHT, end)


def _is_owed(now: datetime, opens: datetime, closes: datetime, memory: Memory, past: Past) -> bool:
    """Nothing dreamt since the night began, and something to do that was there before its end.

    With nothing pending a night is for forgetting what has had its time; that is not caught up.
    """
    if past.looked is not None and past.looked >= opens:
        return False
    if not memory.pending:
        return now < closes
    dreamt = past.dreamt is not None and past.dreamt >= opens
    return not dreamt and memory.since is not None and memory.since < closes


def night_before(now: datetime, policy: Policy) -> tuple[datetime, datetime]:
    """The last night that has begun, as two moments."""
    today = now.astimezone(policy.zone).date()
    nights = (_night(policy, now, today.toordinal() - back) for back in (0, 1, 2))
    return next(night for night in nights if night[0] <= now)


def night_after(now: datetime, policy: Policy) -> tuple[datetime, datetime]:
    """The next night that has not begun."""
    today = now.astimezone(policy.zone).date()
    nights = (_night(policy, now, today.toordinal() + ahead) for ahead in (0, 1, 2))
    return next(night for night in nights if night[0] > now)


def _night(policy: Policy, now: datetime, day: int) -> tuple[datetime, datetime]:
    """One night; hours that a change of the clocks leaves out or repeats make one night all the same.

    Python reads a time that does not exist as the moment it would have been, and of a repeated
    hour the first one, so that every day has one beginning.
    """
    assert policy.night is not None  # noqa: S101 - callers have asked
    first, last = policy.night
    opens = datetime.combine(now.fromordinal(day).date(), first, policy.zone).astimezone(UTC)
    ending = day if last > first else day + 1
    closes = datetime.combine(now.fromordinal(ending).date(), last, policy.zone).astimezone(UTC)
    return opens, max(closes, opens + timedelta(minutes=1))


# -- deep dreams, pauses, failures ---------------------------------------------------------------


def _deep_since(past: Past, now: datetime) -> datetime | None:
    return None if past.deep is None or past.deep > now else past.deep


def _deep(now: datetime, past: Past, policy: Policy) -> Iterator[_Due]:
    """In the first night after its time; one that was missed is due at once."""
    since = _deep_since(past, now)
    if since is None:
        return
    at = since + policy.deep_every
    yield _due(at if policy.night is None else night_after(at, policy)[0], Because.DEEP, policy)


def _start(due: _Due, memory: Memory, policy: Policy) -> datetime:
    """When a dream that is due can begin: once it is quiet, or patience is at its end."""
    if memory.latest is None or not memory.pending:
        return due.at
    return min(max(due.at, memory.latest + policy.settle), max(due.until, due.at))


def _is_quiet(now: datetime, memory: Memory, policy: Policy) -> bool:
    return memory.latest is None or now - memory.latest >= policy.settle


def _held_back(now: datetime, past: Past) -> datetime:
    """After failures, each wait is twice the last one; a failure in the future holds nothing up."""
    if not past.failures or past.failed is None or past.failed > now:
        return now
    return past.failed + backoff(past.failures)


def backoff(failures: int) -> timedelta:
    """How long to wait after so many failed dreams in a row."""
    return min(BACKOFF * (1 << min(failures - 1, 20)), LONGEST_BACKOFF)
