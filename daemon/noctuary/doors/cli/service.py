"""`service`: the daemon in the background, from now on."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from noctuary.api import Vault
from noctuary.doors.cli.frame import dry_run_option, emit, json_option, say, vault_option
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from noctuary.doors.service.systems import Plan


@click.group("service")
def service_command() -> None:
    """Run the daemon in the background, from now on: install, uninstall, status.

    A systemd user unit on Linux, a launchd agent on macOS, a scheduled task on Windows.
    """


@service_command.command("install")
@vault_option
@dry_run_option
@click.pass_context
def install_command(ctx: click.Context, vault: str | None, dry_run: bool) -> None:
    """Write the service of a vault, start it, and have it start with the machine."""
    from noctuary.doors.service import install

    wanted = install.plan_for(_opened(ctx, vault))
    if dry_run:
        _say_plan(wanted)
        return
    install.install(wanted)
    say(phrase("Installed and started {name} ({file}).", name=wanted.name, file=wanted.file))
    if wanted.hint:
        say(wanted.hint)


@service_command.command("uninstall")
@vault_option
@dry_run_option
@click.pass_context
def uninstall_command(ctx: click.Context, vault: str | None, dry_run: bool) -> None:
    """Stop the service of a vault and remove it; the vault stays as it is."""
    from noctuary.doors.service import install

    opened = _opened(ctx, vault)
    wanted = install.plan_for(opened)
    if dry_run:
        say(phrase("Would stop {name} and remove {file}.", name=wanted.name, file=wanted.file))
        return
    found = install.uninstall(wanted)
    opened.miss_no_daemon()
    say(
        phrase("Removed {name}.", name=wanted.name)
        if found
        else phrase("There was no {name}; none is missed now.", name=wanted.name)
    )


@service_command.command("status")
@vault_option
@json_option
@click.pass_context
def status_command(ctx: click.Context, vault: str | None, as_json: bool) -> None:
    """Whether the service is installed, and whether a daemon watches the vault."""
    from noctuary.doors.service import install

    opened = _opened(ctx, vault)
    found = install.standing(install.plan_for(opened), opened.daemon)
    if as_json:
        emit(asdict(found))
        return
    state = phrase("none")
    if found.installed or found.active:
        state = phrase("active") if found.active else phrase("installed, not active")
    say(phrase("service    {state} ({file})", state=state, file=found.file))
    say(phrase("daemon     {daemon}", daemon=phrase(found.daemon)))


def _opened(ctx: click.Context, vault: str | None) -> Vault:
    return Vault.open(vault or ctx.find_root().obj)


def _say_plan(wanted: Plan) -> None:
    say(phrase("Would write {file}:", file=wanted.file))
    say(wanted.text)
    for command in wanted.enable:
        say(phrase("Would run: {command}", command=shlex.join(command)))
