"""Help and complaints about a command line in the person's language; loaded when that is not English.

The commands themselves stay as they are: who speaks Chinese is shown copies.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import click

from noctuary.resources import person_language
from noctuary.tongue import listed, phrase, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE = 0.6
"""Share of a line that text may take whose characters are two columns wide."""
_NO_COMMAND = "No such command "
_HELP = phrase("Show this message and exit.")
_HEADS = {"Options": phrase("Options"), "Commands": phrase("Commands")}


def put(said: object) -> str:
    """A sentence in the person's language."""
    return spoken(said, person_language())


def paragraphs(text: str | None) -> Iterator[str]:
    """The paragraphs of a help text, each in one line."""
    return (" ".join(part.split()) for part in (text or "").split("\n\n") if part.strip())


class Formatter(click.HelpFormatter):
    """Writes help whose characters are wide."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        super().__init__(indent_increment, width, max_width)
        self.width = max(30, int(self.width * _WIDE))

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The first line."""
        super().write_usage(prog, args, prefix or put(phrase("Usage: ")))

    def write_heading(self, heading: str) -> None:
        """The line above a list."""
        self.write(put(phrase("{head}:", head=_HEADS.get(heading, heading))) + "\n")


class Context(click.Context):
    """A command line that is helped with in Chinese."""

    formatter_class = Formatter


def helped(command: click.Command) -> click.Command:
    """A copy of a command whose help is in the person's language."""
    shown = copy(command)
    shown.context_class = Context
    told = [put(phrase(part)) for part in paragraphs(command.help)]
    shown.help = "\n\n".join(told)
    shown.short_help = told[0].partition("。")[0].rstrip("。") if told else None
    shown.params = [_helped(parameter) for parameter in command.params]
    shown.params.append(_help_option())
    if isinstance(shown, click.Group):
        shown.commands = {name: helped(inner) for name, inner in shown.commands.items()}
    return shown


def _helped(parameter: click.Parameter) -> click.Parameter:
    if not isinstance(parameter, click.Option) or not parameter.help:
        return parameter
    shown = copy(parameter)
    shown.help = put(phrase(parameter.help))
    return shown


def _help_option() -> click.Option:
    def show(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["-h", "--help"], is_flag=True, is_eager=True, expose_value=False, callback=show,
        help=put(_HELP),
    )  # fmt: skip


def complain(error: click.ClickException) -> None:
    """What is wrong with a command line, as click shows it, in the person's language."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if ctx is not None:
        click.echo(ctx.get_usage(), err=True)
        click.echo(put(phrase("Try `{command} -h` for help.", command=ctx.command_path)), err=True)
        click.echo(err=True)
    click.echo(put(phrase("Error: {what}", what=_complaint(error))), err=True)


def _complaint(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        return phrase("There is no option {name}.", name=error.option_name)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name = error.param.get_error_hint(error.ctx) if error.ctx else error.param.name
        return phrase("{name} is missing.", name=name)
    if isinstance(error, click.BadParameter) and error.param is not None and error.ctx:
        hint = error.param.get_error_hint(error.ctx)
        return phrase(
            "{name} cannot be taken: {why}", name=hint, why=_wanted(error, error.param.type)
        )
    if error.message.startswith(_NO_COMMAND):
        return phrase(
            "There is no command {name}.", name=error.message[len(_NO_COMMAND) :].split(".")[0]
        )
    return error.format_message()


def _wanted(error: click.ClickException, kind: object) -> str:
    if isinstance(kind, click.Choice):
        return phrase("it must be one of {words}", words=listed(map(str, kind.choices)))
    if isinstance(kind, click.types.IntParamType):
        return phrase("it must be a whole number")
    if isinstance(kind, click.types.FloatParamType):
        return phrase("it must be a number")
    return error.message
