"""Compaction of a running agent's window, with a vault behind it or without one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from noctuary.config import ContextSettings
from noctuary.day.daybook import Daybook, Turn
from noctuary.distil.protocol import Batching
from noctuary.errors import DistillerError, UsageError
from noctuary.intake.common import Where
from noctuary.memory.entry import Role
from noctuary.thinker import distiller_for, offline
from noctuary.tongue import phrase
from noctuary.window.compaction import Compacted, Request, compacted
from noctuary.window.heard import answered, role_of, told_call
from noctuary.window.messages import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noctuary.api import Vault
    from noctuary.config import Settings
    from noctuary.day.daybook import Session
    from noctuary.distil.protocol import Distiller
    from noctuary.vault.store import Store
    from noctuary.window.messages import Message

WINDOW = 128_000


def compact(
    messages: Sequence[Any],
    vault: Vault | None = None,
    window: int = WINDOW,
    *,
    session: str | Session = "",
    threshold: float | None = None,
    keep_last: int | None = None,
    used: int = 0,
    always: bool = False,
    distiller: Distiller | None = None,
) -> list[Any]:
    """The messages to go on with: as they are, or with a summary in the place of the older ones.

    Messages are in OpenAI chat format, also the openai package's own objects; those that are kept
    come back as they are. It is time at `threshold` of `window` tokens (0.65), by estimate or by
    `used`, what the server counted; the last `keep_last` turns (10) stay whole. With a vault its
    settings hold, and what is dropped is first written to the episode of `session`.

    Raises:
        BadInput: A message is none.
        UsageError: A number is out of its range.
    """
    if vault is not None:
        return vault.compact(
            messages, window, session=session, threshold=threshold, keep_last=keep_last,
            used=used, always=always, distiller=distiller,
        ).messages  # fmt: skip
    wish = Wish(window, session, threshold, keep_last, used, always)
    return compact_alone(messages, wish, distiller).messages


@dataclass(frozen=True, slots=True)
class Wish:
    """How somebody wants a conversation compacted; None is what the settings say."""

    window: int = WINDOW
    session: str | Session = ""
    threshold: float | None = None
    keep_last: int | None = None
    used: int = 0
    always: bool = False

    def request(self, settings: ContextSettings, now: datetime) -> Request:
        """The wish under these settings, at this moment.

        Raises:
            UsageError: A number is out of its range.
        """
        if self.window < 1:
            what = phrase(
                "A window of {window} tokens holds nothing; give the model's own size.",
                window=self.window,
            )
            raise UsageError(what)
        share = settings.trigger_threshold if self.threshold is None else self.threshold
        if not 0 < share <= 1:
            raise UsageError(
                phrase("A threshold of {share} is none; give a share such as 0.65.", share=share)
            )
        turns = settings.keep_last_n_turns if self.keep_last is None else self.keep_last
        if turns < 0:
            raise UsageError(phrase("{turns} turns cannot be kept; give 0 or more.", turns=turns))
        held = replace(settings, trigger_threshold=share, keep_last_n_turns=turns)
        name = self.session if isinstance(self.session, str) else self.session.id
        at = now.replace(microsecond=0)
        return Request(self.window, at, name, self.used, self.always, held)


def compact_alone(
    messages: Sequence[Any], wish: Wish, distiller: Distiller | None = None
) -> Compacted:
    """Compact without a vault, with figures; raises like `compact`."""
    now = datetime.now().astimezone().replace(tzinfo=None)
    return _thought(messages, distiller or offline(), wish.request(ContextSettings(), now))


def compact_into(
    store: Store,
    settings: Settings,
    messages: Sequence[Any],
    wish: Wish,
    *,
    agent: str = "",
    distiller: Distiller | None = None,
    dry_run: bool = False,
) -> Compacted:
    """Compact, and write what is dropped to the vault before it is gone."""
    request = wish.request(settings.context_management, store.clock())
    thinks = distiller or _named(store, settings)
    try:
        done = _thought(messages, thinks, request)
    finally:
        if distiller is None and isinstance(thinks, Batching):
            thinks.close()
    if not done.dropped:
        return done
    where = Where(done.session, agent) if isinstance(wish.session, str) else wish.session.where
    book = Daybook(store, settings, store.clock)
    written = book.add_missing(turns(done.dropped), where, dry_run=dry_run)
    return replace(done, logged=written.imported)


def _named(store: Store, settings: Settings) -> Distiller | str:
    """Whom the settings name, or why that profile cannot be used."""
    try:
        return distiller_for(store, settings)
    except UsageError as error:
        why: str = error.args[0]
        return why


def _thought(messages: Sequence[Any], distiller: Distiller | str, request: Request) -> Compacted:
    """Compacted; by rules where a model fails, since a full window cannot wait."""
    why = distiller
    try:
        if not isinstance(distiller, str):
            return compacted(messages, distiller, request, offline())
    except DistillerError as error:
        why = error.args[0]
    return replace(
        compacted(messages, offline(), request),
        problem=phrase("Rules made the summary: {why}", why=why),
    )


def turns(messages: Sequence[Message]) -> Iterator[Turn]:
    """What was said, as an episode holds it: what a tool gave back under its command."""
    calls = dict(answered(messages))
    for place, message in enumerate(messages):
        role, text = role_of(message), text_of(message)
        if place in calls and role is Role.TOOL:
            call = calls[place]
            yield Turn(
                role, f"$ {told_call(call).removeprefix(f'{call.name}: ')}\n{text}", call.name
            )
        elif text.strip():
            yield Turn(role, text, str(message.get("name") or "") if role is Role.TOOL else "")
