"""The distiller that needs no model: deterministic rules, no network, English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.distil.offline.causes import told_lessons
from noctuary.distil.offline.cues import load_cues
from noctuary.distil.offline.distil import distil
from noctuary.distil.offline.finishing import finished, unfinished
from noctuary.distil.offline.formal import formal
from noctuary.distil.offline.frames import Framer
from noctuary.distil.offline.pieces import Cutter
from noctuary.distil.offline.relate import Relater
from noctuary.distil.offline.repeats import echoes
from noctuary.distil.offline.score import CURED, ECHOED, TAUGHT, Scorer, between_people
from noctuary.distil.offline.topics import topic_title
from noctuary.memory.candidate import Usage
from noctuary.memory.facts import hard_facts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from noctuary.memory.candidate import Anchor, Candidate, Known, Quote, Relation, Score, Scored
    from noctuary.memory.card import CardType
    from noctuary.memory.entry import Entry

__all__ = ["OfflineDistiller"]


class OfflineDistiller:
    """Scores, distils and relates by cue words, hard facts and sentence frames.

    Args:
        cues: Folder with cue files of the person's own, added to the shipped ones.
    """

    name = "offline"
    model = ""

    def __init__(self, cues: Path | None = None) -> None:
        phrases = load_cues(cues)
        self._cutter = Cutter(phrases)
        self._relater = Relater(Framer(phrases))

    @property
    def usage(self) -> Usage:
        """Nothing: rules are free."""
        return Usage()

    def score(self, entries: Sequence[Entry], anchor: Anchor) -> list[Score]:
        """One score per entry, in order; the same entries always get the same scores."""
        people = between_people(entries)
        scorer = Scorer(self._cutter, anchor, people)
        known = dict.fromkeys(scorer.resolved(entries), CURED)
        known |= dict.fromkeys(echoes(entries), ECHOED)
        lessons = told_lessons(entries, self._cutter, people)
        known |= {told.entry.id: TAUGHT for told in lessons}
        return [known.get(entry.id) or scorer.score(entry) for entry in entries]

    def distil(self, scored: Sequence[Scored], anchor: Anchor) -> list[Candidate]:
        """Candidates from the entries of one day."""
        return distil(scored, self._cutter)

    def relate(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Relation:
        """How a new line stands to the nearest known ones."""
        return self._relater.relate(quote, type_, known)

    def finished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        """The tasks that the words close."""
        return finished(quote, tasks)

    def unfinished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        """The tasks that the words deny to be done."""
        return unfinished(quote, tasks)

    def title(self, lines: Sequence[str], others: Collection[str] = ()) -> str:
        """The terms that come back in them, else the line with most hard facts that is in words."""

        def tells(place: int) -> tuple[bool, int]:
            return not formal(lines[place]), len(hard_facts(lines[place]))

        return topic_title(lines, telling=max(range(len(lines)), key=tells), others=others)
