"""One dream, end to end: the only place where thinking and writing meet.

collect → consolidate → plan → render → apply and commit → forget. Nothing is written until the
whole plan stands; then the vault's journal carries it through.
"""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.care.attend import attend
from noctuary.distil.protocol import Batching
from noctuary.dream.anchor import parse_anchor
from noctuary.dream.brain import Brain
from noctuary.dream.brainmap import Placed, map_language
from noctuary.dream.collect import absorbed_ranges, pending, settled_before
from noctuary.dream.consolidate import Bounds, Outcome, Progress, consolidate
from noctuary.dream.deep import Upkeep, deepen, keep_up
from noctuary.dream.forget import Retention
from noctuary.dream.plan import Known, plan
from noctuary.dream.reconcile import Reconciler
from noctuary.dream.sessions import summaries
from noctuary.dream.telling import commit_message, noise_samples
from noctuary.errors import Problem
from noctuary.memory.entry import text_bytes
from noctuary.memory.report import DreamReport, Result
from noctuary.night.forgetting import Forgetting
from noctuary.night.leaving import Leaving
from noctuary.pages import Pages
from noctuary.pages.mapping import index_writes
from noctuary.pages.scribe import Scribe
from noctuary.tongue import phrase
from noctuary.vault.calm import Calm
from noctuary.vault.layout import dream_id, note_name
from noctuary.vault.names import NameBook
from noctuary.vault.notes import Notes
from noctuary.vault.reading import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from noctuary.config import Settings
    from noctuary.distil.protocol import Distiller
    from noctuary.dream.collect import Pending
    from noctuary.dream.plan import Plan
    from noctuary.vault.store import Applied, Snapshot, Store, Write
    from noctuary.vault.survey import Stamp

_CIRCLES_FROM = 50_000
"""New objects after which the interpreter looks for circles during a night."""
_BRAKE_FROM = 20
"""Below so many cards the share of changed ones says nothing about a runaway."""


@dataclass(frozen=True, slots=True)
class Request:
    """How a dream was asked for.

    Attributes:
        settle: Leave out sessions that were not quiet for the settle time.
        purge_now: Forget everything absorbed at once, whatever its age.
    """

    trigger: str = "by hand"
    dry_run: bool = False
    purge_now: bool = False
    deep: bool = False
    settle: bool = False


def dream(
    store: Store,
    settings: Settings,
    distiller: Distiller,
    *,
    now: datetime,
    request: Request | None = None,
    pages: Pages | None = None,
    progress: Progress | None = None,
    stopwatch: Callable[[], float] = time.monotonic,
) -> DreamReport:
    """Dream once over all that is pending.

    Raises:
        VaultBusy: Another process is writing to the vault.
        HistoryError: Git is in the middle of something; the dream is journalled and finishes later.
    """
    request = request or Request()
    pages = pages or Pages()
    told: list[Problem] = []
    if not request.dry_run:
        store.recover()
        told = attend(store, settings, pages)
    begun = stopwatch()
    night = Night(store, settings, distiller, now, request, pages, Calm.of(store))
    with _rarely_collected():
        report = night.dream(progress, lambda: stopwatch() - begun)
    problems = (*told, *report.problems)
    return replace(report, seconds=stopwatch() - begun, problems=problems)


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """A night makes a great many objects and hardly a circle of them: looking for those costs a sixth of it."""
    before = gc.get_threshold()
    gc.set_threshold(_CIRCLES_FROM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@dataclass(slots=True)
class Night:
    """The state of one dream."""

    store: Store
    settings: Settings
    distiller: Distiller
    now: datetime
    request: Request
    pages: Pages
    calm: Calm
    seen: Mapping[str, Stamp] = field(default_factory=dict)
    forgetting: Forgetting = field(init=False)

    @property
    def _notes(self) -> Notes:
        return Notes(self.store.disk)

    def dream(self, progress: Progress | None, seconds: Callable[[], float]) -> DreamReport:
        """Think, plan, write, forget; the report says what came of it."""
        self.seen = self.calm.look()
        pulse = self.store.pulse()
        self.forgetting = Forgetting.of(self.store, pulse, self.now.date(), self._retention)
        ripe = self.forgetting.ripe
        paths = {*pulse.waiting(), *(path for path in pulse.beats if note_name(path) in ripe)}
        thinks = bool(pulse.pending or self.request.deep)
        snapshot = self.store.by_night(pulse, paths, cards=thinks)
        fresh = self._pending(snapshot)
        if not fresh.entries and not self.request.deep:
            return self._quiet(snapshot, fresh)
        known = _known(snapshot)
        name = dream_id(self.now, {note_name(path) for path in self._notes.paths("dreams")})
        brain = self._brain(snapshot, name)
        reconciler = Reconciler(brain, self.distiller, may_retire=self._brake(known))
        self._fold_references(brain, snapshot, known)
        outcome = self._think(fresh, reconciler, progress)
        self._upkeep(snapshot, reconciler)
        leaving = Leaving(self.store, self.settings, self.now)
        if self.request.deep:
            leaving.cards(brain, snapshot)
            leaving.reports({note_name(path) for path in pulse.beats})
            self.forgetting.leave(brain.cards.values())
        planned = plan(brain, known)
        planned = replace(planned, changes=(*planned.changes, *leaving.changes))
        if not (fresh.entries or planned.actions or leaving.writes or self._stale_map(brain)):
            return self._quiet(snapshot, fresh)
        report = self._report(name, snapshot, fresh, outcome, planned, reconciler)
        report = replace(report, seconds=seconds())
        if report.result is Result.FAILED:
            return report
        return self._write(snapshot, brain, planned, report, outcome, leaving.writes)

    # -- before -------------------------------------------------------------------------------

    def _pending(self, snapshot: Snapshot) -> Pending:
        quiet = settled_before(self.now, self.settings.triggers.settle_seconds)
        limit = quiet if self.request.settle else None
        return pending(snapshot.episodes, snapshot.absorbed, limit)

    def _quiet(self, snapshot: Snapshot, fresh: Pending) -> DreamReport:
        """Nothing to think about; entries whose time is up are forgotten all the same."""
        name = dream_id(self.now)
        purge = self.forgetting.due(snapshot)
        purged = sum(map(len, purge.values()))
        if purge and not self.request.dry_run:
            self.forgetting.note(purge)
            self.store.apply(name, (), f"Forget {purged} raw entries", purge)
        elif not (purge or fresh.waiting or fresh.entries):
            self.calm.keep(self.seen, self.forgetting.next_due())
        return DreamReport(
            name,
            self.request.trigger,
            Result.NOTHING,
            self.now,
            distiller=self.distiller.name,
            model=self.distiller.model,
            purged=purged,
            waiting=fresh.waiting,
            problems=snapshot.problems,
        )

    def _brain(self, snapshot: Snapshot, name: str) -> Brain:
        book = NameBook(self._notes.names())
        brain = Brain(
            now=self.now,
            dream=f"[[{name}]]",
            namer=book.take,
            by_person=frozenset(item.card.id for item in snapshot.cards if item.by_person),
            rejected=lambda receipt: snapshot.rejected.text(receipt.quote),
            words=snapshot.words,
            retired=frozenset(item.id for item in snapshot.retired),
            archived=frozenset(mark for item in snapshot.retired for mark in item.marks),
        )
        brain.learn((item.card, note_name(item.path)) for item in snapshot.cards)
        return brain

    def _brake(self, known: Mapping[str, Known]) -> int:
        share = self.settings.dream.max_changed_share
        return max(_BRAKE_FROM, int(len(known) * share))

    def _fold_references(self, brain: Brain, snapshot: Snapshot, known: dict[str, Known]) -> None:
        """Count what was recalled; a card of the archive is read whole for it."""
        if self.request.dry_run:
            return
        retired = {item.id: item for item in snapshot.retired}
        reader = Reader(self.store.root)
        for reference in self.store.references.drain():
            item = retired.pop(reference.card, None)
            if item and (whole := reader.card(item.path, self._notes.read(item.path) or b"")):
                brain.learn([(whole, note_name(item.path))])
                known[item.id] = Known(whole, item.path, item.digest, item.id in snapshot.own)
            card = brain.cards.get(reference.card)
            if card is not None:
                latest = max(card.last_referenced, reference.at.date())
                brain.put(replace(card, references=card.references + 1, last_referenced=latest))

    # -- thinking -----------------------------------------------------------------------------

    def _think(self, fresh: Pending, reconciler: Reconciler, progress: Progress | None) -> Outcome:
        wanted = self.settings.dream
        bounds = Bounds(
            wanted.batch, wanted.detail_from, wanted.keep_from,
            wanted.max_lost_facts, wanted.max_cards_per_100_entries,
        )  # fmt: skip
        page = self._notes.read("preferences.md") or b""
        anchor = parse_anchor(page.decode("utf-8", "replace"))
        try:
            outcome = consolidate(fresh, reconciler, self.distiller, anchor, bounds, progress)
            if self.request.deep:
                deepen(reconciler.brain, reconciler, anchor)
        finally:
            if isinstance(self.distiller, Batching):
                self.distiller.close()
        return outcome

    def _upkeep(self, snapshot: Snapshot, reconciler: Reconciler) -> None:
        keep = self.settings.retention
        days = keep.stale_days if self.request.deep else 1_000_000
        limits = Upkeep(days, keep.max_cards, keep.max_cards_mb * 1_000_000)
        keep_up(reconciler.brain, snapshot.sizes, limits)

    def _report(
        self,
        name: str,
        snapshot: Snapshot,
        fresh: Pending,
        outcome: Outcome,
        planned: Plan,
        reconciler: Reconciler,
    ) -> DreamReport:
        problems = [*snapshot.problems, *outcome.problems, *self._alarms(outcome, reconciler)]
        return DreamReport(
            id=name,
            trigger=self.request.trigger,
            result=self._result(outcome),
            started=self.now,
            distiller=self.distiller.name,
            model=self.distiller.model,
            usage=self.distiller.usage,
            seen=len(fresh.entries),
            absorbed=len(outcome.scored),
            absorbed_bytes=sum(text_bytes(item.entry) for item in outcome.scored),
            noise=len(outcome.noise),
            failed=len(outcome.failed),
            waiting=fresh.waiting,
            changes=planned.changes,
            facts_kept=outcome.facts_kept,
            facts_lost=tuple(outcome.facts_lost),
            ranges=tuple(absorbed_ranges(snapshot.episodes, _ids(outcome))),
            sessions=summaries(outcome.scored, outcome.passed),
            noise_samples=noise_samples(outcome.noise),
            rejected=tuple(outcome.stopped),
            problems=tuple(problems),
        )

    def _result(self, outcome: Outcome) -> Result:
        if self._loses_too_much(outcome):
            return Result.FAILED
        if not outcome.failed:
            return Result.DONE
        return Result.PARTIAL if outcome.scored else Result.FAILED

    def _loses_too_much(self, outcome: Outcome) -> bool:
        return outcome.detail_lost > 0 or outcome.share_lost > self.settings.dream.max_lost_facts

    def _alarms(self, outcome: Outcome, reconciler: Reconciler) -> list[Problem]:
        found = []
        if self._loses_too_much(outcome):
            what = phrase(
                "the dream would lose {count} hard facts and was not written; "
                "raise max_lost_facts or report this",
                count=len(outcome.facts_lost),
            )
            found.append(Problem("dream", what))
        if reconciler.conflicts.refused:
            what = phrase(
                "{count} more cards would have been superseded; that many at once "
                "look like a mistake, so they were marked disputed: look at them",
                count=reconciler.conflicts.refused,
            )
            found.append(Problem("dream", what))
        return found

    # -- writing ------------------------------------------------------------------------------

    def _stale_map(self, brain: Brain) -> bool:
        """Whether the brain map shows anything else than the cards that are there."""
        scribe = Scribe(self.pages, self._notes.read, self.store.marks)
        return bool(index_writes(self._notes, self.settings, scribe, _placed(brain)))

    def _write(
        self,
        snapshot: Snapshot,
        brain: Brain,
        planned: Plan,
        report: DreamReport,
        outcome: Outcome,
        leaving: Sequence[Write],
    ) -> DreamReport:
        cards = _placed(brain)
        language = map_language(self.settings.vault.language, brain.cards.values())
        pages = self.pages.speaking(language)
        scribe = Scribe(pages, self._notes.read, self.store.marks)
        writes, problems = scribe.writes(planned)
        writes += leaving
        report = replace(report, problems=(*report.problems, *problems))
        writes += index_writes(self._notes, self.settings, scribe, cards, report)
        path = self.store.layout.dream_path(report.id)
        writes += filter(None, [scribe.page(path, pages.report(report))])
        if self.request.dry_run:
            return replace(report, preview=scribe.diff(writes))
        self.forgetting.add(outcome.scored)
        purge = self.forgetting.due(snapshot)
        self.forgetting.note(purge)
        applied = self.store.apply(report.id, writes, commit_message(report, language), purge)
        if not (applied.dropped or report.failed or report.waiting):
            self.calm.keep_after(self.seen, self.forgetting.next_due())
        if isinstance(self.distiller, Batching) and not outcome.failed:
            self.distiller.settled()
        return _with_applied(report, applied, purge)

    @property
    def _retention(self) -> Retention:
        keep = self.settings.retention
        purge = "immediate" if self.request.purge_now else keep.purge
        return Retention(purge, keep.noise_days, keep.entry_days)


def _known(snapshot: Snapshot) -> dict[str, Known]:
    return {
        item.card.id: Known(item.card, item.path, item.digest, item.by_person)
        for item in snapshot.cards
    }


def _placed(brain: Brain) -> list[Placed]:
    return [Placed(card, brain.name_of(card.id)) for card in brain.cards.values()]


def _ids(outcome: Outcome) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for item in outcome.scored:
        found[item.entry.episode].add(item.entry.id)
    return dict(found)


def _with_applied(
    report: DreamReport, applied: Applied, purge: Mapping[str, set[str]]
) -> DreamReport:
    problems = [
        Problem(path, phrase("changed while the dream was thinking; it is taken up next time"))
        for path in applied.dropped
    ]
    purged = sum(len(purge.get(name, ())) for name in applied.purged)
    return replace(
        report,
        commit=applied.commit or "",
        purged=purged,
        problems=(*report.problems, *problems),
        result=Result.PARTIAL if problems and report.result is Result.DONE else report.result,
    )
