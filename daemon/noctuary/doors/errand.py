"""The daemon's errands: `python -m noctuary.doors.errand ROOT TASK`, and who starts them.

The child ends its thinking when its stdin closes: so it hears, on every system, that it should
leave, and also that the daemon is no more. What it found is one line of JSON on stdout; before it,
a line for each question that a model has answered.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary.api import Vault
from noctuary.errors import Interrupted, NoctuaryError, VaultBusy
from noctuary.service import LOG
from noctuary.service.errands import BUSY, DONE, FAILED, STOPPED, Outcome, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from noctuary.distil.openai.desk import Beat
    from noctuary.service.errands import Errand

GRACE = 3.5
"""Seconds that an errand has to leave; then it is killed, and the journal finishes its work."""
_NICE = 5
_APART: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""On Windows what a session of its own is elsewhere: Ctrl-C is for the daemon alone."""
_LONGEST = 2000
_BEAT = "beat"


class Processes:
    """Runs each errand in a process of its own."""

    def start(self, root: Path, task: Task, wake: Callable[[], None]) -> Errand:
        """Begin; `wake` is called when it is over."""
        words = json.dumps(asdict(task))
        command = [sys.executable, "-m", "noctuary.doors.errand", str(root), words]
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=_APART,
        )
        return _Running(child, wake, root)


class _Running:
    """A child process; a thread collects what it says, and passes on how far it is."""

    def __init__(
        self, child: subprocess.Popen[bytes], wake: Callable[[], None], root: Path
    ) -> None:
        self._child = child
        self._wake = wake
        self._root = root
        self._result: Outcome | None = None
        self._asked = False
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self) -> None:
        assert self._child.stdout is not None  # noqa: S101 - both are pipes
        assert self._child.stderr is not None  # noqa: S101
        said = b"".join(line for line in self._child.stdout if not self._logged(line))
        errors = self._child.stderr.read()
        code = self._child.wait()
        self._child.stdout.close()
        self._child.stderr.close()
        self._result = _outcome(code, said, errors, asked=self._asked)
        self._wake()

    def _logged(self, line: bytes) -> bool:
        try:
            told = json.loads(line)[_BEAT]
        except (ValueError, KeyError, TypeError):
            return False
        logging.getLogger(LOG).info(str(told)[:_LONGEST], extra={"vault": str(self._root)})
        return True

    def outcome(self) -> Outcome | None:
        """What became of it; None while it runs."""
        if self._result is not None:
            self._close_stdin()
        return self._result

    def ask(self) -> None:
        """Ask it to leave."""
        self._asked = True
        self._close_stdin()

    def stop(self) -> None:
        """Ask it to leave; make it, when it does not."""
        self.ask()
        self._thread.join(GRACE)
        if self._thread.is_alive():
            self._child.kill()
            self._thread.join(GRACE)

    def _close_stdin(self) -> None:
        if self._child.stdin is not None and not self._child.stdin.closed:
            self._child.stdin.close()


def _outcome(code: int, said: bytes, errors: bytes, *, asked: bool) -> Outcome:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    try:
        content = json.loads(lines[-1])
        return Outcome(content["state"], content["words"], content["noted"], content["data"])
    except (IndexError, ValueError, KeyError, TypeError):
        if asked:
            return Outcome(STOPPED, "stopped before it was done")
        last = errors.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no word from it"]
        return Outcome(FAILED, f"its process ended with code {code}: {last[0]}"[:_LONGEST])


# -- in the child ------------------------------------------------------------------------------


class _Leave:
    """Set once the daemon wants us to leave, or is gone."""

    def __init__(self) -> None:
        self._wanted = False
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        sys.stdin.buffer.read()
        self._wanted = True

    def check(self, _done: int, _total: int) -> None:
        """Called while a dream thinks."""
        if self._wanted:
            raise Interrupted("The dream was interrupted; it is dreamt again later.")


def _beat(beat: Beat) -> None:
    """Tell the daemon how far a dream with a model is."""
    words = f"{beat.stage} {beat.done} of {beat.total} · {beat.words}"
    sys.stdout.write(json.dumps({_BEAT: words}) + "\n")
    sys.stdout.flush()


def run(root: Path, task: Task, check: Callable[[int, int], None]) -> Outcome:
    """Do one errand, and tell what became of it."""
    try:
        vault = Vault.open(root)
        if task.kind == "tidy":
            vault.tidy()
            return Outcome(DONE, "tidied")
        return _dream(vault, task, check)
    except VaultBusy as error:
        return Outcome(BUSY, str(error))
    except Interrupted as error:
        return Outcome(STOPPED, str(error))
    except NoctuaryError as error:
        return Outcome(FAILED, str(error), noted=task.kind == "dream")


def _dream(vault: Vault, task: Task, check: Callable[[int, int], None]) -> Outcome:
    report = vault.dream(
        trigger=task.trigger, settle=task.settle, deep=task.deep, progress=check, watch=_beat
    )
    data: dict[str, object] = {
        "id": report.id,
        "result": str(report.result),
        "seen": report.seen,
        "absorbed": report.absorbed,
        "waiting": report.waiting,
        "seconds": round(report.seconds, 2),
    }
    problems = "".join(f"; {problem}" for problem in report.problems[:3])
    state = FAILED if report.result == "failed" else DONE
    return Outcome(state, f"{report.id}: {report.summary}{problems}"[:_LONGEST], True, data)


def main(arguments: list[str]) -> int:
    """The process of one errand."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    leave = _Leave()
    outcome = run(Path(arguments[0]), Task(**json.loads(arguments[1])), leave.check)
    sys.stdout.write(json.dumps(asdict(outcome)) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
