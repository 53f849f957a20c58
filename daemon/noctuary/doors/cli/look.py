"""Commands that look at the vault as a whole: `stats`, `index`, `verify`."""

from __future__ import annotations

import click

from noctuary.doors.cli.frame import (
    dry_run_option,
    emit,
    json_option,
    open_vault,
    progress,
    put,
    say,
    say_diff,
    vault_option,
    warn,
)
from noctuary.tongue import counted, listed, phrase


@click.command("stats")
@vault_option
@json_option
@click.pass_context
def stats_command(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """How much was logged, how much is kept, and what the cards are about."""
    stats = open_vault(ctx, vault).stats()
    if as_json:
        emit(stats.as_json())
        return
    say(phrase("{entries} entries, {cards} cards", entries=stats.entries, cards=stats.cards))
    say(
        phrase(
            "{raw_logged:,} bytes logged, {raw_kept:,} bytes of them kept, {card_bytes:,} bytes of cards ({compression:.2f} of what was logged)",
            raw_logged=stats.raw_logged,
            raw_kept=stats.raw_kept,
            card_bytes=stats.card_bytes,
            compression=stats.compression,
        )
    )
    for head, counts in (
        (phrase("by type"), stats.by_type),
        (phrase("by status"), stats.by_status),
    ):
        if counts:
            told = listed(
                phrase("{count} {kind}", count=n, kind=phrase(kind)) for kind, n in counts.items()
            )
            say(phrase("{head}: {told}", head=head, told=told))


@click.command("index")
@vault_option
@json_option
@dry_run_option
@click.pass_context
def index_command(ctx: click.Context, vault: str | None, as_json: bool, dry_run: bool) -> None:
    """Rebuild the brain map, index.md, from the cards."""
    rebuilt = open_vault(ctx, vault).index(dry_run=dry_run)
    if as_json:
        emit({"changed": rebuilt.changed, "left": rebuilt.left, "dry_run": dry_run})
    elif not (rebuilt.changed or rebuilt.left):
        say(phrase("The brain map is up to date."))
    elif dry_run:
        say_diff(rebuilt.diff)
    elif rebuilt.changed:
        say(phrase("Rebuilt: {paths}", paths=listed(rebuilt.changed)))
    warn(
        phrase("{path} was edited just now and is left; run the command again.", path=path)
        for path in rebuilt.left
    )


@click.command("verify")
@click.option("--repair", is_flag=True, help="First rebuild what follows from the rest.")
@vault_option
@json_option
@click.pass_context
def verify_command(ctx: click.Context, vault: str | None, repair: bool, as_json: bool) -> None:
    """Check memory against itself; exit 1 when something is wrong.

    Receipts against raw text and hashes, links, the brain map against a fresh drawing, the
    ledger, journal, graveyard and git. Every problem says how it is mended.
    """
    opened = open_vault(ctx, vault)
    with progress(phrase("Checking")) as moved:
        checked = opened.verify(repair=repair, progress=moved)
    if as_json:
        emit(checked.as_json())
    else:
        for done in checked.repaired:
            say(f"{click.style('+', fg='green')} {put(done)}")
        for problem in checked.problems:
            say(f"{click.style('!', fg='yellow')} {put(problem)}")
        wrong = counted(len(checked.problems) or phrase("no"), "problem", "problems")
        say(
            phrase(
                "{cards} cards, {receipts} receipts, {entries} entries: {problems}.",
                cards=checked.cards,
                receipts=checked.receipts,
                entries=checked.entries,
                problems=wrong,
            )
        )
    if checked.problems:
        ctx.exit(1)
