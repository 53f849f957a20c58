"""Commands by which a person corrects memory: `undo`, `review`, `forget`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from noctuary.doors.cli.frame import (
    dry_run_option,
    emit,
    for_a_person,
    json_option,
    open_vault,
    padded,
    put,
    say,
    say_diff,
    vault_option,
    warn,
)
from noctuary.errors import UsageError
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.api import Vault
    from noctuary.care.forget import Forgotten
    from noctuary.care.review import Judged, Waiting
    from noctuary.care.undone import Undone


@click.command("undo")
@click.argument("change", metavar="[DREAM[#CHANGE]]", required=False)
@vault_option
@json_option
@dry_run_option
@click.pass_context
def undo_command(
    ctx: click.Context, vault: str | None, change: str | None, as_json: bool, dry_run: bool
) -> None:
    """Undo a dream, or one change by its number in the dream's report.

    Without DREAM, all changes whose box is ticked in a report. What was changed again since is
    kept, and said. What is undone is not learnt again. Exit 1 when something could not be undone.
    """
    opened = open_vault(ctx, vault)
    wanted = [change] if change else opened.ticked()
    done = [opened.undo(one, dry_run=dry_run) for one in wanted]
    if as_json:
        shapes = [one.as_json() | {"dry_run": dry_run} for one in done]
        emit(shapes[0] if change else shapes)
    elif not done:
        say(
            phrase("No box is ticked in any report; name a dream, as `noctuary dreams` lists them.")
        )
    for one in () if as_json else done:
        _say_undone(one, dry_run=dry_run)
    if any(one.left for one in done):
        ctx.exit(1)


def _say_undone(done: Undone, *, dry_run: bool) -> None:
    if dry_run:
        say(phrase("Would undo of dream {dream}:", dream=done.dream))
    else:
        say(phrase("Undo of dream {dream}:", dream=done.dream))
    for item in done.changes:
        number = f"#{item.number}" if item.number else ""
        say(f"  {padded(put(item.outcome), 14)} {number:<4} {item.card} · {put(item.words)}")
    if dry_run and done.diff:
        say_diff(done.diff)
    elif done.commit:
        say(phrase("Recorded as git commit {commit}.", commit=done.commit[:10]))
    if done.name:
        say(phrase("Take it back with `noctuary undo {name}`.", name=done.name))


@click.command("review")
@click.argument("verdict", required=False, type=click.Choice(["approve", "reject"]))
@click.argument("what", metavar="[ID…]", nargs=-1)
@vault_option
@json_option
@dry_run_option
@click.pass_context
def review_command(
    ctx: click.Context,
    vault: str | None,
    verdict: str | None,
    what: tuple[str, ...],
    as_json: bool,
    dry_run: bool,
) -> None:
    """Show what waits in the inbox for your word; approve or reject it.

    An approval holds for what was shown: if the note has changed since, it is refused. ID@DIGEST
    names the very bytes.
    """
    opened = open_vault(ctx, vault)
    if verdict:
        _judge(opened, verdict, what, as_json=as_json, dry_run=dry_run)
        return
    waiting = opened.review()
    if as_json:
        emit([item.as_json() for item in waiting])
    elif not waiting:
        say(phrase("The inbox is empty."))
    for item in () if as_json else waiting:
        _say_waiting(item)


def _say_waiting(item: Waiting) -> None:
    say(click.style(f"{item.card.id}@{item.digest[:8]}  {item.card.title}", bold=True))
    trust = phrase("trust {trust}", trust=item.card.trust)
    say(f"  {put(item.card.type)} · {put(trust)} · {item.path}")
    say(f"  {put(item.why)}")
    for line in item.card.statement.splitlines():
        say(f"  {line}")
    for receipt in item.card.evidence:
        for line in receipt.quote.splitlines():
            say(f"  > {receipt.role}: {line}")


def _judge(
    vault: Vault, verdict: str, what: tuple[str, ...], *, as_json: bool, dry_run: bool
) -> None:
    if not what:
        raise UsageError(
            phrase(
                "Name what to {verdict}: `noctuary review` lists the ids.", verdict=phrase(verdict)
            )
        )
    door = vault.approve if verdict == "approve" else vault.reject
    shapes = []
    for one in what:
        done = door(one, dry_run=dry_run)
        shapes.append(done.as_json() | {"dry_run": dry_run})
        if not as_json:
            _say_judged(done, dry_run=dry_run)
    if as_json:
        emit(shapes if len(what) > 1 else shapes[0])


def _say_judged(done: Judged, *, dry_run: bool) -> None:
    verb = {"approve": phrase("Approved"), "reject": phrase("Rejected")}[done.verdict]
    told: str = phrase("{verb} {card}, {title}.", verb=verb, card=done.card, title=done.title)
    if done.path:
        told = phrase("{told} It is now {path}.", told=told, path=done.path)
    say(phrase("Would be: {told}", told=told) if dry_run else told)
    if dry_run:
        say_diff(done.diff)


@click.command("forget")
@click.argument("name", metavar="[CARD|SESSION]", required=False)
@click.option("--project", default="", help="Of sessions of one name, that of this project.")
@click.option("--matching", metavar="TEXT", default="", help="Everything that holds these words.")
@click.option("--rewrite-history", is_flag=True, help="Take it out of every git commit as well.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@vault_option
@json_option
@dry_run_option
@click.pass_context
def forget_command(
    ctx: click.Context,
    vault: str | None,
    name: str | None,
    project: str,
    matching: str,
    rewrite_history: bool,
    yes: bool,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Forget a card, a session, or certain words for good, and prove it by reading everything.

    Cards, raw entries, reports, the graveyard and caches lose it at once. Git keeps old versions
    unless --rewrite-history is given. Exit 1 when it still stands somewhere.
    """
    if bool(name) == bool(matching):
        raise UsageError(phrase("Name one card or session, or give --matching TEXT."))
    opened = open_vault(ctx, vault)
    if not (dry_run or yes) and for_a_person():
        planned = opened.forget(name or "", project=project, matching=matching, dry_run=True)
        _say_forgotten(planned, dry_run=True)
        click.confirm(put(phrase("Forget this for good?")), abort=True)
    done = opened.forget(
        name or "",
        project=project,
        matching=matching,
        rewrite_history=rewrite_history,
        dry_run=dry_run,
    )
    if as_json:
        emit(done.as_json() | {"dry_run": dry_run})
    else:
        _say_forgotten(done, dry_run=dry_run)
    if done.left:
        ctx.exit(1)


def _say_forgotten(done: Forgotten, *, dry_run: bool) -> None:
    told = phrase(
        "{entries} raw entries, {notes} notes; {more} more lose words.",
        entries=done.entries,
        notes=len(done.cards),
        more=len(done.changed),
    )
    if dry_run:
        say(phrase("Would forget {told}", told=told))
    else:
        say(phrase("Forgotten: {told}", told=told))
    for path in (*done.cards, *done.changed):
        say(f"  {path}")
    warn(done.left)
    if not dry_run and not done.left:
        say(
            phrase(
                "Everything was read again: it stands in no file, cache or git object of the vault."
            )
        )
