"""Makes an answer of ranked lines: as many right lines as the token budget holds. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.memory.sentences import speech
from noctuary.memory.tokens import estimate, quarters
from noctuary.recall.choice import Choice
from noctuary.recall.doubts import brief, parted
from noctuary.recall.framing import CLOSING, RECALLED, framed, inert, opening
from noctuary.recall.lines import SAME_DAY, cut, day_of, of_year, said, unstopped, until
from noctuary.recall.placing import Told, placed
from noctuary.recall.query import asking
from noctuary.recall.retold import Retold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import date

    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Ranked


@dataclass(frozen=True, slots=True)
class Hit:
    """A card or short-term entry with its lines that answer the question, the best first."""

    id: str
    kind: str
    type: str
    title: str
    text: str
    score: float
    status: str
    importance: int
    trust: str
    date: str
    path: str
    source: tuple[str, ...]
    explain: dict[str, float] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """What it is, of when, how far to be believed, and where it stands, on one line."""
        name = self.title or self.id
        return f"{name} · {self.type} · {self.date} · {self.trust} · {self.path}"

    @property
    def label(self) -> str:
        """The same for a program, that pays for every word: a link for the name and the place."""
        note = self.path.rsplit("/", 1)[-1].removesuffix(".md")
        turns = self.source if self.kind == "entry" else ()
        link = next(iter(turns), f"[[{note}]]")
        return f"{link} · {self.type} · {self.date} · {self.trust}"

    def to_json(self, *, explain: bool = False) -> dict[str, object]:
        """The shape that scripts rely on; with `explain` also why it was found."""
        shape: dict[str, object] = {
            name: getattr(self, name) for name in _HIT_KEYS if name != "source"
        }
        shape |= {"title": inert(self.title), "text": inert(self.text)}
        shape["score"] = round(self.score, 4)
        shape["source"] = list(self.source)
        if explain:
            shape["explain"] = {name: round(value, 4) for name, value in self.explain.items()}
        return shape


_HIT_KEYS = (
    "id", "kind", "type", "title", "text", "score", "status", "importance", "trust", "date",
    "path", "source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What recall gives back; no hits when nothing matches.

    Attributes:
        tokens: Estimated cost of the texts of all hits together.
        wanted: The language of the words around what is told; `auto` for that of the question.
    """

    query: str
    hits: tuple[Hit, ...]
    tokens: int
    wanted: str = "auto"

    @property
    def opening(self) -> str:
        """The line before what is told, which marks it as memory."""
        return opening(RECALLED, speech(self.wanted, [self.query]))

    def framed(self) -> str:
        """All hits as text for an agent's prompt, marked as memory; empty when nothing matches."""
        told = [f"{hit.label}\n{_indented(hit.text)}" for hit in self.hits]
        return framed("\n".join(told), self.opening)

    def to_json(self, *, explain: bool = False) -> dict[str, object]:
        """The shape that scripts rely on; what stands between `note` and `end` is framed too."""
        hits = [hit.to_json(explain=explain) for hit in self.hits]
        return {
            "note": self.opening,
            "query": inert(self.query),
            "hits": hits,
            "tokens": self.tokens,
            "end": CLOSING,
        }


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


SHORTEST_LINE = 24
"""Quarters of a token below which no line is worth trying."""
SPARING = 200
"""Tokens up to which an answer is small: its lines go without their day, which their head has."""
FEWEST_TRIED = 40
"""Lines among which those of an answer are chosen; more when the budget is large."""
TOKENS_PER_TRIED = 5
LINE_END = 1
"""Quarters of a token for the end of a line."""
_WHEN = lazily(
    r"\b(?:when|how long|(?:what|which) (?:date|day|week|month|year))\b"
    "|什么时候|何时|哪[一]?[天年月周]|多久|日期",
    re.IGNORECASE,
)


class Dating(Enum):
    """Which lines of an answer carry the day on which they were said."""

    EACH = "every line, as a question about time needs"
    BY_DAY = "the first of those lines of a hit that share it, unless all do: its head has it"
    NONE = "no line"


def compose(query: str, ranked: Iterable[Ranked], *, k: int | None, budget: int) -> Answer:
    """The best lines that fit `budget` tokens, gathered by card or entry, at most `k` of those."""
    tried = list(islice(ranked, _tried(k, budget)))
    if budget > SPARING:
        tried = _without_parts(tried)
    choice = Choice(query, tried, lambda passage: quarters(passage.text))
    page = Page(budget, k, _dating(query, budget))
    for number in choice:
        if page.is_full:
            break
        if budget <= SPARING and choice.is_answered_without(number):
            continue
        if page.add(number, tried[number]):
            choice.take(number)
    places = placed(query, page.lines, choice)
    owners = sorted(page.owners, key=lambda told: min(places[line.number] for line in told))
    hits = tuple(
        _hit(sorted(told, key=lambda line: places[line.number]), page.dating) for told in owners
    )
    return Answer(query, hits, sum(estimate(hit.text) for hit in hits))


def _without_parts(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Without the receipts that a statement made of several of them tells already.

    An answer of few tokens has no room for the whole statement, and takes the part that fits.
    """
    whole = {
        one.passage.owner: _plain(one.passage.text)
        for one in ranked
        if one.passage.part == "statement"
    }

    def told(passage: Passage) -> bool:
        text, statement = _plain(passage.text), whole.get(passage.owner, "")
        return passage.part == "receipt" and text != statement and text in statement

    return [one for one in ranked if not told(one.passage)]


def _dating(query: str, budget: int) -> Dating:
    if any(map(_WHEN.search, asking(query))):
        return Dating.EACH
    return Dating.BY_DAY if budget > SPARING else Dating.NONE


def _tried(k: int | None, budget: int) -> int:
    by_budget = max(FEWEST_TRIED, budget // TOKENS_PER_TRIED)
    return by_budget if k is None else min(by_budget, max(FEWEST_TRIED, 4 * k))


class Page:
    """The lines told so far, and the room that is left.

    Room is counted in quarters of a token; each hit costs whole tokens, and each line its end.
    """

    def __init__(self, budget: int, k: int | None, dating: Dating) -> None:
        self.dating = dating
        self._k = k
        self._left = 4 * budget
        self._spent: dict[str, int] = {}
        self._told: dict[str, list[Told]] = {}
        self._days: dict[str, list[tuple[date, int]]] = {}
        self._seen = Seen()
        self._retold = Retold()
        self._doubted = False

    @property
    def owners(self) -> list[list[Told]]:
        """The lines of each card or entry."""
        return list(self._told.values())

    @property
    def lines(self) -> list[Told]:
        """All lines."""
        return [line for told in self._told.values() for line in told]

    @property
    def is_full(self) -> bool:
        """True when no further line is worth trying."""
        return self._left < SHORTEST_LINE

    def add(self, number: int, one: Ranked) -> bool:
        """False when there is no room for the line, or it brings nothing new."""
        passage = one.passage
        owner = passage.owner
        if owner not in self._told and self._k is not None and len(self._told) >= self._k:
            return False
        spent, days = self._spent.get(owner, 0), self._days.get(owner, [])
        more = [*days, (passage.at.date(), quarters(day_of(passage)))]
        first = spent + self._heads(more) - self._heads(days) + LINE_END
        room = self._left + _whole(spent) - first
        text, doubted = self._text(passage)
        if quarters(text) > room:
            text = cut(text, room)
        if not text or not self._seen.is_new(passage.text):
            return False
        self._retold.add()
        self._doubted |= doubted
        self._spent[owner] = first + quarters(text)
        self._left += _whole(spent) - _whole(self._spent[owner])
        self._days[owner] = more
        self._told.setdefault(owner, []).append(Told(number, one, text))
        return True

    def _text(self, passage: Passage) -> tuple[str, bool]:
        """What is new in a line; a small answer has too few of them to repeat itself.

        And whether it is doubted: what that means is told once.
        """
        if self.dating is Dating.NONE:
            return unstopped(said(passage, passage.text)) + until(passage), False
        text, against = parted(passage.text)
        new = self._retold.shortened(text)
        if not new:
            return "", False
        if self.dating is Dating.BY_DAY:
            new = of_year(new, passage.at.year)
        against = brief(against) if self._doubted else against
        return said(passage, new + against) + until(passage), bool(against)

    def _heads(self, days: Sequence[tuple[date, int]]) -> int:
        """What stands before the lines of a hit, of such days that cost so much: see `_rendered`."""
        if self.dating is Dating.EACH:
            return sum(cost for _, cost in days)
        told = dict(days)
        if not _tells_days(self.dating, told):
            return 0
        return sum(told.values()) + (len(days) - len(told)) * quarters(SAME_DAY)


def _whole(spent: int) -> int:
    """Quarters as a hit of so many counts: in whole tokens."""
    return -(-spent // 4) * 4


class Seen:
    """Texts already shown, so that no line is paid for twice."""

    def __init__(self) -> None:
        self._plain = ""

    def is_new(self, text: str) -> bool:
        """True, and remembered, when the text says something that no earlier one contains."""
        plain = _plain(text)
        if not plain or plain in self._plain:
            return False
        self._plain += f"\n{plain}"
        return True


def _plain(text: str) -> str:
    return _NOISE.sub("", text.casefold())


_NOISE = lazily(r"[\W_]+")


def _hit(told: Sequence[Told], dating: Dating) -> Hit:
    best = max((line.one for line in told), key=lambda one: one.score)
    passage = best.passage
    return Hit(
        id=passage.id,
        kind=passage.kind,
        type=passage.type,
        title=passage.title,
        text="\n".join(_rendered(told, dating)),
        score=best.score,
        status=passage.status,
        importance=passage.importance,
        trust=passage.trust,
        date=max(line.one.passage.at for line in told).date().isoformat(),
        path=passage.path,
        source=tuple(_sources(line.one.passage.link for line in told)),
        explain=best.signals,
    )


def _tells_days(dating: Dating, days: Collection[date]) -> bool:
    """Whether the lines of a hit tell their days; the one day of all stands in its head."""
    return dating is Dating.EACH or (dating is Dating.BY_DAY and len(days) > 1)


def _rendered(told: Sequence[Told], dating: Dating) -> Iterator[str]:
    if not _tells_days(dating, {line.one.passage.at.date() for line in told}):
        yield from (line.text for line in told)
        return
    days: dict[object, list[Told]] = {}
    for line in told:
        shared = dating is Dating.BY_DAY
        days.setdefault(line.one.passage.at.date() if shared else line.number, []).append(line)
    for first, *others in days.values():
        yield day_of(first.one.passage) + first.text
        yield from (SAME_DAY + line.text for line in others)


def _sources(links: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(link for link in links if link))
