"""What is used for a purpose, and a newer line that puts something else in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from noctuary.memory.facts import hard_facts
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.distil.offline.frames import Frame

_BREAK = re.compile(
    r"[,;:!?]\s+|\.\s+|\s[-–—]+\s|[，。；：！？]|\s+(?=(?:so|and|but|because|since) )",
    re.IGNORECASE,
)
_LEAD = r"(?:(?:so|and|but|also|then|ok|okay|actually|finally|therefore|from now on),? )*"
_WHO = r"(?:we|i|they|the team|let['’]s|everybody)(?:['’](?:re|ve|ll|m)| are| have| will| am)?(?: (?:now|all|just|finally|decided to|want to|agreed to|going to))*"
_WHAT = r"(?:the |our |my |this )?(?P<what>[\w][\w /'’.+-]{1,40}?)"
_VALUE = r"(?P<value>[\w][^,;]{0,40}?)"
_OLD = r"(?:the |our )?(?P<old>[\w][\w .+#-]{0,30}?)"
_FOR = r"(?: (?:for|as|in) (?:the |our |my |all |this )?(?P<what>[\w][\w /'’.+-]{1,40}))?"
_USE = r"(?:use|uses|using|chose|choose|pick|picked|decided on|settled on|went with|go with|going with|take|took)"
_MOVE = r"(?:switch|switched|switching|move|moved|moving|migrate|migrated|migrating|change|changed|changing|go over|went over)"
_USES = (
    rf"{_WHO} {_USE} {_VALUE}{_FOR}$",
    rf"(?:{_USE}) {_VALUE}{_FOR}$",
    rf"{_WHAT} (?:runs on|uses|is built (?:with|on)|is hosted (?:on|at|with|by)|is written in|works with|(?:go|goes|run|runs) (?:through|via)) {_VALUE}$",
    rf"{_WHAT} (?P<is>is) {_VALUE}$",
)
_MOVES = (
    rf"{_WHO} {_MOVE}(?: (?:from {_OLD}|(?:the |our |my )?(?P<moved>[\w][\w ]{{1,30}}?)(?: over)?(?: from (?P<before>[\w][\w .+#-]{{0,30}}?))?))? to {_VALUE}{_FOR}$",
    rf"{_WHO} {_USE} {_VALUE}(?: (?:for|as) (?:the |our |my )?(?P<moved>[\w][\w ]{{1,30}}?))? instead(?: of {_OLD})?{_FOR}$",
    rf"(?:use|take) {_VALUE} (?:for|as) (?:the |our |my )?(?P<moved>[\w][\w ]{{1,30}}?) instead(?: of {_OLD})?$",
    rf"(?:use|take) {_VALUE} instead(?: of {_OLD})?{_FOR}$",
    rf"{_WHO} (?:replace|replaced|replacing) {_OLD} (?:with|by) {_VALUE}{_FOR}$",
    rf"{_WHAT} (?:is |has |will |was |are )?(?:{_MOVE}|moves|switches|migrates|changes)(?: over)?(?: from {_OLD})? to {_VALUE}$",
    rf"{_WHAT} (?:now (?:runs on|uses|is)|is now(?: on)?|runs now on) {_VALUE}(?: instead of {_OLD})?$",
    rf"{_WHAT} (?:runs on|uses) {_VALUE} now$",
    rf"{_WHO} now use {_VALUE}{_FOR}$",
)
_LEAD_ZH = r"(?:所以|因此|那么?|于是|但是?|以后|现在|就|我们?的?|咱们?的?|团队|大家|决定|打算|准备|已经|把|将|还是)*"
_WHAT_ZH = r"(?P<what>[^，。；：！？、\s]{2,12}?)(?:也|都|就|已经|现在|又|要|还是|准备|决定|打算|全部|统一|以后)*"
_VALUE_ZH = r"(?P<value>[^，。；：！？]{1,24}?)(?:了|吧|啦)?$"
_TO_ZH = r"(?:换成了?|换用了?|改用了?|改成了?|改为了?|换到|迁到|迁移到|切到|切换到|换为|改到)"
_USES_ZH = (
    rf"{_LEAD_ZH}{_WHAT_ZH}(?:用的是|使用|采用|选用了?|选了|定了|跑在|放在|部署在|托管在|(?<![不没改换再])用|走)(?![了来于到得不完起]){_VALUE_ZH}",
    rf"{_LEAD_ZH}{_WHAT_ZH}(?P<is>是){_VALUE_ZH}",
)
_MOVES_ZH = (
    rf"{_LEAD_ZH}{_WHAT_ZH}(?:从(?P<old>[^，。；：！？]{{1,16}}?))?{_TO_ZH}\s*{_VALUE_ZH}",
    rf"{_LEAD_ZH}{_WHAT_ZH}现在(?:用的是|用|使用|跑在|放在|部署在)\s*{_VALUE_ZH}",
)
_FORMS = tuple(
    (re.compile(rf"{_LEAD}{form}", re.IGNORECASE), moved)
    for forms, moved in ((_MOVES, True), (_MOVES_ZH, True), (_USES, False), (_USES_ZH, False))
    for form in forms
)
_GIVEN_UP_ZH = re.compile(
    rf"(?:^|[，。；！？])({_LEAD_ZH}{_WHAT_ZH})(?:不再?用|停用|弃用)([^，。；：！？]{{1,16}}?)了?[，,](?:{_LEAD_ZH})({_TO_ZH})"
)
"""`S 不用 A 了，改用 B`: read as `S 从 A 改用 B`."""
_HINT = re.compile(
    r"\b(?:use|using|uses|chose|choose|pick|decided on|settled on|went|go(?:ing)?|take|took|switch|mov|migrat|chang|instead|"
    r"replac|runs|hosted|built|written|works|is)|[用换改迁切选定是跑放托署走]",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:also|too|as well|besides|both|not)\b|n['’]t\b|也|还要|另外|一起|加上|不要|别"
)
"""Words that put one thing beside another, or deny it."""
_POINTING = re.compile(
    r"(?:it|that|this|them|these|those|one|something|to \w+|\w+ing)\b|[这那它]", re.IGNORECASE
)
_VALUED = re.compile(r"[A-Z0-9「“]|[a-z]+[-_./]\w|(?<=[\u3400-\u9fff])[A-Za-z]")
_GENERAL = frozenset(content_tokens("new current whole main only own 新 现在 目前"))
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
    if not _HINT.search(text) or text.rstrip()[-1:] in "?？":
        return ()
    return tuple(_choices(text))


def _choices(text: str) -> Iterator[Choice]:
    text = _GIVEN_UP_ZH.sub(lambda hit: f"，{hit[1]}从{hit[3]}{hit[4]}", text)
    start = 0
    for end, after in (
        *((hit.start(), hit.end()) for hit in _BREAK.finditer(text)),
        (len(text),) * 2,
    ):
        clause = text[start:end].strip(" .。!！")
        found = None if _BESIDE.search(clause) else _choice(clause)
        if found is not None:
            yield found
        start = after


def _choice(clause: str) -> Choice | None:
    for form, moved in _FORMS:
        hit = form.match(clause)
        if hit is None:
            continue
        named = hit.groupdict()
        value = named["value"].strip()
        what, value_words = _telling(named.get("what") or named.get("moved")), _telling(value)
        if not value_words or _POINTING.match(value) or _only_measures(value):
            return None
        if (named.get("is") or not what) and not _VALUED.search(value):
            return None
        return Choice(what, value_words, _telling(named.get("old") or named.get("before")), moved)
    return None


def _telling(text: str | None) -> frozenset[str]:
    return frozenset(content_tokens(text or "")) - _GENERAL


def _only_measures(value: str) -> bool:
    """`for two years`: no thing at all."""
    kinds = {fact.kind for fact in hard_facts(value)}
    return bool(kinds) and kinds <= _MEASURES
