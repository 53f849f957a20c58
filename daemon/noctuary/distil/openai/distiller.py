"""The model distiller as the dream sees it, and how it is put together from a profile."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from noctuary.distil.openai.budget import Purse, UsageBook
from noctuary.distil.openai.desk import Desk
from noctuary.distil.openai.distilling import Distilling
from noctuary.distil.openai.forecast import Forecaster, kept_by, tokens_of
from noctuary.distil.openai.keep import KeptReplies, Learned, fence_key
from noctuary.distil.openai.prompts import Prompts
from noctuary.distil.openai.ration import Ration
from noctuary.distil.openai.relating import Relating
from noctuary.distil.openai.scoring import Scoring
from noctuary.distil.openai.transport import Transport
from noctuary.distil.openai.wire import Wire
from noctuary.memory.secrets import private_pattern
from noctuary.resources import state_folder
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import date
    from pathlib import Path

    from noctuary.distil.openai.desk import Beat
    from noctuary.distil.openai.forecast import Forecast
    from noctuary.distil.protocol import Distiller
    from noctuary.errors import Problem
    from noctuary.memory.candidate import (
        Anchor,
        Candidate,
        Known,
        Quote,
        Relation,
        Score,
        Scored,
        Usage,
    )
    from noctuary.memory.card import CardType
    from noctuary.memory.entry import Entry
    from noctuary.profiles import Profile

_DEFAULT_BATCH = 25


class OpenAIDistiller:
    """Thinks with a model, and by rules where that is free, surer or all that is left."""

    def __init__(
        self, desk: Desk, offline: Distiller, kept: KeptReplies, *, batch: int = _DEFAULT_BATCH
    ) -> None:
        """`batch` is how many entries are scored by one question."""
        self._desk = desk
        self._offline = offline
        self._kept = kept
        self._batch = batch
        self._scoring = Scoring(desk)
        self._distilling = Distilling(desk, offline)
        self._relating = Relating(desk, offline)
        self._scored: Ration | None = None
        self._left = Ration(0)

    @property
    def name(self) -> str:
        """Name of the profile."""
        return self._desk.profile.name

    @property
    def model(self) -> str:
        """The model that thinks; in words where only the server knows."""
        return (
            self._desk.profile.model or self._desk.transport.offered or phrase("the server's first")
        )

    @property
    def format(self) -> str:
        """How the server was last asked for JSON; empty before the first question."""
        return self._desk.transport.format

    @property
    def usage(self) -> Usage:
        """What was spent so far, failed calls included."""
        return self._desk.transport.purse.usage

    @property
    def stopped(self) -> Sequence[str]:
        """What rules had to put right."""
        return tuple(self._desk.stopped)

    @property
    def problems(self) -> Sequence[Problem]:
        """Where rules had to think instead, and why."""
        return tuple(self._desk.problems)

    def score(self, entries: Sequence[Entry], anchor: Anchor) -> list[Score]:
        """One score per entry, in order."""
        return self.score_all([entries], anchor)[0]

    def score_all(self, parts: Sequence[Sequence[Entry]], anchor: Anchor) -> list[list[Score]]:
        """The scores of a day's batches, thought about together."""
        entries = [entry for part in parts for entry in part]
        rules = [score for part in parts for score in self._offline.score(part, anchor)]
        self._scored = self._left = Ration(tokens_of(entries))
        need = self._distilling.need(kept_by(entries, rules), anchor)
        scores = self._scoring.score(entries, rules, anchor, self._left, self._batch, need)
        rest = iter(scores)
        return [[next(rest) for _ in part] for part in parts]

    def distil(self, scored: Sequence[Scored], anchor: Anchor) -> list[Candidate]:
        """Candidates from the entries of one day, within what its scoring has left."""
        told = [item for item in scored if item.score.value > 1]
        if not told:
            return []
        self._left = self._scored or Ration(tokens_of(item.entry for item in told))
        self._scored = None
        return self._distilling.distil(told, anchor, self._left)

    def foresee(self, asked: Sequence[tuple[Quote, CardType, Sequence[Known]]]) -> None:
        """Think at once about the lines that `relate` will be asked about."""
        self._relating.foresee(asked, self._left)

    def relate(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Relation:
        """How a new line stands to the nearest known ones; never asks by itself."""
        return self._relating.relate(quote, type_, known)

    def finished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        """By rules: a task that stays open costs little, one that is closed by mistake is missed."""
        return self._offline.finished(quote, tasks)

    def unfinished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        """By rules, as what is finished."""
        return self._offline.unfinished(quote, tasks)

    def title(self, lines: Sequence[str], others: Collection[str] = ()) -> str:
        """By rules: a model is not asked for the sake of a title."""
        return self._offline.title(lines, others)

    def forecast(self, days: Iterable[Sequence[Entry]], anchor: Anchor) -> Forecast:
        """What a dream over these days would cost; asks nobody anything, and sets the pace."""
        desk = self._desk
        planned = Forecaster(
            desk.profile, self._scoring, self._distilling, self._offline, self._batch
        ).forecast(days, anchor)
        desk.expected = planned.calls
        return planned

    def close(self) -> None:
        """Let go of the connections to the server."""
        self._desk.transport.close()

    def settled(self) -> None:
        """The dream is written: forget the replies that were kept for another try."""
        self._kept.clear()


def distiller_of(
    profile: Profile,
    offline: Distiller,
    cache: Path,
    *,
    private_terms: Iterable[str] = (),
    batch: int = _DEFAULT_BATCH,
    on_beat: Callable[[Beat], None] | None = None,
) -> OpenAIDistiller:
    """The distiller of a profile; `cache` is the vault's folder for what can be thrown away.

    Raises:
        UsageError: The key that the profile names is not there.
    """
    profile.key()
    state = state_folder()
    kept = KeptReplies(cache / "replies")
    kept.sweep()
    transport = Transport(
        profile,
        Wire(profile),
        Purse(profile, usage_book(profile), _today),
        kept,
        Learned(cache.parent / "servers.json"),
    )
    prompts = Prompts(fence_key(state / "fence.key"), private_pattern(private_terms))
    return OpenAIDistiller(Desk(profile, transport, prompts, on_beat), offline, kept, batch=batch)


def usage_book(profile: Profile) -> UsageBook:
    """The book in which this profile's spending stands, for all vaults of the person."""
    return UsageBook(state_folder() / "usage", profile.name)


def _today() -> date:
    """The day by the machine's clock: caps are about real money, whatever `--now` says."""
    return datetime.now().astimezone().date()
