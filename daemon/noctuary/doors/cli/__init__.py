"""The command line: one module per family of commands, each loaded only when it is used.

Exit codes: 0 done, 1 found problems or refused by the system, 2 usage, 70 a bug, 75 vault busy,
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from noctuary.errors import NoctuaryError
from noctuary.resources import person_language
from noctuary.tongue import phrase, spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "init": "setup",
    "status": "setup",
    "log": "intake",
    "import": "intake",
    "watch": "watch",
    "dream": "night",
    "dreams": "night",
    "diff": "night",
    "undo": "care",
    "review": "care",
    "forget": "care",
    "recall": "ask",
    "context": "ask",
    "why": "ask",
    "compact": "window",
    "stats": "look",
    "index": "look",
    "verify": "look",
    "doctor": "doctor",
    "service": "service",
    "profile": "profile",
    "completion": "shell",
}
"""Name of a command -> the module that holds it, as `NAME_command`."""

BUG = 70
INTERRUPTED = 130
BROKEN_PIPE = 141


class Commands(click.Group):
    """Finds a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order in which a vault is met."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"noctuary.doors.cli.{COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)  # noqa: S101
        return _spoken(command)


def _spoken(command: click.Command) -> click.Command:
    if person_language() == "en":
        return command
    from noctuary.doors.cli.helping import helped

    return helped(command)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--vault", metavar="PATH", help="The vault; else $NOCTUARY_VAULT, else a parent.")
@click.version_option(package_name="noctuary", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, vault: str | None) -> None:
    """A Markdown memory for AI agents that works like sleep.

    By day conversations are logged as episodes; at night a dream keeps what lasts as cards.
    """
    ctx.obj = vault
    if "NO_COLOR" in os.environ:
        ctx.color = False


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code; no failure shows a traceback."""
    _speak_utf8()
    try:
        code = _spoken(cli).main(list(arguments), prog_name="noctuary", standalone_mode=False)
    except NoctuaryError as error:
        return _fail(error, error.exit_code)
    except click.ClickException as error:
        _complain(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _fail(phrase("Interrupted; what was finished is kept."), INTERRUPTED)
    except BrokenPipeError:
        return _broken_pipe()
    except OSError as error:
        return _refused(error)
    except Exception as error:  # noqa: BLE001 - the boundary of the process
        return _bug(error)
    return code if isinstance(code, int) else 0


def _complain(error: click.ClickException) -> None:
    if person_language() == "en":
        error.show()
        return
    from noctuary.doors.cli.helping import complain

    complain(error)


def _fail(message: object, code: int) -> int:
    click.echo(f"noctuary: {spoken(message, person_language())}", err=True)
    return code


def _refused(error: OSError) -> int:
    """What the system would not do is no bug: no room, no access, a drive that is gone."""
    if os.environ.get("NOCTUARY_TRACEBACK"):
        raise error
    place = phrase(" at {path}", path=error.filename) if error.filename else ""
    what = phrase(
        "the system refused{place} ({why}); your vault is safe. "
        "Run the command again once there is access, or room.",
        place=place,
        why=error.strerror or str(error),
    )
    return _fail(what, 1)


def _bug(error: Exception) -> int:
    if os.environ.get("NOCTUARY_TRACEBACK"):
        raise error
    what = phrase(
        "this is a bug ({kind}: {error}); your vault is safe. "
        "Run the command again with NOCTUARY_TRACEBACK=1 and report what it prints.",
        kind=type(error).__name__,
        error=str(error),
    )
    return _fail(what, BUG)


def _broken_pipe() -> int:
    """The reader went away; nothing may be written to it, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def _speak_utf8() -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
