"""Chinese deeds: `给小满订生日蛋糕` and `蛋糕订好了`."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from noctuary.distil.offline.deeds import CUT, Deed, agree, bare
from noctuary.distil.offline.forms import alike, forms, listed, pattern
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from noctuary.distil.offline.forms import Shape

_ENDS = re.compile(r"[，。；！、,;!]+|\s+[-–—]+\s*")
_SENTENCE = re.compile(r"(?<=[。！？!?])")
_TOLD = ("done-ahead", "done-behind", "done-with-it")
_DENIED = ("undone-behind", "undone-ahead")
_PLACES: dict[str, Shape] = {
    "before": ("", ".*?"),
    "thing": ("", r"[^把了]{1,14}?"),
}
_TALK: dict[str, Shape] = {
    "before": ("", r"[^没未别不]*?"),
    "whom": ("", r"[^把了说讲问没未别不还再要]{1,6}?"),
}
_OBJECT = "把"
BOOK, MOVED = "订", "改期"
TALK = "说"
"""The verb of everything that is done by talking to somebody."""
MOST_BESIDE = 6
"""Characters of a person or place beside a deed."""


def tasks(text: str, at: datetime) -> list[Deed]:
    """What a task asks for, by each of its verbs; nothing where it comes back."""
    if left := [*denied(text, at), *_lacking(text), *_talks("to-talk", text, at)]:
        return [] if pattern("comes-back").search(text) else left
    lead = pattern("task-lead").search(text)
    said = bare(_ENDS.split(text[lead.end() :].lstrip(" :：，,") if lead else text)[0], at)
    if pattern("comes-back").search(text) or pattern("several").search(said):
        return []
    plain = re.sub(r"\s+", "", said)
    if told := next(forms("errand-with", **_PLACES).read(plain), None):
        deed = _deed(told["verb"], told["thing"], "", told.get("whom", ""))
        return [deed] if deed else []
    if left := _topic_first(text, at):
        return left
    found = [
        deed
        for hit in pattern("errand").finditer(said)
        if (deed := _deed(hit[0], said[hit.end() :], said[: hit.start()])) is not None
    ]
    if found:
        return found
    thing = _deed("", said, "")
    return [thing] if thing else []


def deeds(text: str, at: datetime) -> Iterator[tuple[str, Deed]]:
    """What the speaker says is done, each with its clause."""
    for sentence in _SENTENCE.split(text):
        if sentence.rstrip().endswith(("?", "？")) or pattern("fails-after-all").search(sentence):
            continue
        for clause in _ENDS.split(sentence):
            plain = re.sub(r"\s+", "", bare(clause, at)) if clause else ""
            for deed in (*_talks("talked", clause, at), *_booked(plain)):
                yield "", deed
            if plain and not pattern("undone").search(plain):
                for deed in _told(plain):
                    yield clause, deed


def denied(text: str, at: datetime) -> Iterator[Deed]:
    """What the speaker says is not done: `隐私页还没写`, `你没有写隐私页`, `扶手买了，还没装`."""
    spoken_of = ""
    for clause in _ENDS.split(text):
        plain = re.sub(r"\s+", "", bare(clause, at)) if clause else ""
        if plain.endswith(("?", "？", "吗")):
            continue
        for kind in _DENIED:
            told = next(forms(kind, **_PLACES).read(plain), None)
            if told is None:
                continue
            thing = spoken_of if told["thing"] in listed("仍") else told["thing"]
            if (deed := _deed(told.get("verb", ""), thing, "")) is not None:
                yield deed
                break
        spoken_of = next((deed.thing for deed in _told(plain)), spoken_of)


def _topic_first(text: str, at: datetime) -> list[Deed]:
    """A thing and, behind it or in a later clause, what is to be done with it: the last step counts."""
    parts = [re.sub(r"\s+", "", bare(part, at)) for part in _ENDS.split(text) if part.strip()]
    for place, part in enumerate(parts):
        steps = [step["verb"] for later in parts[place + 1 :] for step in _steps(later)]
        for kind in ("due", "seen-to"):
            if told := next(forms(kind, **_PLACES).read(part), None):
                mine = _deed(told["verb"], told["thing"], "")
                last = _deed(steps[-1], told["thing"], "") if steps else None
                due = [mine] if kind == "due" or last is None else []
                return [one for one in (*due, last) if one is not None]
    return []


def _steps(clause: str) -> list[re.Match[str]]:
    """What a clause does with a thing that it does not name."""
    return list(forms("step").find(clause))


def _booked(clause: str) -> Iterator[Deed]:
    """What has a new day had been booked: `体检改到25日` leaves no checkup to be booked.

    A booking with its day, `预约18日的体检`, is moved and not done with.
    """
    for told in islice(forms("booked", **_PLACES).read(clause), 1):
        if (deed := _deed(MOVED, told["thing"], "")) is not None:
            yield deed


def _lacking(text: str) -> Iterator[Deed]:
    """What a task says a thing still lacks: of `手册还差一章` the thing itself."""
    for clause in _ENDS.split(text):
        plain = "".join(clause.split())
        for told in islice(forms("lacks", **_PLACES).read(plain), 1):
            if (deed := _deed("", told["thing"], "")) is not None:
                yield deed


def _talks(kind: str, text: str, at: datetime) -> Iterator[Deed]:
    """With whom something is to be talked over, or was, and what: the person is the object."""
    for clause in _ENDS.split(text):
        plain = re.sub(rf"\s+|{CUT}", "", bare(clause, at)) if clause else ""
        for told in islice(forms(kind, **_TALK).read(plain), 1):
            about = frozenset(content_tokens(told.get("about", "")))
            if who := _plain(told["whom"]):
                yield Deed(TALK, who, words=about)


def likeness(task: Deed, deed: Deed) -> int:
    """2 when this is what the task asks for, 1 when one of the two names less than the other."""
    if deed.verb == MOVED:
        return 2 * (task.verb == BOOK and not task.dated and task.thing == deed.thing)
    if not agree(task, deed) or (task.aim and deed.aim and task.aim != deed.aim):
        return 0
    if task.verb == TALK and task.words and deed.words and not task.words & deed.words:
        return 0
    done = deed.thing
    if task.verb and not deed.verb:
        done = _without(task.verb, done)
    if done == task.thing:
        return 2 if task.aim == deed.aim else 1
    return int(not done or (len(done) > 1 and _ends_with(task.thing, done)))


def _without(verb: str, thing: str) -> str:
    """A thing without the verb of this meaning at its head or end: 域名续费."""
    for word, one in sorted(alike("errand").items(), key=lambda item: -len(item[0])):
        if one == verb:
            thing = thing.removeprefix(word).removesuffix(word)
    return thing


def _ends_with(thing: str, end: str) -> bool:
    """Whether a shorter name is meant: it takes no number apart."""
    before = thing.removesuffix(end)[-1:]
    return thing.endswith(end) and not (before + end[:1]).isdigit()


def _told(clause: str) -> Iterator[Deed]:
    if "已" in clause and "了" not in clause:
        clause += "了"
    if "了" not in clause:
        return
    for kind in _TOLD:
        if told := next(forms(kind, **_PLACES).read(clause), None):
            whom = told.get("whom", "")
            deed = _deed(told.get("verb", ""), told["thing"], told["before"], whom)
            if deed is not None and _is_own(told["before"]):
                yield deed


def _is_own(before: str) -> bool:
    """Whether nobody else is named as the one who did it."""
    return not _plain(_beside(before)[0])


def _deed(verb: str, thing: str, before: str, whom: str = "") -> Deed | None:
    plain = pattern("measured").sub("", _plain(thing))
    if not plain:
        return None
    one = alike("errand").get(verb, verb)
    aim = _beside(before)[1] | ({_plain(whom)} if whom else frozenset())
    return Deed(one, plain, aim=aim, makes=one in listed("making"), dated=CUT in thing)


def _beside(before: str) -> tuple[str, frozenset[str]]:
    """What stands before the people and places beside a deed, and for whom or with whom it is."""
    left, found = before.removesuffix(_OBJECT), set()
    while hits := list(pattern("beside-deed").finditer(left)):
        who = left[hits[-1].end() :]
        if not 0 < len(who) <= MOST_BESIDE or _OBJECT in who:
            break
        if hits[-1][0] in listed("for-whom"):
            found.add(_plain(who))
        left = left[: hits[-1].start()]
    return left, frozenset(found)


def _plain(text: str) -> str:
    return pattern("light").sub("", "".join(text.split()))
