"""Commands about dreams: `dream`, `dreams`, `diff`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from noctuary.doors.cli.frame import (
    dry_run_option,
    emit,
    json_option,
    open_vault,
    padded,
    progress,
    put,
    say,
    say_diff,
    vault_option,
    warn,
)
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.distil.openai.forecast import Forecast
    from noctuary.memory.report import Change, DreamReport

SHOWN = 100
"""Changes that a person is told at once."""


@click.command("dream")
@click.option("--deep", is_flag=True, help="Look over the cards themselves as well.")
@click.option("--purge-now", is_flag=True, help="Forget raw entries at once, whatever their age.")
@click.option("--now", metavar="ISO", help="Dream as if it were this moment.")
@vault_option
@json_option
@dry_run_option
@click.pass_context
def dream_command(
    ctx: click.Context,
    vault: str | None,
    deep: bool,
    purge_now: bool,
    now: str | None,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Turn all that is pending into cards; `--dry-run` shows what would change as a diff.

    Where a model thinks, `--dry-run` says what the dream would cost and asks it nothing.
    """
    opened = open_vault(ctx, vault)
    estimate = opened.estimate()
    if estimate is not None and dry_run:
        _say_only_estimate(estimate, as_json=as_json)
        return
    with _watching(estimate) as how:
        report = opened.dream(deep=deep, purge_now=purge_now, now=now, dry_run=dry_run, **how)
    if as_json:
        emit(report.as_json())
    else:
        _say_report(report, dry_run=dry_run)
        _say_cost(report, estimate)
    if report.result == "failed":
        ctx.exit(1)


@contextmanager
def _watching(estimate: Forecast | None) -> Iterator[dict[str, Any]]:
    """How the dream tells how far it is: by entries, or by questions to a model."""
    if estimate is None:
        with progress(phrase("dreaming")) as moved:
            yield {"progress": moved}
        return
    from noctuary.doors.cli.thinking import thinking_bar

    with thinking_bar(estimate) as beat:
        yield {"watch": beat}


def _say_only_estimate(estimate: Forecast, *, as_json: bool) -> None:
    from noctuary.doors.cli.thinking import say_estimate

    if as_json:
        emit({"estimate": asdict(estimate)})
    else:
        say_estimate(estimate)


def _say_cost(report: DreamReport, estimate: Forecast | None) -> None:
    if estimate is None or not report.usage.calls:
        return
    from noctuary.doors.cli.thinking import cost_words

    say(
        phrase(
            "Thought by {sent_to}: {cost}.",
            sent_to=estimate.sent_to,
            cost=cost_words(report.usage, estimate.currency),
        )
    )


def _say_report(report: DreamReport, *, dry_run: bool) -> None:
    told = {"id": report.id, "summary": report.summary}
    if dry_run:
        say(phrase("Dream {id} (dry run): {summary}", **told))
    else:
        say(phrase("Dream {id}: {summary}", **told))
    lines = [_told(change) for change in report.changes]
    lines += [
        f"{padded(put(phrase('lost')), 11)} {fact} · {_source(link)}"
        for fact, link in report.facts_lost
    ]
    for line in lines[:SHOWN]:
        say(f"  {line}")
    if len(lines) > SHOWN:
        over = len(lines) - SHOWN
        say(
            "  " + put(phrase("… and {count:,} more; the dream's report has them all.", count=over))
        )
    warn(report.problems)
    if dry_run and report.preview:
        say()
        say_diff(report.preview)
    elif report.commit:
        say(
            phrase(
                "Recorded as git commit {commit}; see it with `noctuary diff`.",
                commit=report.commit[:10],
            )
        )


def _told(change: Change) -> str:
    source = f" · {_source(change.source)}" if change.source else ""
    return f"{padded(put(change.kind), 11)} {change.title} · {put(change.why)}{source}"


def _source(link: str) -> str:
    return put(phrase("from {link}", link=link))


@click.command("dreams")
@click.option("-n", "limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most this many, latest first.")  # fmt: skip
@vault_option
@json_option
@click.pass_context
def dreams_command(ctx: click.Context, vault: str | None, limit: int, as_json: bool) -> None:
    """The latest dreams and what each of them did."""
    told = open_vault(ctx, vault).dreams()[:limit]
    if as_json:
        emit([one.as_json() for one in told])
    elif not told:
        say(phrase("No dream yet; `noctuary dream` makes one."))
    else:
        for one in told:
            say(f"{click.style(one.id, bold=True)}  {put(one.words)}")


@click.command("diff")
@click.argument("dream", required=False)
@vault_option
@json_option
@click.pass_context
def diff_command(ctx: click.Context, vault: str | None, dream: str | None, as_json: bool) -> None:
    """What a dream changed, line by line; without DREAM the latest one."""
    shown = open_vault(ctx, vault).diff(dream)
    if as_json:
        changes = {str(number): words for number, words in shown.changes.items()}
        emit({"dream": shown.dream, "commit": shown.commit, "changes": changes, "diff": shown.text})
        return
    for number, words in shown.changes.items():
        say(f"{click.style(f'#{number}', bold=True)}  {words}")
    if shown.changes:
        say(phrase("Undo one of them with `noctuary undo {dream}#NUMBER`.", dream=shown.dream))
        say()
    say_diff(shown.text)
