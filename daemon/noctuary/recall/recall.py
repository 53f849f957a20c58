"""Recall: a question in, the lines of memory that answer it out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Protocol, TypeAlias

from noctuary.errors import NoMeaningError
from noctuary.recall.heads import Head, head_of
from noctuary.recall.index import Index, IndexDamagedError
from noctuary.recall.state import State, packed
from noctuary.recall.turns import turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from noctuary.memory.card import Card
    from noctuary.memory.entry import Entry
    from noctuary.recall.answer import Answer
    from noctuary.recall.match import Match
    from noctuary.recall.packed import Row
    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Filters, Ranked
    from noctuary.recall.semantic import Embedder, Meaning
    from noctuary.recall.turns import Turn

LINES_PER_BUDGET = 10
"""Tokens per line that are reckoned with when candidates are fetched: rather too many lines."""
FEWEST, MOST = 40, 400
MOST_HOPPED = 5_000
"""Passages up to which one hop is taken: beyond, it would cost more time than the search."""


class CardFile(Protocol):
    """A card on disk. `card` may be read only when asked for: unchanged cards never are."""

    @property
    def path(self) -> str:
        """Relative to the vault, with `/`."""
        ...

    @property
    def digest(self) -> str:
        """Changes whenever the bytes of the file may have changed."""
        ...

    @property
    def card(self) -> Card | None:
        """What the file holds; None when it cannot be read."""
        ...


class Recall:
    """Finds in one vault. Safe for several readers at once and one writer.

    Open it with `Recall.open(cache)`, bring it up to date with `sync`, then `search`.
    """

    def __init__(self, cache: Path, embedder: Embedder | None = None) -> None:
        self._cache = cache
        self._meaning = _meaning(cache, embedder)
        self._index = Index(cache / "index")
        self._state = State(cache)
        self._heads: list[Head] = []
        self._stamp = (0, 0)

    @classmethod
    def open(cls, cache: Path, embedder: Embedder | None = None) -> Recall:
        """The index in this folder, which need not exist yet.

        With an embedder lines are also found by what they mean.
        """
        return cls(cache, embedder)

    def sync(
        self, cards: Iterable[CardFile], entries: Iterable[Entry] = (), seal: str = ""
    ) -> bool:
        """Makes the index hold exactly these cards and entries, at the cost of what changed.

        Entries of one session must come in order; they are gone through more than once, and held
        as a whole only when they are given as an iterator. A `seal` stands for the cards, another
        one whenever any of them changed: while it is the same they need not be looked at.
        False when another process is writing to the index: it is then left as it is.
        """
        talk = list(entries) if isinstance(entries, Iterator) else entries
        mark = _mark(seal, talk) if seal else ""
        self._index.refresh()
        if (mark and self._index.exists() and self._state.holds(mark)) or self._is_brought(
            list(cards), talk, mark
        ):
            self._stamp = self._index.stamp
            return True
        return False

    def _is_brought(self, files: Sequence[CardFile], talk: Iterable[Entry], mark: str) -> bool:
        """Brings the index up to date, and leaves the mark; False when somebody else is at it."""
        seen = self._seen()
        if _is_current(seen, files, talk):
            self._leave(mark)
            return True
        from filelock import FileLock, Timeout

        self._cache.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self._cache / "lock", timeout=0):
                try:
                    self._bring_up_to_date(files, talk, seen if self._state.is_as_read else None)
                except IndexDamagedError:
                    self._bring_up_to_date(files, talk)
                self._leave(mark)
        except Timeout:
            return False
        return True

    def _leave(self, mark: str) -> None:
        if mark:
            with suppress(OSError):
                self._state.leave(mark)

    @property
    def is_as_left(self) -> bool:
        """True when nobody has touched the index since it was last brought up to date."""
        return self._stamp == self._index.stamp != (0, 0)

    def _bring_up_to_date(
        self, files: Sequence[CardFile], talk: Iterable[Entry], seen: _Seen | None = None
    ) -> None:
        known, heads = seen or self._seen()
        if not known:
            self._index.clear()  # what it holds cannot be told
        wanted: dict[str, str] = {}
        with self._index.changing() as change:
            for file in files:
                wanted[file.path] = file.digest
                if known.get(file.path) != file.digest:
                    change.replace(file.path, _card_rows(file, heads), known)
            for owner, rows in _entry_rows(_changed(talk, wanted, known)):
                change.replace(owner, rows, known)
            for owner in known.keys() - wanted.keys():
                change.drop(owner)
        if wanted != known:
            self._heads = []
            self._state.write(wanted, heads)

    def _seen(self) -> _Seen:
        return self._state.read() if self._index.exists() else ({}, {})

    def heads(self) -> list[Head]:
        """All cards in short, by path: what the wake context is made of.

        Raises IndexDamagedError when what was noted of them is damaged: sync and ask again.
        """
        if not self._heads:
            heads = self._state.heads()
            if heads is None and self._index.exists():
                self._index.clear()
                raise IndexDamagedError
            self._heads = heads or []
        return self._heads

    def search(
        self,
        query: str,
        *,
        now: datetime,
        k: int | None = None,
        budget: int = 1000,
        filters: Filters | None = None,
    ) -> Answer:
        """The lines that answer best, within `budget` tokens, of at most `k` cards or entries.

        `now` is local time of the vault, for recency. Raises IndexDamagedError when the index was
        damaged: sync and ask again.
        """
        from noctuary.recall.answer import compose
        from noctuary.recall.query import asks_before

        if asks_before(query):
            from noctuary.recall.ranking import NO_FILTERS

            filters = replace(filters or NO_FILTERS, before=True)
        told = self._admitted(query, now, _candidates(k, budget), filters)
        return compose(query, told, k=k, budget=budget)

    def ranked(
        self, query: str, *, now: datetime, limit: int, filters: Filters | None = None
    ) -> list[Ranked]:
        """The best lines in order, of about `limit` that match, with what put them there."""
        return list(self._admitted(query, now, limit, filters))

    def _admitted(
        self, query: str, now: datetime, limit: int, filters: Filters | None
    ) -> Iterable[Ranked]:
        found = self._in_order(query, now, limit, filters.scopes() if filters else [])
        if filters is None:
            return (one for one in found if one.match.is_live)
        admits = filters.test()
        return (one for one in found if admits(one.match))

    def _in_order(
        self, query: str, now: datetime, limit: int, scopes: Sequence[list[str]]
    ) -> list[Ranked]:
        from noctuary.recall.query import asked
        from noctuary.recall.ranking import joined, newest_first, rank

        question = asked(query, now)
        if not question.whole:
            return []
        matches = self._found(question.whole, limit, scopes)
        parts = [self._found(part, limit, scopes) for part in question.parts]
        found = self._with_meaning(joined(matches, parts), query)
        ranked = rank(found, question.whole, now=now)
        return newest_first(ranked, self._successors)

    def _with_meaning(self, matches: list[Match], query: str) -> list[Match]:
        if self._meaning is None:
            return matches
        from noctuary.recall.ranking import blended

        view = self._index.view
        try:
            near = self._meaning.nearest(query, view, alone=not matches)
        except NoMeaningError:
            self._meaning = None  # `noctuary doctor` says so
            return matches
        return blended(matches, view.at(near)) if near else matches

    def _found(
        self, terms: Mapping[str, float], limit: int, scopes: Sequence[list[str]]
    ) -> list[Match]:
        """Matches, and what the best of them name and the question does not: one hop."""
        direct = self._index.search(terms, limit, scopes)
        if len(self._index) > MOST_HOPPED:
            return direct
        from noctuary.recall.hop import further_terms, together

        leads = further_terms(direct, terms, self._index.shares, len(self._index))
        if not leads:
            return direct
        return together(direct, self._index.search(leads, limit, scopes))

    def _successors(self, target: str) -> list[Match]:
        return [match for match in self._index.linked(target) if target in _names(match.passage)]


def _meaning(cache: Path, embedder: Embedder | None) -> Meaning | None:
    if embedder is None:
        return None
    from noctuary.recall.semantic import Meaning

    return Meaning(cache / "vectors.npz", embedder)


def _names(passage: Passage) -> tuple[str, ...]:
    """Under what a line, or the card it stands for, can be named as a successor."""
    turn = passage.link.removeprefix("[[").removesuffix("]]")
    return (turn, passage.note, passage.id) if passage.part == "statement" else (turn,)


def _candidates(k: int | None, budget: int) -> int:
    by_budget = min(MOST, max(FEWEST, budget // LINES_PER_BUDGET))
    return by_budget if k is None else min(by_budget, max(FEWEST, 4 * k))


_Seen: TypeAlias = tuple[dict[str, str], dict[str, bytes]]
"""Digests and heads of what the index holds; empty when that cannot be told."""


def _is_current(known: _Seen, files: Sequence[CardFile], talk: Iterable[Entry]) -> bool:
    if not known[0]:
        return False
    wanted = {file.path: file.digest for file in files}
    return wanted | {turn.entry.id: turn.digest for turn in turns(talk)} == known[0]


def _mark(seal: str, talk: Iterable[Entry]) -> str:
    """Another one whenever a card, an entry or a neighbour of an entry changed."""
    told = [f"{turn.entry.id} {turn.digest}\n" for turn in turns(talk)]
    return f"{seal} {hashlib.sha256(''.join(told).encode()).hexdigest()}"


def _card_rows(file: CardFile, heads: dict[str, bytes]) -> list[Row]:
    """The rows of a card, whose head is noted on the way."""
    heads.pop(file.path, None)
    card = file.card
    if card is None:
        return []
    from noctuary.recall.packed import row
    from noctuary.recall.passages import card_passages

    heads[file.path] = packed(head_of(card))
    return [row(one) for one in card_passages(card, file.path)]


def _changed(
    talk: Iterable[Entry], wanted: dict[str, str], known: Mapping[str, str]
) -> Iterator[Turn]:
    """The turns that the index does not know as they are; all that there are become wanted."""
    for turn in turns(talk):
        owner, digest = turn.entry.id, turn.digest
        if owner not in wanted:
            wanted[owner] = digest
            if known.get(owner) != digest:
                yield turn


def _entry_rows(fresh: Iterator[Turn]) -> Iterator[tuple[str, list[Row]]]:
    first = next(fresh, None)
    if first is not None:
        from noctuary.recall.cutting import cut

        yield from cut(chain([first], fresh))
