"""Digests: many minor facts of one session on one card, each line verbatim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.distil.offline.formal import formal
from noctuary.distil.offline.pieces import beside, together
from noctuary.distil.offline.titles import timeless
from noctuary.distil.offline.topics import topic_title, topic_words
from noctuary.memory.candidate import Candidate, Quote
from noctuary.memory.card import CardType
from noctuary.memory.entry import Role, trust_of
from noctuary.memory.sentences import language
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from noctuary.distil.offline.pieces import Piece
    from noctuary.memory.entry import Entry

MIN_LINES, MAX_LINES = 8, 24
LINE_COST = 48
REPORTED_FROM = 2.0
"""What an agent reports is worth at least this; what it only explains is worth less."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that is kept, with its worth from 1 to 5."""

    entry: Entry
    piece: Piece
    worth: float

    @property
    def cost(self) -> int:
        """Bytes it takes on a card."""
        return len(self.piece.text.encode("utf-8", "surrogatepass")) + LINE_COST


MAX_JOINED, SHORT, SCRAP = 330, 50, 20
_DEPENDS = re.compile(
    r"(?:it|it's|its|that|that's|this|these|those|they|they're|he|she|he's|she's|him|her|them|and|but|"
    r"so|because|since|which|then|there|plus|also|both)\b|[它这那他她其]|但|所以|因为|而且|并且|然后|\[",
    re.IGNORECASE,
)


def joined(lines: Sequence[Line], people: bool = False) -> list[Line]:
    """Sentences that lean on the one before them stand with it in one quote.

    Between people all that stands side by side is joined: short turns of one breath. Elsewhere a
    line stays small, since it is replaced as a whole when one of its facts is.
    """
    found: list[Line] = []
    for line in lines:
        if found and _leans(found[-1], line, people):
            found[-1] = _together(found[-1], line)
        else:
            found.append(line)
    return found


def _leans(before: Line, line: Line, people: bool) -> bool:
    if before.entry.id != line.entry.id or "code" in (before.piece.kind, line.piece.kind):
        return False
    near = beside(before.entry.text, before.piece, line.piece)
    length = line.piece.start + len(line.piece.text) - before.piece.start
    leaning = bool(_DEPENDS.match(line.piece.text)) or len(line.piece.text) <= SHORT
    leaning = leaning or len(before.piece.text) <= SCRAP
    return near and length <= MAX_JOINED and (people or leaning)


def _together(before: Line, line: Line) -> Line:
    piece = together(before.entry.text, before.piece, line.piece)
    return Line(before.entry, piece, max(before.worth, line.worth) + 0.15 * min(line.piece.rare, 4))


def digests(lines: Iterable[Line]) -> list[Candidate]:
    """Lines grouped to digests by session, trust and topic, in order of time.

    A card is as trusted as its least trusted line: a person's own words stand apart.
    """
    groups: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        entry = line.entry
        key = (entry.episode, entry.session, entry.project, str(trust_of(entry.role)))
        groups.setdefault(key, []).append(line)
    return [_digest(part) for group in groups.values() for part in _parts(group)]


def _digest(lines: Sequence[Line]) -> Candidate:
    texts = [line.piece.text for line in lines]
    users = list(dict.fromkeys(line.entry.user for line in lines))
    telling = max(range(len(lines)), key=lambda place: (_names(lines[place]), -place))
    title = topic_title(texts, " & ".join(users[:3]) if any(users) else "", telling)
    return Candidate(
        CardType.FACT,
        _of_reports(lines, texts) or timeless(title, lines[telling].entry.at),
        "",
        tuple(Quote(line.entry, line.piece.text) for line in lines),
        importance=3 if any(line.worth >= 3 for line in lines) else 2,
        confidence=0.8,
        topics=tuple(word.lower() for word in topic_words(texts, 2)),
        user=users[0] if len(users) == 1 else "",
        project=lines[0].entry.project,
    )


def _names(line: Line) -> float:
    """How well a line names a card: one that leans on what was said before names nothing."""
    about_others = bool(_ABOUT_OTHERS.match(line.piece.text))
    return line.worth - 2 * about_others - 9 * formal(line.piece.text)


_ABOUT_OTHERS = re.compile(
    r"(?:and |but |so )?(?:it|its|that|this|these|those|they|he|she|him|her|them|his|there)\b|[它这那他她其]",
    re.IGNORECASE,
)


def _of_reports(lines: Sequence[Line], texts: Sequence[str]) -> str:
    """The title under which what an agent reports for a project gathers, night after night."""
    project = lines[0].entry.project
    reports = all(
        line.entry.role is Role.ASSISTANT and line.worth >= REPORTED_FROM for line in lines
    )
    if not project or not reports:
        return ""
    return (
        f"{project}：做完的事" if language(" ".join(texts)) == "zh" else f"{project}: what was done"
    )


def _parts(lines: list[Line]) -> Iterator[list[Line]]:
    """Cuts between entries where the words before and after have least in common."""
    while len(lines) > MAX_LINES:
        cut = _best_cut(lines)
        yield lines[:cut]
        lines = lines[cut:]
    if lines:
        yield lines


def _best_cut(lines: Sequence[Line]) -> int:
    last = min(MAX_LINES, len(lines) - MIN_LINES)
    places = range(min(MIN_LINES, last), last + 1)
    return min(places, key=lambda place: (_cohesion(lines, place), -place))


def _cohesion(lines: Sequence[Line], place: int) -> float:
    before = _words(lines[max(0, place - 4) : place])
    after = _words(lines[place : place + 4])
    same_entry = lines[place - 1].entry.id == lines[place].entry.id
    return len(before & after) / (1 + min(len(before), len(after))) + same_entry


def _words(lines: Sequence[Line]) -> set[str]:
    return {word for line in lines for word in content_tokens(line.piece.text)}
