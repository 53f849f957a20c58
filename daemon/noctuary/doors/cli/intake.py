"""Commands by which experience comes in: `log`, `import`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from noctuary.doors.cli.frame import (
    dry_run_option,
    emit,
    json_option,
    open_vault,
    progress,
    put,
    say,
    vault_option,
    warn,
)
from noctuary.errors import UsageError
from noctuary.memory.entry import Priority, Role
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.day.daybook import Imported

ROLES = click.Choice([str(role) for role in Role if role is not Role.TASK])
SHOWN_PROBLEMS = 20


@click.command("log")
@click.argument("text")
@click.option("--role", type=ROLES, default="user", show_default=True, help="Who said it.")
@click.option("--session", default="", help="Session it belongs to; without one, the day's log.")
@click.option("--agent", default="", help="Agent that was spoken with.")
@click.option("--project", default="", help="Project it is about.")
@click.option("--user", default="", help="Person who speaks, where several share the vault.")
@click.option("--name", default="", help="Name of the tool, page or file.")
@click.option(
    "--priority", type=click.Choice([str(item) for item in Priority]), default="normal",
    show_default=True, help="Outranks the score of a dream.",
)  # fmt: skip
@click.option("--at", metavar="ISO", help="When it was said; default: now.")
@click.option("--task-open", "task", flag_value="open", help="TEXT is a task that opens.")
@click.option("--task-done", "task", flag_value="done", help="TEXT is a task that is done.")
@vault_option
@json_option
@dry_run_option
def log_command(
    vault: str | None,
    text: str,
    as_json: bool,
    dry_run: bool,
    **how: Any,  # noqa: ANN401 - options of click, passed on by name
) -> None:
    """Write one entry; TEXT of `-` reads it from stdin."""
    words = sys.stdin.read() if text == "-" else text
    logged = open_vault(click.get_current_context(), vault).log(words, dry_run=dry_run, **how)
    if as_json:
        emit(logged.as_json())
    elif dry_run:
        say(phrase("Would log {id} to {path}.", id=logged.id, path=logged.path))
    else:
        say(_logged(logged.id, logged.path, added=logged.added))


def _logged(id_: str, path: str, *, added: bool) -> str:
    if added:
        return phrase("{id} logged to {path}", id=id_, path=path)
    return phrase("{id} was already in {path}", id=id_, path=path)


@click.command("import")
@click.argument("format_", metavar="FORMAT")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@click.option("--trust-user", is_flag=True, help="Take older notes as the person's own words.")
@vault_option
@json_option
@dry_run_option
@click.pass_context
def import_command(
    ctx: click.Context,
    vault: str | None,
    format_: str,
    files: tuple[str, ...],
    trust_user: bool,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Take transcripts in; what is there already is skipped. FILE of `-` reads stdin."""
    opened = open_vault(ctx, vault)
    with progress(phrase("importing")) as moved:
        taken = opened.import_(
            format_, files, trust_user=trust_user, dry_run=dry_run, progress=moved
        )
    if as_json:
        emit(taken.as_json())
    elif taken.episodes or not taken.unusable:
        _say_imported(taken, dry_run=dry_run)
    if taken.unusable:
        raise UsageError("\nnoctuary: ".join(map(put, taken.unusable)))


def _say_imported(taken: Imported, *, dry_run: bool) -> None:
    verb = phrase("Would import") if dry_run else phrase("Imported")
    say(
        phrase(
            "{verb} {imported} entries into {count} episodes; {skipped} were there already, {failed} could not be read.",
            verb=verb,
            imported=taken.imported,
            count=len(taken.episodes),
            skipped=taken.skipped,
            failed=taken.failed,
        )
    )
    for reason, count in sorted(taken.passed.items()):
        say(phrase("  left out on purpose: {count} × {reason}", count=count, reason=reason))
    warn(taken.problems[:SHOWN_PROBLEMS])
    if len(taken.problems) > SHOWN_PROBLEMS:
        warn(
            [phrase("… and {count} more; see --json.", count=len(taken.problems) - SHOWN_PROBLEMS)]
        )
