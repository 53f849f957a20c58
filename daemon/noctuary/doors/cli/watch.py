"""`watch`: the daemon in the foreground, until Ctrl-C or a signal."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import click

from noctuary.api import Vault
from noctuary.doors import daylog
from noctuary.doors.cli.frame import say
from noctuary.doors.errand import Processes
from noctuary.doors.supervisor import Systemd, notify
from noctuary.service import RELOAD, STOP, Mailbox, Service, this_world
from noctuary.tongue import phrase

if TYPE_CHECKING:
    from types import FrameType


@click.command("watch")
@click.argument("paths", metavar="[PATH…]", nargs=-1, type=click.Path())
@click.option("--poll", is_flag=True, help="Look at the files instead: for network drives.")
@click.option("--log-json", is_flag=True, help="Log one JSON object a line.")
@click.option("--verbose", is_flag=True, help="Log also which dream comes next.")
@click.option("--vault", metavar="PATH", help="The vault to use, where no PATH is given.")
@click.pass_context
def watch_command(
    ctx: click.Context,
    paths: tuple[str, ...],
    poll: bool,
    log_json: bool,
    verbose: bool,
    vault: str | None,
) -> None:
    """Watch one or several vaults, and dream when it is time.

    Runs until Ctrl-C; `noctuary service install` runs it in the background from now on.
    """
    named = paths or (vault or ctx.find_root().obj,)
    roots = list(dict.fromkeys(Vault.open(path).path for path in named))
    mail = Mailbox()
    world = this_world(mail, Processes(), notify, poll=poll)
    _listen_to_signals(mail)
    daylog.begin(roots, as_json=log_json, chatty=verbose)
    try:
        Service(roots, world, mail, Systemd().tell).run()
    finally:
        daylog.end()
    say(phrase("Stopped; nothing is lost."))


def _listen_to_signals(mail: Mailbox) -> None:
    """Handlers only leave a word; the loop leaves or reloads."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        mail.put(STOP)

    def reload(_number: int, _frame: FrameType | None) -> None:
        mail.put(RELOAD)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    for name, handler in (("SIGHUP", reload), ("SIGBREAK", stop)):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)
