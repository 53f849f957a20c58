from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noctuary.config import TriggerSettings
from noctuary.dream.triggers import (
    LONGEST_BACKOFF,
    Because,
    Dream,
    Memory,
    Past,
    Policy,
    Wait,
    backoff,
    decide,
    night_after,
    night_before,
)

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
POLICY = Policy(night=(time(2), time(4)))
TALK = Memory(pending=20, since=NOON - HOUR, latest=NOON - 2 * MINUTE, longest=30 * MINUTE)
YESTERDAY = Past(dreamt=NOON - 10 * HOUR, looked=NOON - 10 * HOUR, deep=NOON - DAY)


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


TABLE: dict[str, tuple[Memory, Past, Dream | tuple[Because, timedelta]]] = {
    "a talk that just paused": (TALK, YESTERDAY, (Because.IDLE, 8 * MINUTE)),
    "a talk that ended": (
        replace(TALK, latest=NOON - 10 * MINUTE), YESTERDAY, Dream(Because.IDLE)),
    "a talk that was short waits for the night": (
        replace(TALK, latest=NOON - HOUR, longest=4 * MINUTE), YESTERDAY,
        (Because.HOURS, 14 * HOUR)),
    "an open task is not interrupted": (
        replace(TALK, latest=NOON - HOUR, open_tasks=1), YESTERDAY, (Because.HOURS, 14 * HOUR)),
    "an open task does not keep the day from ending": (
        replace(TALK, latest=NOON - HOUR, open_tasks=1), replace(YESTERDAY, dreamt=NOON - DAY),
        Dream(Because.HOURS)),
    "very many entries, a little pause": (
        replace(TALK, pending=200, over=NOON - 2 * MINUTE), YESTERDAY, Dream(Because.COUNT)),
    "very many entries while they still come": (
        replace(TALK, pending=200, over=NOON - MINUTE, latest=NOON), YESTERDAY,
        (Because.COUNT, MINUTE)),
    "very many entries of a session that never pauses": (
        replace(TALK, pending=300, over=NOON - 5 * MINUTE, latest=NOON), YESTERDAY,
        Dream(Because.COUNT, settle=False)),
    "199 are not 200": (replace(TALK, pending=199), YESTERDAY, (Because.IDLE, 8 * MINUTE)),
    "a task closed a minute ago": (
        replace(TALK, closed=NOON - MINUTE, latest=NOON - MINUTE), YESTERDAY,
        Dream(Because.TASK)),
    "a task closed just now": (
        replace(TALK, closed=NOON, latest=NOON), YESTERDAY, (Because.TASK, MINUTE)),
    "a day without a dream": (
        replace(TALK, longest=MINUTE), replace(YESTERDAY, dreamt=NOON - 25 * HOUR),
        Dream(Because.HOURS)),
    "never dreamt, and a day old": (
        replace(TALK, longest=MINUTE, since=NOON - DAY), Past(looked=NOON - HOUR),
        Dream(Because.HOURS)),
    "the first word after a quiet week": (
        Memory(1, NOON, NOON), replace(YESTERDAY, dreamt=NOON - 7 * DAY), (Because.HOURS, MINUTE)),
    "a night that was slept through": (
        replace(TALK, since=NOON - 20 * HOUR, longest=MINUTE),
        Past(dreamt=NOON - 11 * HOUR, deep=NOON - DAY), Dream(Because.NIGHT)),
    "nothing pending": (Memory(), YESTERDAY, (Because.NIGHT, 14 * HOUR)),
    "a week without a deep dream": (
        Memory(), replace(YESTERDAY, deep=NOON - 8 * DAY), Dream(Because.DEEP, deep=True)),
    "what the last dream could not absorb is not tried at once": (
        replace(TALK, latest=NOON - HOUR), Past(NOON - HOUR / 2, NOON - HOUR / 2, NOON - DAY),
        (Because.NIGHT, 14 * HOUR)),
    "after a failure": (
        replace(TALK, latest=NOON - HOUR),
        replace(YESTERDAY, failures=1, failed=NOON - MINUTE), (Because.IDLE, 4 * MINUTE)),
    "after three failures": (
        replace(TALK, latest=NOON - HOUR),
        replace(YESTERDAY, failures=3, failed=NOON - MINUTE), (Because.IDLE, 19 * MINUTE)),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    memory, past, wanted = TABLE[name]
    verdict = decide(NOON, memory, past, POLICY)
    if isinstance(wanted, Dream):
        assert verdict == wanted
    else:
        because, after = wanted
        assert verdict == Wait(after.total_seconds(), because, NOON + after)


def test_without_a_night_and_with_nothing_pending_nothing_wakes_a_dream() -> None:
    verdict = decide(NOON, Memory(), Past(), Policy())
    assert isinstance(verdict, Wait)
    assert verdict.because is None


def test_a_closed_task_counts_only_where_it_should() -> None:
    memory = replace(TALK, closed=NOON - HOUR, latest=NOON - 2 * MINUTE)
    assert decide(NOON, memory, YESTERDAY, POLICY) == Dream(Because.TASK)
    verdict = decide(NOON, memory, YESTERDAY, replace(POLICY, on_task_done=False))
    assert isinstance(verdict, Wait)


def test_the_night_takes_what_there_is_however_little() -> None:
    night = at("2026-12-01T02:00")
    memory = Memory(1, night - 5 * HOUR, night - 5 * HOUR)
    past = Past(night - 20 * HOUR, night - 20 * HOUR, night - DAY)
    assert decide(night, memory, past, POLICY) == Dream(Because.NIGHT)
    before = decide(night - timedelta(seconds=1), memory, past, POLICY)
    assert before == Wait(1, Because.NIGHT, night)


def test_a_quiet_night_is_looked_at_once_and_not_caught_up() -> None:
    night = at("2026-12-01T02:00")
    past = Past(night - 2 * DAY, night - DAY, night - 2 * DAY)
    assert decide(night + HOUR, Memory(), past, POLICY) == Dream(Because.NIGHT)
    assert isinstance(decide(night + 3 * HOUR, Memory(), past, POLICY), Wait)
    assert isinstance(decide(night + HOUR, Memory(), replace(past, looked=night), POLICY), Wait)


def test_somebody_awake_at_night_is_waited_for_until_morning() -> None:
    talking = at("2026-12-01T02:30")
    memory = Memory(9, talking - HOUR, talking)
    past = Past(talking - DAY / 2, talking - DAY / 2, talking - DAY)
    assert isinstance(decide(talking, memory, past, POLICY), Wait)
    soon = at("2026-12-01T04:04:59")
    assert isinstance(decide(soon, replace(memory, latest=soon), past, POLICY), Wait)
    morning = at("2026-12-01T04:05")
    assert decide(morning, replace(memory, latest=morning), past, POLICY) == Dream(
        Because.NIGHT, settle=False
    )


@pytest.mark.parametrize("window", [(time(2), time(4)), (time(22), time(5)), (time(0), time(0))])
def test_one_dream_a_night_whatever_the_window(window: tuple[time, time]) -> None:
    policy = replace(POLICY, night=window)
    opens, closes = night_before(NOON, policy)
    assert opens <= NOON < night_after(NOON, policy)[0]
    assert night_after(NOON, policy)[0] - opens == DAY
    assert timedelta() < closes - opens <= DAY


NEW_YORK = replace(POLICY, zone=ZoneInfo("America/New_York"))


def test_the_night_of_the_skipped_hour_is_one_night() -> None:
    day = at("2026-03-08T00:30", "America/New_York")
    opens, closes = night_after(day, replace(NEW_YORK, night=(time(2), time(3))))
    assert opens == at("2026-03-08T03:00", "America/New_York")
    assert closes > opens
    memory = Memory(3, day - 3 * HOUR, day - 3 * HOUR)
    policy = replace(NEW_YORK, night=(time(2), time(3)))
    past = Past(day - HOUR, day - HOUR, day - DAY)
    assert decide(opens, memory, past, policy) == Dream(Because.NIGHT)


def test_the_night_of_the_repeated_hour_is_one_night() -> None:
    policy = replace(NEW_YORK, night=(time(1), time(2)))
    day = at("2026-11-01T00:30", "America/New_York")
    opens, closes = night_after(day, policy)
    assert closes - opens == 2 * HOUR
    past = Past(opens + MINUTE, opens + MINUTE, day - DAY)
    again = opens + HOUR + MINUTE
    memory = Memory(3, opens + 2 * MINUTE, opens + 2 * MINUTE)
    assert isinstance(decide(again, memory, past, policy), Wait)


@pytest.mark.parametrize("back", [HOUR, DAY, 40 * DAY])
def test_a_clock_set_back_neither_doubles_nor_loses_a_dream(back: timedelta) -> None:
    dreamt = Past(NOON, NOON, NOON - DAY)
    now = NOON - back
    memory = Memory(20, now, now, 30 * MINUTE)
    first = decide(now, memory, dreamt, POLICY)
    assert isinstance(first, Wait)
    assert decide(now + 10 * MINUTE, memory, dreamt, POLICY) in {
        Dream(Because.IDLE), Dream(Because.IDLE, deep=True)}  # fmt: skip


def test_what_is_said_in_a_minute_that_comes_twice_is_dreamt_in_the_night_at_the_latest() -> None:
    memory = Memory(20, NOON - MINUTE, NOON - MINUTE, 30 * MINUTE)
    verdict = decide(NOON + 10 * MINUTE, memory, Past(NOON, NOON, NOON - DAY), POLICY)
    assert isinstance(verdict, Wait)
    assert verdict.at == at("2026-12-01T02:00")


def test_entries_from_the_future_do_not_hold_a_dream_up_for_ever() -> None:
    ahead = Memory(250, NOON - HOUR, NOON + 9 * HOUR, 30 * MINUTE, over=NOON - HOUR)
    assert decide(NOON, ahead, YESTERDAY, POLICY) == Dream(Because.COUNT, settle=False)


def test_a_failure_in_the_future_does_not_hold_a_dream_up() -> None:
    past = replace(YESTERDAY, failures=4, failed=NOON + DAY)
    assert decide(NOON, replace(TALK, latest=NOON - HOUR), past, POLICY) == Dream(Because.IDLE)


def test_backoff_grows_and_ends() -> None:
    waits = [backoff(number) for number in range(1, 60)]
    assert waits[:3] == [5 * MINUTE, 10 * MINUTE, 20 * MINUTE]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_BACKOFF


def test_a_deep_dream_comes_along_with_another_or_in_its_own_night() -> None:
    old = replace(YESTERDAY, deep=NOON - 7 * DAY)
    verdict = decide(NOON, replace(TALK, latest=NOON - HOUR), old, POLICY)
    assert verdict == Dream(Because.IDLE, deep=True)
    assert isinstance(verdict, Dream)
    assert verdict.words == "idle, deep"
    waits = decide(NOON, Memory(), old, POLICY)
    assert waits == Wait(14 * HOUR.total_seconds(), Because.DEEP, NOON + 14 * HOUR) or (
        isinstance(waits, Wait) and waits.because is Because.NIGHT
    )


def test_rules_come_from_the_settings() -> None:
    policy = Policy.of(TriggerSettings(night_window="23:30-01:00"), ZoneInfo("Asia/Shanghai"))
    assert policy.night == (time(23, 30), time(1))
    assert policy.idle == 10 * MINUTE
    assert Policy.of(TriggerSettings(night_window=""), UTC).night is None


# -- a life: hours of talk, sleep, failures and a clock that is set ------------------------------

ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Asia/Shanghai", "Australia/Lord_Howe")
EVENT = st.sampled_from(["talk", "burst", "quiet", "sleep", "fail", "task", "quiet", "talk"])


@dataclass
class Life:
    """A vault whose dreams are decided by the triggers, as a daemon would run them."""

    now: datetime
    policy: Policy
    memory: Memory = field(default_factory=Memory)
    past: Past = field(default_factory=Past)
    dreams: list[tuple[datetime, Dream]] = field(default_factory=list)
    failing: bool = False

    def say(self, count: int) -> None:
        pending = self.memory.pending + count
        full = pending >= self.policy.max_pending
        self.memory = replace(
            self.memory, pending=pending, since=self.memory.since or self.now, latest=self.now,
            longest=20 * MINUTE, over=(self.memory.over or self.now) if full else None,
        )  # fmt: skip

    def rest(self, until: datetime) -> None:
        steps = 0
        while self.now < until:
            steps += 1
            assert steps < 500, "the daemon turns without end"
            verdict = decide(self.now, self.memory, self.past, self.policy)
            if isinstance(verdict, Wait):
                assert verdict.seconds > 0
                self.now = min(until, self.now + timedelta(seconds=verdict.seconds))
            else:
                self.dream(verdict)

    def dream(self, verdict: Dream) -> None:
        self.now += timedelta(seconds=2)
        if self.failing:
            self.past = replace(self.past, failures=self.past.failures + 1, failed=self.now)
            return
        self.dreams.append((self.now, verdict))
        deep = self.now if verdict.deep else self.past.deep or self.now
        dreamt = self.now if self.memory.pending or verdict.deep else self.past.dreamt
        self.past = Past(dreamt, self.now, deep)
        self.memory = Memory()


@settings(max_examples=60, deadline=None)
@given(
    zone=st.sampled_from(ZONES),
    start=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 20)),
    events=st.lists(EVENT, min_size=4, max_size=30),
    window=st.sampled_from([(time(2), time(4)), (time(23), time(3)), (time(1, 30), time(2, 15))]),
)
def test_a_life(zone: str, start: datetime, events: list[str], window: tuple[time, time]) -> None:
    policy = replace(POLICY, zone=ZoneInfo(zone), night=window)
    life = Life(start.replace(tzinfo=UTC), policy)
    waiting_since: datetime | None = None
    for event in events:
        life.failing = event == "fail"
        match event:
            case "talk":
                life.say(5)
            case "burst":
                life.say(250)
            case "task":
                life.say(1)
                life.memory = replace(life.memory, closed=life.now)
            case "sleep":
                life.now += 9 * HOUR
        waiting_since = waiting_since or (life.now if life.memory.pending else None)
        life.rest(life.now + 3 * HOUR)
        if not life.memory.pending:
            waiting_since = None
        elif not life.failing and event != "fail":
            assert waiting_since is not None
            assert life.past.failures or life.now - waiting_since <= DAY + 3 * HOUR
    life.failing = False
    life.rest(life.now + 8 * HOUR)
    assert life.memory.pending == 0
    by_night = [at for at, dream in life.dreams if dream.because is Because.NIGHT]
    nights = [night_before(at, policy)[0] for at in by_night]
    assert len(nights) == len(set(nights))
