"""The thinking part of a night, end to end and pure: entries and a brain in, a changed brain out.

score → distil → limit → gate → reconcile → ledger, day by day. Whoever thinks is called through
the distiller protocol; what follows from its answers is decided here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.distil.protocol import Batching
from noctuary.dream import ledger
from noctuary.dream.gate import GateResult, check
from noctuary.dream.joining import told_once
from noctuary.dream.limit import allowed, fit
from noctuary.dream.scope import apart
from noctuary.dream.tasks import close_told
from noctuary.errors import DistillerError, Problem
from noctuary.memory.candidate import Anchor, Candidate, Score, Scored
from noctuary.memory.entry import Entry, Priority, Role
from noctuary.memory.facts import fact_keys
from noctuary.memory.sentences import sentences
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.collect import Pending
    from noctuary.dream.reconcile import Reconciler
    from noctuary.memory.facts import HardFact

Progress = Callable[[int, int], None]
"""Called with (entries done, entries in all)."""

_TELLING_ANYWHERE = frozenset(
    {"name", "version", "path", "url", "email", "command", "id", "quoted"}
)
"""Kinds of facts that are as good on another entry's card; a bare number is not."""
_SHORT_NAME = 3


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of `noctuary.toml` that the thinking part keeps."""

    batch: int = 25
    detail_from: int = 4
    keep_from: int = 2
    max_lost_facts: float = 0.02
    max_cards_per_100_entries: int = 25


@dataclass(slots=True)
class Outcome:
    """What the thinking came to, summed over its days.

    Attributes:
        scored: Every entry that was thought about, noise included.
        passed: Candidates that went through the gate, for the summaries of sessions.
        failed: Entries that the distiller could not think about; they stay pending.
    """

    scored: list[Scored] = field(default_factory=list)
    passed: list[Candidate] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    failed: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    facts_kept: int = 0
    facts_lost: list[tuple[str, str]] = field(default_factory=list)
    detail_lost: int = 0

    @property
    def noise(self) -> list[Scored]:
        """Entries that nothing was kept of, by their score."""
        return [item for item in self.scored if item.score.value <= 1]

    @property
    def share_lost(self) -> float:
        """Lost hard facts by all hard facts."""
        total = self.facts_kept + len(self.facts_lost)
        return len(self.facts_lost) / total if total else 0.0


def consolidate(
    pending: Pending,
    reconciler: Reconciler,
    distiller: Distiller,
    anchor: Anchor,
    bounds: Bounds,
    progress: Progress | None = None,
) -> Outcome:
    """Think about everything pending, one day after the other."""
    outcome = Outcome()
    waiting: dict[str, list[Entry]] = defaultdict(list)
    done, total = 0, len(pending.entries)
    for _, entries in pending.by_day():
        try:
            _one_day(entries, reconciler, distiller, anchor, bounds, outcome)
        except DistillerError as error:
            outcome.failed += entries
            waiting[error.args[0] if error.args else ""] += entries
        done += len(entries)
        if progress is not None:
            progress(done, total)
    outcome.problems += [_told(why, entries) for why, entries in waiting.items()]
    if isinstance(distiller, Batching):
        outcome.stopped += distiller.stopped
        outcome.problems += distiller.problems
    return outcome


def _told(why: str, entries: Sequence[Entry]) -> Problem:
    """What several days wait for is told once."""
    days = sorted({entry.at.date() for entry in entries})
    where = str(days[0])
    if len(days) > 1:
        where = phrase("{first} to {last}", first=days[0], last=days[-1])
    return Problem(where, phrase("{count} entries wait: {why}", count=len(entries), why=why))


def _one_day(
    entries: list[Entry],
    reconciler: Reconciler,
    distiller: Distiller,
    anchor: Anchor,
    bounds: Bounds,
    outcome: Outcome,
) -> None:
    scored = _score(entries, distiller, anchor, bounds)
    kept = [item for item in scored if item.score.value > 1]
    candidates = apart(distiller.distil(scored, anchor)) if kept else []
    candidates = fit(candidates, allowed(len(entries), bounds.max_cards_per_100_entries))
    gate = check(candidates)
    reconciler.foresee(gate.passed)
    held = _Held(frozenset(entry.user.casefold() for entry in entries if entry.user))
    held.add(gate)
    accounts = held.settle(ledger.accounts(kept, held.quoted))
    mended = check(ledger.mend(accounts, bounds.max_lost_facts, distiller.title))
    if mended.passed:
        held.add(mended)
        accounts = held.settle(ledger.accounts(kept, held.quoted))
    reconciler.take(told_once(gate.passed, mended.passed))
    close_told(reconciler.conflicts, distiller, entries)
    balance = ledger.balance(accounts)
    outcome.scored += scored
    outcome.passed += [item.candidate for item in gate.passed]
    outcome.stopped += gate.stopped
    outcome.facts_kept += balance.kept
    outcome.facts_lost += balance.lost
    outcome.detail_lost += balance.detail_lost


def _score(
    entries: list[Entry], distiller: Distiller, anchor: Anchor, bounds: Bounds
) -> list[Scored]:
    """Scores of one day; only who is asked in batches sees less than the day at once."""
    if isinstance(distiller, Batching):
        found = distiller.score_all(list(_batches(entries, bounds.batch)), anchor)
    else:
        found = [distiller.score(entries, anchor)]
    scores = [score for part in found for score in part]
    return [
        Scored(entry, marked(entry, weighed(score, bounds)))
        for entry, score in zip(entries, scores, strict=True)
    ]


def _batches(entries: Sequence[Entry], size: int) -> Iterator[Sequence[Entry]]:
    for start in range(0, len(entries), size):
        yield entries[start : start + size]


def weighed(score: Score, bounds: Bounds) -> Score:
    """The score as a dream acts on it: from 4 on in detail, from 2 on in short, 1 is noise."""
    value = min(5, max(1, score.value))
    if value >= bounds.detail_from:
        return replace(score, value=max(4, value))
    return replace(score, value=min(3, max(2, value)) if value >= bounds.keep_from else 1)


def marked(entry: Entry, score: Score) -> Score:
    """The score after the writer's own mark, which outranks it: high at least 4, low at most 2."""
    if entry.priority is Priority.HIGH and score.value < 4:
        return Score(4, (("marked high by its writer", 4.0), *score.signals))
    if entry.priority is Priority.LOW and score.value > 2:
        return Score(2, (("marked low by its writer", -2.0), *score.signals))
    return score


class _Held:
    """What cards hold of each entry after the gate, and which telling facts stand anywhere."""

    def __init__(self, speakers: frozenset[str] = frozenset()) -> None:
        self._speakers = speakers
        self._texts: dict[str, list[str]] = defaultdict(list)
        self._keys: set[str] = set()
        self._said: set[str] = set()

    def add(self, gate: GateResult) -> None:
        for item in gate.passed:
            texts = [quote.text for quote in item.candidate.quotes]
            for quote in item.candidate.quotes:
                self._texts[quote.entry.link] += [quote.text, item.candidate.statement]
            self._keys.update(*(fact_keys(text) for text in texts))
            self._said.update(_plain(piece.text) for text in texts for piece in sentences(text))

    @property
    def quoted(self) -> dict[str, str]:
        return {link: "\n".join(texts) for link, texts in self._texts.items()}

    def settle(self, accounts: Iterable[ledger.Account]) -> list[ledger.Account]:
        """Facts that stand on a card through another entry are not lost.

        Those are sentences said twice, telling facts, and how a speaker is called.
        """
        return [self._settled(account) if account.lost else account for account in accounts]

    def _settled(self, account: ledger.Account) -> ledger.Account:
        lines = ledger.Lines(account.entry.text)
        lost = tuple(fact for fact in account.lost if not self._stands(fact, lines))
        return ledger.Account(account.scored, account.facts, lost)

    def _stands(self, fact: HardFact, lines: ledger.Lines) -> bool:
        if any(_plain(line) in self._said for line in lines.holding([fact])):
            return True
        if fact.kind == "name" and any(map(self._calls_speaker, fact.text.casefold().split())):
            return True
        return fact.kind in _TELLING_ANYWHERE and fact.key in self._keys

    def _calls_speaker(self, word: str) -> bool:
        """Whether a word is a speaker's name or its short form: each receipt says who spoke."""
        return len(word) >= _SHORT_NAME and any(name.startswith(word) for name in self._speakers)


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()


def messages(entries: Iterable[Entry]) -> int:
    """How many of these were said by a person or an agent."""
    return sum(entry.role in {Role.USER, Role.ASSISTANT} for entry in entries)
