"""Writes docs/cli.md from the program's own help: python docs/build_cli.py."""

from __future__ import annotations

from pathlib import Path

import click

from noctuary.doors.cli import COMMANDS, cli

HEAD = """# Command line

Made from `noctuary COMMAND --help` by `docs/build_cli.py`; a test checks that it is current.

Which vault: `--vault PATH`, else `$NOCTUARY_VAULT`, else the nearest parent folder with a
`noctuary.toml`.

What it says is in English or Chinese: `$NOCTUARY_LANG` (`en` or `zh`), else by your locale; what
`--json` prints and the daemon logs is always English.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | problems were found (`verify`, `doctor`), a dream failed, or the system refused (no room, no access) |
| 2 | the command cannot be done as asked |
| 70 | a bug; `NOCTUARY_TRACEBACK=1` shows where |
| 75 | another process is writing to the vault; try again |
| 130 | interrupted by Ctrl-C; what was finished is kept |
"""


def page() -> str:
    """The whole page."""
    root = click.Context(
        cli, info_name="noctuary", terminal_width=78, help_option_names=["-h", "--help"]
    )
    parts = [HEAD, _block(cli, root)]
    for name in COMMANDS:
        if command := cli.get_command(root, name):
            context = click.Context(command, info_name=name, parent=root)
            parts.append(f"## {name}\n\n{_block(command, context)}")
            parts += _inside(command, context)
    return "\n".join(parts)


def _inside(command: click.Command, context: click.Context) -> list[str]:
    """The commands of a family, such as `profile add`."""
    if not isinstance(command, click.Group):
        return []
    return [
        f"### {context.info_name} {name}\n\n"
        + _block(inner, click.Context(inner, info_name=name, parent=context))
        for name, inner in command.commands.items()
    ]


def _block(command: click.Command, context: click.Context) -> str:
    return f"```text\n{command.get_help(context).rstrip()}\n```\n"


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(page(), "utf-8")
