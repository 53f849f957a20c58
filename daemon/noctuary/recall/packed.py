"""A passage as the index keeps it: bytes to show it, two numbers to put it in order. Pure."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from noctuary.recall.match import numbers
from noctuary.recall.passages import Passage, session_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.recall.match import Numbers
    from noctuary.recall.passages import Indexed

_MARK = "\x1f"
"""Stands between the parts; the text comes last, so that it may hold any character."""
_COUNT = len(Passage._fields)
_SPEAKER, _DAY = 32, 22
"""Bits of the packed number."""
_SPEAKERS, _DAYS = (1 << _SPEAKER) - 1, (1 << _DAY) - 1
_SUCCESSOR, _LIVE = (1 << _SPEAKER + _DAY + flag for flag in (0, 1))


class Row(NamedTuple):
    """A passage as the index takes it in: plain values, which may come from another process.

    Attributes:
        data, prior, facts: See `encode` and `pack`.
    """

    owner: str
    links: tuple[str, ...]
    scope: list[str]
    tokens: str
    data: bytes
    prior: float
    facts: int


def row(one: Indexed) -> Row:
    """The row of a passage."""
    passage = one.passage
    return Row(
        passage.owner, one.links, scope(passage), one.tokens, encode(passage), *pack(passage)
    )


def encode(passage: Passage) -> bytes:
    """A passage as it is stored."""
    parts = [
        passage.owner,
        passage.kind,
        passage.id,
        passage.path,
        passage.note,
        passage.part,
        passage.type,
        passage.title,
        passage.speaker,
        passage.role,
        passage.at.isoformat(),
        passage.link,
        passage.status,
        str(passage.importance),
        passage.trust,
        str(passage.references),
        passage.referenced.isoformat(),
        passage.user,
        passage.project,
        passage.session,
        passage.since.isoformat() if passage.since else "",
        passage.until.isoformat() if passage.until else "",
        passage.successor,
    ]
    told = _MARK.join(parts)
    if told.count(_MARK) >= len(parts):
        told = _MARK.join(part.replace(_MARK, " ") for part in parts)
    return f"{told}{_MARK}{passage.text}".encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Passage:
    """The passage that was stored; ValueError when these bytes hold none."""
    (
        owner, kind, id_, path, note, part, type_, title, speaker, role, at, link, status,
        importance, trust, references, referenced, user, project, session, since, until,
        successor, text,
    ) = data.decode("utf-8", "surrogatepass").split(_MARK, _COUNT - 1)  # fmt: skip
    told = (
        owner, kind, id_, path, note, part, type_, title, text, speaker, role,
        datetime.fromisoformat(at), link, status, int(importance), trust, int(references),
        date.fromisoformat(referenced), user, project, session,
        date.fromisoformat(since) if since else None,
        date.fromisoformat(until) if until else None,
        successor,
    )  # fmt: skip
    return tuple.__new__(Passage, told)


def text_of(data: bytes) -> bytes:
    """The text alone of a passage that was stored."""
    return data.split(_MARK.encode(), _COUNT - 1)[-1]


def scope(passage: Passage) -> list[str]:
    """The terms by which a search is restricted to what a passage belongs to."""
    return [
        f"type:{passage.type}",
        f"project:{passage.project}",
        f"user:{passage.user}",
        *_sessions(passage.link.partition("#")[0]),
    ]


@lru_cache(maxsize=1024)
def _sessions(episode: str) -> tuple[str, ...]:
    return tuple(f"session:{name}" for name in session_names(episode))


def pack(passage: Passage) -> tuple[float, int]:
    """What puts a passage in order, as the two columns of the index."""
    prior, day, speaker, has_successor, is_live = numbers(passage)
    flags = _SUCCESSOR * has_successor | _LIVE * is_live
    return prior, speaker | day << _SPEAKER | flags


def unpack(priors: Sequence[Any], packed: Sequence[Any]) -> list[Numbers]:
    """The numbers of some rows by their columns; TypeError when one has none."""
    if None in priors or None in packed:
        raise TypeError("a passage without numbers")
    return [
        (prior, row >> _SPEAKER & _DAYS, row & _SPEAKERS, row & _SUCCESSOR != 0, row & _LIVE != 0)
        for prior, row in zip(priors, packed, strict=True)
    ]
