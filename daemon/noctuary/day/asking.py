"""Questions to memory: brings the search index up to date, asks it, and notes what was used."""

from __future__ import annotations

import hashlib
import marshal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from noctuary.recall.index import IndexDamagedError
from noctuary.recall.recall import Recall
from noctuary.resources import cache_folder
from noctuary.vault.alarm import Alarm
from noctuary.vault.pulse import Pulse
from noctuary.vault.reading import Reader
from noctuary.vault.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from noctuary.config import Settings
    from noctuary.memory.card import Card
    from noctuary.memory.entry import Entry
    from noctuary.recall.answer import Answer
    from noctuary.recall.semantic import Embedder
    from noctuary.recall.wake import Wake
    from noctuary.vault.ground import Ground

FOLDERS = ("cards", "archive")
"""What may be told. Proposals in `inbox/` may not, until a person lets them in."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask, and how much may be told; None takes what the settings say."""

    text: str
    k: int | None = None
    budget: int | None = None
    as_of: date | None = None
    archived: bool = False
    project: str = ""
    user: str = ""
    session: str = ""
    types: frozenset[str] = frozenset()


class _Unread(NamedTuple):
    """A card on disk, read only when the index does not know its present state."""

    root: Path
    path: str
    digest: str

    @property
    def card(self) -> Card | None:
        reader = Reader(self.root)
        data = reader.bytes_of(self.path)
        return None if data is None else reader.card(self.path, data)


class _Cards:
    """The cards that a survey has seen."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey

    def __iter__(self) -> Iterator[_Unread]:
        root, stamps = self._survey.root, self._survey.stamps
        for path in sorted(self._survey.below(*FOLDERS)):
            size, changed, _, file = stamps[path]
            yield _Unread(root, path, f"{size}-{changed}-{file}")

    @property
    def seal(self) -> str:
        """Another one whenever a card came, changed or went."""
        below = tuple(f"{folder}/" for folder in FOLDERS)
        seen = [told for told in self._survey.stamps.items() if told[0].startswith(below)]
        return hashlib.sha256(marshal.dumps(seen, _STABLE)).hexdigest()


_STABLE = 2
"""The form of marshalled values in which equal ones are always the same bytes."""


ANSWERS = 0.5
"""Share of the best hit's score from which a card is an answer, and did not just fill the room."""


def _answering(answer: Answer) -> list[str]:
    """Ids of the cards that count as used by this answer."""
    least = ANSWERS * max((hit.score for hit in answer.hits), default=0.0)
    return [hit.id for hit in answer.hits if hit.kind == "card" and hit.score >= least]


class Asker:
    """Answers from one vault; what it has seen of the files once is not read again."""

    def __init__(self, ground: Ground, settings: Settings) -> None:
        self._ground = ground
        self._settings = settings
        self._cache = cache_folder(ground.vault_id)
        self._recall = Recall.open(self._cache, _embedder(settings))
        self._survey = Survey(
            ground.root, zones=("episodes", "dreams", *FOLDERS), resting=("archive",)
        )
        self._pulse: Pulse | None = None
        self._fresh: tuple[Entry, ...] | None = None

    def ask(self, question: Question) -> Answer:
        """The lines that answer best, newest knowledge first; none when nothing matches."""
        self._sync()
        try:
            answer = self._search(question)
        except IndexDamagedError:
            self._fresh = None
            self._sync()
            answer = self._search(question)
        self._ground.references.append(_answering(answer), self._ground.clock())
        return replace(answer, wanted=self._settings.vault.language)

    def refresh(self) -> None:
        """Bring the index up to date, so that the next question need not."""
        self._sync()

    def _search(self, question: Question) -> Answer:
        from noctuary.recall.ranking import Filters

        return self._recall.search(
            question.text,
            now=self._ground.clock(),
            k=question.k,
            budget=question.budget or self._settings.recall.budget,
            filters=Filters(
                project=question.project,
                user=question.user,
                archived=question.archived,
                as_of=question.as_of,
                types=question.types,
                session=_session_name(question.session),
            ),
        )

    def wake(self, budget: int | None, project: str, user: str) -> Wake:
        """What an agent is given before it has asked anything."""
        from noctuary.recall.wake import Totals, wake

        waiting = len(self._sync())
        try:
            heads = self._recall.heads()
        except IndexDamagedError:
            self._fresh = None
            waiting = len(self._sync())
            heads = self._recall.heads()
        last = self._pulse.last_dream if self._pulse else ""
        page = Reader(self._ground.root).bytes_of("preferences.md") or b""
        told = wake(
            heads,
            preferences=page.decode("utf-8", "replace"),
            totals=Totals(waiting, last),
            today=self._ground.clock().date(),
            budget=budget or self._settings.recall.wake_budget,
            project=project,
            user=user,
            language=self._settings.vault.language,
        )
        self._ground.references.append_once(told.cards, self._ground.clock())
        return told

    def _sync(self) -> tuple[Entry, ...]:
        """Bring the index up to date; gives the entries that no dream has absorbed yet."""
        pulse, changed = self._taken()
        if self._fresh is not None and not changed and self._recall.is_as_left:
            return self._fresh
        self._fresh = None
        fresh = self._waiting(pulse)
        cards = _Cards(self._survey)
        self._fresh = fresh if self._recall.sync(cards, fresh, cards.seal) else None
        return fresh

    def _taken(self) -> tuple[Pulse, bool]:
        """The pulse as it is now, and whether anything is not as it was at the last question."""
        if self._pulse is None:
            self._pulse = Pulse.taken(self._ground.disk, self._cache / "pulse.json", self._survey)
            self._survey.alarm = Alarm(self._ground.root)
            return self._pulse, True
        changes = self._survey.rescan()
        self._pulse.note(changes, self._survey.stamps)
        return self._pulse, self._pulse.catch_up() or bool(changes)

    def _waiting(self, pulse: Pulse) -> tuple[Entry, ...]:
        paths = sorted(pulse.waiting())
        if not paths:
            return ()
        from noctuary.dream.collect import pending

        reader = Reader(self._ground.root)
        found = [episode for path in paths if (episode := reader.episode(path))]
        return pending(found, pulse.ranges).entries


def _embedder(settings: Settings) -> Embedder | None:
    """What finds lines by their meaning, where it is installed and wanted."""
    if not settings.recall.semantic:
        return None
    from noctuary.recall.embedding import embedder

    return embedder()


def _session_name(session: str) -> str:
    if not session:
        return ""
    from noctuary.memory.episode import session_part

    return session_part(session)
