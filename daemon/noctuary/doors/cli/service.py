"""`service`: the daemon in the background, from now on."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from noctuary.api import Vault
from noctuary.doors.cli.frame import dry_run_option, emit, json_option, say, vault_option

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
    say(f"Installed and started {wanted.name} ({wanted.file}).")
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
        say(f"Would stop {wanted.name} and remove {wanted.file}.")
        return
    found = install.uninstall(wanted)
    opened.miss_no_daemon()
    say(f"Removed {wanted.name}." if found else f"There was no {wanted.name}; none is missed now.")


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
    state = "active" if found.active else "installed, not active" if found.installed else "none"
    say(f"service    {state} ({found.file})")
    say(f"daemon     {found.daemon}")


def _opened(ctx: click.Context, vault: str | None) -> Vault:
    return Vault.open(vault or ctx.find_root().obj)


def _say_plan(wanted: Plan) -> None:
    say(f"Would write {wanted.file}:")
    say(wanted.text)
    for command in wanted.enable:
        say(f"Would run: {shlex.join(command)}")
