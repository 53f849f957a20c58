"""`doctor`: what can keep a vault from dreaming well, with its mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from noctuary.api import Vault
from noctuary.doors.cli.frame import emit, json_option, padded, put, say, vault_option
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.care.doctor import Finding


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended without you.")
@vault_option
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, vault: str | None, fix: bool, as_json: bool) -> None:
    """Look at everything that can keep the vault from dreaming; exit 1 when something is wrong.

    `--fix` also takes files that are gone at once as gone on purpose. Where a profile thinks, its
    server is asked one small question.
    """
    found = Vault.open(vault or ctx.find_root().obj).doctor(fix=fix)
    healthy = all(item.ok for item in found)
    if as_json:
        emit({"ok": healthy, "checks": [item.as_json() for item in found]})
    else:
        for item in found:
            _say_finding(item)
        say(
            phrase("All is well.")
            if healthy
            else phrase("Something is wrong; each line with ✗ says what helps.")
        )
    if not healthy:
        ctx.exit(1)


def _say_finding(item: Finding) -> None:
    mark = click.style("✓", fg="green") if item.ok else click.style("✗", fg="red")
    mended = phrase(" (mended just now)") if item.fixed else ""
    say(
        f"{mark} {click.style(padded(put(phrase(item.check)), 12), bold=True)}{put(item.said)}{put(mended)}"
    )
    if item.mend and not item.ok:
        say(f"  {'':<12}→ {put(item.mend)}")
