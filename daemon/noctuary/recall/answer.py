"""Makes an answer of ranked lines: as many right lines as the token budget holds. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noctuary.memory.dates import say_date
from noctuary.memory.sentences import language
from noctuary.memory.tokens import estimate
from noctuary.recall.framing import framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from noctuary.recall.passages import Passage
    from noctuary.recall.ranking import Ranked


@dataclass(frozen=True, slots=True)
class Hit:
    """A card or short-term entry with its lines that answer the question, in order of time."""

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

    def to_json(self, *, explain: bool = False) -> dict[str, object]:
        """The shape that scripts rely on; with `explain` also why it was found."""
        shape: dict[str, object] = {
            name: getattr(self, name) for name in _HIT_KEYS if name != "source"
        }
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
    """

    query: str
    hits: tuple[Hit, ...]
    tokens: int

    def framed(self) -> str:
        """All hits as text for an agent's prompt, marked as memory; empty when nothing matches."""
        told = [f"{hit.head}\n{_indented(hit.text)}" for hit in self.hits]
        return framed("\n".join(told))

    def to_json(self, *, explain: bool = False) -> dict[str, object]:
        """The shape that scripts rely on."""
        hits = [hit.to_json(explain=explain) for hit in self.hits]
        return {"query": self.query, "hits": hits, "tokens": self.tokens}


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def line(passage: Passage) -> str:
    """One line as an agent reads it: day, who said it, what was said."""
    day = passage.at.date()
    zh = language(passage.text) == "zh"
    said = day.isoformat() if zh else say_date(day, "en")
    who = _who(passage)
    text = " ".join(passage.text.split()) if "\n" not in passage.text.strip() else passage.text
    return f"{said} {who}{text}"


def _who(passage: Passage) -> str:
    if passage.speaker and not passage.text.startswith(passage.speaker):
        return f"{passage.speaker}: "
    return "" if passage.role == "user" else f"({passage.role}) "


SHORTEST_LINE = 6
"""Tokens below which no line is worth trying."""
PATIENCE = 24
"""Lines in a row that do not fit, or bring nothing new, before no more are tried."""
PATIENCE_WHEN_FULL = 8
"""The same once `k` cards are chosen and only lines of those are still wanted."""


def compose(query: str, ranked: Iterable[Ranked], *, k: int | None, budget: int) -> Answer:
    """The best lines that fit `budget` tokens, gathered by card or entry, at most `k` of those."""
    chosen: dict[str, list[Ranked]] = {}
    seen = Seen()
    left = budget
    passed = 0
    for one in ranked:
        full = k is not None and len(chosen) >= k
        if left < SHORTEST_LINE or passed > (PATIENCE_WHEN_FULL if full else PATIENCE):
            break
        passed += 1
        owner = one.passage.owner
        if full and owner not in chosen:
            continue
        cost = estimate(line(one.passage)) + 1
        if cost > left or not seen.is_new(one.passage.text):
            continue
        left -= cost
        passed = 0
        chosen.setdefault(owner, []).append(one)
    hits = tuple(_hit(lines) for lines in chosen.values())
    return Answer(query, hits, sum(estimate(hit.text) for hit in hits))


class Seen:
    """Texts already shown, so that no line is paid for twice."""

    def __init__(self) -> None:
        self._plain: list[str] = []

    def is_new(self, text: str) -> bool:
        """True, and remembered, when the text says something that no earlier one contains."""
        plain = _NOISE.sub("", text.casefold())
        if not plain or any(plain in known for known in self._plain):
            return False
        self._plain.append(plain)
        return True


_NOISE = re.compile(r"[\W_]+")


def _hit(lines: Sequence[Ranked]) -> Hit:
    best = lines[0]
    passage = best.passage
    told = sorted(lines, key=lambda one: one.passage.at)
    return Hit(
        id=passage.id,
        kind=passage.kind,
        type=passage.type,
        title=passage.title,
        text="\n".join(line(one.passage) for one in told),
        score=best.score,
        status=passage.status,
        importance=passage.importance,
        trust=passage.trust,
        date=told[-1].passage.at.date().isoformat(),
        path=passage.path,
        source=tuple(_sources(told)),
        explain=best.signals,
    )


def _sources(lines: Iterable[Ranked]) -> list[str]:
    return list(dict.fromkeys(one.passage.link for one in lines if one.passage.link))
