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
    padded,
    put,
    say,
    vault_option,
)
from noctuary.tongue import phrase

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
        say(phrase("{root} is a vault already; nothing was changed.", root=created.root))
    else:
        _say_created(created, dry_run=dry_run)


def _say_created(created: Created, *, dry_run: bool) -> None:
    made = phrase("Would make {root} a vault:", root=created.root)
    say(made if dry_run else phrase("Made {root} a vault:", root=created.root))
    for name in created.made:
        say(f"  + {name}")
    for name in created.kept:
        say(phrase("  = {name} was there and is left as it is", name=name))
    for note in created.notes:
        say(f"  {put(note)}")
    if not dry_run:
        say(
            phrase(
                'Next: write your goal into preferences.md, then `noctuary log "…"` or `noctuary import`.'
            )
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
        return phrase("when you ask for it; `noctuary watch` dreams by itself")
    if status.next_dream is None:
        return phrase("when there is something to dream about")
    when = status.next_dream.replace("T", " ")[:16]
    return phrase("{when} ({why})", when=when, why=phrase(status.next_trigger))


def _daemon(status: Status) -> str:
    word = phrase(status.daemon)
    return (
        phrase("{daemon} ({mode})", daemon=word, mode=phrase(status.mode)) if status.mode else word
    )


def _spent(status: Status) -> str:
    """What the profile has spent this month, for all vaults."""
    found = status.budget
    tokens, cap = found.get("tokens", 0), found.get("tokens_per_month", 0)
    money, limit = found.get("cost", 0), found.get("money_per_month", 0)
    of_cap = phrase(" of {cap:,.0f}", cap=cap) if cap else ""
    paid: str = ""
    if money:
        of_limit = phrase(" of {cap:g}", cap=limit) if limit else ""
        paid = phrase(", {money:.4f}{of_cap} in money", money=money, of_cap=of_limit)
    return phrase(
        "{tokens:,.0f}{of_cap} tokens this month{paid}, all vaults together",
        tokens=tokens,
        of_cap=of_cap,
        paid=paid,
    )


def _say_status(status: Status) -> None:
    rows: list[tuple[str, object]] = [
        (phrase("vault"), status.vault),
        (
            phrase("pending"),
            phrase("{pending} entries no dream has absorbed yet", pending=status.pending),
        ),
        (phrase("last dream"), status.last_dream_words),
        (phrase("next dream"), _next_dream(status)),
        (phrase("daemon"), _daemon(status)),
        (
            phrase("cards"),
            phrase("{count} ({size:,} bytes)", count=status.cards, size=status.cards_bytes),
        ),
        (phrase("episodes"), phrase("{size:,} bytes kept", size=status.episodes_bytes)),
        (phrase("distiller"), status.distiller),
    ]
    if status.sent_to:
        rows += [(phrase("sent to"), status.sent_to), (phrase("spent"), _spent(status))]
    if status.quarantined or status.disputed:
        waiting = phrase(
            "{quarantined} quarantined, {disputed} disputed",
            quarantined=status.quarantined,
            disputed=status.disputed,
        )
        rows.append((phrase("for you"), waiting))
    for name, value in rows:
        say(click.style(padded(put(name), 11), bold=True) + put(value))
    for problem in status.problems:
        say(f"{click.style('!', fg='yellow')} {put(problem)}")
