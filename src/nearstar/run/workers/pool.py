"""Workers at work for a run, until it ends, time is over, or Ctrl-C is pressed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress

from nearstar.run.requests import Request
from nearstar.run.trainer import Trainer
from nearstar.run.workers.threads import Workers
from nearstar.training.train import Trained
from nearstar.util.interrupt import Presses, Stop, Stopped

LOOK_UP = 0.2
"""Seconds after which a pressed Ctrl-C is noticed at the latest."""


class OutOfTime(Exception):  # noqa: N818 (an outcome, not an error)
    """No time is left, and the next result is not there."""


class Pool:
    """Workers at work for a run; a context that ends with all that they do for it."""

    def __init__(self, workers: Workers, trainer: Trainer, ended: Stop | None = None) -> None:
        """``ended`` may be set by another thread, and is then taken as Ctrl-C is."""
        self._workers = workers
        self._trainer = trainer
        self._ended = ended
        self._stop = Stop()
        self._presses = Presses(self._stop)
        self._under_way: list[Future[Trained]] = []

    def submit(self, request: Request, left: float) -> Future[Trained]:
        """Train as soon as a worker is free; ``left`` are seconds until it is useless."""
        future = self._workers.submit(request, left)
        self._under_way = [*self._unfinished(), future]
        return future

    def make_room(self, trainings: int, idle: Sequence[Future[Trained]]) -> list[Future[Trained]]:
        """Have workers free for so many trainings, by dropping what they do only to be not idle.

        Returns what was dropped: the latest first, and no more than is needed.
        """
        unfinished = [each for each in idle if not each.done()]
        surplus = len(self._unfinished()) + trainings - self._workers.size
        dropped = unfinished[::-1][: max(surplus, 0)]
        for each in dropped:
            self._workers.drop(each)
        return dropped

    def result(
        self, future: Future[Trained], left: Callable[[], float], go_ahead: Callable[[], bool]
    ) -> Trained:
        """The result of a training, as soon as it is there; what it raises is raised.

        When no seconds are ``left``, and it is not there, OutOfTime is raised. Where workers would
        be idle meanwhile, ``go_ahead`` is called, which submits another request, or returns False
        if there is none.
        """
        while not future.done():
            self._check()
            if (seconds := left()) <= 0:
                raise OutOfTime
            while self._has_room() and go_ahead():
                pass
            wait(self._unfinished(), min(seconds, LOOK_UP), FIRST_COMPLETED)
        self._check()  # what was stopped by it has no result
        try:
            return future.result()
        except Stopped:  # elsewhere, by a clock that is a little ahead
            raise OutOfTime from None

    def _check(self) -> None:
        """Raise KeyboardInterrupt if the run is to end."""
        self._presses.check()
        if self._ended is not None and self._ended.is_set:
            raise KeyboardInterrupt

    def _has_room(self) -> bool:
        """Whether one of several workers would be idle, now or until the next requests come."""
        return self._workers.drops and len(self._unfinished()) <= self._workers.size > 1

    def _unfinished(self) -> list[Future[Trained]]:
        return [each for each in self._under_way if not each.done()]

    def __enter__(self) -> Pool:
        self._workers.begin(self._trainer, self._stop)
        self._presses.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop.set()
        # One press may be why it ends. Another one ends the waiting: all have been told to end.
        patient = min(self._presses.count, 1)
        try:
            with suppress(KeyboardInterrupt):
                self._workers.cancel()
                # Those who are elsewhere see no stop, and are not waited for.
                while self._presses.count <= patient and self._workers.near and self._unfinished():
                    wait(self._unfinished(), LOOK_UP)
                if self._presses.count <= patient:
                    self._workers.end()
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
