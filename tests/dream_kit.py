"""Small builders and a distiller that says what it is told to, for tests of the dream."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from noctuary.dream.brain import Brain
from noctuary.dream.reconcile import Reconciler
from noctuary.memory.candidate import (
    DISTINCT,
    Anchor,
    Candidate,
    Known,
    Quote,
    Relation,
    Score,
    Scored,
    Usage,
)
from noctuary.memory.card import CardType
from noctuary.memory.entry import Entry, Role, entry_id

NOON = datetime(2026, 11, 30, 12, 0, 0)
NIGHT = datetime(2026, 12, 1, 3, 12, 0)


def said(
    text: str, minute: int = 0, role: Role = Role.USER, episode: str = "2026-11-30-chat-a1"
) -> Entry:
    at = NOON + timedelta(minutes=minute)
    return Entry(entry_id(role, at, text), role, at, text, episode=episode)


def candidate(
    *entries: Entry,
    type_: CardType = CardType.FACT,
    statement: str | None = None,
    title: str = "",
    importance: int = 4,
    topics: tuple[str, ...] = (),
    closes: bool = False,
) -> Candidate:
    quotes = tuple(Quote(entry, entry.text) for entry in entries)
    text = entries[0].text if statement is None else statement
    return Candidate(
        type=type_,
        title=title or (text or entries[0].text)[:50],
        statement=text,
        quotes=quotes,
        importance=importance,
        topics=topics,
        closes=closes,
    )


Relate = Callable[[Quote, CardType, Sequence[Known]], Relation]


def distinct(_quote: Quote, _type: CardType, _known: Sequence[Known]) -> Relation:
    return DISTINCT


@dataclass
class Scripted:
    """A distiller whose answers are given beforehand."""

    scores: dict[str, int] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)
    relate_with: Relate = distinct
    name: str = "scripted"
    model: str = ""
    usage: Usage = field(default_factory=Usage)

    def score(self, entries: Sequence[Entry], anchor: Anchor) -> list[Score]:
        return [Score(self.scores.get(entry.text, 3)) for entry in entries]

    def distil(self, scored: Sequence[Scored], anchor: Anchor) -> list[Candidate]:
        here = {item.entry.id for item in scored}
        return [item for item in self.candidates if item.quotes[0].entry.id in here]

    def relate(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Relation:
        return self.relate_with(quote, type_, known)

    def finished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        return [task for task in tasks if quote.text == f"Done: {task.receipt.quote}"]

    def unfinished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        return [task for task in tasks if quote.text == f"Not done: {task.receipt.quote}"]

    def title(self, lines: Sequence[str], others: Collection[str] = ()) -> str:
        return lines[0]


def brain(by_person: frozenset[str] = frozenset()) -> Brain:
    names: set[str] = set()

    def name(title: str) -> str:
        free = title
        while free in names:
            free += "+"
        names.add(free)
        return free

    return Brain(now=NIGHT, dream="[[2026-12-01T0312]]", namer=name, by_person=by_person)


def reconciler(relate: Relate = distinct, mind: Brain | None = None) -> Reconciler:
    return Reconciler(mind or brain(), Scripted(relate_with=relate))
