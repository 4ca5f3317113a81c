"""Training in other processes or on other machines: sending jobs, and again if one gets lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from nearstar.interrupt import Stop, Stopped
from nearstar.run.trainer import Trainer
from nearstar.run.workers import Job
from nearstar.train import Trained

RETRIES = 2
"""Times that a job is begun again elsewhere, if its worker is lost."""


class Sent(Protocol):
    """A future of any library: a job that is under way."""

    def add_done_callback(self, function: Callable[[Any], object], /) -> Any: ...

    def result(self) -> Trained: ...

    def cancel(self) -> Any: ...


class Elsewhere(ABC):
    """Workers that are reached by sending them jobs; how, is said by those who inherit this."""

    near = False
    lost: tuple[type[BaseException], ...] = (OSError, EOFError, MemoryError, CancelledError)
    """What shows that a worker is lost or could not do its work, and another one may."""
    hopeless: tuple[type[BaseException], ...] = ()
    """What shows that several workers were lost already."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Programs that they train at a time."""

    @abstractmethod
    def send(self, job: Job, left: float) -> Sent:
        """Have a job done somewhere."""

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        self._trainer = trainer
        self._stop = stop
        self._under_way: dict[Future[Trained], Sent] = {}

    def submit(self, job: Job, left: float) -> Future[Trained]:
        future: Future[Trained] = Future()
        future.set_running_or_notify_cancel()
        self._send(job, left, future, RETRIES)
        return future

    def _send(self, job: Job, left: float, future: Future[Trained], retries: int) -> None:
        if self._stop.flag[0]:
            future.set_exception(Stopped())
            return
        sent = self._under_way[future] = self.send(job, left)
        sent.add_done_callback(partial(self._take, job, left, future, retries))

    def _take(
        self, job: Job, left: float, future: Future[Trained], retries: int, sent: Sent
    ) -> None:
        """Pass on what came back, or begin again; never raises, since nobody would see it."""
        self._under_way.pop(future, None)
        try:
            if self._stop.flag[0]:  # the run is over, and its journal may be closed
                raise Stopped
            try:
                trained = sent.result()
            except Exception as problem:
                if not isinstance(problem, (*self.lost, *self.hopeless)):
                    raise
                if retries and not isinstance(problem, self.hopeless):
                    self._send(job, left, future, retries - 1)
                    return
                trained = self._trainer.failed(job.program, f"{type(problem).__name__}: {problem}")
            # Its copies of what all answers share would fill the memory.
            scale, units = self._trainer.task.scale, self._trainer.budget.units
            trained = replace(trained, program=job.program, scale=scale, units=units)
            job.keep(trained)
            future.set_result(trained)
        except BaseException as problem:
            future.set_exception(problem)

    def cancel(self) -> None:
        for sent in list(self._under_way.values()):
            sent.cancel()

    def end(self) -> None:
        self._under_way.clear()
