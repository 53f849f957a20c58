"""Commands that set a vault up and say how it is: `init`, `status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from noctuary.api import Vault
from noctuary.doors.cli.frame import (
    dry_run_option,
    emit,
    json_option,
    open_vault,
    say,
    vault_option,
)

if TYPE_CHECKING:
    from noctuary.care.overview import Status
    from noctuary.day.founding import Created


@click.command("init")
@click.argument("path", default=".", type=click.Path())
@click.option("--language", type=click.Choice(["en", "zh"]), help="Of the page preferences.md.")
@click.option(
    "--timezone", metavar="NAME", help="Of all times in the vault; default: this machine's."
)
@dry_run_option
@json_option
def init_command(
    path: str, language: str | None, timezone: str | None, dry_run: bool, as_json: bool
) -> None:
    """Make a folder into a vault; in an Obsidian vault or git repository it only adds files."""
    created = Vault.create(path, language=language, timezone=timezone, dry_run=dry_run)
    if as_json:
        emit(created.as_json())
    elif created.already:
        say(f"{created.root} is a vault already; nothing was changed.")
    else:
        _say_created(created, dry_run=dry_run)


def _say_created(created: Created, *, dry_run: bool) -> None:
    say(f"{'Would make' if dry_run else 'Made'} {created.root} a vault:")
    for name in created.made:
        say(f"  + {name}")
    for name in created.kept:
        say(f"  = {name} was there and is left as it is")
    for note in created.notes:
        say(f"  {note}")
    if not dry_run:
        say(
            'Next: write your goal into preferences.md, then `noctuary log "…"` or `noctuary import`.'
        )


@click.command("status")
@vault_option
@json_option
@click.pass_context
def status_command(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """How the vault is: what is pending, the last dream, and anything that needs you."""
    status = open_vault(ctx, vault).status()
    if as_json:
        emit(status.as_json())
    else:
        _say_status(status)


def _next_dream(status: Status) -> str:
    if status.daemon != "running":
        return "when you ask for it; `noctuary watch` dreams by itself"
    if status.next_dream is None:
        return "when there is something to dream about"
    return f"{status.next_dream.replace('T', ' ')[:16]} ({status.next_trigger})"


def _spent(status: Status) -> str:
    """What the profile has spent this month, for all vaults."""
    found = status.budget
    tokens, cap = found.get("tokens", 0), found.get("tokens_per_month", 0)
    money, limit = found.get("cost", 0), found.get("money_per_month", 0)
    said = f"{tokens:,.0f}{f' of {cap:,.0f}' if cap else ''} tokens this month"
    paid = f", {money:.4f}{f' of {limit:g}' if limit else ''} in money" if money else ""
    return f"{said}{paid}, all vaults together"


def _say_status(status: Status) -> None:
    rows = [
        ("vault", status.vault),
        ("pending", f"{status.pending} entries no dream has absorbed yet"),
        ("last dream", status.last_dream_words),
        ("next dream", _next_dream(status)),
        ("daemon", f"{status.daemon} ({status.mode})" if status.mode else status.daemon),
        ("cards", f"{status.cards} ({status.cards_bytes:,} bytes)"),
        ("episodes", f"{status.episodes_bytes:,} bytes kept"),
        ("distiller", status.distiller),
    ]
    if status.sent_to:
        rows += [("sent to", status.sent_to), ("spent", _spent(status))]
    if status.quarantined or status.disputed:
        rows.append(("for you", f"{status.quarantined} quarantined, {status.disputed} disputed"))
    for name, value in rows:
        say(f"{click.style(f'{name:<11}', bold=True)}{value}")
    for problem in status.problems:
        say(f"{click.style('!', fg='yellow')} {problem}")
