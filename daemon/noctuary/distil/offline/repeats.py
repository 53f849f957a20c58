"""Leaves out what a session has said already."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.distil.offline.pieces import told_facts
from noctuary.memory.entry import Role
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.digest import Line
    from noctuary.memory.entry import Entry

REPEAT_FROM = 0.75
"""Share of a long line's words that one earlier line must hold to make it a repeat; a short one
repeats only what holds all of its words: one of them may be a new value."""
NOTHING_NEW = 0.1
"""Share of new words below which a line of known facts is a summary of earlier ones."""
SHORT_ANSWER, MOST_NEW = 200, 2
"""Characters of an answer that may be an echo, and words in it that the person did not say."""
LONG_ENTRY, LONG_LINE = 1500, 12
MAX_NEAR = 40


@dataclass(slots=True)
class _Told:
    """What the lines kept so far have told."""

    facts: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    lines: list[frozenset[str]] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, words: frozenset[str], facts: frozenset[str]) -> None:
        for word in words:
            self.places[word].append(len(self.lines))
        self.lines.append(facts)
        self.words |= words
        self.facts |= facts

    def holds(self, line: Line, words: frozenset[str], facts: frozenset[str]) -> bool:
        if not facts <= self.facts:
            return False
        summary = facts and len(line.entry.text) > LONG_ENTRY
        if summary and len(words - self.words) <= NOTHING_NEW * len(words):
            return True
        needed = len(words) if len(words) < LONG_LINE else REPEAT_FROM * len(words)
        near = Counter(place for word in words for place in self.places[word][-MAX_NEAR:])
        return any(count >= needed and facts <= self.lines[place] for place, count in near.items())


def without_repeats(lines: Sequence[Line]) -> list[Line]:
    """The lines of one session that say something new, requests that add nothing cut off."""
    told = _Told()
    kept = []
    for line in lines:
        line = _shortened(line, told.facts)
        words = frozenset(content_tokens(line.piece.text))
        facts = line.piece.facts | line.piece.names
        if not told.holds(line, words, facts):
            told.add(words, facts)
            kept.append(line)
    return kept


def echoes(entries: Sequence[Entry]) -> frozenset[str]:
    """Ids of short answers that only say back what the person has just said, values and all."""
    said: dict[str, str] = {}
    found = set()
    for entry in entries:
        if entry.role is Role.USER:
            said[entry.session] = entry.text
        elif entry.role is Role.ASSISTANT and len(entry.text) <= SHORT_ANSWER:
            before = said.get(entry.session, "")
            facts = frozenset().union(*told_facts(entry.text))
            if facts and before and facts <= frozenset().union(*told_facts(before)):
                new = set(content_tokens(entry.text)) - set(content_tokens(before))
                if sum(word.isascii() or len(word) > 1 for word in new) <= MOST_NEW:
                    found.add(entry.id)
    return frozenset(found)


def _shortened(line: Line, known: set[str]) -> Line:
    """Without its request for help when that names only what is known already."""
    piece = line.piece
    if not piece.tail:
        return line
    head = piece.text[: piece.tail]
    facts, names = told_facts(piece.text[piece.tail :])
    head_facts, head_names = told_facts(head)
    if not (facts | names) <= known | head_facts | head_names:
        return line
    return replace(line, piece=replace(piece, text=head, facts=head_facts, names=head_names))
