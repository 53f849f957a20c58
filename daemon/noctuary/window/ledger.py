"""What is exact in dropped messages: lines that hold hard facts, and bare facts beyond them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from noctuary.memory.entry import Role
from noctuary.memory.facts import fact_keys, hard_facts
from noctuary.memory.sentences import sentences
from noctuary.memory.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from noctuary.memory.entry import Entry
    from noctuary.memory.facts import HardFact
    from noctuary.window.heard import Heard
    from noctuary.window.summary import Summary

LONGEST = (240, 80, 80)
"""Characters of a line that is kept whole, by who said it; of a longer one the part around its facts."""
AROUND = 32
LINES_SHARE = 0.6
"""Share of the room that lines may take, so that some is left for bare facts."""
COMMANDS_SHARE = 0.7
"""Share of what a person's lines leave that commands may take."""
MOST_ASKED, ASKED = 500, 120
FACTS_OF_TOOLS = frozenset(
    {"path", "url", "version", "id", "email", "money", "date", "percent", "quantity", "command"}
)
"""Kinds of facts that are kept of what a tool gave back; names and bare numbers in there are many."""
ORDER = (
    "command", "path", "url", "money", "date", "version", "id", "email", "time", "quantity",
    "percent", "duration", "name", "quoted", "number",
)  # fmt: skip
_EDGE = re.compile(r"[\s,;:，；、。]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that could be kept, with the facts for which it would be."""

    text: str
    rank: int
    facts: tuple[HardFact, ...]


@dataclass(slots=True)
class Room:
    """Tokens that are left, and the keys of facts that stand somewhere already."""

    left: int
    known: set[str] = field(default_factory=set)

    def take(self, text: str) -> bool:
        """True when the text fits; its facts are known from now on."""
        price = estimate(text) + 2
        if price > self.left:
            return False
        self.left -= price
        self.known |= fact_keys(text)
        return True


def wanted_facts(heard: Iterable[Heard]) -> list[HardFact]:
    """The hard facts that dropped messages hold and that should last, each once."""
    found = {fact.key: fact for item in heard for fact in _facts_of(item.entry)}
    called = {
        fact.key: fact for item in heard for call in item.calls for fact in _facts_of_call(call)
    }
    return list((called | found).values())


def _facts_of_call(call: str) -> list[HardFact]:
    return [fact for fact in hard_facts(call) if fact.kind in FACTS_OF_TOOLS]


def _facts_of(entry: Entry) -> list[HardFact]:
    found = hard_facts(entry.text)
    if entry.role is Role.TOOL:
        return [fact for fact in found if fact.kind in FACTS_OF_TOOLS]
    return found


def with_exact(summary: Summary, heard: Sequence[Heard], tokens: int) -> Summary:
    """The summary with lines and facts of these messages beside its own, within `tokens`.

    What a person said goes first, then commands, the agent's words, and what tools gave back;
    of each the newest. What has no room as a line may have some as a bare fact.
    """
    room = Room(tokens)
    for text in summary.stated:
        room.take(text)
    spare = room.left - int(room.left * LINES_SHARE)
    room.left -= spare
    lines = [*map(_again, summary.lines), *_lines(heard)]
    of_person = _chosen([line for line in lines if line.rank == 0], room)
    called = [*summary.commands, *(call for item in heard for call in item.commands)]
    commands = _newest(_unique(called), room)
    kept = {*of_person, *_chosen([line for line in lines if line.rank > 0], room)}
    room.left += spare
    bare = _bare(summary, heard, room)
    told = tuple(dict.fromkeys(line.text for line in lines if line.text in kept))
    return replace(summary, lines=told, commands=commands, facts=bare)


def _unique(texts: Iterable[str]) -> list[str]:
    """Each text once, where it came last."""
    return list(dict.fromkeys(reversed(list(texts))))[::-1]


def _newest(texts: Sequence[str], room: Room) -> tuple[str, ...]:
    part = int(room.left * COMMANDS_SHARE)
    own = Room(part, room.known)
    kept = [text for text in reversed(texts) if own.take(text)]
    room.left -= part - own.left
    return tuple(reversed(kept))


def _again(text: str) -> Line:
    """A line of an earlier summary."""
    who = text.partition(": ")[0]
    return Line(text, _RANKS.get(who, 2), tuple(hard_facts(text)))


_RANKS = {"user": 0, "assistant": 1}


def _lines(heard: Iterable[Heard]) -> Iterator[Line]:
    for item in heard:
        entry = item.entry
        who = entry.name or str(entry.role)
        for piece in sentences(entry.text):
            facts = _facts_of(replace(entry, text=piece.text))
            if facts:
                rank = _RANKS.get(str(entry.role), 2)
                told = _around(piece.text, facts, LONGEST[rank])
                yield Line(f"{who}: {told}", rank, tuple(facts))


def _around(text: str, facts: Sequence[HardFact], longest: int) -> str:
    """A short text whole, of a longer one what stands around its facts, at the edges of words."""
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    parts: list[tuple[int, int]] = []
    for fact in facts:
        start, end = _edges(text, fact.start - AROUND, fact.end + AROUND)
        if parts and start <= parts[-1][1]:
            start, end = parts.pop()[0], max(end, start)
        parts.append((start, end))
    told = " … ".join(" ".join(text[start:end].split()) for start, end in parts)
    return told if len(told) < len(flat) else flat


def _edges(text: str, start: int, end: int) -> tuple[int, int]:
    if start > 0:
        edge = _EDGE.search(text, start)
        start = edge.end() if edge and edge.end() < start + AROUND // 2 else start
    if end < len(text):
        edge = _EDGE.search(text, end)
        end = edge.start() if edge and edge.start() < end + AROUND // 2 else end
    return max(0, start), min(len(text), end)


def _chosen(lines: Sequence[Line], room: Room) -> tuple[str, ...]:
    """The lines that tell a fact nothing else tells, as far as they fit, in order of time."""
    newest_first = sorted(range(len(lines)), key=lambda at: (lines[at].rank, -at))
    kept: set[int] = set()
    for place in newest_first:
        line = lines[place]
        if any(fact.key not in room.known for fact in line.facts) and room.take(line.text):
            kept.add(place)
    return tuple(dict.fromkeys(lines[place].text for place in sorted(kept)))


def _bare(summary: Summary, heard: Sequence[Heard], room: Room) -> dict[str, tuple[str, ...]]:
    """Facts that stand nowhere yet, by kind."""
    found: dict[str, list[str]] = {kind: list(told) for kind, told in summary.facts.items()}
    earlier = [fact for text in (*summary.lines, *summary.commands) for fact in hard_facts(text)]
    for fact in (*earlier, *wanted_facts(heard)):
        found.setdefault(fact.kind, []).append(fact.text)
    kept: dict[str, tuple[str, ...]] = {}
    for kind in sorted(found, key=lambda kind: ORDER.index(kind) if kind in ORDER else len(ORDER)):
        new = [text for text in _unique(found[kind]) if not _is_known(text, room)]
        if told := [text for text in reversed(new) if room.take(text)]:
            kept[kind] = tuple(reversed(told))
    return kept


def _is_known(text: str, room: Room) -> bool:
    keys = {fact.key for fact in hard_facts(text)}
    return bool(keys) and keys <= room.known
