"""Work on threads, with the results in the order of the jobs."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

from nearstar.interrupt import Presses, Stop, Stopped

T = TypeVar("T")

LOOK_UP = 0.2
"""Seconds after which a pressed Ctrl-C is noticed at the latest."""

Job = Callable[[Stop], T]
"""Work that ends early, by raising Stopped, once the stop is set."""


class OutOfTime(Exception):  # noqa: N818 (an outcome, not an error)
    """The deadline has passed and the next result is not there."""


class Pool:
    """Threads that do at most so many jobs at a time; a context that ends with all of them."""

    def __init__(self, workers: int) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="nearstar")
        # One for all: to set it is a single step, which no second Ctrl-C can cut in two.
        self._stop = Stop()
        self._presses = Presses(self._stop)
        self._futures: Sequence[Future[Any]] = ()
        """Of the latest jobs; all before are done."""

    def in_order(self, jobs: Sequence[Job[T]], deadline: float | None = None) -> Iterator[T]:
        """The results, each as soon as it and all before it are there; what a job raises is raised.

        Past the deadline, by ``time.monotonic``, results that are there still come; then OutOfTime
        is raised.
        """
        futures = self._futures = [self._executor.submit(self._do, job) for job in jobs]
        for future in futures:
            if not self._done(future, deadline):
                raise OutOfTime
            self._presses.check()  # jobs that were stopped by it have no results
            yield future.result()

    def _do(self, job: Job[T]) -> T:
        if self._stop.flag[0]:
            raise Stopped
        return job(self._stop)

    def _done(self, future: Future[T], deadline: float | None = None) -> bool:
        """Wait for a job, at most until the deadline or Ctrl-C; whether it is done."""
        while not future.done():
            self._presses.check()
            left = math.inf if deadline is None else deadline - time.monotonic()
            if left <= 0:
                return False
            wait([future], min(left, LOOK_UP))
        return True

    def __enter__(self) -> Pool:
        self._presses.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        # One press may be why it ends. Another one ends the waiting: all have been told to end.
        patient = min(self._presses.count, 1)
        try:
            with suppress(KeyboardInterrupt):
                self._executor.shutdown(wait=False, cancel_futures=True)
                while self._presses.count <= patient and not all(f.done() for f in self._futures):
                    wait(self._futures, LOOK_UP)
                if self._presses.count <= patient:
                    self._executor.shutdown()
        finally:
            self._presses.__exit__()
        if kind is None:
            self._presses.check()


def available_cores() -> int:
    """Processor cores that this process may use."""
    count: Callable[[], int | None] | None = getattr(os, "process_cpu_count", None)
    if count is not None:
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
