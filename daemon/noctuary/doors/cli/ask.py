"""Commands that ask memory: `recall`, `context`, `why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from noctuary.doors.cli.frame import (
    emit,
    for_a_person,
    framed_for_agents,
    json_option,
    open_vault,
    put,
    say,
    vault_option,
)
from noctuary.memory.card import ENTRY, CardType
from noctuary.recall.framing import inert
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.recall.answer import Hit


@click.command("recall")
@click.argument("query")
@click.option("-k", "k", type=click.IntRange(min=1), help="At most this many cards and entries.")
@click.option("--budget", type=click.IntRange(min=1), help="Tokens of the answer.")
@click.option("--as-of", metavar="DATE", help="What was true on this day.")
@click.option("--archived", is_flag=True, help="Search retired cards too.")
@click.option(
    "--type",
    "types",
    type=click.Choice([*(kind.value for kind in CardType), ENTRY]),
    multiple=True,
    help="Only cards of this type, or what no dream has read (entry); may be repeated.",
)
@click.option("--project", default="", help="Only what belongs to this project, or to none.")
@click.option("--user", default="", help="Only what belongs to this person, or to nobody.")
@click.option("--session", default="", help="Only what was said in this session.")
@click.option("--explain", is_flag=True, help="Say why each hit was found.")
@vault_option
@json_option
@click.pass_context
def recall_command(
    ctx: click.Context,
    vault: str | None,
    query: str,
    k: int | None,
    budget: int | None,
    as_of: str | None,
    archived: bool,
    types: tuple[str, ...],
    project: str,
    user: str,
    session: str,
    explain: bool,
    as_json: bool,
) -> None:
    """Ask memory a question, in any words; what is told fits a token budget."""
    opened = open_vault(ctx, vault)
    answer = opened.recall(
        query, k=k, budget=budget, as_of=as_of, archived=archived,
        types=types, project=project, user=user, session=session,
    )  # fmt: skip
    if as_json:
        emit(answer.to_json(explain=explain))
        return
    if not answer.hits:
        say(phrase("Nothing in memory matches."))
        return
    with framed_for_agents(answer.opening):
        for hit in answer.hits:
            _say_hit(hit, explain=explain)


def _say_hit(hit: Hit, *, explain: bool) -> None:
    head = hit.head if for_a_person() else hit.label
    say(click.style(inert(head), bold=True))
    if explain:
        signals = ", ".join(f"{name} {value:.2f}" for name, value in hit.explain.items())
        say(click.style(f"  ({signals})", dim=True))
    for line in hit.text.splitlines():
        say(f"  {inert(line)}")


@click.command("context")
@click.option("--budget", type=click.IntRange(min=1), help="Tokens of the context.")
@click.option("--project", default="", help="Without what belongs to another project.")
@click.option("--user", default="", help="Without what belongs to another person.")
@vault_option
@json_option
@click.pass_context
def context_command(
    ctx: click.Context,
    vault: str | None,
    budget: int | None,
    project: str,
    user: str,
    as_json: bool,
) -> None:
    """What an agent is given when it wakes, as Markdown."""
    context = open_vault(ctx, vault).context(budget=budget, project=project, user=user)
    if as_json:
        emit(context.to_json())
    else:
        say(context.text)


@click.command("why")
@click.argument("card")
@vault_option
@json_option
@click.pass_context
def why_command(ctx: click.Context, vault: str | None, card: str, as_json: bool) -> None:
    """Where a card comes from: each receipt, and whether its words still stand in the raw text.

    CARD is an id, the name of its note, or its path.
    """
    told = open_vault(ctx, vault).why(card)
    if as_json:
        emit(told.as_json())
        return
    say(click.style(f"{told.card.title} · {told.path}", bold=True))
    for receipt in told.receipts:
        mark = phrase(receipt.state)
        if receipt.replaced:
            mark = phrase("until {day}", day=receipt.replaced)
        say(f"  {receipt.at:%Y-%m-%d %H:%M} {put(receipt.role)} · {receipt.link} · {put(mark)}")
        for line in receipt.quote.splitlines():
            say(f"    {line}")
    for done in told.card.history:
        say(f"  {done.on} {done.text}")
