"""`completion`: the script with which a shell completes our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from noctuary.doors.cli.frame import say

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell, as in `eval "$(noctuary completion bash)"`."""
    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - SHELLS are the ones that click knows
    root = ctx.find_root().command
    say(found(root, {}, "noctuary", "_NOCTUARY_COMPLETE").source())
