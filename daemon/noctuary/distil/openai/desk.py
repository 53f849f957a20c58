"""Where questions are worked through: several at once, halved when too long, with a way out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from noctuary.distil.openai.crew import in_parallel
from noctuary.distil.openai.reply import BadReply
from noctuary.distil.openai.transport import Begun
from noctuary.distil.openai.wire import TooLong, Withheld
from noctuary.errors import DistillerError, Problem
from noctuary.profiles import OFFLINE
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from noctuary.distil.openai.prompts import Prompts
    from noctuary.distil.openai.transport import Ask, Transport
    from noctuary.memory.candidate import Usage
    from noctuary.profiles import Profile

T = TypeVar("T")
SMALLEST_PART = 4
"""So few entries are not divided further when a reply about them makes no sense."""
MAX_PROBLEMS = 20
_LONG_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Beat:
    """How far a dream with a model is.

    Attributes:
        done: Questions that have been put and settled.
        total: As many as are expected in all; it may grow.
        seconds: Since the first question.
    """

    stage: str
    done: int
    total: int
    usage: Usage
    seconds: float
    currency: str = ""

    @property
    def seconds_left(self) -> float | None:
        """By the pace so far; None before the first answer."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None

    @property
    def words(self) -> str:
        """Tokens, money and time left, in one line."""
        parts = [f"{self.usage.tokens_in + self.usage.tokens_out:,} tokens"]
        if self.usage.cost:
            parts.append(f"{self.usage.cost:.4f} {self.currency}")
        if self.seconds_left is not None and self.total > self.done:
            parts.append(phrase("about {span} left", span=_span(self.seconds_left)))
        return " · ".join(parts)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _LONG_SECONDS else f"{seconds / 60:.0f} min"


@dataclass(slots=True)
class Desk:
    """What all kinds of questions share.

    Attributes:
        expected: Questions that were forecast for the whole dream.
        on_beat: Told after every question.
    """

    profile: Profile
    transport: Transport
    prompts: Prompts
    on_beat: Callable[[Beat], None] | None = None
    expected: int = 0
    problems: list[Problem] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    clock: Callable[[], float] = time.monotonic
    _done: int = 0
    _begun: float = 0.0

    def work(
        self, stage: str, parts: Sequence[Sequence[T]], ask_of: Callable[[Sequence[T]], Ask]
    ) -> list[tuple[Sequence[T], Any]]:
        """Every part with its answer, in order, perhaps divided; None where rules must do.

        Raises:
            DistillerError: There is none, and the profile says to wait.
        """
        self._begun = self._begun or self.clock()
        given_up: list[DistillerError] = []

        def job(part: Sequence[T]) -> list[tuple[Sequence[T], Any]]:
            """What is on its way when another part fails comes in and is kept; no more is sent."""
            if given_up:
                raise given_up[0]
            return list(self._divided(part, ask_of))

        jobs = [partial(job, part) for part in parts]
        answers: list[list[tuple[Sequence[T], Any]]] = [[] for _ in parts]
        for done in in_parallel(jobs, self.profile.in_flight):
            try:
                answers[done.place] = done.get()
            except DistillerError as error:
                answers[done.place] = [(parts[done.place], None)]
                given_up += self._unless_rules_do(stage, error)
            self._beat(stage)
        if given_up:
            raise given_up[0]
        return [answer for part in answers for answer in part]

    def _unless_rules_do(self, stage: str, error: DistillerError) -> list[DistillerError]:
        try:
            self._fall_back(stage, error)
        except DistillerError as final:
            return [final]
        return []

    def _divided(
        self, part: Sequence[T], ask_of: Callable[[Sequence[T]], Ask]
    ) -> Iterator[tuple[Sequence[T], Any]]:
        try:
            yield part, self.transport.ask(ask_of(part))
        except Begun as error:
            yield part[: error.told], error.answer
            rest = part[error.told :]
            middle = len(rest) // 2 if 2 * error.told < len(part) else 0
            for piece in filter(None, (rest[:middle], rest[middle:])):
                yield from self._divided(piece, ask_of)
        except (TooLong, BadReply, Withheld) as error:
            least = 1 if isinstance(error, TooLong | Withheld) else SMALLEST_PART
            if len(part) <= least:
                self._fall_back(phrase("one question"), error)
                yield part, None
                return
            middle = len(part) // 2
            yield from self._divided(part[:middle], ask_of)
            yield from self._divided(part[middle:], ask_of)

    def _fall_back(self, stage: str, error: DistillerError) -> None:
        """Note that rules think instead, once per reason.

        Raises:
            DistillerError: The profile says to wait.
        """
        if self.profile.fallback != OFFLINE:
            raise error
        self.tell(phrase("{error}; rules thought instead of the model", error=error), stage)

    def tell(self, what: str, where: str = "model") -> None:
        """Add a problem to the report, once."""
        found = Problem(where, what)
        if len(self.problems) < MAX_PROBLEMS and all(one.what != what for one in self.problems):
            self.problems.append(found)

    def _beat(self, stage: str) -> None:
        self._done += 1
        self.expected = max(self.expected, self._done)
        if self.on_beat is not None:
            usage = self.transport.purse.usage
            seconds = self.clock() - self._begun
            currency = self.profile.currency
            self.on_beat(Beat(stage, self._done, self.expected, usage, seconds, currency))
