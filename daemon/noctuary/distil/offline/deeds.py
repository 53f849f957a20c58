"""What is to be done, and what somebody says they have done: a verb and its object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.memory.dates import glosses
from noctuary.memory.facts import hard_facts

if TYPE_CHECKING:
    from datetime import datetime

CUT = "¦"
"""Stands for a time or a price that was taken out of a clause: it ends an object."""
_BESIDE = frozenset({"money", "duration", "time", "date"})


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing to do, or done.

    Attributes:
        verb: One of the verbs that mean the same, always the same one; empty where none is named:
            a bare thing to see to, or one that is said to be done with.
        thing: The word that names the object; in Chinese the object itself.
        words: All words of the object, and of what it is for.
        aim: Whom it is for or with, in Chinese.
        common: True for an object of its kind, `a pen`, rather than the one that was spoken of.
        dated: Whether its own words say when, in Chinese.
        makes: Whether the verb says of a thing alone, `the ice`, that it is seen to.
    """

    verb: str
    thing: str
    words: frozenset[str] = frozenset()
    aim: frozenset[str] = frozenset()
    common: bool = False
    makes: bool = False
    dated: bool = False


def agree(task: Deed, deed: Deed) -> bool:
    """Whether the verbs of a task and of a deed can mean the same."""
    if not deed.verb:
        return True
    return task.verb == deed.verb or (not task.verb and deed.makes)


def bare(clause: str, at: datetime) -> str:
    """A clause without its times and prices, which are no part of an object."""
    spans = [(gloss.start, gloss.end) for gloss in glosses(clause, at)]
    spans += [(fact.start, fact.end) for fact in hard_facts(clause) if fact.kind in _BESIDE]
    told, done = "", 0
    for start, end in sorted(spans):
        told += f"{clause[done:start]} {CUT} " if start >= done else ""
        done = max(done, end)
    return told + clause[done:]
