"""Who thinks: the one protocol that every distiller follows.

The pipeline around it (gate, ledger, trust, limits) is the same whoever thinks, so a distiller
may be wrong, or lie, without harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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


class Distiller(Protocol):
    """Scores entries, distils them to candidates, and says how new lines relate to known ones."""

    @property
    def name(self) -> str:
        """`offline`, or the name of a profile."""

    @property
    def model(self) -> str:
        """Name of the model; empty for rules."""

    @property
    def usage(self) -> Usage:
        """What was spent so far."""

    def score(self, entries: Sequence[Entry], anchor: Anchor) -> list[Score]:
        """One score per entry, in order."""

    def distil(self, scored: Sequence[Scored], anchor: Anchor) -> list[Candidate]:
        """Candidates from the entries of one day, all sessions together.

        The entries come in order of time within each session, noise (scored 1) among them: of a
        long answer a line may be worth keeping that nothing is lost without.
        """

    def relate(self, quote: Quote, type_: CardType, known: Sequence[Known]) -> Relation:
        """How a new line stands to the nearest lines that memory holds, nearest first."""

    def finished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        """Those of the open tasks that these words say are done; an assistant's must name them surely."""

    def unfinished(self, quote: Quote, tasks: Sequence[Known]) -> Sequence[Known]:
        """Those of the tasks that these words of a person say are not done."""

    def title(self, lines: Sequence[str], others: Collection[str] = ()) -> str:
        """What a card is called that holds these lines and nothing else.

        `others` are words in the titles of cards like it, which do not tell it apart.
        """


@runtime_checkable
class Batching(Protocol):
    """What a distiller may offer besides, where asking it one by one costs time or money."""

    def score_all(self, parts: Sequence[Sequence[Entry]], anchor: Anchor) -> list[list[Score]]:
        """What `score` gives for each of the parts of a day, thought about together."""

    def foresee(self, asked: Sequence[tuple[Quote, CardType, Sequence[Known]]]) -> None:
        """Think at once about what `relate` is likely to be asked; changes none of its rules."""

    @property
    def stopped(self) -> Sequence[str]:
        """What it held back itself, one sentence each, for the report."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What went wrong without stopping it, such as a server that failed."""

    def close(self) -> None:
        """Let go of connections; they are opened again when they are needed."""

    def settled(self) -> None:
        """The dream is written: what was kept for another try may be forgotten."""
