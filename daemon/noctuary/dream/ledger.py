"""The fact ledger: every hard fact of what a dream absorbs must be findable afterwards.

Pure. Counts entries scored 2 and above; what is missing from an entry that matters is mended by
quoting the sentences that hold it, so that a dream under its threshold can always be reached.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory.candidate import Candidate, Quote, Scored
from noctuary.memory.card import CardType
from noctuary.memory.facts import HardFact, hard_facts, missing
from noctuary.memory.secrets import redact
from noctuary.memory.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from noctuary.memory.entry import Entry
    from noctuary.memory.sentences import Sentence

DETAIL = 4
"""From this score on nothing may be lost."""
_LONGEST_LINE = 400
_LINES = 16


@dataclass(frozen=True, slots=True)
class Account:
    """Hard facts of one entry: how many there are, and which no card holds."""

    scored: Scored
    facts: int
    lost: tuple[HardFact, ...]

    @property
    def entry(self) -> Entry:
        """The entry that is accounted for."""
        return self.scored.entry


@dataclass(frozen=True, slots=True)
class Balance:
    """The accounts of a dream, summed."""

    kept: int
    lost: tuple[tuple[str, str], ...]
    detail_lost: int

    @property
    def share_lost(self) -> float:
        """Lost facts by all facts; 0 when there are none."""
        total = self.kept + len(self.lost)
        return len(self.lost) / total if total else 0.0


def accounts(scored: Iterable[Scored], quoted: Mapping[str, str]) -> list[Account]:
    """One account per entry scored 2 and above; `quoted` maps entry links to what cards hold of them."""
    return [
        _account(item, quoted.get(item.entry.link, "")) for item in scored if item.score.value >= 2
    ]


def _account(item: Scored, held: str) -> Account:
    facts = _openly_said(item.entry.text)
    return Account(item, len(facts), tuple(missing(facts, held)) if facts else ())


def _openly_said(text: str) -> list[HardFact]:
    """The facts to keep: no secrets, and nothing inside pasted code, which is not experience."""
    facts = hard_facts(text)
    if not facts:
        return facts
    shown = redact(text)
    whole = shown == text
    code = [(piece.start, piece.end) for piece in sentences(text) if piece.kind == "code"]
    return [
        fact
        for fact in facts
        if (whole or fact.text in shown)
        and not any(start <= fact.start < end for start, end in code)
    ]


def balance(found: Iterable[Account]) -> Balance:
    """Sum the accounts."""
    kept, lost, detail = 0, [], 0
    for account in found:
        kept += account.facts - len(account.lost)
        lost += [(fact.text, account.entry.link) for fact in account.lost]
        detail += len(account.lost) if account.scored.score.value >= DETAIL else 0
    return Balance(kept, tuple(lost), detail)


def mend(
    found: list[Account], max_share: float, title: Callable[[Sequence[str]], str]
) -> list[Candidate]:
    """Digests of the sentences that hold lost facts: all of entries that matter, others to the limit.

    `title` names a digest by its lines.
    """
    total = sum(account.facts for account in found)
    spare = int(max_share * total)
    wanted: list[Account] = []
    for account in sorted(found, key=lambda item: (-item.scored.score.value, -len(item.lost))):
        if not account.lost:
            continue
        if account.scored.score.value < DETAIL and _lost(found, wanted) <= spare:
            break
        wanted.append(account)
    return _digests(wanted, title)


def _lost(found: list[Account], mended: list[Account]) -> int:
    return sum(len(item.lost) for item in found) - sum(len(item.lost) for item in mended)


def _digests(wanted: list[Account], title: Callable[[Sequence[str]], str]) -> list[Candidate]:
    groups: dict[tuple[str, str], list[Quote]] = defaultdict(list)
    for account in sorted(wanted, key=lambda item: item.entry.at):
        entry = account.entry
        groups[entry.episode, entry.role].extend(
            Quote(entry, line) for line in Lines(entry.text).holding(account.lost)
        )
    return [
        _digest(quotes[start : start + _LINES], title)
        for quotes in groups.values()
        for start in range(0, len(quotes), _LINES)
    ]


def _digest(quotes: list[Quote], title: Callable[[Sequence[str]], str]) -> Candidate:
    return Candidate(
        type=CardType.FACT,
        title=title([quote.text for quote in quotes]),
        statement="",
        quotes=tuple(quotes),
        importance=2,
        project=quotes[0].entry.project,
    )


class Lines:
    """The sentences of a text, cut once, from which those that hold facts are taken."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces = sentences(text)
        self._starts = [piece.start for piece in self._pieces]

    def holding(self, facts: Iterable[HardFact]) -> list[str]:
        """Those that hold these facts, each once, in order; long ones cut around them."""
        lines: dict[str, None] = {}
        done = 0
        for fact in sorted(facts, key=lambda one: one.start):
            if fact.end <= done:
                continue
            piece = self._at(fact.start)
            start, done = (
                _window(self._text, fact, max(piece.start, done), piece.end)
                if piece
                else (fact.start, fact.end)
            )
            lines.setdefault(self._text[start:done].strip())
        return list(lines)

    def _at(self, place: int) -> Sentence | None:
        before = bisect_right(self._starts, place) - 1
        found = self._pieces[before] if before >= 0 else None
        return found if found and place < found.end else None


def _window(text: str, fact: HardFact, start: int, end: int) -> tuple[int, int]:
    """The line of a sentence around a fact, a long one cut between clauses, else between words."""
    start = max(start, text.rfind("\n", start, fact.start) + 1)
    end = next((hit.start() for hit in _LINE_END.finditer(text, fact.end, end)), end)
    if end - start <= _LONGEST_LINE:
        return start, end
    earliest = max(start, fact.start - _LONGEST_LINE // 2)
    if earliest > start:
        start = _cut(text, earliest, fact.start, first=True)
    latest = max(start + _LONGEST_LINE, fact.end)
    return (start, end) if end <= latest else (start, _cut(text, fact.end, latest, first=False))


def _cut(text: str, start: int, end: int, *, first: bool) -> int:
    """The first or last place between these where a clause ends, else a word."""
    for breaks in (_CLAUSE_END, _WORD_END):
        places = [hit.end() for hit in breaks.finditer(text, start, end)]
        if places:
            return places[0] if first else places[-1]
    return start if first else end


_LINE_END = re.compile(r"\n")
_CLAUSE_END = re.compile(r"[,;:.!?]\s+|[，；：。！？、]")
_WORD_END = re.compile(r"\s+|(?<=[\u3400-\u9fff])")
