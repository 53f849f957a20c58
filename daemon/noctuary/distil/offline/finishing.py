"""Which open tasks a person's own words say are done."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline import deeds_en, deeds_zh
from noctuary.memory.dates import glosses
from noctuary.memory.entry import Role
from noctuary.memory.sentences import language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from noctuary.distil.offline.deeds import Deed
    from noctuary.memory.candidate import Known, Quote


def finished(quote: Quote, tasks: Sequence[Known]) -> list[Known]:
    """The tasks that the words close: those that they name, else the only one that they can mean.

    What an assistant reports must name its task: a guess would hide what is still to be done.
    """
    surely = quote.entry.role is not Role.USER
    found: list[Known] = []
    for day, deed, lang in _deeds(quote.text, quote.entry.at):
        alike: dict[int, list[Known]] = {1: [], 2: []}
        for task in tasks:
            if day < task.receipt.at.date():
                continue
            if value := _likeness(task.receipt.quote, task.receipt.at, deed, lang):
                alike[value].append(task)
        found += alike[2] or (alike[1] if len(alike[1]) == 1 and not surely else [])
    return list({task.card.id: task for task in found}.values())


def unfinished(quote: Quote, tasks: Sequence[Known]) -> list[Known]:
    """The tasks of which the words say that they are not done."""
    denied = _denials(quote.text, quote.entry.at)
    return [
        task
        for task in tasks
        if any(_likeness(task.receipt.quote, task.receipt.at, *one) for one in denied)
    ]


@lru_cache(maxsize=4096)
def _denials(text: str, at: datetime) -> tuple[tuple[Deed, str], ...]:
    lang = language(text)
    room = deeds_zh if lang == "zh" else deeds_en
    return tuple((deed, lang) for deed in room.denied(text, at))


@lru_cache(maxsize=4096)
def _deeds(text: str, at: datetime) -> tuple[tuple[date, Deed, str], ...]:
    """What is said to be done, with the last day on which it can have been."""
    lang = language(text)
    told = (deeds_zh if lang == "zh" else deeds_en).deeds(text, at)
    return tuple(
        (min((gloss.last for gloss in glosses(clause, at)), default=at.date()), deed, lang)
        for clause, deed in told
    )


@lru_cache(maxsize=65_536)
def _likeness(task: str, at: datetime, deed: Deed, lang: str) -> int:
    if language(task) != lang:
        return 0
    room = deeds_zh if lang == "zh" else deeds_en
    return max((room.likeness(one, deed) for one in _asked(task, at, lang)), default=0)


@lru_cache(maxsize=4096)
def _asked(task: str, at: datetime, lang: str) -> tuple[Deed, ...]:
    return tuple((deeds_zh if lang == "zh" else deeds_en).tasks(task, at))
