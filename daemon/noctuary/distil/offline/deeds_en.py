"""English deeds: `renew the domain` and `I renewed the domain this morning`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from noctuary.distil.offline.deeds import CUT, Deed, agree, bare, grouped
from noctuary.memory.words import STOP_EN, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

_GROUPS = grouped(
    """
    buy purchase order get acquire
    book reserve schedule arrange
    send mail email post forward submit
    call phone ring rang rung
    fix repair mend
    pay paid settle
    write compose
    make build create implement add prepare ship deploy publish launch
    clean tidy
    """
)
_MAKING = frozenset({"make", "write"})
_VERBS = {stem(verb): one for verb, one in _GROUPS.items()}
_IRREGULAR = words(
    "bought sent wrote written made built paid got found took taken brought gave given did done told "
    "met sold chose chosen rang hung cut put set read let shut swept drove driven flew left lent dug "
    "fed taught rewrote redid redone withdrew bound sewn sewed hid kept ran began held"
)
_GENERIC = words(
    "done finished completed complete sorted handled settled ticked checked crossed wrapped"
)
_DONE_WITH = re.compile(
    r"\b(?:taken care of|dealt with|out of the way|sorted out|wrapped up|(?:ticked|checked|crossed) off)\b"
)
_DID = re.compile(
    r"\b(?:took care of|dealt with|got through|am through with|(?:am|are|'m|'re) (?:all )?done(?: with)?)\b"
)
_MANAGED = re.compile(
    r"\b(?:managed to|(?:was|were) able to|remembered to|got (?:round|around) to)\s+(\w+)"
)
_ADVERBS = words(
    "just already finally now also then today yesterday earlier at last actually successfully all both and so ok "
    "okay yes yeah great good well fine update fyi news quick there too even done alright"
)
_OWNERS = words("i we i've we've i'd we'd")
_AUX = words("have had has 've 'd")
_BE = words("is are was were been 's got gets been")
_DETERMINERS = words(
    "the my our your his her their its this that these those a an some any both all"
)
_VAGUE = words(
    "a an some any every each no another other second different wrong more old previous half most part"
)
_OTHERS = words("another other second different wrong old previous")
_THINGS = words(
    "it that this they them everything something nothing all these those one things stuff"
)
_PARTICLES = words("up in out off back over on down away through")
_ENDS = words(
    "before after by until at on in for from with to of about into onto during today yesterday now already because "
    "so which that when while if and or but as since this last next too again together online via using yet ¦"
)  # fmt: skip
_JOINING = words("and or")
_SINCE = words("for from with to of about into on")
"""Behind these stands what an object is for."""
_BREAK = re.compile(
    r"(?<=\w)[,;:!?]+\s+|[.!?]+\s+|\s+[-–—]+\s+|\s+(?=(?:but|because|which|who|although|though|when|after|before|once|until|if|unless)\s)|"
    r"\s+(?:and|so)\s+(?=(?:i|we|it|that|this|then|also|now)\b|\w+ed\s+(?:the|my|our|a)\b)"
)
_UNSURE = re.compile(
    r"\b(?:think|thought|guess|maybe|perhaps|probably|hopefully|hope|wish|imagine|suppose\w*|pretend\w*|"
    r"dream(?:ed|t)|claims?|said|says|told me|asked|remember when)\b"
)
_NOT = re.compile(
    r"n't\b|\b(?:not|never|no one|nobody|nothing|almost|nearly|half|partly|partially|mostly|part of|some of|most of|"
    r"will|would|could|should|might|may|can|must|going to|gonna|plan\w*|want\w*|needs?|needed|have to|has to|had to|"
    r"having|tried|trying|forgot\w*|failed|started|began|about to|being|to be|yet|ago|used to|previously|originally|"
    r"once|back then|last time|years|whether|how|why|what|instead of)\b|'ll\b"
)
_FAILS = re.compile(
    r"\b(?:but|however|though)\b.*(?:n't\b|\b(?:not|no|fail\w*|wrong|cancel\w*|reject\w*|bounced|broke\w*|lost|only|still|except)\b)"
)
_LATER = re.compile(
    r"(?:when|after|before|once|until|if|unless|although|though|who|which|that|because|while|as)\b"
)
_WORD = re.compile(r"[\w$€£][\w.'&/@+-]*\w|\w|¦")
_TASK_LEAD = re.compile(
    r".*?\b(?:to-?do(?: list)?|remind me(?: to| that| about)?|don't forget(?: to)?|don't let me forget(?: to)?|"
    r"remember to|(?:i|we)(?:'ve)? (?:\w+ )?(?:need|have|must|should|got) ?(?:to)?|follow up (?:on|with)|still open|open|action items?|"
    r"make a note to|note to self|next steps? (?:is|are)(?: to)?)\b[\s:,-]*(?:that )?(?:(?:i|we) (?:\w+ )?(?:need|have|must|should)(?: to)? )?(?:to )?"
)
_NEEDS = re.compile(r"(?P<thing>.{2,60}?) (?:still )?needs? doing\b")
_AGAIN = re.compile(r"\b(?:every|each|daily|weekly|monthly|always|regularly)\b")


def tasks(text: str, at: datetime) -> list[Deed]:
    """What a task asks for; nothing where it comes back or asks for several things."""
    low = _plain(text)
    if _AGAIN.search(low):
        return []
    if needing := _NEEDS.search(low):
        return _bare_thing(needing["thing"], at)
    lead = _TASK_LEAD.match(low)
    said = _BREAK.split(low[lead.end() :] if lead else low)[0]
    parts = _WORD.findall(bare(said, at))
    if not parts:
        return []
    if parts[0] in _DETERMINERS:
        return _bare_thing(said, at)
    deed = _deed(parts[0], parts[1:])
    return [deed] if deed else []


def _bare_thing(said: str, at: datetime) -> list[Deed]:
    deed = _object(_WORD.findall(bare(said, at)))
    return [deed] if deed else []


def deeds(text: str, at: datetime) -> Iterator[tuple[str, Deed]]:
    """What the speaker says is done, each with its clause."""
    low = _plain(text)
    for sentence in re.split(r"(?<=[.!?])\s+", low):
        if "?" in sentence[-2:] or _UNSURE.search(sentence) or _FAILS.search(sentence):
            continue
        for clause in _BREAK.split(sentence):
            if not clause or _NOT.search(clause) or _LATER.match(clause):
                continue
            deed = _told(_WORD.findall(bare(clause, at)), clause)
            if deed is not None:
                yield clause, deed


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split()).rstrip(" .!")


def _told(parts: Sequence[str], clause: str) -> Deed | None:
    start = next(
        (i for i, word in enumerate(parts) if word not in _ADVERBS and word != CUT), len(parts)
    )
    parts = parts[start:]
    if not parts:
        return None
    own = parts[0] in _OWNERS
    if own and (managed := _MANAGED.search(clause)):
        behind = _WORD.findall(clause[managed.end() :])
        return _deed(managed[1], behind)
    if own and (did := _DID.search(clause)):
        return _finished(_WORD.findall(clause[did.end() :]))
    if not own:
        return _passive(parts, clause) or _active(parts)
    return _active([word for word in parts[1:] if word not in _ADVERBS | _AUX])


def _active(parts: Sequence[str]) -> Deed | None:
    """`renewed the domain`, behind its subject or without one."""
    if not parts or not _is_past(parts[0]):
        return None
    verb, behind = parts[0], parts[1:]
    if verb in _GENERIC:
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
        if behind[place] in _GENERIC
        else _deed(behind[place], behind[:place])
    )


def _passive(parts: Sequence[str], clause: str) -> Deed | None:
    """`the domain is renewed`, `domain renewed`, `the domain is done`."""
    place = next((i for i, word in enumerate(parts) if word in _BE or word.endswith("'s")), -1)
    if place < 0:
        place = next((i for i, word in enumerate(parts) if i and _is_past(word)), -1)
        if not 0 < place <= MOST_WORDS or any(
            word not in _ADVERBS | {CUT} for word in parts[place + 1 :]
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
    what = [word for word in what if word not in _AUX and word not in _ADVERBS]
    said = [word for word in said if word not in _ADVERBS - _GENERIC | _BE]
    if not what or what[0] in _THINGS | _VAGUE or set(what) & _OWNERS or not said:
        return None
    if said[0] in _GENERIC or _DONE_WITH.search(clause):
        return _object(what)
    return _deed(said[0], what) if _is_past(said[0]) else None


MOST_WORDS = 5


def _is_past(word: str) -> bool:
    return word in _IRREGULAR or word in _GENERIC or (word.endswith("ed") and len(word) > 4)


def likeness(task: Deed, deed: Deed) -> int:
    """2 when this is what the task asks for, 1 when one of the two names less than the other."""
    if not agree(task, deed):
        return 0
    if task.verb and not deed.verb and task.thing != deed.thing:
        named = {word for word in deed.words if not word.startswith(stem(task.verb))}
        return 2 if named == task.words or (deed.words == task.words | {stem(task.verb)}) else 0
    more, missing = deed.words - task.words, task.words - deed.words
    if task.thing != deed.thing or (more and (missing or deed.common)):
        return 0
    return 1 if more or missing else 2


def _deed(verb: str, behind: Sequence[str]) -> Deed | None:
    found = _object(behind[1:] if behind and behind[0] in _PARTICLES else behind)
    if found is None:
        return None
    one = _VERBS.get(stem(verb), stem(verb))
    return replace(found, verb=one, makes=one in _MAKING)


def _object(parts: Sequence[str]) -> Deed | None:
    """The noun that stands there first, and what it is for."""
    end = next((i for i, word in enumerate(parts) if word in _ENDS - _JOINING), len(parts))
    core = list(parts[:end])
    while core and core[-1] in _PARTICLES | _JOINING:
        core.pop()
    named = [_root(word) for word in core if word in _OTHERS or word not in _DETERMINERS | STOP_EN]
    if not named or core[-1] in _THINGS:
        return None
    common = core[0] not in _DETERMINERS - _VAGUE or bool(_OTHERS & set(core))
    head = next((word for word in reversed(named) if word.isalpha()), named[-1])
    return Deed("", head, frozenset([*named, *_purpose(parts[end:])]), common=common)


def _root(word: str) -> str:
    return stem(word.removesuffix("'s"))


def _purpose(behind: Sequence[str]) -> Iterator[str]:
    """What stands behind `for`, `to`, `about`, up to a time."""
    open_ = False
    for word in behind:
        if word in _ENDS:
            open_ = word in _SINCE
        elif open_ and word not in STOP_EN and word not in _DETERMINERS:
            yield _root(word)
