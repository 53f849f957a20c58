"""Open tasks that are done: by a mark of their writer, by a distiller's word, or as a person says.

Pure.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING

from noctuary.dream.gate import receipt_of
from noctuary.dream.proposals import propose
from noctuary.dream.scope import in_scope
from noctuary.memory.candidate import Known, Quote
from noctuary.memory.card import Status
from noctuary.memory.entry import Role
from noctuary.memory.report import ChangeKind
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import content_tokens
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.brain import Brain
    from noctuary.dream.conflicts import Conflicts
    from noctuary.dream.gate import Passed
    from noctuary.memory.card import Receipt
    from noctuary.memory.entry import Entry

LONGEST_REPORT = 1500
"""Characters of an answer of an assistant that reports; a longer one explains."""
SAME_TASK = 0.5
"""So much of the words of a task must stand in what names it as done, and no other beside them."""


def close_named(conflicts: Conflicts, distiller: Distiller, item: Passed) -> bool:
    """Mark the open task that a closing candidate names as done; False if there is none."""
    brain, receipt = conflicts.brain, item.receipts[0]
    if brain.holds(receipt):
        return True
    tasks = _open(brain, item, receipt)
    told = (item.candidate.title, receipt.quote)
    best = max(tasks, key=lambda task: _likeness(task, told), default=None)
    if best is not None and _likeness(best, told) >= SAME_TASK:
        _close(conflicts, best, receipt)
        return True
    named = distiller.finished(item.candidate.quotes[0], tasks)
    for task in named:
        _close(conflicts, task, receipt)
    return bool(named)


def close_told(conflicts: Conflicts, distiller: Distiller, entries: Sequence[Entry]) -> None:
    """Close what is told to be done, reopen what a person says is not, turn by turn.

    A person's `the contract is signed` closes a task also where it is worth no line of a card.
    """
    closable = _Closable(conflicts.brain)
    for entry in entries:
        if entry.role is Role.USER:
            _reopen_denied(conflicts.brain, distiller, entry)
        tasks = closable.in_reach_of(entry) if _may_tell(entry) else []
        for quote in _sentences(entry) if tasks else ():
            for task in distiller.finished(quote, tasks):
                _close(conflicts, task, receipt_of(quote))
                tasks.remove(task)


def _may_tell(entry: Entry) -> bool:
    reports = entry.role is Role.ASSISTANT and len(entry.text) <= LONGEST_REPORT
    return reports or entry.role is Role.USER


def _reopen_denied(brain: Brain, distiller: Distiller, entry: Entry) -> None:
    """What an assistant reported as done is open again once its person says that it is not."""
    tasks = [task for task in _reported(brain) if _concerns(entry, task)]
    for quote in _sentences(entry) if tasks else ():
        for task in distiller.unfinished(quote, tasks):
            card = brain.cards[task.card.id]
            open_ = replace(card, status=Status.OPEN, valid_until=None)
            open_ = open_.with_evidence(card.evidence[:-1])
            link = receipt_of(quote).link
            change = brain.change(ChangeKind.REVISED, open_, phrase("it is not done"), link)
            brain.put(brain.note(open_, phrase("open again, see {link}, noted", link=link)), change)
            tasks.remove(task)


class _Closable:
    """Open tasks, by whose they are: of the hundreds of them a turn may speak of a few.

    An assistant's word closes those with a card of their own, unedited.
    """

    def __init__(self, brain: Brain) -> None:
        self._brain = brain
        self._open: Sequence[Known] = ()
        self._groups: dict[tuple[str, str], list[tuple[int, datetime, Known]]] = {}

    def in_reach_of(self, entry: Entry) -> list[Known]:
        """Those that a turn may speak of, in the order in which they were opened."""
        if self._open is not self._brain.open_tasks():
            self._group()
        found = [
            (place, task)
            for (project, speaker), tasks in self._groups.items()
            if _is_of(entry, project, speaker)
            for place, told, task in tasks
            if told <= entry.at and entry.id != task.receipt.entry
            if entry.role is Role.USER or self._is_plain(task)
        ]
        return [task for _, task in sorted(found, key=itemgetter(0))]

    def _group(self) -> None:
        self._open, self._groups = self._brain.open_tasks(), {}
        for place, task in enumerate(self._open):
            group = self._groups.setdefault((task.card.project, task.receipt.speaker), [])
            group.append((place, _last_told(task), task))

    def _is_plain(self, task: Known) -> bool:
        alone = not task.card.is_digest or len(task.card.evidence) == 1
        return alone and task.card.id not in self._brain.by_person


def _reported(brain: Brain) -> Iterator[Known]:
    """Tasks that are done by the word of an assistant alone, each with the words that set it."""
    for card in brain.reported_tasks():
        yield Known(card, card.evidence[0])


def _concerns(entry: Entry, task: Known) -> bool:
    """Whether a turn may speak of a task: of its project, and behind what was said of it last."""
    ours = _is_of(entry, task.card.project, task.receipt.speaker)
    return ours and _last_told(task) <= entry.at and entry.id != task.receipt.entry


def _is_of(entry: Entry, project: str, speaker: str) -> bool:
    """Whether a turn may speak of this project and person; who names none may mean any."""
    same = not (entry.project and project) or entry.project == project
    return same and (not (entry.user and speaker) or entry.user == speaker)


def _last_told(task: Known) -> datetime:
    lines = (task.receipt,) if task.card.is_digest else task.card.evidence
    return max(receipt.at for receipt in lines)


def _sentences(entry: Entry) -> Iterator[Quote]:
    for piece in sentences(entry.text):
        if piece.kind not in ("code", "quote"):
            yield Quote(entry, piece.text)


def _open(brain: Brain, item: Passed, receipt: Receipt) -> list[Known]:
    fits: dict[tuple[str, str], bool] = {}
    found = []
    for task in brain.open_tasks():
        owner = (task.card.project, task.card.user)
        if (ours := fits.get(owner)) is None:
            ours = fits[owner] = in_scope(item.candidate, task.card)
        if ours and task.receipt.at <= receipt.at and task.receipt.key != receipt.key:
            found.append(task)
    return found


def _close(conflicts: Conflicts, task: Known, receipt: Receipt) -> None:
    """A task that is one line of many steps aside; one with a card of its own is done."""
    brain = conflicts.brain
    card = brain.cards[task.card.id]
    if card.is_digest and len(card.evidence) > 1:
        conflicts.retire(task, Known(card, receipt), phrase("done"))
        return
    done = replace(card, status=Status.DONE, valid_until=receipt.at.date())
    if card.id in brain.by_person:
        propose(brain, card, receipt)
    else:
        done = done.with_evidence((*card.evidence, receipt))
    change = brain.change(ChangeKind.REVISED, done, phrase("done"), receipt.link)
    brain.put(brain.note(done, phrase("done, noted")), change)


def _likeness(task: Known, told: Iterable[str]) -> float:
    """How much of its words a task shares with what tells of it, where one names no more."""
    asked = [frozenset(content_tokens(text)) for text in (task.card.title, task.receipt.quote)]
    pairs = product(asked, (frozenset(content_tokens(text)) for text in told))
    shares = (
        len(one & other) / len(one | other)
        for one, other in pairs
        if one | other and (one <= other or other <= one)
    )
    return max(shares, default=0.0)
