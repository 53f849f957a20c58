"""Cuts turns into rows of the index; very many of them with the help of other processes.

What comes out, and its order, is the same however many help. A helper that cannot be started or
dies costs only time: what it had is cut here.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, cast

from noctuary.recall.packed import row
from noctuary.recall.passages import entry_passages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Executor, Future
    from subprocess import Popen

    from noctuary.recall.packed import Row
    from noctuary.recall.turns import Turn

ALONE = 10_000
"""Turns that are cut here, before anybody is asked to help: to start a helper takes a while."""
BATCH = 250
WAITING = 3
"""Batches that a helper has before it, so that it never waits."""
MOST_HELPERS = 3
MOST_OPEN = 40
"""Batches under way at most, which bounds the memory they take."""
_SERVE = "import sys; sys.path[:] = {}; from noctuary.recall.cutting import serve; serve()"


def rows_of(turn: Turn) -> list[Row]:
    """The rows of one entry."""
    return [row(one) for one in entry_passages(turn)]


def cut(turns: Iterable[Turn]) -> Iterator[tuple[str, list[Row]]]:
    """The id of each entry with its rows, in order."""
    coming = iter(turns)
    for turn in islice(coming, ALONE):
        yield turn.entry.id, rows_of(turn)
    batches = iter(lambda: list(islice(coming, BATCH)), [])
    first = next(batches, [])
    if first:
        with _hired(_helpers()) as crew:
            for batch, rows in _shared(chain([first], batches), crew):
                yield from zip((turn.entry.id for turn in batch), rows, strict=True)


def _helpers() -> int:
    able = getattr(os, "sched_getaffinity", None)
    processors = len(able(0)) if able else os.cpu_count() or 1
    return min(MOST_HELPERS, processors - 1) if sys.executable else 0


def _shared(
    batches: Iterable[list[Turn]], crew: list[_Helper]
) -> Iterator[tuple[list[Turn], list[list[Row]]]]:
    """Batches with their rows; whoever would have to wait for a helper cuts one here meanwhile."""
    under_way: deque[tuple[list[Turn], _Work]] = deque()
    for batch in batches:
        free = min(crew, key=lambda helper: helper.waiting, default=None)
        given = free.give(batch) if free is not None and free.waiting < WAITING else None
        under_way.append((batch, given or _Done(batch)))
        while under_way and (under_way[0][1].is_ready or len(under_way) >= MOST_OPEN):
            one, work = under_way.popleft()
            yield one, work.rows()
    for one, work in under_way:
        yield one, work.rows()


class _Done:
    """What was cut here."""

    is_ready = True

    def __init__(self, batch: list[Turn]) -> None:
        self._rows = [rows_of(turn) for turn in batch]

    def rows(self) -> list[list[Row]]:
        return self._rows


class _Given:
    """What a helper has been given to cut."""

    def __init__(self, batch: list[Turn], helper: _Helper, coming: Future[list[list[Row]]]) -> None:
        self._batch = batch
        self._helper = helper
        self._coming = coming

    @property
    def is_ready(self) -> bool:
        return self._coming.done()

    def rows(self) -> list[list[Row]]:
        self._helper.waiting -= 1
        try:
            return self._coming.result()
        except Exception:  # noqa: BLE001 - whatever became of a helper, the rows are cut
            self._helper.waiting = WAITING  # gone: it is given nothing more
            return _Done(self._batch).rows()


_Work = _Done | _Given


class _Helper:
    """A process that cuts, and the thread that talks to it."""

    def __init__(self, talk: Executor, to: IO[bytes], back: IO[bytes]) -> None:
        self.waiting = 0
        self._talk = talk
        self._to = to
        self._back = back

    def give(self, batch: list[Turn]) -> _Given:
        self.waiting += 1
        return _Given(batch, self, self._talk.submit(self._cut, pickle.dumps(batch)))

    def _cut(self, batch: bytes) -> list[list[Row]]:
        self._to.write(batch)
        self._to.flush()
        return cast("list[list[Row]]", pickle.load(self._back))  # noqa: S301 - our own process


@contextmanager
def _hired(count: int) -> Iterator[list[_Helper]]:
    """So many processes; fewer where the system does not give them."""
    from concurrent.futures import ThreadPoolExecutor
    from subprocess import DEVNULL, PIPE, Popen

    command = [sys.executable, "-c", _SERVE.format(repr(sys.path))]
    with ExitStack() as stack:
        crew: list[_Helper] = []
        for _ in range(count):
            try:
                process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
            except OSError:
                break
            stack.callback(_dismiss, process)
            to, back = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
            crew.append(_Helper(stack.enter_context(ThreadPoolExecutor(1)), to, back))
        yield crew


def _dismiss(process: Popen[bytes]) -> None:
    process.kill()
    with suppress(OSError):  # what it was still told goes nowhere
        process.communicate()


def serve() -> None:
    """Be a helper: batches of turns in, their rows out, until nobody asks any more."""
    gc.disable()  # rows make no cycles, and to look for some takes time
    while True:
        try:
            batch = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started us
        except EOFError:
            return
        pickle.dump([rows_of(turn) for turn in batch], sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.flush()
