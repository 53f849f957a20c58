"""How a dream with a model is shown: what it will cost, how far it is, what it has cost."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noctuary.doors.cli.frame import put, say
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from noctuary.distil.openai.desk import Beat
    from noctuary.distil.openai.forecast import Forecast
    from noctuary.memory.candidate import Usage


def say_estimate(estimate: Forecast) -> None:
    """What a dream would cost, and to whom entries would go."""
    say(
        phrase(
            "A dream over {entries} entries ({entry_tokens:,} tokens) would put about {calls} questions to {sent_to}:",
            entries=estimate.entries,
            entry_tokens=estimate.entry_tokens,
            calls=estimate.calls,
            sent_to=estimate.sent_to,
        )
    )
    say(
        phrase(
            "  about {tokens_in:,} tokens out to it, {tokens_out:,} back{price};",
            tokens_in=estimate.tokens_in,
            tokens_out=estimate.tokens_out,
            price=_price(estimate),
        )
    )
    say(
        phrase(
            "  new lines are compared with old ones on top of that, within {at_most:,} in all.",
            at_most=estimate.at_most,
        )
    )
    say(phrase("Nothing was asked and nothing was written; without --dry-run the dream begins."))


def _price(estimate: Forecast) -> str:
    if not estimate.cost:
        return ""
    return phrase(", {spend:.4f} {unit}", spend=estimate.cost, unit=estimate.currency)


def cost_words(usage: Usage, currency: str) -> str:
    """What a dream has cost, in one line."""
    failed = (
        phrase(" ({count} of them failed)", count=usage.failed_calls) if usage.failed_calls else ""
    )
    money = phrase(", {spend:.4f} {unit}", spend=usage.cost, unit=currency) if usage.cost else ""
    return phrase(
        "{calls} questions{failed}, {tokens_in:,} tokens sent, {tokens_out:,} received{money}",
        calls=usage.calls,
        failed=failed,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        money=money,
    )


@contextmanager
def thinking_bar(estimate: Forecast) -> Iterator[Callable[[Beat], None] | None]:
    """A bar on stderr for questions to a model; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(put(phrase("dreaming")), total=estimate.calls or None, words="")

        def beat(beat: Beat) -> None:
            bar.update(
                task,
                description=beat.stage,
                completed=beat.done,
                total=beat.total,
                words=beat.words,
            )

        yield beat
