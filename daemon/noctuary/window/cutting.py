"""Which messages stay whole: the last turns, as many as there is room for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.window.messages import STANDING, may_cut, total
from noctuary.window.summary import is_summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctuary.window.messages import Message

ROOM_FOR_MORE = 0.7
"""Where the wanted turns do not fit, fewer are kept, so that the next turns need no new cut."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Places of messages, each in order: what always stays, what goes, what is kept whole."""

    standing: tuple[int, ...]
    earlier: tuple[int, ...]
    dropped: tuple[int, ...]
    kept: tuple[int, ...]


def cut(messages: Sequence[Message], keep: int, limit: int, reserve: int) -> Cut | None:
    """The cut that keeps the last `keep` turns whole, or fewer where they do not fit `limit`.

    `reserve` are the tokens that the summary may take. None when nothing can be dropped.
    """
    found = None
    for count, place in _places(messages, keep):
        tried = _at(messages, place)
        if not tried.dropped:
            continue
        found = tried
        left = [messages[at] for at in (*tried.standing, *tried.kept)]
        room = limit if count == keep else int(limit * ROOM_FOR_MORE)
        gone = total(messages[at] for at in (*tried.earlier, *tried.dropped))
        if total(left) + min(reserve, gone) < room:
            return tried
    return found


def _places(messages: Sequence[Message], keep: int) -> Iterator[tuple[int, int]]:
    """Where to cut, best first: turns kept, and the place of the first kept message."""
    free = may_cut(messages)
    starts = _turn_starts(messages)
    answered = bool(messages) and messages[-1]["role"] == "assistant" and free[-1]
    if keep == 0 and answered:
        yield 0, len(messages)
    for count in range(min(max(keep, 1), len(starts)), 0, -1):
        if free[starts[-count]]:
            yield count, starts[-count]
    last = starts[-1] if starts else -1
    for place in range(last + 1, len(messages)):
        if free[place] and messages[place]["role"] == "assistant":
            yield 0, place


def _turn_starts(messages: Sequence[Message]) -> list[int]:
    """Where turns begin: at what a person says after anybody else spoke."""
    own = [item["role"] == "user" and not is_summary(item) for item in messages]
    return [place for place, is_own in enumerate(own) if is_own and not (place and own[place - 1])]


def _at(messages: Sequence[Message], place: int) -> Cut:
    """The cut at one place; the request that is being worked on stays, whatever goes."""
    before = range(place)
    pinned = _request(messages, place)
    standing = tuple(at for at in before if messages[at]["role"] in STANDING)
    earlier = tuple(at for at in before if is_summary(messages[at]))
    taken = {*standing, *earlier, *pinned}
    dropped = tuple(at for at in before if at not in taken)
    return Cut(standing, earlier, dropped, (*pinned, *range(place, len(messages))))


def _request(messages: Sequence[Message], place: int) -> tuple[int, ...]:
    """What the person said last, where the cut is inside that turn."""
    rest = messages[place:]
    if not rest or rest[0]["role"] == "user":
        return ()
    said = [at for at in range(place) if messages[at]["role"] == "user"]
    own = [at for at in said if not is_summary(messages[at])]
    first = len(own)
    while first and (first == len(own) or own[first] - own[first - 1] == 1):
        first -= 1
    return tuple(own[first:])
