"""What all commands share: options, finding the vault, and printing for people or programs."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from noctuary.api import Vault
from noctuary.resources import person_language
from noctuary.tongue import spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Command = TypeVar("Command", bound=Callable[..., object])

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def vault_option(command: Command) -> Command:
    """`--vault`, also after the name of the command."""
    return click.option("--vault", metavar="PATH", help="The vault to use.")(command)


def json_option(command: Command) -> Command:
    """`--json`, on every command that reads."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def dry_run_option(command: Command) -> Command:
    """`--dry-run`, on every command that writes."""
    return click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")(
        command
    )


def open_vault(ctx: click.Context, vault: str | None) -> Vault:
    """The vault that the person means; what is wrong with its settings goes to stderr."""
    opened = Vault.open(vault or ctx.find_root().obj)
    warn(opened.problems)
    return opened


def put(said: object) -> str:
    """A sentence, an error or a problem in the person's language."""
    return spoken(said, person_language())


def padded(text: str, width: int) -> str:
    """The text with blanks up to a width, of which a Chinese character takes two."""
    return text + " " * (width - len(text) - sum(char >= "\u2e80" for char in text))


def say(said: object = "") -> None:
    """One line, or text that ends in one, to stdout."""
    click.echo(put(said).removesuffix("\n"))


def warn(lines: Iterable[object]) -> None:
    """Lines to stderr, marked so that they are seen."""
    for line in lines:
        click.echo(f"{click.style('!', fg='yellow')} {put(line)}", err=True)


def emit(value: object) -> None:
    """One JSON document to stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def say_diff(text: str) -> None:
    """A unified diff, coloured on a terminal."""
    for line in text.splitlines():
        head = line.startswith(("+++", "---", "diff "))
        say(click.style(line, bold=True) if head else click.style(line, fg=COLOURS.get(line[:1])))


def for_a_person() -> bool:
    """True when stdout is a terminal."""
    return sys.stdout.isatty()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr for work that takes long; None where nobody watches.

    The bar is moved by calling it with what is done and the total (0 when unknown).
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(put(label), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


@contextmanager
def framed_for_agents(opening: str) -> Iterator[None]:
    """Marks what a program reads as memory, so that it is neither obeyed nor learnt again."""
    if for_a_person():
        yield
        return
    from noctuary.recall.framing import CLOSING

    say(opening)
    yield
    say(CLOSING)
