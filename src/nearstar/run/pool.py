"""Jobs of a run, with their results in the order in which they were asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from types import TracebackType

from nearstar.interrupt import Presses, Stop, Stopped
from nearstar.run.trainer import Trainer
from nearstar.run.workers import Job, Workers
from nearstar.train import Trained

LOOK_UP = 0.2
"""Seconds after which a pressed Ctrl-C is noticed at the latest."""


class OutOfTime(Exception):  # noqa: N818 (an outcome, not an error)
    """No time is left, and the next result is not there."""


class Pool:
    """Workers at work for a run; a context that ends with all that they do for it."""

    def __init__(self, workers: Workers, trainer: Trainer) -> None:
        self._workers = workers
        self._trainer = trainer
        # One for all: to set it is a single step, which no second Ctrl-C can cut in two.
        self._stop = Stop()
        self._presses = Presses(self._stop)
        self._futures: Sequence[Future[Trained]] = ()
        """Of the latest jobs; all before are done."""

    def in_order(self, jobs: Sequence[Job], left: Callable[[], float]) -> Iterator[Trained]:
        """The results, each as soon as it and all before it are there; what a job raises is raised.

        When no seconds are ``left``, results that are there still come; then OutOfTime is raised.
        """
        futures = self._futures = [self._workers.submit(job, left()) for job in jobs]
        for future in futures:
            if not self._done(future, left):
                raise OutOfTime
            self._presses.check()  # jobs that were stopped by it have no results
            try:
                yield future.result()
            except Stopped:  # elsewhere, by a clock that is a little ahead
                raise OutOfTime from None

    def _done(self, future: Future[Trained], left: Callable[[], float]) -> bool:
        """Wait for a job, as long as time is left and Ctrl-C is not pressed; whether it is done."""
        while not future.done():
            self._presses.check()
            if (seconds := left()) <= 0:
                return False
            wait([future], min(seconds, LOOK_UP))
        return True

    def __enter__(self) -> Pool:
        self._workers.begin(self._trainer, self._stop)
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
                self._workers.cancel()
                while self._presses.count <= patient and (working := self._working()):
                    wait(working, LOOK_UP)
                if self._presses.count <= patient:
                    self._workers.end()
        finally:
            self._presses.__exit__()
        if kind is None:
            self._presses.check()

    def _working(self) -> list[Future[Trained]]:
        """Jobs that are under way, and see the stop."""
        return [each for each in self._futures if self._workers.near and not each.done()]


def available_cores() -> int:
    """Processor cores that this process may use."""
    count: Callable[[], int | None] | None = getattr(os, "process_cpu_count", None)
    if count is not None:
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
