"""Sentences that deserve a card of their own: wishes, limits, choices, lessons, tasks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.distil.offline.clauses import clause_with, cue_at, running, span_with
from noctuary.distil.offline.cues import HABIT
from noctuary.distil.offline.errands import each_errand
from noctuary.distil.offline.forms import pattern
from noctuary.distil.offline.fragments import with_fragments
from noctuary.distil.offline.lists import headed, heads
from noctuary.distil.offline.pieces import beside, together
from noctuary.distil.offline.reasons import named_before, reason_beside
from noctuary.distil.offline.rules import bans_what_was_told, standing_rule
from noctuary.distil.offline.score import IMPORTANT, VITAL, event_signal, habits, instruction_signal
from noctuary.distil.offline.titles import timeless, title_of, width, without_conjunction
from noctuary.memory.candidate import Candidate, Quote
from noctuary.memory.card import CardType
from noctuary.memory.dates import resolved
from noctuary.memory.entry import Priority, Role, TaskMark
from noctuary.memory.facts import fact_keys
from noctuary.memory.tokens import content_tokens
from noctuary.memory.words import STOP_EN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.pieces import Piece
    from noctuary.memory.entry import Entry

_SAYING = {
    CardType.PREFERENCE: ("preference", "standing", "norm", "means"),
    CardType.CONSTRAINT: ("constraint", "limit", "weak-limit"),
    CardType.DECISION: ("decision",),
    CardType.LESSON: ("taught", "lesson", "cure", "problem"),
    CardType.TASK: ("task",),
    CardType.FACT: ("retraction", "correction"),
}
_REASONED = frozenset({CardType.PREFERENCE, CardType.CONSTRAINT, CardType.DECISION})
"""Kinds whose statement says why, where the sentence beside them does."""
LONGEST_REASONED = 280
"""Columns that a statement may take with its reason: every waking pays for it."""
_STEERING = ("standing", "norm", "preference", "constraint", "limit", "decision")
_TYPES = {
    "gives a standing instruction": CardType.PREFERENCE,
    "says how things are done": CardType.PREFERENCE,
    "states a preference": CardType.PREFERENCE,
    "wishes how to be served": CardType.PREFERENCE,
    "rules a way out": CardType.PREFERENCE,
    "forbids something": CardType.CONSTRAINT,
    "allows something": CardType.PREFERENCE,
    "draws a lesson": CardType.LESSON,
    "states a constraint": CardType.CONSTRAINT,
    "reports a decision": CardType.DECISION,
    "takes something back": CardType.FACT,
    "puts something right": CardType.FACT,
    "names something to be done": CardType.TASK,
    "reports an error and its cure": CardType.LESSON,
}


def told_again(text: str) -> tuple[int, int] | None:
    """Where the words stand that somebody says again: `I told you to …`; None where nobody does."""
    told = pattern("told-before").search(text)
    if told is None:
        return None
    gap = _GAP.match(text, told.end())
    start = gap.end() if gap else told.end()
    return (start, len(text)) if content_tokens(text[start:]) else None


_GAP = re.compile(r"[\s:：,，]*")


@dataclass(frozen=True, slots=True)
class Single:
    """One sentence with its kind, sentences beside it that give its reason, and one that says what `it` is."""

    entry: Entry
    piece: Piece
    type: CardType
    importance: int
    beside: tuple[Piece, ...] = ()
    about: Piece | None = None

    @property
    def habits(self) -> frozenset[str]:
        """The recurring wishes that it voices, by name."""
        return habits(self.piece)

    @property
    def words(self) -> frozenset[str]:
        """The words by which likeness is measured."""
        return frozenset(content_tokens(self.piece.text))

    @property
    def keys(self) -> frozenset[str]:
        """What it can be found by among others: its words, and the wishes it voices."""
        return self.words | self.habits

    @property
    def said(self) -> tuple[int, int]:
        """Where the words stand that speak: of a request only the clauses that voice the wish.

        Of a complaint it is what had been said before: `you did it again, I told you …`.
        """
        if again := told_again(self.piece.text):
            return again
        if self.habits and (self.piece.question or len(self.piece.text) > SHORT_WISH):
            start, end = span_with(self.piece, tuple(self.habits))
            alone = not pattern("it").search(self.piece.text[start:end])
            return (start, end) if alone else (0, len(self.piece.text))
        return clause_with(self.piece, self.cues)

    def holds(self, piece: Piece) -> bool:
        """Whether this piece of the same entry stands in it."""
        return any(
            part.start <= piece.start < part.start + len(part.text) or part.text == piece.text
            for part in (self.piece, *self.also)
        )

    @property
    def also(self) -> tuple[Piece, ...]:
        """The sentences beside it that are quoted along."""
        if self.about is None or self.about in self.beside:
            return self.beside
        return (self.about, *self.beside)

    @property
    def cues(self) -> tuple[str, ...]:
        """Kinds of cue phrases that made it what it is."""
        return (*self.habits, *_SAYING.get(self.type, ()), *_STEERING)


def kind_of(piece: Piece) -> CardType | None:
    """What kind of card a sentence of a person would be, if any."""
    signal = instruction_signal(piece) or event_signal(piece)
    return _TYPES[signal[0]] if signal else None


def singles_of(entry: Entry, pieces: Sequence[Piece]) -> list[Single]:
    """The singles of one entry of a person; what it says over and over counts once."""
    found = []
    said: set[str] = set()
    for place, piece in enumerate(pieces):
        single = _single(entry, pieces, place)
        if single is None or piece.text in said:
            continue
        said.add(piece.text)
        found += each_errand(single)
    return found


def _single(entry: Entry, pieces: Sequence[Piece], place: int) -> Single | None:
    piece = pieces[place]
    if heads(pieces, place):
        return None
    signal = instruction_signal(piece) or event_signal(piece)
    listed = headed(pieces, place)
    if signal is not None:
        whole = with_fragments(entry.text, pieces, place)
        about = listed[0] if listed else named_before(entry, pieces, place)
        reason = reason_beside(entry.text, pieces, place)
        return Single(entry, whole, _TYPES[signal[0]], int(signal[1]), reason, about)
    if listed is not None and not piece.question:
        return Single(entry, piece, listed[1], int(IMPORTANT), about=listed[0])
    ban = _ban(entry.text, pieces, place)
    return Single(entry, ban, CardType.CONSTRAINT, int(VITAL)) if ban else None


def _ban(text: str, pieces: Sequence[Piece], place: int) -> Piece | None:
    """A ban of `it` together with the sentence before it, which says what that is."""
    if not place or not beside(text, pieces[place - 1], pieces[place]):
        return None
    told = bans_what_was_told(pieces[place - 1].text, pieces[place].text)
    return together(text, pieces[place - 1], pieces[place]) if told else None


def task_mark(entry: Entry) -> Candidate | None:
    """The candidate of a `task` entry, which opens or closes a task."""
    if entry.role is not Role.TASK or not entry.text.strip():
        return None
    text = entry.text.strip()
    return Candidate(
        CardType.TASK,
        timeless(title_of(text), entry.at),
        resolved(text, entry.at),
        (Quote(entry, text),),
        importance=4,
        confidence=0.95,
        user=entry.user,
        project=entry.project,
        closes=entry.task is TaskMark.DONE,
    )


def candidate_of(group: Sequence[Single], type_: CardType | None = None) -> Candidate:
    """One candidate from singles that say the same; the last wording speaks."""
    last = group[-1]
    entry, piece = last.entry, last.piece
    quoted = group[-MAX_QUOTES:]
    quotes = [Quote(single.entry, single.piece.text) for single in quoted]
    quotes += [Quote(single.entry, beside.text) for single in quoted for beside in single.also]
    kind = type_ or last.type
    start, end = last.said
    said = piece.text[start:end]
    statement = _begun(without_conjunction(said), piece.start + start, entry)
    return Candidate(
        kind,
        timeless(title_of(said, _title_at(last, start)), entry.at),
        resolved(_with_name(last, _with_reason(last, statement)), entry.at),
        tuple(dict.fromkeys(quotes)),
        importance=_importance(group),
        confidence=min(0.95, 0.8 + 0.05 * (times_said(group) - 1)),
        topics=tuple(name.removeprefix(HABIT) for name in sorted(last.habits)),
        reason=reason_of(last) if kind is CardType.DECISION else "",
        user=entry.user,
        project=entry.project,
        seen=times_said(group),
    )


def _with_reason(single: Single, said: str) -> str:
    """The words that speak with the sentence beside them that says why, where there is room."""
    if single.type not in _REASONED or not single.beside:
        return said
    reason = single.beside[0]
    ahead = reason.start < single.piece.start
    whole = running((reason.text, said) if ahead else (said, reason.text))
    return whole if width(whole) <= LONGEST_REASONED else said


def _with_name(single: Single, said: str) -> str:
    """With the sentence that says what `it` is, where there is room and it is not there yet."""
    if single.about is None or single.about.text in said:
        return said
    whole = running((single.about.text, said))
    return whole if width(whole) <= LONGEST_REASONED else said


def _title_at(single: Single, start: int) -> int:
    """Where in the words that speak the title begins: at a rule that says `it` where there is one."""
    rule = standing_rule(single.piece.text)
    if rule is not None and not rule.thing:
        return max(0, rule.place[0] - start)
    return max(0, cue_at(single.piece, single.cues) - start)


def times_said(group: Sequence[Single]) -> int:
    """In how many turns it was said: two sentences of one breath are one wish."""
    return len({(single.entry.episode, single.entry.id) for single in group})


def _begun(said: str, start: int, entry: Entry) -> str:
    """A statement that lost its opening begins like a sentence."""
    first = said.split(" ", 1)[0]
    before = entry.text[:start].rstrip(" ")
    cut = bool(before) and before[-1] not in ".!?\n。！？"
    if first.isalpha() and first.islower() and (cut or first in STOP_EN):
        return said[:1].upper() + said[1:]
    return said


SHORT_WISH = 40
MAX_QUOTES = 5


def _importance(group: Sequence[Single]) -> int:
    value = max(single.importance for single in group)
    if any(single.entry.priority is Priority.HIGH for single in group):
        value = max(value, 5)
    return value


def reason_of(single: Single) -> str:
    """The words that give the reason, verbatim; empty when none is given."""
    if single.beside:
        return single.beside[0].text
    spans = single.piece.cues.get("reason", ())
    if not spans:
        return ""
    return single.piece.text[min(spans)[0] :].strip(" ,.;，。；")


def fact_set(single: Single) -> frozenset[str]:
    """Hard facts of the sentence."""
    return frozenset(fact_keys(single.piece.text))
