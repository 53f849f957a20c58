"""The command for a running agent's own window: `compact`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from noctuary.doors.cli.frame import (
    dry_run_option,
    emit,
    json_option,
    open_vault,
    put,
    say,
    vault_option,
    warn,
)
from noctuary.errors import BadInput, VaultNotFound
from noctuary.tongue import listed, phrase

if TYPE_CHECKING:
    from noctuary.api import Vault
    from noctuary.window.compaction import Compacted

SHOWN_LOST = 5


@click.command("compact")
@click.argument("file", metavar="FILE", type=click.Path())
@click.option("--window", type=click.IntRange(min=1), default=128_000, show_default=True, help="Tokens that the model takes.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True), help="Share of the window from which it is time; default: the setting.")  # fmt: skip
@click.option("--keep-last", type=click.IntRange(min=0), help="Turns to keep whole; default: the setting.")  # fmt: skip
@click.option("--used", type=click.IntRange(min=0), default=0, help="Tokens in use, as the server counted; default: an estimate.")  # fmt: skip
@click.option("--session", default="", help="Name of the conversation; default: made from its first words.")  # fmt: skip
@click.option("--agent", default="", help="Agent that was spoken with.")
@click.option("--always", is_flag=True, help="Compact whatever the size.")
@vault_option
@json_option
@dry_run_option
@click.pass_context
def compact_command(
    ctx: click.Context,
    vault: str | None,
    file: str,
    window: int,
    threshold: float | None,
    keep_last: int | None,
    used: int,
    session: str,
    agent: str,
    always: bool,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Make a long conversation short: its older messages become one summary.

    FILE is a JSON list of messages in OpenAI chat format, or has one message a line; `-` reads
    stdin. The messages to go on with are printed as JSON. Where there is a vault, what is dropped
    is written to it first; --dry-run leaves that out.
    """
    messages, by_line = read_messages(file)
    opened = _vault_or_none(ctx, vault)
    if opened is not None:
        done = opened.compact(
            messages, window, session=session, agent=agent, threshold=threshold,
            keep_last=keep_last, used=used, always=always, dry_run=dry_run,
        )  # fmt: skip
    else:
        from noctuary.day.compacting import Wish, compact_alone

        done = compact_alone(messages, Wish(window, session, threshold, keep_last, used, always))
    if as_json:
        emit(done.as_json())
        return
    _say_messages(done, by_line=by_line)
    _report(done, has_vault=opened is not None, dry_run=dry_run)


def _vault_or_none(ctx: click.Context, vault: str | None) -> Vault | None:
    """The vault that is meant; none where nobody named one and none is near."""
    try:
        return open_vault(ctx, vault)
    except VaultNotFound:
        if vault or ctx.find_root().obj:
            raise
        return None


def read_messages(file: str) -> tuple[list[object], bool]:
    """The messages of a file, and whether they stand one a line.

    Raises:
        BadInput: The file is missing, or neither JSON nor JSON lines.
    """
    text = _text(file).removeprefix("\ufeff")
    name = "stdin" if file == "-" else file
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _lines(text, name), True
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    if isinstance(whole, dict):
        return [whole], True
    if not isinstance(whole, list):
        raise BadInput(
            phrase('{name} holds no list of messages; give [{{"role": …}}, …].', name=name)
        )
    return whole, False


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise BadInput(
            phrase(
                "{file} cannot be read ({strerror}); check the path.",
                file=file,
                strerror=error.strerror,
            )
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(
            phrase("{file} is not text in UTF-8; save it as UTF-8.", file=file)
        ) from error


def _lines(text: str, name: str) -> list[object]:
    found: list[object] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            what = phrase(
                "{name} is neither a JSON list of messages nor has one message a line; "
                "line {number} cannot be read.",
                name=name,
                number=number,
            )
            raise BadInput(what) from error
    if not found:
        raise BadInput(phrase("{name} is empty; give a JSON list of messages.", name=name))
    return found


def _say_messages(done: Compacted, *, by_line: bool) -> None:
    if not by_line:
        emit(done.messages)
        return
    for message in done.messages:
        say(json.dumps(message, ensure_ascii=False))


def _report(done: Compacted, *, has_vault: bool, dry_run: bool) -> None:
    """What was done, to stderr, beside the messages."""
    if not done.dropped:
        click.echo(
            put(phrase("Nothing to do at about {count} tokens.", count=done.before)), err=True
        )
        return
    taken = phrase("about {before} tokens are {after} now", before=done.before, after=done.after)
    parts = [
        phrase("{count} messages became a summary: {taken}", count=len(done.dropped), taken=taken),
        phrase(
            "{facts_kept} hard facts kept, {count} lost",
            facts_kept=done.facts_kept,
            count=len(done.facts_lost),
        ),
    ]
    if has_vault:
        verb = phrase("would be logged") if dry_run else phrase("logged")
        parts.append(
            phrase(
                "{logged} messages {verb} to session {session}",
                logged=done.logged,
                verb=verb,
                session=done.session,
            )
        )
    click.echo(put(phrase("{told}.", told=listed(parts, "; "))), err=True)
    warn(phrase("lost: {fact}", fact=fact) for fact in done.facts_lost[:SHOWN_LOST])
    if done.problem:
        warn([done.problem])
