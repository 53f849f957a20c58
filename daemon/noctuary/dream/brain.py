"""What memory holds while a dream goes on: cards, the lines on them, and what changed.

Pure, and the only mutable thing in the dream: it starts as the cards of the vault and ends as
the cards that the plan writes. Nothing is ever removed from it; cards change status.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING

from noctuary.dream.nearness import Nearness
from noctuary.memory.candidate import Known
from noctuary.memory.card import LIVE, Card, CardType, HistoryLine, Status
from noctuary.memory.entry import Role
from noctuary.memory.report import Change, ChangeKind
from noctuary.memory.tokens import content_tokens
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from noctuary.memory.candidate import Candidate
    from noctuary.memory.card import Receipt

MAX_HISTORY = 24
CREATED = phrase("created")
"""Lines of history on a card: how it began, and what came last."""
_ID_LENGTH = 6
PAGE_SPAN = timedelta(days=31)
"""Time between two talks of the same people after which the second begins a digest of its own."""
OPEN_PAGES = 3
"""So many of the latest digests of the same people are looked at for room."""


@dataclass(slots=True)
class Brain:
    """Cards by id, an index over their lines, and the changes of this dream in words.

    Attributes:
        now: The moment of the dream.
        dream: Link to its report, `[[2026-12-01T0312]]`.
        namer: Makes a free note name from a title.
        rejected: True for a quote whose card a person deleted: it is not learned again.
        by_person: Ids of cards that a person has edited: their bodies are not ours to change.
        names: Note names by card id, for links.
        from_vault: Ids of cards that were there before this dream.
        words: Telling words of receipts by their keys, as far as they are known already.
        retired: Ids of the cards in the archive; `archived` the marks of their receipts.
    """

    now: datetime
    dream: str
    namer: Callable[[str], str]
    by_person: frozenset[str] = frozenset()
    rejected: Callable[[Receipt], bool] = field(default=lambda _: False)
    cards: dict[str, Card] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    from_vault: set[str] = field(default_factory=set)
    words: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    retired: frozenset[str] = frozenset()
    archived: frozenset[str] = frozenset()
    _lines: Nearness = field(default_factory=Nearness)
    _home: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _receipts: dict[tuple[str, str, str], Receipt] = field(default_factory=dict)
    _retired: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _open: dict[str, None] = field(default_factory=dict)
    _tasks: tuple[Known, ...] | None = None
    _reported: dict[str, None] = field(default_factory=dict)
    _titles: dict[str, frozenset[str]] | None = None
    _grown: Counter[str] = field(default_factory=Counter)
    _pages: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    def learn(self, cards: Iterable[tuple[Card, str]]) -> None:
        """Take in the cards of the vault, each with its note name."""
        for card, name in cards:
            self.cards[card.id] = card
            self.names[card.id] = name
            self.from_vault.add(card.id)
            self._index(card)

    # -- asking -------------------------------------------------------------------------------

    def holds(self, receipt: Receipt) -> bool:
        """True when this very quote is on a card already, live or not, or a person threw it out."""
        if receipt.key in self._home or receipt.key in self._retired:
            return True
        return (bool(self.archived) and receipt.mark in self.archived) or self.rejected(receipt)

    def home_of(self, receipt: Receipt) -> Card | None:
        """The live card on which this very quote stands."""
        home = self._home.get(receipt.key)
        return self.cards[home] if home else None

    def near(self, text: str, limit: int = 8, topics: Iterable[str] = ()) -> list[Known]:
        """Live lines that share the most telling words with a text, nearest first.

        A statement can be near by its topics too: the same wish comes in ever other words.
        """
        words = {*content_tokens(text), *(f"topic/{topic}" for topic in topics)}
        keys = self._lines.best(words, limit, len(self._home) + 1)
        return [known for key in keys if (known := self._known(key)) is not None]

    def open_tasks(self) -> tuple[Known, ...]:
        """The tasks that are not done yet, each with the words that set it.

        The very same tuple until something changes about one of them.
        """
        if self._tasks is None:
            self._tasks = tuple(
                chain.from_iterable(map(_set_by, map(self.cards.__getitem__, self._open)))
            )
        return self._tasks

    def reported_tasks(self) -> list[Card]:
        """Tasks that are done by the word of an assistant alone."""
        return [self.cards[card_id] for card_id in self._reported]

    def pages(self, fresh: Card) -> list[str]:
        """Ids of the digests that a new one may go on: the latest of the same people first.

        What a person tells an agent has its topics instead, and without any goes on within a talk.
        """
        latest = map(self.cards.__getitem__, self._pages.get(same_kind(fresh), ()))
        return [page.id for page in latest if _goes_on(page, fresh)]

    def named_alike(self, title: str) -> frozenset[str]:
        """The words of the titles of live digests that share half of their words with this one."""
        if self._titles is None:
            self._titles = {}
            for card in self.cards.values():
                self._learn_title(card)
        words = frozenset(content_tokens(title))
        alike = (
            other
            for other in self._titles.values()
            if 2 * len(words & other) >= max(1, min(len(words), len(other)))
        )
        return frozenset[str]().union(*alike)

    def _learn_title(self, card: Card) -> None:
        if self._titles is not None and card.is_digest and is_live(card):
            self._titles[card.id] = frozenset(content_tokens(card.title))

    def titled(self, title: str) -> list[str]:
        """Ids of the cards with this title."""
        return [card.id for card in self.cards.values() if card.title == title]

    def _known(self, key: tuple[str, str, str]) -> Known | None:
        receipt = self._receipts.get(key)
        return Known(self.cards[self._home[key]], receipt) if receipt else None

    def name_of(self, card: str) -> str:
        """Note name of a card."""
        return self.names[card]

    # -- changing -----------------------------------------------------------------------------

    def put(self, card: Card, change: Change | None = None) -> Card:
        """Store a card in its new state, with the words that say why."""
        known = self.cards.get(card.id)
        if known is not None:
            self._forget_lines(known)
        else:
            self.names[card.id] = self.namer(card.title)
        self.cards[card.id] = card
        self.touched.add(card.id)
        self._index(card)
        self._learn_title(card)
        if change is not None:
            self.changes.append(change)
        return card

    def grow(self, card_id: str, lines: int) -> tuple[int, int]:
        """How many lines this dream has added to a card: before these, and with them."""
        before = self._grown[card_id]
        self._grown[card_id] += lines
        return before, before + lines

    def note(self, card: Card, text: str, *, minor: bool = False, instead: str = "") -> Card:
        """The card with one more line of history, updated now; a minor one is left out on new cards.

        It takes the place of the line of this dream that says `instead`.
        """
        if minor and any(line.text == self.deed(CREATED) for line in card.history):
            return replace(card, updated=self.now)
        line = HistoryLine(self.now.date(), self.deed(text))
        outdated = HistoryLine(self.now.date(), self.deed(instead))
        told = tuple(one for one in card.history if one != outdated)
        history = told if line in told else (*told, line)
        if len(history) > MAX_HISTORY:
            history = (history[0], *history[-MAX_HISTORY + 1 :])
        return replace(card, history=history, updated=self.now)

    def deed(self, what: str) -> str:
        """What this dream did, as history tells it."""
        return phrase("{what} by {dream}", what=what, dream=self.dream)

    def change(self, kind: ChangeKind, card: Card, why: str, source: str = "") -> Change:
        """A change to this card, in words; its note name is filled in by the plan."""
        return Change(kind, card.id, card.title, why, source)

    def new_id(self, type_: CardType, title: str, receipt: Receipt) -> str:
        """An id that follows from the content alone, so that the same dream makes the same cards."""
        seed = f"{type_}\n{title}\n{receipt.episode}\n{receipt.entry}\n{receipt.quote}"
        digest = b32encode(hashlib.sha256(seed.encode()).digest()).decode().lower()
        length = _ID_LENGTH
        while (found := f"c{digest[:length]}") in self.cards or found in self.retired:
            length += 1
        return f"c{digest[:length]}"

    # -- index --------------------------------------------------------------------------------

    def _index(self, card: Card) -> None:
        live = card.status in LIVE
        is_open = card.type is CardType.TASK and card.status is Status.OPEN
        if is_open or card.id in self._open:
            self._tasks = None
        if is_open:
            self._open[card.id] = None
        else:
            self._open.pop(card.id, None)
        if _is_reported(card) and card.id not in self.by_person:
            self._reported[card.id] = None
        else:
            self._reported.pop(card.id, None)
        if live and card.is_digest and card.evidence:
            pages = {card.id, *self._pages.get(same_kind(card), ())}
            latest = sorted(pages, key=lambda page: (_last(self.cards[page]), page), reverse=True)
            self._pages[same_kind(card)] = tuple(latest[:OPEN_PAGES])
        topics = _topics(card)
        for receipt in card.evidence:
            key = receipt.key
            if not live:
                self._retired[key] = card.id
                continue
            self._home[key] = card.id
            self._receipts[key] = receipt
            self._lines.add(key, self._words_of(receipt) | topics)
        for receipt in card.replaced:
            self._retired[receipt.key] = card.id

    def _forget_lines(self, card: Card) -> None:
        topics = _topics(card)
        for receipt in card.evidence:
            if self._home.pop(receipt.key, None) is not None:
                self._lines.remove(receipt.key, self._words_of(receipt) | topics)

    def _words_of(self, receipt: Receipt) -> frozenset[str]:
        known = self.words.get(receipt.key)
        return frozenset(content_tokens(receipt.quote) if known is None else known.split())


def _topics(card: Card) -> frozenset[str]:
    topics = (tag for tag in card.tags if tag.startswith("topic/"))
    return frozenset(topics) if card.statement else frozenset()


def _set_by(card: Card) -> list[Known]:
    """A task by each of the words that set it."""
    return [Known(card, one) for one in card.evidence[: None if card.is_digest else 1]]


def same_kind(card: Card) -> tuple[str, ...]:
    """What cards have in common that may share their lines."""
    return (card.type, card.user, card.project, card.trust)


def _goes_on(page: Card, fresh: Card) -> bool:
    people, others = ({receipt.speaker for receipt in card.evidence} for card in (page, fresh))
    if any(people & others):
        return abs(_last(page) - _last(fresh)) <= PAGE_SPAN
    return not fresh.topics and page.evidence[-1].episode == fresh.evidence[0].episode


def _is_reported(card: Card) -> bool:
    done = card.type is CardType.TASK and card.status is Status.DONE and len(card.evidence) > 1
    return done and card.evidence[-1].role is Role.ASSISTANT


def _last(card: Card) -> datetime:
    return max(receipt.at for receipt in card.evidence)


def is_live(card: Card) -> bool:
    """True for a card that speaks for the present."""
    return card.status in LIVE


def first_status(candidate: Candidate, quarantined: bool) -> Status:
    """The status in which a new card starts."""
    if quarantined:
        return Status.QUARANTINED
    if candidate.type is not CardType.TASK:
        return Status.ACTIVE
    return Status.DONE if candidate.closes else Status.OPEN
