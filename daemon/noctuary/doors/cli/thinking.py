"""How a dream with a model is shown: what it will cost, how far it is, what it has cost."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noctuary.doors.cli.frame import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from noctuary.distil.openai.desk import Beat
    from noctuary.distil.openai.forecast import Forecast
    from noctuary.memory.candidate import Usage


def say_estimate(estimate: Forecast) -> None:
    """What a dream would cost, and to whom entries would go."""
    say(
        f"A dream over {estimate.entries} entries ({estimate.entry_tokens:,} tokens) would put "
        f"about {estimate.calls} questions to {estimate.sent_to}:"
    )
    say(
        f"  about {estimate.tokens_in:,} tokens out to it, {estimate.tokens_out:,} back{_price(estimate)};"
    )
    say(
        f"  new lines are compared with old ones on top of that, within {estimate.at_most:,} in all."
    )
    say("Nothing was asked and nothing was written; without --dry-run the dream begins.")


def _price(estimate: Forecast) -> str:
    return f", {estimate.cost:.4f} {estimate.currency}" if estimate.cost else ""


def cost_words(usage: Usage, currency: str) -> str:
    """What a dream has cost, in one line."""
    failed = f" ({usage.failed_calls} of them failed)" if usage.failed_calls else ""
    money = f", {usage.cost:.4f} {currency}" if usage.cost else ""
    return (
        f"{usage.calls} questions{failed}, {usage.tokens_in:,} tokens sent, "
        f"{usage.tokens_out:,} received{money}"
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
        task = bar.add_task("dreaming", total=estimate.calls or None, words="")

        def beat(beat: Beat) -> None:
            bar.update(
                task,
                description=beat.stage,
                completed=beat.done,
                total=beat.total,
                words=beat.words,
            )

        yield beat
