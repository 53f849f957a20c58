"""One vault in the daemon's hands: it looks, keeps count, decides, and has dreams dreamt.

A keeper never writes to a note. It changes nothing at all while nothing happens.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.care.outlook import Seen, memory_of, past_of, told_next
from noctuary.config import FILE_NAME, Settings, parse
from noctuary.dream.triggers import RED_AFTER, Dream, Policy, decide
from noctuary.errors import NoctuaryError
from noctuary.service.errands import BUSY, DONE, FAILED, Task
from noctuary.tongue import phrase
from noctuary.vault.attempts import AttemptLog
from noctuary.vault.brake import GUARDED, Brake, Losses
from noctuary.vault.files import digest_of
from noctuary.vault.heartbeat import Heartbeat
from noctuary.vault.lookout import Lookout, Pace
from noctuary.vault.pulse import Pulse
from noctuary.vault.state import read_ledger
from noctuary.vault.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo
    from pathlib import Path

    from noctuary.service.errands import Errand, Errands, Outcome
    from noctuary.vault.survey import Changes

LOG = "noctuary.daemon"
SLICE = 0.2
"""Seconds of reading at a time, so that a wish to leave is heard soon."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often what is done, in seconds.

    Attributes:
        busy: Pause after somebody else was writing to the vault.
        calm: Quiet time before the search index is brought up to date.
        sweeps: After a dream, when late saves into the graveyard are given back.
        longest: Between two decisions, whatever was decided.
        jump: A step of the clock that is taken for one.
        save: How often what was counted is kept for the next start, if it changed.
    """

    pace: Pace = field(default_factory=Pace)
    busy: float = 30.0
    calm: float = 30.0
    sweeps: tuple[float, ...] = (60.0, 3600.0)
    longest: float = 60.0
    jump: float = 30.0
    save: float = 60.0


@dataclass(frozen=True, slots=True)
class World:
    """What lies outside of a keeper.

    Attributes:
        now: The time of day, aware.
        ticks: Seconds that only ever grow.
        wake: Ends the pause of the loop; may be called from any thread.
        cache: Folder for what can be found again, by the vault's own name.
        alarm: Tells a person something that cannot wait, where that is wished for.
    """

    now: Callable[[], datetime]
    ticks: Callable[[], float]
    wake: Callable[[], None]
    errands: Errands
    cache: Callable[[str], Path]
    alarm: Callable[[str], object] = lambda _words: None
    poll: bool = False
    rhythm: Rhythm = field(default_factory=Rhythm)


class Keeper:
    """Keeps one vault. Open it, call `turn` again and again, and close it."""

    def __init__(self, root: Path, world: World) -> None:
        self.root = root
        self.world = world
        self.settings = Settings()
        self._log = logging.LoggerAdapter(logging.getLogger(LOG), {"vault": str(root)})
        self._errand: Errand | None = None
        self._task = Task("")
        self._wanted = 0
        self._unsettled = False
        self._seen: dict[str, Seen] = {}
        self._over: datetime | None = None
        self._looked: datetime | None = None
        self._tidy_at: list[float] = []
        self._think_at = self._save_at = 0.0
        self._said = ""
        self._red = 0
        self._suspects: set[str] = set()

    # -- life ---------------------------------------------------------------------------------

    def open(self) -> None:
        """Take the vault: lock, settings, watches, and a first look at everything.

        Raises:
            VaultNotFound: There is no vault.
            VaultBusy: Another daemon has it.
        """
        self.store = Store.open(self.root, clock=self._local, wait=0.5)
        self._beat = Heartbeat(self.store.layout.state)
        self._beat.take()
        try:
            self._begin()
        except BaseException:
            self._beat.end()
            raise
        self._log.info("watching %s (%s)", self.root, self.lookout.watching.mode)

    def _begin(self) -> None:
        self.reload()
        disk, world = self.store.disk, self.world
        clock = lambda: world.now().timestamp()
        self.lookout = Lookout(
            self.root, world.wake, world.ticks, clock, self._log, world.rhythm.pace, world.poll
        )
        self.lookout.open()
        self.pulse = Pulse(disk, world.cache(self.store.vault_id) / "pulse.json")
        self.pulse.begin(self.lookout.stamps)
        self._losses = Losses(Brake(disk))
        self._losses.note(self._losses.brake.gone_cards(self.lookout.stamps), world.ticks())
        self._losses.note(self.pulse.lost, world.ticks())
        self._drift = self._clock_drift()
        self._think_at = world.ticks()
        self._save_at = self._think_at + world.rhythm.save
        self._tidy_at = [self._think_at + min(world.rhythm.calm, 5.0)]
        self._beat.begin(self.lookout.watching.mode)

    def hush(self) -> None:
        """Ask an errand under way to leave soon."""
        if self._errand is not None:
            self._errand.ask()

    def close(self) -> None:
        """Let go of the vault; an errand under way is asked to leave."""
        if self._errand is not None:
            self._errand.stop()
            self._errand = None
        self.lookout.close()
        with suppress(OSError):
            self.pulse.save()
        self._beat.end()

    def reload(self) -> None:
        """Read `noctuary.toml` again."""
        text = (self.root / FILE_NAME).read_text("utf-8", errors="replace")
        self.settings, problems = parse(text)
        self.policy = Policy.of(self.settings.triggers, self.zone)
        self._think_at = self.world.ticks()
        for problem in problems:
            self._log.warning("%s", problem)

    @property
    def zone(self) -> tzinfo:
        """The vault's time zone."""
        return self.settings.vault.zone

    def _local(self) -> datetime:
        return self.world.now().astimezone(self.zone).replace(tzinfo=None)

    # -- one turn -----------------------------------------------------------------------------

    def turn(self) -> float:
        """Do what is due; gives the seconds until the next turn, if nothing happens before.

        Raises:
            FileNotFoundError: The vault is gone, or another folder is in its place.
        """
        self._mind_the_clock()
        self._take_in(self.lookout.look())
        self._end_errand()
        if not self.pulse.work(SLICE):
            return 0.0
        ticks = self.world.ticks()
        self._keep_up(ticks)
        if self._errand is None and ticks >= self._think_at:
            self._think(ticks)
        waits = [self.lookout.seconds()]
        if self._errand is None:
            waits.append(self._think_at - self.world.ticks())
        return max(0.0, min(waits))

    def _keep_up(self, ticks: float) -> None:
        self._beat.beat()
        if self._suspects and not self._is_dreaming:
            self._tell_hand_edits()
        if ticks >= self._save_at:
            self._save_at = ticks + self.world.rhythm.save
            self.pulse.save()

    def _mind_the_clock(self) -> None:
        """After a sleep of the machine, or when the clock was set, look again at once."""
        drift = self._clock_drift()
        jump, self._drift = drift - self._drift, drift
        if abs(jump) < self.world.rhythm.jump:
            return
        self._log.info("the clock moved by %.0f seconds", jump)
        now = self.world.now()
        self._seen = {
            path: Seen(min(seen.first, now), min(seen.last, now))
            for path, seen in self._seen.items()
        }
        self._over = min(self._over, now) if self._over else None
        self._looked = None if self._looked and self._looked > now else self._looked
        self._think_at = self.world.ticks()
        self.lookout.hurry()

    def _clock_drift(self) -> float:
        return self.world.now().timestamp() - self.world.ticks()

    # -- what changed -------------------------------------------------------------------------

    def _take_in(self, changes: Changes) -> None:
        if not changes:
            return
        self._think_at = self.world.ticks()
        self.pulse.note(changes, self.lookout.stamps)
        if FILE_NAME in changes.changed:
            self._log.info("settings read again")
            self.reload()
        if any(path.startswith(GUARDED) for path in changes.all):
            self._plan_tidying()
        self._suspects |= {path for path in changes.fresh | changes.changed if _is_card(path)}
        if not self._is_dreaming:
            self._mind_episodes(changes)
            self._losses.note(changes.gone, self.world.ticks())

    @property
    def _is_dreaming(self) -> bool:
        """A dream of ours moves notes and forgets entries; that is nobody's sign of life."""
        return self._errand is not None and self._task.kind == "dream"

    def _mind_episodes(self, changes: Changes) -> None:
        """Signs of life in sessions."""
        now = self.world.now()
        for path in changes.fresh | changes.changed:
            if path.startswith("episodes/"):
                seen = self._seen.get(path)
                self._seen[path] = Seen(seen.first if seen else now, now)

    def _tell_hand_edits(self) -> None:
        """Cards whose bytes are not what the program wrote last: a person's, from now on."""
        ledger = read_ledger(self.store.disk)
        ours = ledger.digests() if ledger else set()
        for path in sorted(self._suspects):
            data = self.store.disk.read(self.store.layout.absolute(path))
            if data is not None and digest_of(data) not in ours:
                self._log.info("edited by hand: %s", path)
        self._suspects.clear()

    # -- deciding -----------------------------------------------------------------------------

    def _think(self, ticks: float) -> None:
        longest = self.world.rhythm.longest
        self._think_at = ticks + longest
        if self._is_braked(ticks):
            return
        now = self.world.now()
        self._mind_the_count(now)
        memory = memory_of(self.pulse, self.zone, now, self._seen, self._over)
        attempts = AttemptLog(self.store.disk).read()
        past = past_of(self.pulse, attempts, self.zone, now, self._looked)
        verdict = decide(now, memory, past, self.policy)
        if isinstance(verdict, Dream):
            if self._nothing_new():
                self._dream(verdict)
            return
        self._say_next(told_next(verdict, now, self.zone).words)
        self._think_at = ticks + max(0.05, min(verdict.seconds, longest))
        self._tidy_if_due(ticks)

    def _is_braked(self, ticks: float) -> bool:
        """Whether too much is gone to dream; says so once, and when it is over."""
        before = self._losses.on
        why = self._losses.judge(self.lookout.stamps, ticks)
        if why and not before:
            self._log.error("%s", why)
            self._alarm(why)
        if before and not why:
            self._log.info("the brake is off")
        return bool(why)

    def _mind_the_count(self, now: datetime) -> None:
        full = self.pulse.pending >= self.policy.max_pending
        self._over = (self._over or now) if full else None
        waiting = self.pulse.waiting()
        self._seen = {path: seen for path, seen in self._seen.items() if path in waiting}

    def _say_next(self, words: str) -> None:
        if words != self._said:
            self._said = words
            self._log.debug("next dream: %s", words)

    def _nothing_new(self) -> bool:
        """Scan everything before a dream; when something is new, decide again."""
        changes = self.lookout.scan()
        self._take_in(changes)
        return not changes

    # -- errands ------------------------------------------------------------------------------

    def _dream(self, verdict: Dream) -> None:
        self._wanted = self.pulse.pending
        self._log.info("dreaming: %s", verdict.words)
        settle = verdict.settle and not self._unsettled
        self._start(Task("dream", verdict.words, settle, verdict.deep))

    def _plan_tidying(self) -> None:
        """Once it is calm; what is planned already is not put off for ever."""
        at = self.world.ticks() + self.world.rhythm.calm
        if not self._tidy_at or self._tidy_at[0] > at:
            self._tidy_at = [at, *self._tidy_at]

    def _tidy_if_due(self, ticks: float) -> None:
        if self._tidy_at and self._tidy_at[0] <= ticks:
            self._tidy_at = [at for at in self._tidy_at if at > ticks]
            self._start(Task("tidy"))
        elif self._tidy_at:
            self._think_at = min(self._think_at, self._tidy_at[0])

    def _start(self, task: Task) -> None:
        self._task = task
        self._errand = self.world.errands.start(self.root, task, self.world.wake)

    def _end_errand(self) -> None:
        outcome = self._errand.outcome() if self._errand else None
        if outcome is None:
            return
        self._take_in(self.lookout.scan())
        self._errand = None
        ticks = self.world.ticks()
        if self._task.kind == "dream":
            self._end_dream(outcome, ticks)
        elif outcome.state != DONE:
            self._log.warning("tidying: %s", outcome.words)
        self._think_at = ticks + (self.world.rhythm.busy if outcome.state == BUSY else 0.0)

    def _end_dream(self, outcome: Outcome, ticks: float) -> None:
        if outcome.state == FAILED and not outcome.noted:
            self._note_failure(outcome.words)
        level = logging.INFO if outcome.state in {DONE, BUSY} else logging.ERROR
        self._log.log(level, "dream %s: %s", outcome.state, outcome.words)
        if outcome.state == DONE:
            self._looked = self.world.now()
            self._tidy_at = [ticks + after for after in self.world.rhythm.sweeps]
            self._mind_what_it_left(outcome)
        self._cry_for_help()

    def _mind_what_it_left(self, outcome: Outcome) -> None:
        """A dream that found none of what is pending is tried once more without settle time."""
        found_none = self._wanted > 0 and not outcome.data.get("seen")
        if found_none and self._unsettled:
            self._note_failure(
                phrase(
                    "{wanted} entries were pending and the dream found none", wanted=self._wanted
                )
            )
        self._unsettled = found_none

    def _note_failure(self, why: str) -> None:
        with suppress(OSError, NoctuaryError):
            AttemptLog(self.store.disk).note_failure(why, self.world.now())

    def _cry_for_help(self) -> None:
        failures = AttemptLog(self.store.disk).read().failures
        if failures >= RED_AFTER and failures > self._red:
            what = phrase(
                "{failures} dreams in a row failed; `noctuary doctor` says why.", failures=failures
            )
            self._log.error("%s", what)
            self._alarm(what)
            self._plan_tidying()
        self._red = failures

    def _alarm(self, words: str) -> None:
        if self.settings.daemon.notify:
            self.world.alarm(words)


def _is_card(path: str) -> bool:
    return path.startswith(("cards/", "inbox/", "archive/"))
