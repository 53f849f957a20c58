"""From what a model wrote to a candidate: its quotes led back to the very words of entries.

What cannot be led back is handed on all the same, pointing nowhere, so that the gate stops it and
the report counts it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from noctuary.memory.candidate import Candidate, Quote
from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.entry import Entry, Role, Trust, trust_of
from noctuary.memory.facts import hard_facts, missing
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.openai.shown import Shown

MAX_TOPICS = 3
_OWN_WORDS, _OTHERS = 0.9, 0.7
_USEFUL, _NEVER_LOSE = 3, 5
_SEVERAL = 3
NAMED = 1 / 3
"""Share of a title's words that must stand on its card."""


@dataclass(frozen=True, slots=True)
class Source:
    """The entries that one question showed, in the order of their numbers."""

    shown: Sequence[Shown]

    def quote(self, number: int, said: str) -> Quote:
        """The words in the entry of this number, else in the one entry that holds them.

        Words that stand nowhere as they are said mean the sentence of that number that they retell.
        """
        named = self.shown[number - 1] if 1 <= number <= len(self.shown) else None
        if named and (words := named.words_of(said)) is not None:
            return Quote(named.entry, words)
        found = [
            Quote(item.entry, words)
            for item in self.shown
            if (words := item.words_of(said)) is not None
        ]
        if found:
            return min(found, key=lambda quote: trust_of(quote.entry.role).rank)
        if named and (words := named.sentence_of(said)) is not None:
            return Quote(named.entry, words)
        return Quote(self._nowhere(), said.strip() or "…")

    def _nowhere(self) -> Entry:
        """An entry that says nothing, so that no quote stands in it."""
        return Entry("e" + "0" * 10, Role.WEB, self.shown[0].entry.at, "")

    def candidates(self, line: Any) -> list[Candidate]:  # noqa: ANN401 - a shape of `reply`
        """What a line of the answer proposes: one card; lines without a statement apart by trust.

        A card is as trusted as its least trusted source, and a person's lines need no agent's.
        """
        quotes = [self.quote(quote.n, quote.text) for quote in line.quotes]
        if line.statement.strip() and not is_heading(line.statement, quotes):
            return [self._candidate(line, CardType(line.type), line.statement.strip(), quotes)]
        groups: dict[Trust, list[Quote]] = {}
        for quote in quotes:
            groups.setdefault(trust_of(quote.entry.role), []).append(quote)
        type_ = CardType.FACT if line.statement.strip() else CardType(line.type)
        made = [self._candidate(line, type_, "", group) for group in groups.values() or [[]]]
        return [replace(item, importance=min(_USEFUL, item.importance)) for item in made]

    def _candidate(
        self,
        line: Any,  # noqa: ANN401 - a shape of `reply`
        type_: CardType,
        statement: str,
        quotes: Sequence[Quote],
    ) -> Candidate:
        entries = list({quote.entry.id: quote.entry for quote in quotes}.values())
        own = bool(entries) and all(entry.role is Role.USER for entry in entries)
        recurs = type_ in INSTRUCTION_LIKE and bool(statement)
        return Candidate(
            type=type_,
            title=line.title,
            statement=statement,
            quotes=tuple(sorted(quotes, key=lambda quote: quote.entry.at)),
            importance=line.importance if own else min(line.importance, _NEVER_LOSE - 1),
            confidence=_OWN_WORDS if own else _OTHERS,
            topics=tuple(line.topics[:MAX_TOPICS]),
            user=_single([entry.user for entry in entries]),
            project=_single([entry.project for entry in entries]),
            seen=max(1, len(entries)) if recurs else 1,
            closes=line.done and type_ is CardType.TASK,
        )


def is_heading(statement: str, quotes: Sequence[Quote]) -> bool:
    """Whether a statement only sums up lines of several entries, most of whose facts it leaves out.

    It would say nothing that can be used: its lines then stand for themselves, as minor facts.
    """
    if len({quote.entry.id for quote in quotes}) < _SEVERAL:
        return False
    facts = [fact for quote in quotes for fact in hard_facts(quote.text)]
    return 2 * len(missing(facts, statement)) > len(facts)


def lines_of(item: Candidate) -> list[str]:
    """What a card says: its statement, else its quotes."""
    return [item.statement] if item.statement else [quote.text for quote in item.quotes]


def is_named(item: Candidate) -> bool:
    """Whether a title is of the words of its card, rather than any heading or another language."""
    words = set(content_tokens(item.title))
    told = "\n".join((item.statement, *(quote.text for quote in item.quotes)))
    return len(words & set(content_tokens(told))) >= NAMED * len(words)


def _single(words: list[str]) -> str:
    """What all agree on, else nothing."""
    found = set(words)
    return found.pop() if len(found) == 1 else ""
