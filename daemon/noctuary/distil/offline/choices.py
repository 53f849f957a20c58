"""What is used for a purpose, and a newer line that puts something else in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.forms import forms, listed, pattern
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.distil.offline.forms import Shape
    from noctuary.distil.offline.frames import Frame

_VALUED = re.compile(r"[A-Z0-9「“]|[a-z]+[-_./]\w|(?<=[\u3400-\u9fff])[A-Za-z]")
_PLACES: dict[str, Shape] = {
    "what": (r"\w[\w /'’.+-]{1,40}?", r"[^，。；：！？、\s]{2,12}?"),
    "old": (r"\w[\w .+#-]{0,30}?", r"[^，。；：！？]{1,16}?"),
    "name": ("", r"[A-Za-z][\w.+#-]*"),
    "value": (r"\w[^,;]{0,40}?", r"[^，。；：！？]{1,24}?"),
}
_MEASURES = frozenset({"money", "duration", "date", "time", "weekday", "percent", "quantity"})


@dataclass(frozen=True, slots=True)
class Choice:
    """What is used for what.

    Attributes:
        what: Telling words of the purpose, or of the thing that has a value; maybe none.
        old: Those of the value that is given up, where it is named.
        moved: Whether it says that this took the place of something.
    """

    what: frozenset[str]
    value: frozenset[str]
    old: frozenset[str]
    moved: bool


def chooses_anew(new: Frame, old: Frame) -> bool:
    """`The database moves to X` against `we use Y for the database`."""
    return any(
        one.moved and _takes_place(one, other)
        for one in choices(new.text)
        for other in choices(old.text)
    )


def _takes_place(new: Choice, old: Choice) -> bool:
    if new.value <= old.value or old.value <= new.value:
        return False
    gives_up = bool(new.old) and new.old <= old.value
    if new.what and old.what:
        return new.what == old.what and (gives_up or not new.old)
    return gives_up


@lru_cache(maxsize=20_000)
def choices(text: str) -> tuple[Choice, ...]:
    """Everything that a line says is used for something, clause by clause."""
    likely = any(forms(kind).may_stand_in(text) for kind in ("gives-up", "moves", "uses"))
    return tuple(_choices(text)) if likely and text.rstrip()[-1:] not in "?？" else ()


def _choices(text: str) -> Iterator[Choice]:
    parts = [part.text for part in clauses(text)]
    for place, clause in enumerate(parts):
        rest = "，".join(parts[place:])
        found = None if pattern("beside").search(clause) else _choice(clause, rest)
        if found is not None:
            yield found


def _choice(clause: str, both: str) -> Choice | None:
    """What a clause chooses, alone or, where it gives something up, with the one behind it."""
    for kind, said in (("gives-up", both), ("moves", clause), ("uses", clause)):
        for named in forms(kind, **_PLACES).read(said):
            value, what = named["value"].strip(), _telling(named.get("what", ""))
            vague = not _telling(value) or pattern("no-value").match(value)
            if vague or _only_measures(value):
                return None
            if (named.get("is") or not what) and not _names(value):
                return None
            return Choice(
                what,
                _telling(value),
                _telling(named.get("old") or named.get("name", "")),
                kind != "uses",
            )
    return None


def _names(value: str) -> bool:
    return bool(_VALUED.search(value)) or any(fact.kind == "name" for fact in hard_facts(value))


def _telling(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text)) - frozenset(content_tokens(" ".join(listed("general"))))


def _only_measures(value: str) -> bool:
    """`for two years`: no thing at all."""
    kinds = {fact.kind for fact in hard_facts(value)}
    return bool(kinds) and kinds <= _MEASURES
