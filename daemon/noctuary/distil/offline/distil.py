"""From scored entries to candidates: singles, patterns, and digests of the rest."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from noctuary.distil.offline.advice import advice
from noctuary.distil.offline.causes import told_lessons
from noctuary.distil.offline.digest import Line, digests, joined
from noctuary.distil.offline.formal import trace
from noctuary.distil.offline.patterns import merged
from noctuary.distil.offline.repeats import without_repeats
from noctuary.distil.offline.score import (
    NOISE,
    SLIGHT,
    USEFUL,
    between_people,
    outcome_signal,
    piece_signal,
)
from noctuary.distil.offline.singles import singles_of, task_mark
from noctuary.distil.offline.talk import most_telling
from noctuary.memory.dates import glosses
from noctuary.memory.entry import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noctuary.distil.offline.causes import Told
    from noctuary.distil.offline.pieces import Cutter, Piece
    from noctuary.distil.offline.singles import Single
    from noctuary.memory.candidate import Candidate, Scored
    from noctuary.memory.entry import Entry

_Found = TypeVar("_Found", "Single", "Line")

MAX_LINE = 600
MAX_CODE = 120
MIN_FAILURE = 2
WORTH_SAYING, WORTH_A_LINE = 2.0, 3.9
"""From here a sentence without a hard fact gets a line in a session that asks for help."""
ASKING_FROM = 0.2
LONG_SESSION = 25
"""Messages of the person; in a shorter session every line that says something has room."""


def distil(scored: Sequence[Scored], cutter: Cutter) -> list[Candidate]:
    """Candidates of one day, the ones of a card each first."""
    entries = [each.entry for each in scored]
    people = between_people(entries)
    asking = _asking_sessions(scored, cutter)
    lessons = told_lessons(entries, cutter, people)
    singles: list[Single] = []
    lines: list[Line] = []
    for each in scored:
        if each.score.value <= NOISE:
            continue
        own, rest = _split(each, cutter, each.entry.session in people)
        own, rest = _untold(own, lessons), _untold(rest, lessons)
        singles += own
        least = WORTH_A_LINE if each.entry.session in asking else WORTH_SAYING
        lines += [line for line in rest if _keeps(line, least)]
    marks = [mark for entry in entries if (mark := task_mark(entry))]
    kept = [*_affordable(lines, entries, people), *advice(scored, cutter)]
    taught = [lesson.candidate() for lesson in lessons]
    return [*marks, *merged(singles), *taught, *digests(kept)]


def _untold(found: list[_Found], lessons: Sequence[Told]) -> list[_Found]:
    """What no lesson tells already."""
    if not lessons:
        return found
    return [
        one
        for one in found
        if not any(lesson.holds(one.entry, one.piece.text) for lesson in lessons)
    ]


def _split(each: Scored, cutter: Cutter, people: bool) -> tuple[list[Single], list[Line]]:
    entry = each.entry
    if entry.role is Role.TASK:
        return [], []
    pieces = cutter.pieces(entry.text, entry.user)
    if entry.role is not Role.USER:
        return [], [line for piece in pieces if (line := _outcome(entry, piece))][:3]
    singles = [] if people else singles_of(entry, pieces)
    lines = [
        Line(entry, piece, worth(piece, entry))
        for piece in pieces
        if not any(single.holds(piece) for single in singles)
    ]
    return singles, lines


def worth(piece: Piece, entry: Entry) -> float:
    """How much a line is worth among others of its session."""
    value = min(piece_signal(piece)[1], USEFUL)
    dated = bool(glosses(piece.text, entry.at))
    value += 0.4 * min(len(piece.facts) + dated, 3) + 0.3 * min(len(piece.names), 2)
    value += 0.2 * piece.has("event") + 0.2 * piece.has("plan") + 0.15 * min(piece.rare, 8)
    return value - 0.5 * piece.leads("filler", "thanks", "greeting") - (piece.rare < 2)


def _keeps(line: Line, least: float) -> bool:
    piece = line.piece
    if piece.kind == "code":
        return len(piece.text) <= MAX_CODE and bool(piece.facts)
    return line.worth >= (SLIGHT if piece.facts else least)


def _asking_sessions(scored: Sequence[Scored], cutter: Cutter) -> frozenset[str]:
    """Sessions in which a person mostly asks for help: what stands around the requests is thin."""
    asks: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for each in scored:
        entry = each.entry
        if entry.role is Role.USER and not entry.user:
            pieces = cutter.pieces(entry.text, entry.user)
            said[entry.session] += 1
            asks[entry.session] += any(piece.question or piece.tail for piece in pieces)
    return frozenset(
        name
        for name, count in said.items()
        if asks[name] >= ASKING_FROM * count and count >= LONG_SESSION
    )


def _outcome(entry: Entry, piece: Piece) -> Line | None:
    reported = entry.role is Role.ASSISTANT
    value = outcome_signal(piece)[1]
    if not reported:
        tells = piece.fails and piece.words > MIN_FAILURE and not trace.match(piece.text)
        value = SLIGHT if tells else NOISE
    if value < SLIGHT or len(piece.text) > MAX_LINE:
        return None
    return Line(entry, piece, max(value, WORTH_A_LINE if reported else WORTH_SAYING))


def _affordable(lines: list[Line], entries: Sequence[Entry], people: frozenset[str]) -> list[Line]:
    """Talk between people is short turns: only the better part of it is kept."""
    sizes: Counter[str] = Counter()
    sessions: dict[str, list[Line]] = {}
    for entry in entries:
        sizes[entry.session] += len(entry.text.encode("utf-8", "surrogatepass"))
        sessions.setdefault(entry.session, [])
    for line in lines:
        sessions[line.entry.session].append(line)
    kept: list[Line] = []
    for session, own in sessions.items():
        told = joined(without_repeats(own), session in people)
        if session in people:
            told = most_telling(told, sizes[session])
        kept += told
    return kept
