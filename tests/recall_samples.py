"""Cards, receipts and entries for the tests of recall."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from noctuary.memory.card import Card, CardType, Receipt, Status
from noctuary.memory.entry import Entry, Role, Trust, entry_id

NOW = datetime(2026, 12, 24, 9, 0, 0)
EPISODE = "2026-11-30-agent-7f3a2b"


def receipt(
    quote: str,
    at: str = "2026-11-30T14:02:11",
    *,
    speaker: str = "",
    role: Role = Role.USER,
    replaced: date | None = None,
    replaced_by: str = "",
    gloss: str = "",
) -> Receipt:
    when = datetime.fromisoformat(at)
    return Receipt(
        episode=EPISODE,
        entry=entry_id(role, when, quote),
        role=role,
        at=when,
        quote=quote,
        speaker=speaker,
        gloss=gloss,
        replaced=replaced,
        replaced_by=replaced_by,
    )


def card(
    title: str,
    *evidence: Receipt,
    statement: str = "",
    type: CardType = CardType.FACT,
    importance: int = 3,
    status: Status = Status.ACTIVE,
    replaced: tuple[Receipt, ...] = (),
    superseded_by: tuple[str, ...] = (),
    project: str = "",
    user: str = "",
    trust: Trust = Trust.USER,
    tags: tuple[str, ...] = (),
    references: int = 0,
    valid_until: date | None = None,
) -> Card:
    made = datetime(2026, 11, 30, 14, 2, 11)
    return Card(
        id="c" + "".join(sorted(title.casefold()))[:6].replace(" ", ""),
        type=type,
        title=title,
        statement=statement,
        importance=importance,
        confidence=0.9,
        status=status,
        trust=trust,
        created=made,
        updated=made,
        last_referenced=made.date(),
        evidence=evidence,
        replaced=replaced,
        superseded_by=superseded_by,
        project=project,
        user=user,
        tags=tags,
        references=references,
        valid_until=valid_until,
    )


def entry(
    text: str,
    at: str = "2026-11-30T14:02:11",
    *,
    role: Role = Role.USER,
    user: str = "",
    session: str = "7f3a2b",
    project: str = "",
) -> Entry:
    when = datetime.fromisoformat(at)
    return Entry(
        id=entry_id(role, when, text),
        role=role,
        at=when,
        text=text,
        user=user,
        session=session,
        project=project,
        episode=EPISODE,
    )


@dataclass
class OnDisk:
    """A card file as a store would hand it over; counts how often it was read."""

    path: str
    digest: str
    holds: Card | None
    reads: int = 0

    @property
    def card(self) -> Card | None:
        self.reads += 1
        return self.holds


def on_disk(name: str, holds: Card, digest: str = "1") -> OnDisk:
    return OnDisk(f"cards/{holds.type.folder}/{name}.md", digest, holds)
