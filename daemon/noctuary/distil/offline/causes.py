"""Lessons that several turns tell together: what went wrong, what was the cause, that it is cured.

A person confirms in few words what somebody else explained (`that fixed it`), tells why a
command failed (`ah right, the tunnel was down`), or comes back to what they had complained about
(`turns out the index was missing`): alone none of these lines teaches anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noctuary.distil.offline.assents import agreed
from noctuary.distil.offline.clauses import running
from noctuary.distil.offline.forms import pattern
from noctuary.distil.offline.pieces import ERROR_NAME
from noctuary.distil.offline.score import MAX_REPORT_CHARS, outcome_signal
from noctuary.distil.offline.singles import kind_of
from noctuary.distil.offline.titles import LONGEST, clauses_of, timeless, title_of, width
from noctuary.memory.candidate import Candidate, Quote
from noctuary.memory.card import CardType
from noctuary.memory.dates import resolved
from noctuary.memory.entry import Role
from noctuary.memory.tokens import content_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from noctuary.distil.offline.pieces import Cutter, Piece
    from noctuary.memory.entry import Entry

WINDOW = 8
"""So many turns of a session a problem may lie back."""
SHORT, MAX_CAUSE, MAX_PROBLEM = 300, 260, 240
"""Characters of a turn that only confirms or explains, of what it points to, of an error."""
TELLING, ENOUGH = 2, 3
"""From here a sentence tells what was done; so many words of a confirmation say what was cured."""

_MARKS = " .!。！"
_COMMAND = re.compile(r"^\s*[$>#]\s*\S.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """One lesson with the parts of the turns that tell it, in order of time.

    Attributes:
        cause: The part that says why, or what was done.
        error: What went wrong: an output that failed, or the person's words.
        plain: The last part says no more than that it is cured.
        type: A lesson; a decision where somebody agreed to what they were advised.
    """

    parts: tuple[tuple[Entry, str], ...]
    cause: str
    error: str = ""
    plain: bool = False
    type: CardType = CardType.LESSON

    @property
    def complaint(self) -> bool:
        """Whether a person's words say what went wrong."""
        first, said = self.parts[0]
        return first.role is Role.USER and said == self.error

    @property
    def entry(self) -> Entry:
        """The turn in which the person confirms or explains."""
        return self.parts[-1][0]

    def holds(self, entry: Entry, text: str) -> bool:
        """Whether these words of a turn stand in the lesson."""
        return any(
            entry.id == one.id and (text in said or said in text) for one, said in self.parts
        )

    def candidate(self) -> Candidate:
        """The card that it makes: its statement is the words of all."""
        entry = self.entry
        told = self.parts[:-1] if self.plain else self.parts
        return Candidate(
            self.type,
            self._title(),
            running(resolved(said, one.at) for one, said in told),
            tuple(Quote(one, said) for one, said in self.parts),
            importance=4,
            user=entry.user,
            project=entry.project,
        )

    def _title(self) -> str:
        title, brief = (
            timeless(title_of(told), self.entry.at)
            for told in (self.cause, self.cause[slice(*next(clauses_of(self.cause)))])
        )
        name = ERROR_NAME.search(self.error)
        if name is None and not self.complaint:
            return title
        problem = timeless(title_of(self.error), self.parts[0][0].at)
        failed = name[1] if name else problem
        colon = "：" if _CJK.search(failed) else ": "
        named = (f"{failed}{colon}{cause}" for cause in (title, brief))
        return next((each for each in named if width(each) <= LONGEST), title)


def told_lessons(
    entries: Sequence[Entry], cutter: Cutter, people: Collection[str] = ()
) -> list[Told]:
    """The lessons of sessions with an agent, in order; talk between `people` has none."""
    before: dict[str, list[Entry]] = {}
    found = []
    for entry in entries:
        turns = before.setdefault(entry.session, [])
        if entry.role is Role.USER and entry.session not in people:
            told = _brief(entry, turns, cutter) or _found_out(entry, turns, cutter)
            if told is None and (parts := agreed(entry, turns, cutter)):
                told = Told(parts, parts[0][1], type=CardType.DECISION)
            found += [told] if told else []
        turns.append(entry)
        del turns[:-WINDOW]
    return found


def _brief(entry: Entry, turns: Sequence[Entry], cutter: Cutter) -> Told | None:
    """What a short turn explains or confirms."""
    if len(entry.text) > SHORT:
        return None
    explained = _explained(entry, turns, cutter)
    if explained is not None and pattern("realises").match(entry.text):
        return explained
    return _confirmed(entry, turns, cutter) or explained


def _found_out(entry: Entry, turns: Sequence[Entry], cutter: Cutter) -> Told | None:
    """`Turns out the index was missing.` with the complaint that it comes back to."""
    pieces = cutter.pieces(entry.text, entry.user)
    for place, piece in enumerate(pieces):
        if not pattern("points-back").search(piece.text) or len(piece.text) > MAX_CAUSE:
            continue
        if kind_of(piece) is CardType.LESSON:
            problem = _complaint(entry, pieces[:place]) or _problem(turns, cutter)
            if problem is not None:
                return Told((problem, (entry, piece.text)), piece.text, problem[1])
    return None


def _confirmed(entry: Entry, turns: Sequence[Entry], cutter: Cutter) -> Told | None:
    """`That fixed it.` with the sentences of the turn before that say what did."""
    pieces = cutter.pieces(entry.text, entry.user)
    said = next((piece for piece in pieces if _confirms(piece)), None)
    answer = _last_answer(turns)
    if said is None or answer is None:
        return None
    plain = said.rare < ENOUGH and not said.facts
    before = [turn for turn in turns if turn.at <= answer.at and turn is not answer]
    problem = _problem(before, cutter) if plain or not said.has("problem") else None
    about = frozenset(content_tokens(f"{said.text} {problem[1] if problem else ''}"))
    cause = _telling_part(answer, cutter, about)
    if not cause or not (problem or said.has("problem")):
        return None
    parts = [problem] if problem and problem[0].id != answer.id else []
    told = (*parts, (answer, cause), (entry, said.text))
    return Told(told, cause, problem[1] if problem else "", plain)


def _confirms(piece: Piece) -> bool:
    """Whether a clause says that it is cured, and none takes that back: `…, but it still fails`."""
    clauses = [clause.strip(_MARKS) for clause in re.split("[，,]", piece.text)]
    cured = [clause for clause in clauses if pattern("confirms").match(clause)]
    turned = [clause for clause in clauses if pattern("turns-round").match(clause)]
    denied = any(pattern("denies").search(clause) for clause in (*cured, *turned))
    return bool(cured) and not piece.question and not denied


def _last_answer(turns: Sequence[Entry]) -> Entry | None:
    """What the agent said last, with nothing but the output of tools behind it."""
    for turn in reversed(turns):
        if turn.role is Role.ASSISTANT:
            return turn
        if turn.role is not Role.TOOL:
            return None
    return None


def _telling_part(answer: Entry, cutter: Cutter, about: frozenset[str]) -> str:
    """The run of sentences that tells what was done about it; empty when nothing was."""
    pieces = [piece for piece in cutter.pieces(answer.text) if piece.kind in ("prose", "list")]
    worth = [_tells_cure(piece, about) for piece in pieces]
    best = max(range(len(pieces)), key=lambda place: (worth[place], -place), default=-1)
    if best < 0 or worth[best] < TELLING or len(answer.text) > 2 * MAX_REPORT_CHARS:
        return ""
    first = last = best
    for place in range(best - 1, -1, -1):
        if not _joins(answer.text, pieces[place], pieces[last], worth[place]):
            break
        first = place
    for place in range(best + 1, len(pieces)):
        if not _joins(answer.text, pieces[first], pieces[place], worth[place]):
            break
        last = place
    return answer.text[pieces[first].start : pieces[last].start + len(pieces[last].text)]


def _joins(text: str, first: Piece, last: Piece, worth: float) -> bool:
    end = last.start + len(last.text)
    return worth > 0 and end - first.start <= MAX_CAUSE and "\n\n" not in text[first.start : end]


def _tells_cure(piece: Piece, about: frozenset[str]) -> float:
    if piece.question or piece.leads("greeting", "thanks", "talk"):
        return 0.0
    shared = len(about.intersection(content_tokens(piece.text)))
    outcome = outcome_signal(piece)[1] > 1 or piece.has("cure")
    return (
        2 * bool(pattern("did").search(piece.text))
        + outcome
        + min(len(piece.facts), 2)
        + min(shared, 2)
    )


def _explained(entry: Entry, turns: Sequence[Entry], cutter: Cutter) -> Told | None:
    """`Ah right, the tunnel was down.` after a command that failed for it."""
    pieces = [
        piece
        for piece in cutter.pieces(entry.text, entry.user)
        if not piece.question and piece.kind == "prose"
    ]
    cured = any(pattern("cured").search(piece.text.rstrip(_MARKS)) for piece in pieces)
    causes = [
        piece
        for piece in pieces
        if pattern("was-so").search(piece.text)
        and piece.rare
        and not pattern("confirms").match(piece.text.rstrip(_MARKS))
    ]
    failure = _failure(turns[-3:], cutter)
    if failure is None or not causes or not (cured or _realises(entry.text, causes[0])):
        return None
    last = pieces[-1] if cured else causes[-1]
    start = causes[0].start
    start = _behind_opening(entry.text, start)
    said = entry.text[start : last.start + len(last.text)]
    cause = entry.text[start : causes[0].start + len(causes[0].text)]
    return Told((failure, (entry, said)), cause, failure[1])


def _realises(text: str, cause: Piece) -> bool:
    """Whether it dawns on somebody in the words before a sentence, or at its head."""
    opening = pattern("realises").match(text)
    return bool(opening) and not re.search(r"[.?。？]", text[: cause.start])


def _behind_opening(text: str, start: int) -> int:
    """Where the cause begins behind `ah right, …`."""
    while (hit := pattern("realises").match(text, start)) and (
        gap := re.compile(r"[ ,，!！]+").match(text, hit.end())
    ):
        start = gap.end()
    return start


def _problem(turns: Sequence[Entry], cutter: Cutter) -> tuple[Entry, str] | None:
    """The last thing that went wrong: an output that reports it, or the person's words."""
    if failure := _failure(turns, cutter):
        return failure
    told = (
        _complaint(turn, cutter.pieces(turn.text, turn.user))
        for turn in reversed(turns)
        if turn.role is Role.USER
    )
    return next((found for found in told if found), None)


def _complaint(turn: Entry, pieces: Sequence[Piece]) -> tuple[Entry, str] | None:
    """The first sentence of a person that tells of something going wrong."""
    wrong = (piece for piece in pieces if _goes_wrong(piece) and len(piece.text) <= MAX_PROBLEM)
    return next(((turn, piece.text) for piece in wrong), None)


def _goes_wrong(piece: Piece) -> bool:
    return piece.has("problem") or piece.fails or bool(pattern("goes-wrong").search(piece.text))


def _failure(turns: Sequence[Entry], cutter: Cutter) -> tuple[Entry, str] | None:
    """The last output that failed, unless one after it did not: the command and the error."""
    outputs = [turn for turn in turns if turn.role is Role.TOOL]
    if not outputs or not cutter.failed(outputs[-1].text):
        return None
    text = outputs[-1].text
    lines = [piece for piece in cutter.pieces(text) if piece.fails]
    if not lines or len(lines[-1].text) > MAX_PROBLEM:
        return None
    line = lines[-1]
    start, end = line.start, line.start + len(line.text)
    commands = [hit.start() for hit in _COMMAND.finditer(text, 0, start)]
    if commands and end - commands[-1] <= MAX_PROBLEM:
        start = commands[-1]
    return outputs[-1], text[start:end].strip()


_CJK = re.compile(r"[\u3400-\u9fff]")
