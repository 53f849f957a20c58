"""Compares one new line with the nearest lines that memory holds."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from noctuary.distil.offline.changes import (
    goes_back,
    limits_anew,
    moves_home,
    moves_value,
    other_language,
    stops,
    taken_back,
    turns_against,
)
from noctuary.distil.offline.choices import chooses_anew
from noctuary.distil.offline.corrections import corrects
from noctuary.distil.offline.frames import (
    contained,
    jaccard,
    number_contexts,
    other_things,
    same_slot,
)
from noctuary.distil.offline.happened import HAPPENED
from noctuary.distil.offline.holding import claims, counts, still_holding
from noctuary.distil.offline.rules import is_exception, lifts, renews, rules
from noctuary.distil.offline.singles import told_again
from noctuary.distil.offline.titles import clauses_of
from noctuary.memory.candidate import DISTINCT, Relation, RelationKind
from noctuary.memory.card import INSTRUCTION_LIKE, CardType
from noctuary.memory.entry import Role
from noctuary.memory.tokens import content_tokens
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from noctuary.distil.offline.frames import Counted, Frame, Framer
    from noctuary.memory.candidate import Known, Quote, Rest

DUPLICATE_FROM = 0.8
UPDATE_FROM = 0.45
REFINE_FROM = 0.85
SAME_THING = 0.5
TOLD_AGAIN = 0.6

LIFTED = phrase("another rule for the same thing")
BACK = phrase("goes back to what it gave up")

Verdict = tuple[RelationKind, str]
_RANK = (
    RelationKind.RETRACTS,
    RelationKind.DUPLICATE,
    RelationKind.SUPERSEDES,
    RelationKind.DISPUTES,
    RelationKind.OUTDATED,
    RelationKind.REFINES,
)
_ASKING = {"request", "aside"}
_STEERING = {
    "standing",
    "norm",
    "preference",
    "constraint",
    "limit",
    "weak-limit",
    "must",
    "decision",
}
_ONE_STEPS_ASIDE = frozenset(
    {RelationKind.SUPERSEDES, RelationKind.RETRACTS, RelationKind.OUTDATED}
)


class Relater:
    """Judges pairs of lines; the strongest relation to any known line wins, the nearest first."""

    def __init__(self, framer: Framer) -> None:
        self._framer = framer

    def relate(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Relation:
        """The relation of a new line to the nearest known ones."""
        best: Relation = DISTINCT
        rank = len(_RANK)
        new = self._framer.frame(quote.text)
        for line in known:
            verdict = self._verdict(quote, new, type_, line)
            if verdict and (place := _RANK.index(verdict[0])) < rank:
                best, rank = Relation(verdict[0], line, verdict[1]), place
        if best.known is not None and best.kind in _ONE_STEPS_ASIDE:
            rest = self._rest(quote, type_, best.kind, best.known)
            if best.why in (LIFTED, BACK):
                rest = _ruling(rest)
            elif best.known.card.type in INSTRUCTION_LIKE:
                rest = tuple(part for part in rest if self._says_by_itself(part.text))
            return replace(best, rest=rest)
        return best

    def _rest(
        self, quote: Quote, type_: CardType, kind: RelationKind, known: Known
    ) -> tuple[Rest, ...]:
        """What still holds of the line that steps aside: the known one, or the quote itself."""

        def falls(part: str) -> bool:
            said, line = quote, known
            if kind is RelationKind.OUTDATED:
                said = replace(quote, text=part)
            else:
                line = replace(known, receipt=replace(known.receipt, quote=part))
            verdict = self._verdict(said, self._framer.frame(said.text), type_, line)
            return verdict is not None and verdict[0] is kind

        text = quote.text if kind is RelationKind.OUTDATED else known.receipt.quote
        rest = still_holding(text, falls)
        return tuple(part for part in rest if not self._framer.frame(part.text).cues & _ASKING)

    def _says_by_itself(self, part: str) -> bool:
        """Whether a part of a rule is one, or holds a fact: else it was a reason and fell with it."""
        told = self._framer.frame(part)
        return bool(told.cues & _STEERING or told.keys or counts(part))

    def _verdict(self, quote: Quote, new: Frame, type_: CardType, known: Known) -> Verdict | None:
        old = self._framer.frame(known.receipt.quote)
        if "hypothetical" in new.cues or "reported" in new.cues:
            return None
        if new.habits & old.habits and type_ in INSTRUCTION_LIKE and not renews(new, old):
            return RelationKind.DUPLICATE, phrase("the same wish in other words")
        if not new.words & old.words and not (turns_against(new, old) or other_language(new, old)):
            return None
        if quote.entry.user != known.receipt.speaker and _speaks_of_self(new, old):
            return None
        if _retracts(new, old):
            return RelationKind.RETRACTS, phrase("takes it back")
        if {type_, known.card.type} <= INSTRUCTION_LIKE and self._again(new, old):
            return RelationKind.DUPLICATE, phrase("told again")
        if _duplicate(new, old):
            return RelationKind.DUPLICATE, phrase("says the same")
        found = self._conflict(quote, new, old, type_, known)
        return found or self._clashing(quote, new, old, type_, known) or _refines(new, old)

    def _again(self, new: Frame, old: Frame) -> bool:
        """`I told you …` against what was told, both of them orders or both bans."""
        if (place := told_again(new.text)) is None:
            return False
        told = self._framer.frame(new.text[slice(*place)])
        said = {
            _negated(self._framer.frame(old.text[slice(*span)])) for span in clauses_of(old.text)
        }
        same = len(told.words & old.words) > 1 and contained(told.words, old.words) >= TOLD_AGAIN
        return same and _negated(told) in said

    def _clashing(
        self, quote: Quote, new: Frame, old: Frame, type_: CardType, known: Known
    ) -> Verdict | None:
        """The conflict of two clauses with the same slot, whatever else their lines say."""
        mine, theirs = claims(new.text), claims(old.text)
        for one, other in product(map(self._framer.frame, mine), map(self._framer.frame, theirs)):
            same = same_slot(other, one) or _reversed(one, other, type_, known.card.type)
            if same or _names_old_value(one, other):
                return self._conflict(quote, one, other, type_, known)
        return None

    def _conflict(
        self, quote: Quote, new: Frame, old: Frame, type_: CardType, known: Known
    ) -> Verdict | None:
        if (
            any(mark in quote.text[-2:] for mark in "?？")
            or quote.entry.id == known.receipt.entry
            or _happened(known, old, type_)
        ):
            return None
        said, before = quote.entry.at, known.receipt.at
        if said < before:
            why = _replaces(old, new, known.card.type, type_)
        else:
            why = _replaces(new, old, type_, known.card.type)
        if why:
            return _settled(said, before, why)
        if _contradicts(new, old):
            return RelationKind.DISPUTES, phrase("says that it never was")
        return None


def _ruling(rest: tuple[Rest, ...]) -> tuple[Rest, ...]:
    """Of a rule that fell only other rules remain: its reason fell with it."""
    return tuple(part for part in rest if any(rule.thing for rule in rules(part.text)))


def _happened(known: Known, old: Frame, type_: CardType) -> bool:
    """A failure or a lesson is of its day: what is so now does not make it untrue."""
    taught = known.card.type is CardType.LESSON and type_ is not CardType.LESSON
    return taught or (known.receipt.role is Role.TOOL and "failure" in old.cues)


def _settled(said: datetime, before: datetime, why: str) -> Verdict:
    """Of two values the later one holds; of the same moment neither is known to."""
    if said == before:
        return RelationKind.DISPUTES, phrase("{why}, at the same time", why=why)
    return (RelationKind.SUPERSEDES if said > before else RelationKind.OUTDATED), why


def _speaks_of_self(new: Frame, old: Frame) -> bool:
    return "personal" in new.cues or "personal" in old.cues


def _retracts(new: Frame, old: Frame) -> bool:
    if "retraction" not in new.cues:
        return False
    named = taken_back(new.text) or new.plain
    return contained(named, old.words) >= SAME_THING


def _duplicate(new: Frame, old: Frame) -> bool:
    if new.low == old.low:
        return True
    if new.keys != old.keys or _negated(new) != _negated(old) or new.names != old.names:
        return False
    return jaccard(new.words, old.words) >= DUPLICATE_FROM and not same_slot(old, new)


def _negated(frame: Frame) -> bool:
    return "negation" in frame.cues


def _replaces(new: Frame, old: Frame, type_: CardType, old_type: CardType) -> str:
    if same_slot(old, new):
        return "same subject, another value"
    if _number_update(new, old):
        return "same thing, another number"
    alone = max(len(claims(new.text)), len(claims(old.text))) <= 1
    if alone and _reversed(new, old, type_, old_type):
        return phrase("it is wanted otherwise now")
    return next((why for holds, why in _CHANGES if holds(new, old)), "")


def _number_update(new: Frame, old: Frame) -> bool:
    """The same thing with another number, and words of change."""
    if "change" not in new.cues or not new.keys - old.keys or not old.keys - new.keys:
        return False
    if len(new.plain & old.plain) < MIN_SHARED:
        return False
    return any(
        _same_count(one, other)
        for one in number_contexts(new)
        if one.key not in old.keys and one.key in new.changed and one.rivals <= old.keys
        for other in number_contexts(old)
        if other.key not in new.keys and other.rivals <= new.keys
        if not other_things(_said_of(one, new), _said_of(other, old))
    )


MIN_SHARED = 3


def _said_of(number: Counted, frame: Frame) -> frozenset[str]:
    """Words that name what is counted: those of its clause, of an item in a list those around it."""
    return number.clause & frame.plain or number.near & frame.plain


def _same_count(new: Counted, old: Counted) -> bool:
    """Numbers of one kind whose neighbouring words agree."""
    if new.key.partition(":")[0] != old.key.partition(":")[0]:
        return False
    shared = len(new.near & old.near)
    return shared >= MIN_SHARED and shared >= UPDATE_FROM * min(len(new.near), len(old.near))


def _reversed(new: Frame, old: Frame, type_: CardType, old_type: CardType) -> bool:
    if type_ not in INSTRUCTION_LIKE or old_type not in INSTRUCTION_LIKE:
        return False
    if _negated(new) == _negated(old) or is_exception(new, old):
        return False
    return jaccard(new.plain, old.plain) >= SAME_THING


def _names_old_value(new: Frame, old: Frame) -> bool:
    """`switched from A to B` against a line about A."""
    if "change" not in new.cues or not _moves(new):
        return False
    named = _OLD_VALUE.search(new.text)
    if named and not frozenset(content_tokens(named["old"])) & old.words:
        return False
    if not named and (other_things(new.plain, old.plain) or not _gives_up(new, old)):
        return False
    return len(new.plain & old.plain) >= 2 and contained(old.plain, new.plain) >= SAME_THING


def _gives_up(new: Frame, old: Frame) -> bool:
    """Whether the new line says no to something, or has a fact where the old one had another."""
    return _negated(new) or bool(
        old.keys - new.keys and new.keys - old.keys and old.kinds & new.kinds
    )


_OLD_VALUE = re.compile(
    r"(?:\b(?:instead of|rather than|from(?! now| here| this)|replac\w+) (?:the |our |my |a )?"
    r"(?:correct |right |wrong |old |previous |usual |original |actual |first |current )*|不是|从)"
    r"(?P<old>[\w.+#'’-]+(?: [\w.+#'’-]+)?)",
    re.IGNORECASE,
)
_MOVES = frozenset(
    ["instead", "switched", "switching", "replaced", "replacing", "moved", "changed", "longer"]
)


def _moves(frame: Frame) -> bool:
    text = "".join(frame.low)
    return bool(_MOVES & set(frame.low)) or any(
        cue in text for cue in ("改成", "改用", "换成", "不再", "而是")
    )


_CHANGES: tuple[tuple[Callable[[Frame, Frame], bool], str], ...] = (
    (turns_against, phrase("it is wanted otherwise now")),
    (stops, phrase("it is no longer so")),
    (other_language, phrase("another language is wanted")),
    (moves_value, phrase("names the new value")),
    (limits_anew, phrase("names the new value")),
    (moves_home, phrase("names the new value")),
    (chooses_anew, phrase("names the new value")),
    (corrects, phrase("puts it right")),
    (lifts, LIFTED),
    (goes_back, BACK),
    (_names_old_value, phrase("names what it replaces")),
)


def _contradicts(new: Frame, old: Frame) -> bool:
    """One says never, the other says it happened, of the same thing.

    Only the clauses count that deny and that tell: a wish, a plan or a question is no deed.
    """
    if ("never" in new.cues) == ("never" in old.cues):
        return False
    denial, claim = (new, old) if "never" in new.cues else (old, new)
    denied, happened = (
        _words_where(denial, _NEVER_DONE) & denial.plain,
        _words_where(claim, HAPPENED),
    )
    shared = len(denied & happened)
    if denied and shared >= min(3, len(denied)) and shared >= SAME_THING * len(denied):
        return True
    return any(len(things) > 1 and things <= happened for things in _denied_things(denial))


_GOES_ON = re.compile(
    r"(?:on|in|with|for|at|from|to|by|about|using|including|who|whose|which|where|like|such as|within|after|before)\b",
    re.IGNORECASE,
)


def _denied_things(frame: Frame) -> Iterator[frozenset[str]]:
    """Each thing that a line says was never done, without its verb: `any pages`, `any requests`."""
    for span in clauses_of(frame.text):
        clause = frame.text[slice(*span)]
        if never := _NEVER_DONE.search(clause):
            for part in _OR.split(clause[never.start() :]):
                told = _FIRST_VERB.sub("", part)
                yield frozenset(content_tokens(told))


_OR = re.compile(r"\s+(?:or|nor)\s+|或者?|也没有?")
_FIRST_VERB = re.compile(
    r"^(?:(?:i|we|he|she|they)(?:['’]\w+)? |(?:have|has|had|did)(?:n['’]t| not)? |never |not |ever |actually |really )*\w+(?:ed|en|wn|lt|nt|ght|t|d)?\b|"
    r"\b(?:in|on|for) (?:this|that|my|our|the) [\w ]{2,30}$|\b(?:before|yet|so far|at all|ever)\b",
    re.IGNORECASE,
)
"""The verb that is denied, and where or when: the rest names the thing."""


def _words_where(frame: Frame, says: re.Pattern[str]) -> frozenset[str]:
    """The telling words of the clauses of a line that say so, with what only goes on behind them."""
    words: set[str] = set()
    said = False
    for span in clauses_of(frame.text):
        clause = frame.text[slice(*span)]
        said = bool(says.search(clause)) or (said and bool(_GOES_ON.match(clause)))
        words.update(content_tokens(clause) if said else ())
    return frozenset(words)


_NEVER_DONE = re.compile(
    r"\b(?:have|has|i've|we've|he's|she's|they've)(?: \w+)? never\b|\b(?:haven't|hasn't|have not|has not)\b|"
    r"\bnever \w+(?:ed|en|ne|wn|lt|nt|ght)\b|\b(?:didn't|did not)\b|从来没|从没|从未|没有?[^，。]{1,12}过|不曾|未曾",
    re.IGNORECASE,
)


def _refines(new: Frame, old: Frame) -> Verdict | None:
    more = len(new.words) > len(old.words) and contained(old.words, new.words) >= REFINE_FROM
    if more and old.keys <= new.keys and _negated(new) == _negated(old):
        return RelationKind.REFINES, phrase("says the same and more")
    return None
