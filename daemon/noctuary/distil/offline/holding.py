"""What of a line still holds when something newer speaks against a part of it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from noctuary.distil.offline.titles import told
from noctuary.memory.candidate import Rest
from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CLAUSES = 12
_CJK = re.compile(r"[\u3400-\u9fff]")
_VERB = (
    r"(?:(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|must|should|may|might)(?:n['’]t)?|cannot|"
    r"won['’]t|can['’]t|lives?|works?|needs?|uses?|takes?|costs?|opens?|closes?|starts?|ends?|runs?|sends?|wants?|"
    r"likes?|goes|go|comes?|gets?|keeps?|stays?|holds?|plays?|pays?|brings?|makes?|loves?|plans?|moves?|lasts?|"
    r"\w{2,}ed)\b"
)
_PRONOUN = r"(?:i|it|we|they|he|she|you|this|that|these|those|there)\b"
_NOUN = r"(?:my|our|his|her|their|its|your|the|each|every|all|no|both|some)\b(?: [\w’'-]+){1,5}?"
_ORDER = (
    r"(?:always|never|please|don['’]t|do not|use|only use|keep|avoid|must(?: not)?|should(?: not)?|cannot|"
    r"let['’]s|no (?=[^,.;]{2,40}\bat all\b))\b"
)
_OWN_SUBJECT = re.compile(
    rf"(?:(?:and|but|so|also|then|plus)[, ]+)*(?:{_PRONOUN}|{_NOUN}\s+{_VERB}|{_ORDER}|(?-i:[A-Z][\w’'-]+)\s+{_VERB})"
    r"|(?:and|but) (?:my|our|his|her|their|its|the|each|every|no)(?: [\w’'-]+){3,}",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"(?:(?:and|but) )?(?:because|since|which|who|whose|where|when|while|so that|if|unless|until|although|though|even|given|considering|despite|after|before|"
    r"that way|otherwise|as)\b|(?:因为|由于|所以|因此|如果|要是|否则|不然|这样|免得|以免|以便|毕竟|也就是|即|虽然|除非|既然)",
    re.IGNORECASE,
)
_OWN_SUBJECT_ZH = re.compile(
    r"(?:而且|并且|还有|另外|但是?|不过|同时|也)?(?:我|你|您|他|她|它|咱|这|那|大家|请|别|必须|只能|只用|不能|不得|不要|不许|不准|不可以|"
    r"禁止|严禁|一律|务必|可以|总是|以后|统一|[^，。；！？才就再完]{2,10}?(?:是|在|叫|住|用|要|有|为|定|归|由|放|选|改|不|需|得|会|能|：|:))"
)
_OTHERS = re.compile(r"\b(?:it|its|he|him|his|she|her|they|them|their)\b|[他她它其]", re.IGNORECASE)
"""Words for somebody or something that was named before."""
_UNNAMED = re.compile(
    rf"{_PRONOUN}|(?:his|her|its|their)\b|[我咱]们?(?!的)|[你您他她它这那其]", re.IGNORECASE
)
_WHEN = frozenset({"date", "time", "weekday"})
_LINK = re.compile(
    r"(?:and|but|so|also|plus)[, ]+(?=\S)|(?:而且|并且|还有|但是?|不过|同时)(?=\S)", re.IGNORECASE
)
_BREAK = re.compile(
    r"[,;]\s+(?!\d)|(?<!\b[A-Z])[.!?]+\s+|[，；。！？]+\s*|\s(?=(?:and|but|so) (?:i|it|we|they|he|she|my|our|the)\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    rf"(?P<who>(?:(?:my|our|his|her|their|the)\s+)?[\w’'-]+(?: (?!{_VERB})[\w’'-]+){{0,4}}?)\s+{_VERB}",
    re.IGNORECASE,
)
_SUBJECT_ZH = re.compile(
    r"(?P<who>[^，。；！？0-9]{1,8}?)(?:现在|今年|一直|目前|都|还|已经)*(?:住|是|叫|在|有|要|会|上|定|改|为|姓|属|得|能|不)"
)
_SELF = words("i it we they he she you this that there 我 我们 咱们 他 她 它 这 那 其")
_ORDERS = re.compile(_ORDER, re.IGNORECASE)
_SAYS = re.compile(
    rf"\b{_VERB}|['’](?:m|s|re|ve|d|ll)\b|^\w+ \w+(?:ed|ing|s)\b|^i \w+", re.IGNORECASE
)
_VERB_AHEAD = re.compile(rf"(?:and |but )?{_VERB}", re.IGNORECASE)
MAX_WHO = 40


def still_holding(text: str, falls: Callable[[str], bool]) -> tuple[Rest, ...]:
    """The parts of a line that stand when what `falls` is taken out; none when all of it goes.

    The smallest run of clauses that falls is taken out. What stands before it has its subject; of
    what stands behind it, clauses that lean on the fallen ones go too.
    """
    cuts = _clauses(text)
    if not 2 < len(cuts) <= MAX_CLAUSES + 1:
        return ()
    gone = _smallest(text, cuts, falls)
    if gone is None:
        return ()
    first, last = gone
    head = text[: cuts[first]]
    before = _part(head) if _says(head) else None
    behind = _behind(text, cuts, first, last)
    parts = [part for part in (before, behind) if part is not None and _tells(part.text)]
    return tuple(found for part in parts for found in _checked(part, falls))


def untouched(text: str, by: str) -> tuple[Rest, ...]:
    """The parts of a line that another one, which takes its place, says nothing of.

    What it speaks of are the clauses with the words that both lines share, beside their subject.
    """
    shared = frozenset(content_tokens(text)) & frozenset(content_tokens(by))
    named = shared - frozenset(content_tokens(_who(text))) or shared
    if not named:
        return ()
    return still_holding(text, lambda part: named <= frozenset(content_tokens(part)))


@lru_cache(maxsize=20_000)
def claims(text: str) -> tuple[str, ...]:
    """The clauses of a line that name what they speak of, in more than a pronoun."""
    cuts = _clauses(text)
    if len(cuts) > MAX_CLAUSES + 1:
        return (text,)
    parts = [(start, _bare(text[start:end])) for start, end in pairwise(cuts)]
    return tuple(
        part for start, part in parts if (not start or _own(part)) and not _UNNAMED.match(part)
    )


def _clauses(text: str) -> list[int]:
    """Where clauses begin, and the end of the text."""
    return [0, *(hit.end() for hit in _BREAK.finditer(text) if hit.end() < len(text)), len(text)]


def _smallest(text: str, cuts: list[int], falls: Callable[[str], bool]) -> tuple[int, int] | None:
    """The shortest run of clauses that falls by itself, else the one clause whose value does it."""
    count = len(cuts) - 1
    for size in range(1, count):
        for first in range(count - size + 1):
            if falls(_trimmed(text[cuts[first] : cuts[first + size]])):
                return first, first + size
    valued = [
        first
        for first in range(count)
        if any(fact.kind != "name" for fact in hard_facts(text[cuts[first] : cuts[first + 1]]))
        and not falls(text[: cuts[first]] + text[cuts[first + 1] :])
    ]
    return (valued[0], valued[0] + 1) if len(valued) == 1 else None


def _behind(text: str, cuts: list[int], first: int, last: int) -> Rest | None:
    """What stands behind the fallen clauses: from the first that has a subject of its own."""
    who = _who(text[: cuts[last]])
    tail = text[cuts[last] :]
    if who and _goes_on(tail) and _measures(tail):
        return _part(tail, who)
    for start, end in pairwise(cuts[last:]):
        clause = text[start:end]
        if _own(clause) and not _LEANS.match(clause) and (who or not _OTHERS.search(clause)):
            return _part(text[start:], who if _OTHERS.search(clause) else "")
    return None


def _goes_on(tail: str) -> bool:
    """Whether it tells more of the same subject without naming it."""
    if _LEANS.match(tail) or _own(tail):
        return False
    return bool(_CJK.search(tail) or _VERB_AHEAD.match(tail))


def _measures(tail: str) -> bool:
    """Whether it has facts of its own; the hour of a day that was moved is none."""
    return any(fact.kind not in _WHEN for fact in hard_facts(tail))


def _own(clause: str) -> bool:
    return bool((_OWN_SUBJECT_ZH if _CJK.search(clause) else _OWN_SUBJECT).match(clause))


def _who(text: str) -> str:
    """The subject that a line begins with, where it is more than a pronoun."""
    hit = (_SUBJECT_ZH if _CJK.search(text) else _SUBJECT).match(text)
    who = hit["who"].strip() if hit else ""
    first = re.split(r"['’ ]", who.lower(), maxsplit=1)[0]
    return "" if first in _SELF or len(who) > MAX_WHO or _ORDERS.match(who) else who


def _part(text: str, who: str = "") -> Rest | None:
    shown = _bare(text)
    return Rest(shown, who) if shown else None


def _bare(text: str) -> str:
    shown = _trimmed(text)
    lead = _LINK.match(shown)
    return shown[lead.end() :] if lead else shown


def _trimmed(text: str) -> str:
    return text.strip(" ,;，；、\t\n").removesuffix(" and").removesuffix(" but")


def _tells(text: str) -> bool:
    return told(text) and bool(content_tokens(text)) and not _LEANS.match(text)


def _says(text: str) -> bool:
    """Whether what stands before a cut is a sentence, with a verb of its own."""
    return bool(_CJK.search(text) or _SAYS.search(text) or _ORDERS.match(text))


def _checked(part: Rest, falls: Callable[[str], bool]) -> tuple[Rest, ...]:
    """A part that falls itself is looked at again."""
    return still_holding(part.text, falls) if falls(part.text) else (part,)
