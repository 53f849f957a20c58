"""The thinking part of the product without its disk: for quick rounds on distiller and recall.

The same consolidation and recall as in a vault, on cards held in memory; files, git, purge and
limits per dream are left out.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measures import Recalled
from benchmarks.memories import WAKE_BUDGET

from noctuary.distil.offline import OfflineDistiller
from noctuary.dream.brain import Brain
from noctuary.dream.collect import Pending
from noctuary.dream.consolidate import Bounds, Outcome, consolidate
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import Anchor
from noctuary.memory.entry import Entry, Role, entry_id
from noctuary.pages import Pages
from noctuary.recall.embedding import embedder
from noctuary.recall.recall import Recall
from noctuary.recall.wake import wake

if TYPE_CHECKING:
    from benchmarks.cases import Case, Question, Turn

    from noctuary.memory.card import Card


@dataclass(frozen=True, slots=True)
class HeldCard:
    """A card as recall wants to see it."""

    path: str
    digest: str
    card: Card


@dataclass(slots=True)
class Thought:
    """What memory holds after the dreams of one case."""

    cards: list[HeldCard]
    recall: Recall
    last: datetime
    costs: dict[str, float]
    folder: tempfile.TemporaryDirectory[str]
    wake: str = field(init=False)

    def __post_init__(self) -> None:
        self.recall.sync(self.cards)
        today = self.last.date()
        self.wake = wake(self.recall.heads(), today=today, budget=WAKE_BUDGET).text

    @property
    def held(self) -> str:
        """Whole card files."""
        return "\n".join(card_bytes(held.card).decode() for held in self.cards)

    def ask(self, question: Question, budget: int) -> Recalled:
        """Recall, with the wake context beside it."""
        now = question.now or self.last
        answer = self.recall.search(question.text, now=now, budget=budget)
        return Recalled(tuple(hit.text for hit in answer.hits), self.wake)


def think(case: Case, portions: list[list[Turn]]) -> Thought:
    """Consolidate the turns of each portion in turn; one dream each."""
    start = time.perf_counter()
    distiller = OfflineDistiller()
    cards: dict[str, tuple[Card, str]] = {}
    outcome = Outcome()
    for number, portion in enumerate(portions, 1):
        entries = tuple(entry_of(turn, case) for turn in portion)
        now = entries[-1].at + timedelta(hours=6)
        brain = _brain(now, f"[[dream-{number}]]", cards)
        outcome = consolidate(
            Pending(entries), Reconciler(brain, distiller), distiller, Anchor(), Bounds()
        )
        cards = {key: (card, brain.names[key]) for key, card in brain.cards.items()}
    held = [
        HeldCard(f"cards/{c.type.folder}/{n}.md", str(hash(c.updated)), c)
        for c, n in cards.values()
    ]
    size = sum(len(card_bytes(one.card)) for one in held)
    costs = {
        "bytes": size / case.raw_bytes,
        "cards": float(len(held)),
        "facts lost": outcome.share_lost,
        "seconds": time.perf_counter() - start,
    }
    folder = tempfile.TemporaryDirectory(prefix="noctuary-bench-")
    recall = Recall.open(Path(folder.name), embedder())
    return Thought(held, recall, case.turns[-1].at + timedelta(days=1), costs, folder)


def entry_of(turn: Turn, case: Case) -> Entry:
    """A turn as the episode log would hold it."""
    role = Role(turn.role)
    return Entry(
        id=entry_id(role, turn.at, turn.text),
        role=role,
        at=turn.at,
        text=turn.text,
        user=turn.user,
        session=turn.session,
        episode=f"{turn.at:%Y-%m-%d}-{turn.session}",
        agent=case.set,
    )


def card_bytes(card: Card) -> bytes:
    """The card as a file."""
    return Pages().card(card).encode()


def _brain(now: datetime, dream: str, cards: dict[str, tuple[Card, str]]) -> Brain:
    taken: set[str] = {name for _, name in cards.values()}

    def name(title: str) -> str:
        free = next(n for n in (title, *(f"{title} {i}" for i in range(2, 9999))) if n not in taken)
        taken.add(free)
        return free

    brain = Brain(now, dream, name)
    brain.learn((replace(card), name_) for card, name_ in cards.values())
    return brain
