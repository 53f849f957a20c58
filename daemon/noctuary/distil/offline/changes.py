"""A newer line that changes its mind: stops a habit, moves a value, reverses a wish."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clauses
from noctuary.distil.offline.counts import counts_anew
from noctuary.distil.offline.cues import opposite
from noctuary.distil.offline.forms import forms, listed, pattern
from noctuary.distil.offline.frames import contained
from noctuary.distil.offline.revalued import revalues
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import stem

if TYPE_CHECKING:
    from noctuary.distil.offline.forms import Shape
    from noctuary.distil.offline.frames import Frame

_CJK = re.compile(r"[\u3400-\u9fff]")
_WHAT: dict[str, Shape] = {
    "what": (r"[^,.;:!?]{2,60}", r"[^，。；！？]{1,10}?"),
    "doing": (r"\w+ing\b[^,.;:!?]{0,57}", ""),
    "before": (r"[^,.;]{2,40}?", ""),
}
_VALUE: dict[str, Shape] = {
    "subject": (r"[^,.;:!?，。；]{2,80}?", r"[^，。；：、,;:]{1,14}?"),
    "old": (r"(?:[^,.;]|[,.](?=\d)){1,40}?", r"[^，。；]{1,16}?"),
    "amount": (r"\d[\d.,:]* ?\w*", r"\d[\d.,:]* ?[A-Za-z%]* ?[\u4e00-\u9fff]{0,2}?"),
    "value": (r"(?:[^,;!?，；]|,(?=\d)){1,60}", r"[^，。；]{1,40}"),
}
_TAKEN: dict[str, Shape] = {"what": (r"[^.;!?]{2,80}", r"[^，。；！？]{2,40}?")}
_LIGHT = frozenset("了过着再很都也就还只太吗呢吧的是在我你他她它们这那个")


def stops(new: Frame, old: Frame) -> bool:
    """`I no longer drink coffee` against a line that tells of drinking coffee."""
    if _was_so(new, old) or _cancels(new, old) or _as_before(new, old):
        return True
    stopped = _stopped(new.text)
    if not stopped or _stopped(old.text):
        return False
    return any(_about(what, old) and (not who or who & old.words) for what, who in stopped)


@lru_cache(maxsize=20_000)
def _stopped(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What is no longer so, and of an English line the words for whom or what it no longer is."""
    if not forms("stops", **_WHAT).may_stand_in(text):
        return ()
    return tuple(
        (pattern("any-more").sub("", _given_up(hit)).strip(), _subject_of(text[: hit.start()]))
        for hit in forms("stops", **_WHAT).find(text)
    )


def _given_up(hit: re.Match[str]) -> str:
    """What is given up, whichever place of the phrase it stands at."""
    return next((text for text in hit.groupdict().values() if text), "")


def _subject_of(before: str) -> frozenset[str]:
    clause = _CLAUSE.split(before)[-1]
    return frozenset() if _CJK.search(clause) else frozenset(content_tokens(clause)) - listed("now")


def _about(what: str, old: Frame) -> bool:
    if _CJK.search(what):
        told = {char for char in _CJK.findall(what) if char not in _LIGHT}
        return len(told) > 1 and all(char in old.text for char in told)
    told = set(content_tokens(what))
    return bool(told) and told <= old.words


def moves_value(new: Frame, old: Frame) -> bool:
    """`The opening moves from 12 to 19 December`: the same subject with another value of a kind."""
    return revalues(new, old) or any(
        (
            _same_subject(subject, old)
            or _names_both(subject, new, old)
            or (_names_value(before, old) and _subject(subject) & old.words)
        )
        and _another_value(value, before, old)
        and _tells_of(subject, value, old.text)
        and not _counts(subject, old.text)
        for subject, before, value in moved(new.text)
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
    if not kinds or len(clauses) == 1 or not told or _CJK.search(subject):
        return True
    named = [frozenset(content_tokens(one)) for one in clauses]
    return any(
        told[-1] in one and contained(frozenset(told), one) >= MOST_OF_SUBJECT for one in named
    )


def _counts(subject: str, text: str) -> bool:
    """Whether the number in a text only counts the things: 6间房 is no value of 一间房."""
    noun = subject.strip("0123456789. ")[-2:]
    return bool(_CJK.search(noun)) and any(
        text.startswith(noun, fact.end) for fact in hard_facts(text) if fact.kind == "number"
    )


MOST_OF_SUBJECT = 0.6
_CLAUSE = re.compile(r"[,;:]\s+(?!\d)|[.!?]\s")


@lru_cache(maxsize=20_000)
def moved(text: str) -> tuple[tuple[str, str, str], ...]:
    """What a text moves: the subject, its old value or nothing, and the new one."""
    if not forms("moves-value", **_VALUE).may_stand_in(text):
        return ()
    return tuple(
        (hit["subject"], _before(hit), hit["value"])
        for hit in forms("moves-value", **_VALUE).find(text)
    )


def _before(hit: re.Match[str]) -> str:
    """The value that is given up, where the words name it."""
    named = hit.groupdict()
    return named.get("old") or named.get("amount") or ""


def _same_subject(subject: str, old: Frame) -> bool:
    """Whether the line is about the same; a word for its limit says nothing more about a thing."""
    limits = listed("limit-noun")
    if latin := _LATIN_TAIL.search(subject):
        subject = latin[0]
    if _CJK.search(subject):
        told = "".join(char for char in _CJK.findall(subject) if char not in _LIGHT)
        told = next((bare for noun in limits if (bare := told.removesuffix(noun)) != told), told)
        return len(told) > 1 and told[-2:] in old.text
    told_words = frozenset(content_tokens(subject)[-4:])
    told_words = told_words - {stem(noun) for noun in limits} or told_words
    return bool(told_words) and contained(told_words, old.words) >= SUBJECT_FROM


_LATIN_TAIL = re.compile(r"(?<=[\u3400-\u9fff ])[A-Za-z][\w./+ -]*$|^[A-Za-z][\w./+ -]*$")
"""A Chinese line speaks of `SLO` or `pod limit` as well."""


def _was_so(new: Frame, old: Frame) -> bool:
    """`I used to want short titles, now I want long ones` against the wish for short titles."""
    return bool(old.cues & _RULING) and any(
        len(told) > 1 and contained(told, old.words) >= MOST_OF_SUBJECT for told in _was(new.text)
    )


def _as_before(new: Frame, old: Frame) -> bool:
    """`通知还是先给他看` against `通知不用给他看了`: the same clause, one with a no, one back again."""
    if not pattern("as-before").search(new.text) or not pattern("not-so").search(old.text):
        return False
    backs = [part.text for part in clauses(new.text) if pattern("as-before").search(part.text)]
    noes = [part.text for part in clauses(old.text) if pattern("not-so").search(part.text)]
    return any(
        not pattern("not-so").search(one) and _said_alike(one, other)
        for one in backs
        for other in noes
    )


def _said_alike(one: str, other: str) -> bool:
    """Whether two clauses have the same characters, but for those of time, no and again."""
    first, second = (
        set(_CJK.findall(pattern("not-so").sub("", pattern("as-before").sub("", text))))
        - _LIGHT
        - set("先能可以说")
        for text in (one, other)
    )
    shared = len(first & second)
    return shared > 2 and shared >= MOST_OF_SUBJECT * max(len(first), len(second))


def _cancels(new: Frame, old: Frame) -> bool:
    """`The tasting is cancelled` against a line that plans it."""
    if "plan" not in old.cues or not forms("cancels", **_WHAT).may_stand_in(new.text):
        return False
    return any(_about(hit["what"], old) for hit in forms("cancels", **_WHAT).find(new.text))


_RULING = frozenset({"standing", "norm", "preference", "constraint", "limit", "decision"})


@lru_cache(maxsize=20_000)
def _was(text: str) -> tuple[frozenset[str], ...]:
    """The words for what was so before, where a line says how it is now."""
    if not forms("then-now", **_VALUE).may_stand_in(text):
        return ()
    return tuple(
        frozenset(word for word in content_tokens(hit["old"]) if _stands_alone(word))
        for hit in forms("then-now", **_VALUE).find(text)
    )


def _stands_alone(token: str) -> bool:
    """Whether it is a word, or a character that tells something, and no pair of characters."""
    return token.isascii() or (len(token) == 1 and token not in _LIGHT)


def _names_both(subject: str, new: Frame, old: Frame) -> bool:
    """Whether a line is about so short a thing as 鱼, and says its old value or begins with it too."""
    told = [char for char in _CJK.findall(subject) if char not in _LIGHT]
    if len(told) != 1 or told[0] not in old.text:
        return False
    return bool(new.keys & old.keys) or new.text[0] == old.text[0] == told[0]


SUBJECT_FROM = 0.75


def _another_value(value: str, before: str, old: Frame) -> bool:
    new_facts = {fact.key: fact.kind for fact in hard_facts(value)}
    if _names_value(before, old):
        return bool(new_facts or value[:1].isdigit()) and not set(new_facts) & old.keys
    if (day := _DAY.match(value)) and ("date" in old.kinds or _DAY.search(old.text)):
        days = {hit[1] for hit in _DAY.finditer(old.text)}
        return day[1] not in days and f"-{int(day[1]):02}" not in "".join(old.keys)
    told = {key: kind for key, kind in new_facts.items() if kind != "name"}
    hosts = set(filter(_is_host, new_facts)) - old.keys
    return not set(told) & old.keys and (
        bool(set(told.values()) & old.kinds) or bool(hosts and any(map(_is_host, old.keys)))
    )


_DAY = re.compile(r"the (\d{1,2})(?:st|nd|rd|th)\b")


def _names_value(before: str, old: Frame) -> bool:
    """Whether the value that something had stands in a line."""
    return bool(before) and bool({fact.key for fact in hard_facts(before)} & old.keys)


def _is_host(key: str) -> bool:
    """The key of a name with dots, as machines and pages have: `stage.example.net`."""
    return key.startswith("name:") and "." in key.strip(".")


def goes_back(new: Frame, old: Frame) -> bool:
    """`Going back to the rubber one` against the decision that gave it up."""
    if "decision" not in old.cues:
        return False
    named = (
        frozenset(content_tokens(hit["thing"]))
        for hit in forms("goes-back", **_BACK).find(new.text)
    )
    given_up = {
        word
        for hit in forms("turned-from").find(old.text)
        for word in content_tokens(old.text[: hit.start()])
    }
    return any(words and words <= given_up for words in named)


_BACK: dict[str, Shape] = {"thing": (r"[^,.;:!?]{2,40}", r"[^，。；！？了]{1,12}")}


def limits_anew(new: Frame, old: Frame) -> bool:
    """`The budget must not exceed 50,000` against any other sum that the budget was set to."""
    return counts_anew(new, old) or any(
        _subject(subject) == _subject(known) and _of_a_kind(value, before)
        for subject, value in _limits(new.text)
        for known, before in _set_values(old.text)
    )


@lru_cache(maxsize=20_000)
def _limits(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((hit["subject"], hit["value"]) for hit in forms("limits", **_VALUE).find(text))


def _set_values(text: str) -> tuple[tuple[str, str], ...]:
    return (*_limits(text), *((subject, value) for subject, _, value in moved(text)))


def _subject(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text))


def _of_a_kind(value: str, before: str) -> bool:
    """Two different values that measure the same."""
    new, old = ({fact.key: fact.kind for fact in hard_facts(part)} for part in (value, before))
    return not set(new) & set(old) and bool(set(new.values()) & set(old.values()) - {"name"})


def taken_back(text: str) -> frozenset[str]:
    """The words that name what is no longer to hold, where a sentence says so outright."""
    bare = text.strip(" .。!！")
    hit = next(forms("takes-back", **_TAKEN).find(bare), None)
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
