"""Statements of dropped messages by category, reconciled with what an earlier summary says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.dream.gate import check
from noctuary.memory.candidate import Anchor, Known, Quote, RelationKind, Scored
from noctuary.memory.card import INSTRUCTION_LIKE, Card, CardType, Receipt, Status
from noctuary.memory.entry import Entry, Role, Trust, entry_id
from noctuary.memory.facts import fact_keys
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import content_tokens
from noctuary.window.summary import CATEGORY, TYPE_OF

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from noctuary.distil.protocol import Distiller
    from noctuary.dream.gate import Passed
    from noctuary.memory.candidate import Candidate, Relation

LONGEST = 400
NEAREST = 8
SAME_TASK = COVERED = 0.6
_GONE = frozenset({RelationKind.SUPERSEDES, RelationKind.RETRACTS})
_DONE = re.compile(
    r"\b(?:done|fixed|finished|completed?|merged|shipped|deployed|implemented|added|written|wrote"
    r"|resolved|passes|passing)\b|完成|搞定|修好|做好|写好|修复了|已经?(?:[^。，]{0,8})(?:写|加|改|部署|上线)|了[。！]?$",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:not|isn't|hasn't|never|still|todo|need|needs|must|should|will|to be)\b|n't\b|还没|尚未|没有|需要|[?？]",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Book:
    """Statements that hold, in order of time, and those that hold no longer.

    Attributes:
        noise: Ids of entries that say nothing.
    """

    at: datetime
    told: dict[str, list[str]] = field(default_factory=dict)
    void: list[str] = field(default_factory=list)
    noise: frozenset[str] = frozenset()

    def holds(self) -> Iterator[tuple[str, str]]:
        """Category and text of every statement."""
        return ((name, text) for name, told in self.told.items() for text in told)

    def add(self, name: str, text: str) -> None:
        """One more statement."""
        told = self.told.setdefault(name, [])
        if text not in told:
            told.append(text)

    def drop(self, name: str, text: str, why: str = "") -> None:
        """A statement that holds no longer."""
        self.told[name].remove(text)
        if why + text not in self.void:
            self.void.append(why + text)

    def known(self, words: frozenset[str]) -> list[tuple[str, Known]]:
        """The statements that share most words, each as a line that memory holds."""
        near = [
            (len(shared), name, text)
            for name, text in self.holds()
            if (shared := words & frozenset(content_tokens(text)))
        ]
        near.sort(key=lambda item: -item[0])
        return [(name, _known(name, text, self.at)) for _, name, text in near[:NEAREST]]


def statements(
    entries: Sequence[Entry], distiller: Distiller, told: Mapping[str, Sequence[str]],
    void: Iterable[str], at: datetime, rules: Distiller,
) -> Book:  # fmt: skip
    """What holds after these entries, given what held before them.

    `at` is before the first of them. What `rules` find and the distiller missed is added: a weak
    model must not lose what a person said in so many words.
    """
    book = Book(at, {name: list(told.get(name, ())) for name in TYPE_OF}, list(void))
    scores = distiller.score(entries, Anchor())
    scored = [Scored(*pair) for pair in zip(entries, scores, strict=True)]
    book.noise = frozenset(item.entry.id for item in scored if item.score.value <= 1)
    told_now = [item for item in scored if item.score.value > 1]
    found = _by_entry(_candidates(told_now, entries, distiller, rules))
    for entry in entries:
        _close(book, entry)
        for passed in found.get(entry.id, ()):
            _take(book, passed, distiller)
    return book


def _candidates(
    scored: Sequence[Scored], entries: Sequence[Entry], distiller: Distiller, rules: Distiller
) -> list[Passed]:
    own = [item for item in check(distiller.distil(scored, Anchor())).passed if _holds(item)]
    by_rules = _of_agent(entries, rules)
    if distiller is not rules and distiller.model:
        by_rules += [item for item in _by_rules(entries, rules) if _holds(item)]
    return own + [item for item in by_rules if not _is_covered(item, own)]


def _by_rules(entries: Sequence[Entry], rules: Distiller) -> Sequence[Passed]:
    scored = [Scored(*pair) for pair in zip(entries, rules.score(entries, Anchor()), strict=True)]
    told = [item for item in scored if item.score.value > 1]
    return check(rules.distil(told, Anchor())).passed


def _is_covered(item: Passed, own: Iterable[Passed]) -> bool:
    """Whether one of these, from the same words, says all that is exact and most of the rest."""
    words = frozenset(content_tokens(item.candidate.statement))
    facts = fact_keys(item.candidate.statement)
    entries = {quote.entry.id for quote in item.candidate.quotes}
    return any(
        other.candidate.type in CATEGORY
        and not entries.isdisjoint(quote.entry.id for quote in other.candidate.quotes)
        and facts <= fact_keys(_told(other.candidate.statement, other.candidate.reason))
        and len(words & frozenset(content_tokens(other.candidate.statement)))
        >= COVERED * len(words)
        for other in own
    )


def _holds(passed: Passed) -> bool:
    return bool(passed.candidate.statement) and not passed.quarantined


def _of_agent(entries: Sequence[Entry], rules: Distiller) -> list[Passed]:
    """What the agent itself settled and has yet to do.

    Rules read a person's words only, so the agent's are shown to them as such; wishes and limits
    that they find in there are nobody's.
    """
    said = [replace(entry, role=Role.USER) for entry in entries if entry.role is Role.ASSISTANT]
    wanted = {CardType.DECISION, CardType.TASK}
    return [
        item
        for item in _by_rules(said, rules)
        if item.candidate.type in wanted and item.candidate.statement
    ]


def _by_entry(found: Iterable[Passed]) -> dict[str, list[Passed]]:
    """What was said, under the entry where it was said last."""
    by_entry: dict[str, list[Passed]] = {}
    for passed in found:
        last = max(passed.candidate.quotes, key=lambda quote: quote.entry.at)
        by_entry.setdefault(last.entry.id, []).append(passed)
    return by_entry


def _take(book: Book, passed: Passed, distiller: Distiller) -> None:
    candidate = passed.candidate
    name = CATEGORY.get(candidate.type, "")
    if candidate.closes:
        _close_by(book, candidate.statement)
        return
    near = book.known(frozenset(content_tokens(candidate.statement)))
    relation = _relation(candidate.quotes[-1], candidate.type, near, distiller)
    if relation.kind is RelationKind.DUPLICATE and name and not _tells_more(candidate, relation):
        return
    if relation.kind in _GONE and relation.known is not None:
        old = next(item for item in near if item[1] is relation.known)
        book.drop(old[0], old[1].receipt.quote)
    for text in _wordings(candidate) if name else ():
        book.add(name, text)


def _tells_more(candidate: Candidate, relation: Relation) -> bool:
    """Whether something exact stands in there that the like statement does not have."""
    old = relation.known.receipt.quote if relation.known else ""
    return not fact_keys(candidate.statement) <= fact_keys(old)


def _wordings(candidate: Candidate) -> list[str]:
    """The statement, behind earlier wordings of it that hold facts of their own."""
    said = fact_keys(candidate.statement)
    others = candidate.quotes if candidate.type in INSTRUCTION_LIKE else ()
    more = [_told(quote.text, "") for quote in others if not fact_keys(quote.text) <= said]
    return [*more, _told(candidate.statement, candidate.reason)]


def _relation(
    quote: Quote, type_: CardType, near: Sequence[tuple[str, Known]], distiller: Distiller
) -> Relation:
    return distiller.relate(quote, type_, [known for _, known in near])


def _told(statement: str, reason: str) -> str:
    whole = " ".join(statement.split())
    if reason and reason not in statement:
        whole = f"{whole} ({' '.join(reason.split())})"
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1].rstrip() + "…"


def _known(name: str, text: str, at: datetime) -> Known:
    """A statement as a line on a card, which is what distillers compare with."""
    entry = entry_id(Role.USER, at, text)
    receipt = Receipt("", entry, Role.USER, at, text)
    card = Card(
        entry, TYPE_OF[name], text, text, 3, 0.8, Status.ACTIVE, Trust.USER, at, at, at.date(),
        (receipt,),
    )  # fmt: skip
    return Known(card, receipt)


def _close(book: Book, entry: Entry) -> None:
    """Tasks that a sentence of this entry reports as done."""
    if entry.role not in {Role.USER, Role.ASSISTANT} or not book.told.get("tasks_pending"):
        return
    for piece in sentences(entry.text):
        if _DONE.search(piece.text) and not _NOT_DONE.search(piece.text):
            _close_by(book, piece.text)


def _close_by(book: Book, line: str) -> None:
    said = frozenset(content_tokens(line))
    for task in list(book.told.get("tasks_pending", ())):
        words = frozenset(content_tokens(task))
        if words and len(words & said) >= SAME_TASK * len(words):
            book.drop("tasks_pending", task, "done: ")
