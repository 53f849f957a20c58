"""Asks a server until there is a valid answer: formats, retries, limits of time and money."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from noctuary.distil.openai import reply
from noctuary.distil.openai.keep import Manner, reply_key
from noctuary.distil.openai.wire import (
    BadRequest,
    Broken,
    Failed,
    Format,
    Late,
    Refused,
    TooLong,
    Unreachable,
    Withheld,
)
from noctuary.errors import DistillerError
from noctuary.memory.tokens import estimate
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from noctuary.distil.openai.budget import Purse, Reservation
    from noctuary.distil.openai.keep import KeptReplies, Learned
    from noctuary.distil.openai.wire import Reply, Wire
    from noctuary.profiles import Profile

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
LONGEST_WAIT = 20.0
"""A server that asks for more patience than this, in seconds, counts as down."""
DOWN_AFTER = 3
"""After so many questions in a row without an answer no further one is put."""
USELESS_AFTER = 3
"""After so many questions of a kind in a row without a usable answer no further one is put."""
WARM = 0.5
"""Temperature at which a question is put again after a reply that made no sense."""
MESSAGE_TOKENS = 8
"""What a server adds for the roles of two messages."""
_LOWER = {Format.JSON_SCHEMA: Format.JSON_OBJECT, Format.JSON_OBJECT: Format.PLAIN}


class Down(DistillerError):
    """The server does not serve; it is not asked again in this dream."""


class Useless(DistillerError):
    """The model does not do what is asked of it; such questions are not put again in this dream."""


class Begun(TooLong):
    """The reply broke off behind whole lines, which are an answer as far as they go.

    Attributes:
        told: The last number of the question that they speak of.
    """

    def __init__(self, what: str, answer: Any, told: int) -> None:  # noqa: ANN401 - a shape of `reply`
        super().__init__(what)
        self.answer = answer
        self.told = told


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a model.

    Attributes:
        kind: `score`, `distil` or `relate`: the shape of the answer.
        system: What is the same for every question of its kind, so that servers can cache it.
        most_out: Tokens that the answer may take.
        check: Raises BadReply for an answer that is valid JSON but does not fit the question.
        lines: How many lines the answer must have; 0 where that is the model's to say.
    """

    kind: str
    system: str
    data: str
    most_out: int
    check: Callable[[Any], None] | None = None
    small: bool = False
    lines: int = 0

    @property
    def messages(self) -> list[Mapping[str, str]]:
        """As they are sent."""
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.data},
        ]

    @property
    def tokens_in(self) -> int:
        """About what it costs to ask."""
        return estimate(self.system) + estimate(self.data) + MESSAGE_TOKENS

    def read(self, text: str) -> Any:  # noqa: ANN401 - one of the shapes of `reply`
        """The answer in a reply.

        Raises:
            BadReply: It holds none.
        """
        found = reply.read(text, self.kind)
        if self.check is not None:
            self.check(found)
        return found


class Transport:
    """Puts questions to the server of a profile; safe to use from several threads."""

    def __init__(
        self,
        profile: Profile,
        wire: Wire,
        purse: Purse,
        kept: KeptReplies,
        learned: Learned,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.profile = profile
        self.purse = purse
        self._wire = wire
        self._kept = kept
        self._learned = learned
        self._clock = clock
        self._sleep = sleep
        self._ends = clock() + 60 * profile.dream_minutes
        self._manners: dict[str, Manner] = {}
        self._model = ""
        self._failures = 0
        self._senseless: Counter[str] = Counter()
        self._down = ""
        self._lock = Lock()

    @property
    def offered(self) -> str:
        """The model that the server was found to offer; empty before it was asked."""
        return self._model

    @property
    def format(self) -> str:
        """How JSON was last asked for; empty before the first question."""
        manners = list(self._manners.values())
        return str(manners[-1].format) if manners else ""

    def model(self, *, small: bool = False) -> str:
        """The model that is asked: that of the profile, else the first that the server lists.

        Raises:
            DistillerError: The profile names none and neither does the server.
        """
        named = self.profile.first_model if small else self.profile.model
        if named or self._model:
            return named or self._model
        try:
            offered = self._wire.models()
        except Failed as error:
            self._down = self._told(error)
            raise Down(self._down) from error
        if not offered:
            raise DistillerError(
                phrase(
                    "{host} offers no model; load one there or name it in profile {name}",
                    host=self.profile.host,
                    name=self.profile.name,
                )
            )
        self._model = offered[0]
        return self._model

    def ask(self, ask: Ask) -> Any:  # noqa: ANN401 - one of the shapes of `reply`
        """The valid answer to a question; one that was paid for before costs nothing.

        Raises:
            TooLong: The question or its answer does not fit; ask for less. Begun: for the rest.
            BadReply, Withheld: The model gives no valid answer to this question.
            Useless: Questions of this kind are in vain.
            Down, Capped, DistillerError: Nothing can be asked any more.
        """
        model = self.model(small=ask.small)
        key = reply_key(model, ask.messages, ask.kind)
        known = self._kept.get(key)
        if known is not None:
            try:
                return ask.read(known)
            except reply.BadReply as error:
                _raise_begun(ask, known, error)
        try:
            text, found = self._until_valid(ask, model)
        except TooLong as error:
            if error.reply is not None:
                self._kept.put(key, error.reply.text)
                _raise_begun(ask, error.reply.text, error)
            raise
        except Failed as error:
            self._note(error, ask.kind)
            if self._down:
                raise Down(self._down) from error
            raise
        self._failures = 0
        self._senseless[ask.kind] = 0
        self._kept.put(key, text)
        return found

    def close(self) -> None:
        """Let go of the connections."""
        self._wire.close()

    # -- one question -------------------------------------------------------------------------

    def _until_valid(self, ask: Ask, model: str) -> tuple[str, Any]:
        endpoint = f"{self.profile.base_url}|{model}"
        tries, failed, warm = self.profile.tries, 0, False
        if self._senseless[ask.kind] >= USELESS_AFTER:
            what = phrase(
                "{model} gives no usable answer to such questions; take a larger model", model=model
            )
            raise Useless(what)
        while True:
            self._may_go_on()
            manner = self._manner(endpoint)
            try:
                text, found = self._once(ask, model, manner, warm=warm)
            except Failed as error:
                failed += 1
                warm = isinstance(error, reply.BadReply)
                if self._adapt(endpoint, manner, error, failed):
                    failed = 0
                elif not error.again or failed >= tries:
                    raise
                else:
                    self._pause(failed, error)
                continue
            self._prove(endpoint, manner)
            return text, found

    def _once(self, ask: Ask, model: str, manner: Manner, *, warm: bool) -> tuple[str, Any]:
        """Ask once; `warm` where the same words would bring the same useless reply again."""
        held = self.purse.reserve(ask.tokens_in, ask.most_out, small=ask.small)
        extra = manner.format.parameters(ask.kind, reply.schema_of(ask.kind, ask.lines))
        extra[manner.limit] = ask.most_out
        if manner.temperature:
            extra["temperature"] = WARM if warm else 0
        try:
            said = self._wire.chat(model, ask.messages, extra)
        except Failed as error:
            self._settle_failed(ask, held, error)
            raise
        try:
            found = ask.read(said.text)
        except reply.BadReply:
            self._settle(ask, held, said, failed=True)
            raise
        self._settle(ask, held, said)
        return said.text, found

    def _settle(self, ask: Ask, held: Reservation, said: Reply, *, failed: bool = False) -> None:
        into = _plausible(said.tokens_in, ask.tokens_in)
        out = _plausible(said.tokens_out, estimate(said.text))
        self.purse.settle(held, into, out, failed=failed)

    def _settle_failed(self, ask: Ask, held: Reservation, error: Failed) -> None:
        if error.reply is not None:
            said = error.reply
            short = isinstance(error, TooLong) and said.tokens_out is None
            out = ask.most_out if short else _plausible(said.tokens_out, estimate(said.text))
            self.purse.settle(held, _plausible(said.tokens_in, ask.tokens_in), out, failed=True)
        elif not error.sent:
            self.purse.settle(held, 0, 0, failed=True)
        else:
            out = ask.most_out if isinstance(error, Late) else 0
            self.purse.settle(held, ask.tokens_in, out, failed=True)

    # -- manners ------------------------------------------------------------------------------

    def _manner(self, endpoint: str) -> Manner:
        with self._lock:
            if endpoint not in self._manners:
                self._manners[endpoint] = self._learned.manner(endpoint)
            return self._manners[endpoint]

    def _prove(self, endpoint: str, manner: Manner) -> None:
        with self._lock:
            if not manner.proven and self._manners[endpoint] == manner:
                self._manners[endpoint] = replace(manner, proven=True)
                self._learned.learn(endpoint, manner)

    def _adapt(self, endpoint: str, manner: Manner, error: Failed, failed: int) -> bool:
        """Ask otherwise from now on, if that may be what the server minds."""
        changed = _other_manner(manner, error, failed)
        if changed is None:
            return False
        with self._lock:
            if self._manners[endpoint] == manner:
                self._manners[endpoint] = changed
        return True

    # -- limits -------------------------------------------------------------------------------

    def _may_go_on(self) -> None:
        if self._down:
            raise Down(self._down)
        if self._clock() > self._ends:
            raise DistillerError(
                phrase(
                    "the dream took longer than {dream_minutes:g} minutes; raise dream_minutes of profile {name}",
                    dream_minutes=self.profile.dream_minutes,
                    name=self.profile.name,
                )
            )

    def _pause(self, failed: int, error: Failed) -> None:
        wait = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failed - 1))
        if error.wait is not None:
            wait = max(wait, error.wait)
        if wait > LONGEST_WAIT or self._clock() + wait > self._ends:
            raise error
        self._sleep(wait)

    def _note(self, error: Failed, kind: str) -> None:
        """Whether the server is worth another question, and the model one of this kind."""
        if isinstance(error, Withheld):
            return
        with self._lock:
            if isinstance(error, reply.BadReply):
                self._senseless[kind] += 1
                return
            self._failures += 1
            final = isinstance(error, Refused | Unreachable | BadRequest)
            if final or self._failures >= DOWN_AFTER:
                self._down = self._down or self._told(error)

    def _told(self, error: Failed) -> str:
        return phrase(
            "profile {name} at {host}: {error}",
            name=self.profile.name,
            host=self.profile.host,
            error=error,
        )


def _raise_begun(ask: Ask, text: str, error: Failed) -> None:
    found = reply.begun(text, ask.kind)
    if found is not None:
        raise Begun(str(error), *found) from error


def _other_manner(manner: Manner, error: Failed, failed: int) -> Manner | None:
    words = str(error).lower()
    if isinstance(error, BadRequest):
        if "max_completion_tokens" in words and manner.limit == "max_tokens":
            return replace(manner, limit="max_completion_tokens", proven=False)
        if "temperature" in words and manner.temperature:
            return replace(manner, temperature=False, proven=False)
    minds = isinstance(error, BadRequest) or "response_format" in words
    stumbles = not manner.proven and failed > 1 and isinstance(error, Broken | reply.BadReply)
    lower = _LOWER.get(manner.format)
    if lower is None or not (minds or stumbles):
        return None
    return replace(manner, format=lower, proven=False)


def _plausible(said: int | None, guess: int) -> int:
    """What the server counts, unless it cannot be true."""
    if said is None or not guess // 8 <= said <= 8 * guess + 2000:
        return guess
    return said
