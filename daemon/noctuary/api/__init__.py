"""The one door for programs: a vault and everything that can be done with it.

What is behind a method is imported when the method is called, so that opening a vault is quick.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from noctuary.api.keeping import Kept
from noctuary.api.tending import Tended
from noctuary.config import parse
from noctuary.day.waking import Awake
from noctuary.errors import UsageError
from noctuary.memory.card import ENTRY, CardType
from noctuary.memory.entry import Priority, Role, TaskMark
from noctuary.tongue import listed, phrase
from noctuary.vault.ground import ground_at
from noctuary.vault.layout import CONFIG_FILE, find_vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from noctuary.care.overview import DreamNote, Stats, Status
    from noctuary.care.proof import Why
    from noctuary.day.daybook import Imported, Logged
    from noctuary.day.founding import Created
    from noctuary.distil.openai.desk import Beat
    from noctuary.distil.openai.forecast import Forecast
    from noctuary.distil.protocol import Distiller
    from noctuary.memory.report import DreamReport
    from noctuary.recall.answer import Answer
    from noctuary.recall.wake import Wake

    Progress = Callable[[int, int], None]
    """Called with what is done and the total, 0 when it is not known."""

VAULT_VARIABLE = "NOCTUARY_VAULT"
Word = TypeVar("Word", bound=StrEnum)


class Vault(Awake, Tended, Kept):
    """One vault: log to it, let it dream, ask it. Safe to use from several threads.

    Attributes:
        settings: What stands in `noctuary.toml`.
        problems: What is wrong in there; defaults stand in for it.
    """

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        clock: Callable[[], datetime] | None = None,
    ) -> Vault:
        """Open the vault that `path` is or lies in; without a path the one people mean here.

        That is `$NOCTUARY_VAULT`, else the nearest parent of the current folder that is a vault.

        Raises:
            VaultNotFound: There is none.
        """
        root = find_vault(Path(path or os.environ.get(VAULT_VARIABLE) or "."))
        text = (root / CONFIG_FILE).read_text("utf-8", errors="replace")
        settings, problems = parse(text)
        zone = settings.vault.zone
        ground = ground_at(root, clock or (lambda: datetime.now(zone).replace(tzinfo=None)))
        return cls(ground, settings, problems)

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        *,
        language: str | None = None,
        timezone: str | None = None,
        git: bool = True,
        dry_run: bool = False,
    ) -> Created:
        """Make a folder into a vault; only adds files, and says which.

        `language` (`en` or `zh`) is that of the page `preferences.md`, by default the person's;
        `timezone` is an IANA name, by default the machine's. Without `git` no repository is begun.

        Raises:
            UsageError: The path is a file or may not be written to, or there is no such zone.
        """
        from noctuary.day.founding import found

        return found(Path(path), language, timezone, git=git, dry_run=dry_run)

    @classmethod
    def init(cls, path: str | PathLike[str], *, timezone: str | None = None) -> Vault:
        """Make a folder into a vault if it is none yet, and open it."""
        return cls.open(cls.create(path, timezone=timezone).root)

    @property
    def path(self) -> Path:
        """The vault's folder."""
        return self._ground.root

    # -- by day -------------------------------------------------------------------------------

    def log(
        self,
        text: str,
        role: str = "user",
        *,
        at: datetime | str | None = None,
        session: str = "",
        agent: str = "",
        project: str = "",
        user: str = "",
        priority: str = "normal",
        name: str = "",
        task: str | None = None,
        dry_run: bool = False,
    ) -> Logged:
        """Write one entry; without a session it goes to the day's log.

        `at` is local time of the vault, or has an offset; by default now. `task` (`open` or
        `done`) makes it an entry that marks a task; its role is then `task`.

        Raises:
            UsageError: Nothing is left of the text, or a word is none of the known ones.
        """
        from noctuary.intake.common import Where

        logged = self.daybook().log(
            text,
            Where(session, agent, project, user),
            Role.TASK if task else _word(Role, role, "role"),
            at=self._moment(at) if at else None,
            name=name,
            priority=_word(Priority, priority, "priority"),
            task=_word(TaskMark, task, "task") if task else None,
            dry_run=dry_run,
        )
        if logged is None:
            raise UsageError(phrase("There is nothing to log: the text is empty; give some words."))
        return logged

    def import_(
        self,
        format_: str,
        files: Iterable[str | PathLike[str]],
        *,
        trust_user: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Imported:
        """Take transcripts in; what is there already is skipped, a bad file stops no other.

        A file of `-` is stdin. `trust_user` takes older notes as the person's own words.

        Raises:
            UsageError: There is no such format.
        """
        return self.daybook().take_in(
            format_, files, trust_user=trust_user, dry_run=dry_run, progress=progress
        )

    # -- by night -----------------------------------------------------------------------------

    def dream(
        self,
        *,
        deep: bool = False,
        dry_run: bool = False,
        purge_now: bool = False,
        settle: bool = False,
        now: datetime | str | None = None,
        trigger: str = "by hand",
        distiller: Distiller | None = None,
        progress: Progress | None = None,
        watch: Callable[[Beat], None] | None = None,
        stopwatch: Callable[[], float] = monotonic,
    ) -> DreamReport:
        """Turn everything pending into cards, and say what became of it.

        `deep` looks over the cards themselves as well; `dry_run` writes nothing, the report's
        `preview` has the diff, and no model is asked: rules think (`estimate` says what the model
        would cost); `purge_now` forgets absorbed raw entries whatever their age; `now` dreams as
        if it were this moment; `settle` leaves alone what was touched within the settle time;
        `distiller` thinks instead of all others; `watch` hears of every question to a model, and
        of what was spent.

        Raises:
            VaultBusy: Another process is writing, or dreaming.
            DistillerError: Who should think cannot.
        """
        from noctuary.vault.calm import Calm, quiet_report

        store, moment = self._store, self._moment(now) if now else self._store.clock()
        if not (deep or purge_now) and Calm.of(store).holds(moment.date()):
            return quiet_report(moment, trigger, self.settings.dream.distiller)
        from noctuary.night import Request, dream
        from noctuary.night.witness import Nightwatch
        from noctuary.thinker import Pulse, distiller_for, offline

        if settle:
            store = replace(store, settle=float(self.settings.triggers.settle_seconds))
        pulse = Pulse(progress, watch)
        rules = offline() if dry_run else None
        with Nightwatch(store, deep=deep, dry_run=dry_run) as witness:
            return witness.report(
                dream(
                    store,
                    self.settings,
                    distiller or rules or distiller_for(store, self.settings, pulse),
                    now=moment,
                    request=Request(trigger, dry_run, purge_now, deep, settle),
                    progress=pulse.moved,
                    stopwatch=stopwatch,
                )
            )

    def estimate(self) -> Forecast | None:
        """What a dream now would cost, without asking anybody; None where rules think for free.

        Raises:
            UsageError: There is no such profile, or its key is missing.
        """
        from noctuary.thinker import model_distiller, plan

        distiller = model_distiller(self._store, self.settings)
        return plan(self._store, distiller) if distiller else None

    def dreams(self) -> list[DreamNote]:
        """Every dream whose report is there, newest first."""
        from noctuary.care.overview import dream_notes

        return dream_notes(self._store)

    # -- asking -------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        budget: int | None = None,
        as_of: date | str | None = None,
        archived: bool = False,
        project: str = "",
        user: str = "",
        session: str = "",
        types: Iterable[str] = (),
    ) -> Answer:
        """The lines of memory that answer a question, within a budget of tokens.

        `k` bounds the number of cards and entries, `budget` the tokens (by default those in the
        settings); `as_of` answers with what was true on that day; `archived` searches retired
        cards too. A `project` or `user` takes what belongs to it or to none; a `session` only what
        was said in it; `types` only cards of these types, or `entry` for what no dream has read.

        Raises:
            UsageError: There is no such type, or the day is none.
        """
        from noctuary.day.asking import Question

        day = _day(as_of) if as_of else None
        wanted = frozenset(_kind(name) for name in types)
        question = Question(query, k, budget, day, archived, project, user, session, wanted)
        with self._one_asks:
            return self._asker.ask(question)

    def context(self, budget: int | None = None, *, project: str = "", user: str = "") -> Wake:
        """What an agent is given when it wakes, as Markdown within `budget` tokens."""
        with self._one_asks:
            return self._asker.wake(budget, project, user)

    def why(self, card: str) -> Why:
        """Where a card (id, note name, path or title) comes from, each receipt checked.

        Raises:
            UsageError: There is no such card, or more than one.
        """
        from noctuary.care.overview import find_card
        from noctuary.care.proof import why

        files, _ = self._store.read_cards()
        return why(self._store, find_card(files, card))

    # -- looking ------------------------------------------------------------------------------

    def status(self) -> Status:
        """How the vault is, and what needs a person."""
        from noctuary.care.overview import status
        from noctuary.thinker import standing

        found = status(self._store, self.settings, self.problems)
        thinks = standing(self.settings)
        return replace(
            found,
            sent_to=thinks.sent_to,
            budget={**found.budget, **thinks.budget},
            problems=found.problems + thinks.problems,
        )

    def stats(self) -> Stats:
        """How much was logged and what is left of it."""
        from noctuary.care.overview import stats

        return stats(self._store)

    def _moment(self, value: datetime | str) -> datetime:
        """A moment as local time of the vault, whole seconds, no offset."""
        from noctuary.intake.times import RecordError, moment

        try:
            return moment(value, self.settings.vault.zone)
        except RecordError as error:
            raise UsageError(phrase("{told}.", told=error)) from error


def _day(value: date | str) -> date:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError as error:
        raise UsageError(
            phrase("{value!r} is not a day; write it like 2026-11-30.", value=value)
        ) from error


def _kind(name: str) -> str:
    known = (*CardType, ENTRY)
    if name not in known:
        raise UsageError(
            phrase(
                "There is no type {name!r}; choose some of {names}.", name=name, names=listed(known)
            )
        )
    return name


def _word(words: type[Word], value: str, what: str) -> Word:
    try:
        return words(value)
    except ValueError as error:
        known = ", ".join(words)
        raise UsageError(
            phrase(
                "There is no {what} {value!r}; choose one of {known}.",
                what=what,
                value=value,
                known=known,
            )
        ) from error
