"""English deeds: `renew the domain` and `I renewed the domain this morning`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.deeds import CUT, Deed, agree, bare
from noctuary.distil.offline.forms import alike, forms, listed, pattern
from noctuary.memory.words import STOP_EN, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

_WORD = re.compile(r"[\w$€£][\w.'&/@+-]*\w|\w|¦")
_MARK = re.compile(r"[,;:.!?]\s")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
ASK = "ask"
MEASURED = 2
"""Words of a size behind a thing: `tubes 28 inch`."""
MOST_WORDS = 5
"""So many words may name what is done, where no verb stands between."""


@cache
def _ends() -> re.Pattern[str]:
    marks = r"(?<=\w)[,;:!?]+\s+|[.!?]+\s+|\s+[-–—]+\s+"
    return re.compile(rf"{marks}|\s+(?={pattern('deed-end').pattern})")


@cache
def _verbs() -> dict[str, str]:
    return {stem(verb): one for verb, one in alike("errand").items()}


def tasks(text: str, at: datetime) -> list[Deed]:
    """What a task asks for; nothing where it comes back or asks for several things."""
    low = _plain(text)
    if pattern("comes-back").search(low):
        return []
    if needing := next(forms("needs-doing").read(low), None):
        return _bare_thing(needing["thing"], at)
    behind = _behind_lead(low)
    if asked := next(forms("asks").read(_MARK.split(behind)[0]), None):
        return [_asking(asked["who"], asked.get("thing", ""))]
    said = _ends().split(behind)[0]
    parts = _led_by_verb(_WORD.findall(bare(said, at)))
    if not parts:
        return []
    if parts[0] in listed("determiner"):
        return _bare_thing(said, at)
    deed = _deed(parts[0], parts[1:])
    return [deed] if deed else []


def _behind_lead(text: str) -> str:
    """The task itself, without `remind me that we need to`."""
    lead = pattern("task-lead").search(text)
    if lead is None:
        return text
    rest = text[lead.end() :].lstrip(" :,-")
    more = pattern("task-leads-on").match(rest)
    return rest[more.end() :].lstrip() if more else rest


def _led_by_verb(parts: list[str]) -> list[str]:
    """A task from its verb on: `until ¦ send the report`, `also call Ana`."""
    start = next(
        (i for i, word in enumerate(parts) if word not in listed("adverb") | {CUT}), len(parts)
    )
    timed = parts[start + 1 : start + 2] == [CUT] and parts[start] in listed("thing-end")
    return _led_by_verb(parts[start + 2 :]) if timed else parts[start:]


def _asking(who: str, thing: str) -> Deed:
    """Of whom something is asked, and the words for it."""
    named = [_root(word) for word in _WORD.findall(who) if word not in STOP_EN]
    told = (word for word in _WORD.findall(thing) if word not in STOP_EN)
    return Deed(ASK, named[-1] if named else who, frozenset([*named, *map(_root, told)]))


def _bare_thing(said: str, at: datetime) -> list[Deed]:
    deed = _object(_WORD.findall(bare(said, at)))
    return [deed] if deed else []


def deeds(text: str, at: datetime) -> Iterator[tuple[str, Deed]]:
    """What the speaker says is done, each with its clause."""
    low = _plain(text)
    for sentence in _SENTENCE.split(low):
        if told := _answer(sentence):
            yield sentence, told
        if "?" in sentence[-2:] or any(
            pattern(kind).search(sentence) for kind in ("unsure", "fails-after-all")
        ):
            continue
        for clause in _ends().split(sentence):
            if not clause or pattern("undone").search(clause) or pattern("later").match(clause):
                continue
            deed = _told(_WORD.findall(bare(clause, at)), clause)
            if deed is not None:
                yield clause, deed


def _answer(sentence: str) -> Deed | None:
    """`legal says no to the postcode` is done with asking them; `says they will look` is not."""
    if "?" in sentence[-2:] or pattern("no-answer").search(sentence):
        return None
    told = next(forms("answers").read(sentence), None)
    own = told is not None and told["who"].split()[0] in listed("speaker") | listed("unnamed")
    return _asking(told["who"], told["thing"]) if told and not own else None


def denied(text: str, at: datetime) -> Iterator[Deed]:
    """What the speaker says is not done: `the page is not written yet`, `you didn't write it`."""
    for clause in _ends().split(_plain(text)):
        plain = clause.replace("n't", " not")
        if not plain or "?" in clause[-2:] or pattern("unsure").search(plain):
            continue
        missing = next(forms("is-missing").read(plain), None)
        if missing:
            deed = _object(_WORD.findall(bare(missing["thing"], at)))
        elif pattern("not-yet").search(plain):
            deed = _told_not(_WORD.findall(bare(pattern("not-yet").sub(" ", plain), at)), plain)
        else:
            continue
        if deed is not None:
            yield deed


def _told_not(said: Sequence[str], clause: str) -> Deed | None:
    """What `you have written the page` or `the page is written` speaks of, once its `not` is out."""
    parts = [word for word in said if word not in listed("adverb") - listed("done")]
    if parts and parts[0] in listed("doer"):
        parts = parts[1:]
    if parts and parts[0] in listed("have") | listed("did"):
        return _deed(parts[1], parts[2:]) if len(parts) > 1 else None
    return _passive(parts, clause)


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split()).rstrip(" .!")


def _told(parts: Sequence[str], clause: str) -> Deed | None:
    start = next(
        (i for i, word in enumerate(parts) if word not in listed("adverb") and word != CUT),
        len(parts),
    )
    said_done = bool(start) and parts[start - 1] in listed("done")
    parts = parts[start:]
    if not parts:
        return None
    if said_done and parts[0] == "with":
        return _finished(parts[1:])
    own = parts[0] in listed("speaker")
    if own and (managed := pattern("managed").search(clause)):
        behind = _WORD.findall(clause[managed.end() :])
        return _deed(managed["verb"], behind)
    if own and (did := pattern("did-off").search(clause)):
        return _finished(_WORD.findall(clause[did.end() :]))
    if not own:
        return _passive(parts, clause) or _active(parts)
    return _active([word for word in parts[1:] if word not in listed("adverb") | listed("have")])


def _active(parts: Sequence[str]) -> Deed | None:
    """`renewed the domain`, behind its subject or without one."""
    if not parts or not _is_past(parts[0]):
        return None
    verb, behind = parts[0], parts[1:]
    if verb in listed("done"):
        return _finished(
            [word for word in behind[:1] if word not in {"with", "off", "up", "out"}]
            + list(behind[1:])
        )
    if verb in {"got", "had"}:
        return _got(behind)
    return _deed(verb, behind)


def _finished(behind: Sequence[str]) -> Deed | None:
    """`finished (writing) the page`."""
    if len(behind) > 1 and behind[0].endswith("ing"):
        return _deed(behind[0], behind[1:])
    return _object(behind)


def _got(behind: Sequence[str]) -> Deed | None:
    """`got the domain renewed`, `got the pens`."""
    place = next((i for i, word in enumerate(behind) if i and _is_past(word)), 0)
    if not place:
        return _deed("got", behind)
    return (
        _object(behind[:place])
        if behind[place] in listed("done")
        else _deed(behind[place], behind[:place])
    )


def _passive(parts: Sequence[str], clause: str) -> Deed | None:
    """`the domain is renewed`, `domain renewed`, `the domain is done`."""
    verbs = [i for i, word in enumerate(parts) if word in listed("be")]
    place = next(iter(verbs or (i for i, word in enumerate(parts) if word.endswith("'s"))), -1)
    if place < 0:
        place = next((i for i, word in enumerate(parts) if i and _is_past(word)), -1)
        if not 0 < place <= MOST_WORDS or any(
            word not in listed("adverb") | {CUT} for word in parts[place + 1 :]
        ):
            return None
        what, said = list(parts[:place]), parts[place:]
    else:
        what = (
            [*parts[:place], parts[place].removesuffix("'s")]
            if parts[place].endswith("'s")
            else list(parts[:place])
        )
        said = parts[place + 1 :]
    what = [word for word in what if word not in listed("have") and word not in listed("adverb")]
    said = [word for word in said if word not in listed("adverb") - listed("done") | listed("be")]
    if (
        not what
        or what[0] in listed("unnamed") | listed("vague")
        or set(what) & listed("speaker")
        or not said
    ):
        return None
    if said[0] in listed("done") or pattern("done-off").search(clause):
        return _object(what)
    if said[0] in listed("come"):
        return _deed("bought", what)
    if said[0][0].isdigit() and "now" in parts:
        return _deed("changed", what)
    return _deed(said[0], what) if _is_past(said[0]) else None


def _is_past(word: str) -> bool:
    return (
        word in listed("past") or word in listed("done") or (word.endswith("ed") and len(word) > 4)
    )


def likeness(task: Deed, deed: Deed) -> int:
    """2 when this is what the task asks for, 1 when one of the two names less than the other."""
    if task.verb == ASK and (deed.verb == ASK or deed.verb in listed("speaking")):
        return _asked_and_told(task, deed)
    if not agree(task, deed):
        return 0
    if task.verb and not deed.verb and task.thing != deed.thing:
        named = {word for word in deed.words if not word.startswith(stem(task.verb))}
        return 2 if named == task.words or (deed.words == task.words | {stem(task.verb)}) else 0
    more, missing = deed.words - task.words, task.words - deed.words
    if task.thing in _stems("mere-head") and deed.words and task.words == deed.words | {task.thing}:
        return 1
    if task.thing != deed.thing or (more and (missing or deed.common)):
        return 0
    return 1 if more or missing else 2


def _asked_and_told(task: Deed, deed: Deed) -> int:
    """The same person, and something of what was asked where both name it."""
    if task.thing != deed.thing:
        return 0
    asked, told = task.words - {task.thing}, deed.words - {deed.thing}
    return 2 if asked & told else int(not asked or not told)


@cache
def _stems(kind: str) -> frozenset[str]:
    return frozenset(map(stem, listed(kind)))


def _deed(verb: str, behind: Sequence[str]) -> Deed | None:
    one = _verbs().get(stem(verb), stem(verb))
    if behind and behind[0] in {"to", "with"} and one in listed("speaking"):
        return _asking(behind[1] if len(behind) > 1 else "", " ".join(behind[2:]))
    found = _object(behind[1:] if behind and behind[0] in listed("particle") else behind)
    if found is None:
        return None
    return replace(found, verb=one, makes=one in _verbs().values())


def _object(parts: Sequence[str]) -> Deed | None:
    """The noun that stands there first, and what it is for."""
    end = next((i for i, word in enumerate(parts) if word in _ends_thing()), len(parts))
    core = list(parts[:end])
    while core and core[-1] in listed("particle") | listed("joining"):
        core.pop()
    if len(core) > MEASURED and core[-1] in listed("measure") and core[-2][:1].isdigit():
        core = core[:-MEASURED]
    named = [
        _root(word)
        for word in core
        if word in listed("other") or word not in listed("determiner") | STOP_EN
    ]
    if not named or core[-1] in listed("unnamed"):
        return None
    common = core[0] not in listed("determiner") - listed("vague") or bool(
        listed("other") & set(core)
    )
    head = next((word for word in reversed(named) if word.isalpha()), named[-1])
    return Deed("", head, frozenset([*named, *_purpose(parts[end:])]), common=common)


@cache
def _ends_thing() -> frozenset[str]:
    return listed("thing-end") | {CUT}


def _root(word: str) -> str:
    return stem(word.removesuffix("'s"))


def _purpose(behind: Sequence[str]) -> Iterator[str]:
    """What stands behind `for`, `to`, `about`, up to a time."""
    open_ = False
    for word in behind:
        if word in _ends_thing() | listed("joining"):
            open_ = word in listed("since")
        elif open_ and word not in STOP_EN and word not in listed("determiner"):
            yield _root(word)
