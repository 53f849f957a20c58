"""Several calls at once, each with an end by the clock, none of which can hold the program up.

Threads of `concurrent.futures` are joined when the program ends; these are not, so that Ctrl-C and
a server that never finishes a reply cost no more than they must.
"""

from __future__ import annotations

from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
_HEARD_EVERY = 0.5


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """How a job ended: with a value, or with the exception that it raised."""

    place: int
    value: T | None = None
    error: BaseException | None = None

    def get(self) -> T:
        """The value.

        Raises:
            BaseException: What the job raised.
        """
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # a job without error has its value


def within(seconds: float, job: Callable[[], T]) -> T:
    """The job's result.

    Raises:
        TimeoutError: It is not there within so many seconds; the job is left to end by itself.
    """
    results: Queue[Done[T]] = Queue()
    Thread(target=_run, args=(0, job, results), daemon=True).start()
    try:
        return results.get(timeout=seconds).get()
    except Empty:
        raise TimeoutError from None


def in_parallel(jobs: Sequence[Callable[[], T]], workers: int) -> Iterator[Done[T]]:
    """Every job's end, in the order in which they end; at most `workers` run at once."""
    results: Queue[Done[T]] = Queue()
    waiting: Queue[int] = Queue()
    for place in range(len(jobs)):
        waiting.put(place)
    for _ in range(min(workers, len(jobs))):
        Thread(target=_work, args=(jobs, waiting, results), daemon=True).start()
    try:
        for _ in jobs:
            yield _next(results)
    finally:
        _drain(waiting)


def _next(results: Queue[Done[T]]) -> Done[T]:
    """The next result; looked for again and again, since Windows hears Ctrl-C only in between."""
    while True:
        try:
            return results.get(timeout=_HEARD_EVERY)
        except Empty:
            continue


def _work(jobs: Sequence[Callable[[], T]], waiting: Queue[int], results: Queue[Done[T]]) -> None:
    while True:
        try:
            place = waiting.get_nowait()
        except Empty:
            return
        _run(place, jobs[place], results)


def _run(place: int, job: Callable[[], T], results: Queue[Done[T]]) -> None:
    try:
        results.put(Done(place, job()))
    except BaseException as error:  # noqa: BLE001 - the boundary of the thread: raised where it is awaited
        results.put(Done(place, error=error))


def _drain(waiting: Queue[int]) -> None:
    """Whoever stops listening wants no further job begun."""
    while True:
        try:
            waiting.get_nowait()
        except Empty:
            return
