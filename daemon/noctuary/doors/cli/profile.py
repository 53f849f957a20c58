"""`profile`: the servers that may think for a person's vaults."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from noctuary import profiles
from noctuary.doors.cli.frame import dry_run_option, emit, json_option, put, say, warn
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.profiles import Profile


@click.group("profile")
def profile_command() -> None:
    """Servers that may think for your vaults: add, list and test them.

    Profiles stand in your own settings folder, never in a vault. A vault uses one when its
    noctuary.toml names it: distiller = "NAME".
    """


@profile_command.command("add")
@click.argument("name")
@click.option("--server", type=click.Choice(list(profiles.KNOWN)), help="Known server to build on.")
@click.option("--base-url", metavar="URL", help="Address of the API, up to and with /v1.")
@click.option("--model", help="Model that thinks; default: the first that the server lists.")
@click.option("--small-model", help="Model that scores first.")
@click.option("--api-key-env", metavar="VARIABLE", help="Environment variable that holds the key.")
@click.option("--price-in", type=float, help="Money per million tokens sent.")
@click.option("--price-out", type=float, help="Money per million tokens received.")
@click.option("--small-price-in", type=float, help="The same for the small model.")
@click.option("--small-price-out", type=float, help="The same for the small model.")
@click.option("--currency", help="Of all prices and caps.")
@click.option("--tokens-per-dream", type=int, help="Cap on tokens; 0 is none.")
@click.option("--tokens-per-day", type=int, help="Cap over all vaults; 0 is none.")
@click.option("--tokens-per-month", type=int, help="Cap over all vaults; 0 is none.")
@click.option("--money-per-dream", type=float, help="Cap on money; 0 is none.")
@click.option("--money-per-day", type=float, help="Cap over all vaults; 0 is none.")
@click.option("--money-per-month", type=float, help="Cap over all vaults; 0 is none.")
@click.option("--context-tokens", type=int, help="What the model reads and writes at once.")
@click.option("--thinking-tokens", type=int, help="What a reasoning model may think besides.")
@click.option("--in-flight", type=int, help="Questions at the same time.")
@click.option("--call-seconds", type=float, help="Limit of time for one question.")
@click.option("--dream-minutes", type=float, help="Limit of time for one dream.")
@click.option("--tries", type=int, help="How often a question is put before it counts as failed.")
@click.option("--proxy", metavar="URL", help="Proxy; none is taken from the environment.")
@click.option(
    "--fallback", type=click.Choice(["offline", "wait"]), help="At a cap or without the server."
)
@json_option
@dry_run_option
def add_command(name: str, as_json: bool, dry_run: bool, **how: Any) -> None:  # noqa: ANN401
    """Add a profile; openai, ollama, llamacpp, vllm and lmstudio need no more than their NAME."""
    server = how.pop("server") or ""
    profile = profiles.known_profile(name, server, **how)
    text = profiles.add(profile, dry_run=dry_run)
    if as_json:
        emit(asdict(profile))
        return
    verb = phrase("Would add") if dry_run else phrase("Added")
    say(phrase("{verb} to {path}:", verb=verb, path=profiles.file_path()))
    for line in text.splitlines():
        say(f"  {line}")
    if profile.price_in and how.get("price_in") is None:
        say(phrase("Prices change: check them against your provider's page."))
    if not dry_run:
        say(
            phrase(
                'Next: `noctuary profile test {name}`, then distiller = "{name}" in noctuary.toml.',
                name=name,
            )
        )


@profile_command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """All profiles, where they send entries, and what they have spent this month."""
    found, problems = profiles.load()
    if as_json:
        emit([_as_json(profile) for profile in found.values()])
    elif not found:
        say(phrase("No profile yet; `noctuary profile add ollama` makes one."))
    else:
        for profile in found.values():
            _say_profile(profile)
    warn(problems)


def _as_json(profile: Profile) -> dict[str, object]:
    from noctuary.thinker import spent

    return {**asdict(profile), "local": profile.local, "spent": spent(profile)}


def _say_profile(profile: Profile) -> None:
    from noctuary.thinker import spent

    used = spent(profile)
    say(click.style(put(profile.shown()), bold=True))
    cap = phrase(" of {cap:,}", cap=profile.tokens_per_month) if profile.tokens_per_month else ""
    money = phrase(" of {cap:g}", cap=profile.money_per_month) if profile.money_per_month else ""
    paid: str = ""
    if profile.price_in:
        spend, unit = used["cost"], profile.currency
        paid = phrase(", {spend:.4f}{money} {unit}", spend=spend, money=money, unit=unit)
    say(
        phrase(
            "  this month: {used:,}{cap} tokens{paid}; without it: {fallback}",
            used=used["tokens"],
            cap=cap,
            paid=paid,
            fallback=profile.fallback,
        )
    )


@profile_command.command("test")
@click.argument("name")
@json_option
@click.pass_context
def test_command(ctx: click.Context, name: str, as_json: bool) -> None:
    """Put one small made-up question to the server of a profile; says what is wrong if it is."""
    from noctuary.thinker import try_profile

    tried = try_profile(name)
    if as_json:
        emit(tried.as_json())
    else:
        say(f"{tried.name}: {put(tried.said)}")
    if not tried.ok:
        ctx.exit(1)
