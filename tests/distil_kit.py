from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline import OfflineDistiller
from noctuary.memory.candidate import Anchor, Candidate, Known, Quote, Relation, Score, Scored
from noctuary.memory.card import Card, CardType, Receipt, Status
from noctuary.memory.entry import Entry, Role, Trust, entry_id

if TYPE_CHECKING:
    from collections.abc import Sequence

START = datetime(2026, 3, 2, 9, 0, 0)


class Gullible(OfflineDistiller):
    """Believes every web page, and would make a constraint of it."""

    def score(self, entries: Sequence[Entry], anchor: Anchor) -> list[Score]:
        return [Score(5) for _ in entries]

    def distil(self, scored: Sequence[Scored], anchor: Anchor) -> list[Candidate]:
        return [
            Candidate(CardType.CONSTRAINT, text[:70], text, (Quote(item.entry, text),), 5)
            for item in scored
            if (text := item.entry.text)
        ]


@lru_cache(maxsize=1)
def distiller() -> OfflineDistiller:
    return OfflineDistiller()


def said(
    text: str, minute: int = 0, role: Role = Role.USER, user: str = "", session: str = "s1"
) -> Entry:
    at = START + timedelta(minutes=minute)
    return Entry(
        entry_id(role, at, text),
        role,
        at,
        text,
        user=user,
        session=session,
        episode="2026-03-02-s1",
    )


def scored(entries: list[Entry], anchor: Anchor | None = None) -> list[Scored]:
    scores = distiller().score(entries, anchor or Anchor())
    return [Scored(entry, score) for entry, score in zip(entries, scores, strict=True)]


def value_of(text: str, role: Role = Role.USER) -> int:
    return distiller().score([said(text, role=role)], Anchor())[0].value


def distilled(entries: list[Entry]) -> list[Candidate]:
    kept = [each for each in scored(entries) if each.score.value > 1]
    return distiller().distil(kept, Anchor())


def known_line(
    text: str, minute: int = 0, type_: CardType = CardType.FACT, speaker: str = ""
) -> Known:
    entry = said(text, minute, user=speaker)
    receipt = Receipt(entry.episode, entry.id, entry.role, entry.at, text, speaker=speaker)
    card = Card(
        id="c00001",
        type=type_,
        title=text[:40],
        statement=text,
        importance=4,
        confidence=0.8,
        status=Status.ACTIVE,
        trust=Trust.USER,
        created=entry.at,
        updated=entry.at,
        last_referenced=entry.at.date(),
        evidence=(receipt,),
    )
    return Known(card, receipt)


def relation(
    new: str, *old: str, type_: CardType = CardType.FACT, minute: int = 60, user: str = ""
) -> Relation:
    known = [known_line(text, type_=type_, speaker=user) for text in old]
    return distiller().relate(Quote(said(new, minute, user=user), new), type_, known)
