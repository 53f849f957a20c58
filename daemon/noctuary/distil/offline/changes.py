"""A newer line that changes its mind: stops a habit, moves a value, reverses a wish."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.cues import opposite
from noctuary.distil.offline.frames import contained
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from noctuary.distil.offline.frames import Frame

_CJK = re.compile(r"[\u3400-\u9fff]")
_STOP = (
    re.compile(
        r"\b(?:no longer|(?:stopped|quit|gave up)(?= \w+ing)|(?:don't|doesn't|do not|does not)(?= [^,.;]{2,40} (?:any ?more|any longer)))"
        r"\s+(?P<what>[^,.;:!?]{2,60})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:不再|不怎么|再也不|现在不|已经不|戒)(?P<what>[^，。；！？]{1,10}?)(?:了|$|[，。；！？])"
    ),
    re.compile(r"(?:我|咱们?|我们)不(?P<what>[^，。；！？]{1,8}?)了"),
)
_ANY_MORE = re.compile(r"\bany ?(?:more|longer)\b|\b(?:now|at all|so much)\b", re.IGNORECASE)
_LIGHT = frozenset("了过着再很都也就还只太吗呢吧的是在我你他她它们这那个")
_MOVE = (
    re.compile(
        r"(?P<subject>[^,.;:!?，。；]{2,80}?)\s+(?:moves?|moved|is moved|was moved|has moved|changed?|changes|was changed|"
        r"is changed|has been (?:moved|changed|extended|pushed(?: back)?|raised|increased|reduced|lowered|postponed|rescheduled)|"
        r"is now|are now|was (?:raised|increased|reduced|lowered|extended|postponed|rescheduled|pushed back)|"
        r"(?:went|goes|rose|fell|dropped|grew) (?:up|down)?)\s*"
        r"(?:from (?P<old>(?:[^,.;]|[,.](?=\d)){1,40}?) )?(?:to |until |by )?(?P<value>(?:[^,;!?，；]|,(?=\d)){1,60})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<subject>[^，。；：、,;:]{1,14}?)(?:又|已经|已|现在|都|要|可以)?(?:从(?P<old>[^，。；]{1,16}?))?"
        r"(?:改成了?|改为|改到了?|改回到?|改在|换成了?|换到|推迟到了?|提前到了?|恢复到|恢复为|延期到|延到|调整为|调整到|调到|提高到了?|增加到了?|涨到了?|降到了?|降低到|减少到|变成了?|变为|搬到了?)"
        r"(?P<value>[^，。；]{1,40})"
    ),
)


_STOP_HINT = re.compile(
    r"no longer|stopped|quit|gave up|any ?more|any longer|[不戒]", re.IGNORECASE
)
_MOVE_HINT = re.compile(
    r"mov|chang|\bnow\b|raise|increas|reduc|lower|postpon|reschedul|extend|push|\bwent|\bgoes|\brose|\bfell|"
    r"drop|grew|改|换|推迟|提前|延|调|提高|增加|涨|降|减少|变|搬",
    re.IGNORECASE,
)
"""Cheap signs without which the patterns above cannot match."""


def stops(new: Frame, old: Frame) -> bool:
    """`I no longer drink coffee` against a line that tells of drinking coffee."""
    stopped = _stopped(new.text)
    if not stopped or _stopped(old.text):
        return False
    return any(_about(what, old) and (not who or who & old.words) for what, who in stopped)


@lru_cache(maxsize=20_000)
def _stopped(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What is no longer so, and of an English line the words for whom or what it no longer is."""
    if not _STOP_HINT.search(text):
        return ()
    return tuple(
        (_ANY_MORE.sub("", hit["what"]).strip(), _subject_of(text[: hit.start()]))
        for pattern in _STOP
        for hit in pattern.finditer(text)
    )


def _subject_of(before: str) -> frozenset[str]:
    clause = _CLAUSE.split(before)[-1]
    return frozenset() if _CJK.search(clause) else frozenset(content_tokens(clause)) - _NOW_WORDS


_NOW_WORDS = frozenset(
    content_tokens("currently these days right now since year years month week today")
)


def _about(what: str, old: Frame) -> bool:
    if _CJK.search(what):
        told = {char for char in _CJK.findall(what) if char not in _LIGHT}
        return len(told) > 1 and all(char in old.text for char in told)
    told = set(content_tokens(what))
    return bool(told) and told <= old.words


def moves_value(new: Frame, old: Frame) -> bool:
    """`The opening moves from 12 to 19 December`: the same subject with another value of a kind."""
    return any(
        _same_subject(subject, old)
        and _another_value(value, before, old)
        and _tells_of(subject, value, old.text)
        for subject, before, value in _moved(new.text)
    )


def _tells_of(subject: str, value: str, text: str) -> bool:
    """Whether a clause with a value of this kind names most of the subject.

    Where the line has only one such value, the subject may stand in another clause.
    """
    told = content_tokens(subject)[-4:]
    kinds = {fact.kind for fact in hard_facts(value)} - {"name"}
    clauses = [
        _CLAUSE.split(text[: fact.start])[-1] + fact.text + _CLAUSE.split(text[fact.end :])[0]
        for fact in hard_facts(text)
        if fact.kind in kinds
    ]
    if len(clauses) == 1 or not told or _CJK.search(subject):
        return True
    named = [frozenset(content_tokens(one)) for one in clauses]
    return any(
        told[-1] in one and contained(frozenset(told), one) >= MOST_OF_SUBJECT for one in named
    )


MOST_OF_SUBJECT = 0.6
_CLAUSE = re.compile(r"[,;:]\s+(?!\d)|[.!?]\s")


@lru_cache(maxsize=20_000)
def _moved(text: str) -> tuple[tuple[str, str, str], ...]:
    if not _MOVE_HINT.search(text):
        return ()
    return tuple(
        (hit["subject"], hit["old"] or "", hit["value"])
        for pattern in _MOVE
        for hit in pattern.finditer(text)
    )


def _same_subject(subject: str, old: Frame) -> bool:
    if _CJK.search(subject):
        told = "".join(char for char in _CJK.findall(subject) if char not in _LIGHT)
        return len(told) > 1 and told[-2:] in old.text
    told_words = frozenset(content_tokens(subject)[-4:])
    return bool(told_words) and contained(told_words, old.words) >= SUBJECT_FROM


SUBJECT_FROM = 0.75


def _another_value(value: str, before: str, old: Frame) -> bool:
    new_facts = {fact.key: fact.kind for fact in hard_facts(value)}
    if before and {fact.key for fact in hard_facts(before)} & old.keys:
        return bool(new_facts) and not set(new_facts) & old.keys
    kinds = {kind for key, kind in new_facts.items() if key not in old.keys and kind != "name"}
    return not set(new_facts) & old.keys and bool(kinds & old.kinds)


_LIMIT = (
    re.compile(
        r"(?P<subject>[^,.;:!?，。；]{2,60}?)\s+(?:(?:must|may|can|should|shall)(?: ?not|n't) (?:exceed|cost more than|be more than|take more than|be over)|"
        r"(?:is|are) (?:at most|no more than|limited to|capped at|under)|(?:must|has to|have to) (?:stay|be|remain) (?:under|below|within))"
        r"\s+(?P<value>(?:[^,;!?，；]|,(?=\d)){1,60})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<subject>[^，。；：、,;:]{1,14}?)(?:都|也|要|都要)?(?:不能超过|不得超过|不要超过|不超过|最多|至多|上限是|上限为|控制在|限制在)"
        r"(?P<value>[^，。；]{1,40})"
    ),
)


def limits_anew(new: Frame, old: Frame) -> bool:
    """`The budget must not exceed 50,000` against any other sum that the budget was set to."""
    return any(
        _subject(subject) == _subject(known) and _of_a_kind(value, before)
        for subject, value in _limits(new.text)
        for known, before in _set_values(old.text)
    )


@lru_cache(maxsize=20_000)
def _limits(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((hit["subject"], hit["value"]) for one in _LIMIT for hit in one.finditer(text))


def _set_values(text: str) -> tuple[tuple[str, str], ...]:
    return (*_limits(text), *((subject, value) for subject, _, value in _moved(text)))


def _subject(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text))


def _of_a_kind(value: str, before: str) -> bool:
    """Two different values that measure the same."""
    new, old = ({fact.key: fact.kind for fact in hard_facts(part)} for part in (value, before))
    return not set(new) & set(old) and bool(set(new.values()) & set(old.values()) - {"name"})


_TAKEN_BACK = (
    re.compile(
        r"\b(?:forget|ignore|disregard|scratch|never mind)\b(?: everything| all| that| what)?(?: (?:i|i've|i have) (?:\w+ ){0,2}?(?:said|told you|wrote|asked for))"
        r"(?: earlier| before)? (?:about|on|regarding) (?P<what>[^.;!?]{2,80})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:忘了|忘掉|忘记|别管)(?:我|咱们?)?(?:之前|刚才|以前|上次)?(?:说过?的)?(?:关于)?(?P<what>[^，。；！？]{2,40}?)"
        r"(?:的事情?|这件事|那件事|的话)?(?:吧|了)?$"
    ),
)


def taken_back(text: str) -> frozenset[str]:
    """The words that name what is no longer to hold, where a sentence says so outright."""
    bare = text.strip(" .。!！")
    hit = next((hit for one in _TAKEN_BACK if (hit := one.search(bare))), None)
    return frozenset(content_tokens(hit["what"])) if hit else frozenset()


_LIVES = re.compile(
    r"(?P<who>(?:my|our|his|her) \w+|\bi\b|\bwe\b|\b[A-Z]\w+) (?:now )?(?:live|lives|living|is based) in\b"
    r"|(?P<who_zh>[^，。；]{1,8}?)(?:现在|一直|还)?住在",
    re.IGNORECASE,
)
_MOVES_TO = re.compile(
    r"(?P<who>(?:my|our|his|her) \w+|\bi\b|\bwe\b|\b[A-Z]\w+)(?: has| have|'ve|'s)?(?: just| recently)? moved to\b"
    r"|(?P<who_zh>[^，。；\d]{1,8}?)(?:\d{1,2}月[初中底]?)?(?:现在|已经|刚|最近)?搬到",
    re.IGNORECASE,
)


def moves_home(new: Frame, old: Frame) -> bool:
    """`My sister moved to Lisbon` against `My sister lives in Porto` or `moved to Porto`."""
    mover = _mover(new.text)
    return bool(mover) and mover in {_dweller(old.text), _mover(old.text)}


@lru_cache(maxsize=20_000)
def _mover(text: str) -> str:
    return _who(_MOVES_TO.search(text))


@lru_cache(maxsize=20_000)
def _dweller(text: str) -> str:
    return _who(_LIVES.search(text))


def _who(hit: re.Match[str] | None) -> str:
    return (hit["who"] or hit["who_zh"] or "").lower() if hit else ""


_ANSWERS = re.compile(
    r"\b(?:answer|reply|respond|write|speak|talk)\w*\b[^.;]{0,30}?\bin (?P<tongue>english|chinese|german|french|"
    r"spanish|japanese|korean|russian|italian|portuguese|dutch|swedish|polish)\b"
    r"|用(?P<zh>中文|英文|英语|汉语|日文|日语|德语|法语|韩语|俄语|西班牙语)[^，。]{0,6}?(?:回答|回复|写|说|交流)",
    re.IGNORECASE,
)
_TONGUES = {"中文": "chinese", "汉语": "chinese", "英文": "english", "英语": "english", "日文": "japanese", "日语": "japanese",
            "德语": "german", "法语": "french", "韩语": "korean", "俄语": "russian", "西班牙语": "spanish"}  # fmt: skip


def other_language(new: Frame, old: Frame) -> bool:
    """Both say in which language to answer, and it is another one now."""
    if "standing" not in new.cues and "preference" not in new.cues:
        return False
    wanted, before = _tongue(new.text), _tongue(old.text)
    return bool(wanted and before) and wanted != before


@lru_cache(maxsize=20_000)
def _tongue(text: str) -> str:
    hit = _ANSWERS.search(text)
    return (hit["tongue"] or _TONGUES[hit["zh"]]).lower() if hit else ""


def turns_against(new: Frame, old: Frame) -> bool:
    """One asks for what the other does not want."""
    return any(opposite(name) in old.habits for name in new.habits)
