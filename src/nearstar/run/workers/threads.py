"""Where programs are trained: on threads here, or elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from nearstar.language.program import Program
from nearstar.run.trainer import Trainer
from nearstar.training.train import Trained
from nearstar.util.interrupt import Stop, Stopped


@dataclass(frozen=True, eq=False)
class Job:
    """A program to train, and what to do with the answer as soon as it is there."""

    program: Program
    start: Trained | None
    goal: float | None
    keep: Callable[[Trained], None]
    """Called once, in any thread, before the future has the result."""


class Workers(Protocol):
    """Those who train, for one run at a time: ``begin``, then ``submit`` any number of jobs."""

    @property
    def size(self) -> int:
        """Programs that they train at a time."""

    @property
    def near(self) -> bool:
        """Whether they see a stop at once, so that one can wait for them to end."""

    @property
    def drops(self) -> bool:
        """Whether a job that is dropped ends soon, so that one can try one's luck with it."""

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        """Get ready for a run. Once the stop is set, no job is begun any more."""

    def submit(self, job: Job, left: float) -> Future[Trained]:
        """Begin a job when somebody is free; ``left`` are the seconds after which it is useless."""

    def drop(self, future: Future[Trained]) -> None:
        """End a job whose answer is not wanted any more; does not wait."""

    def cancel(self) -> None:
        """Begin no more jobs, and drop all that are under way; does not wait."""

    def end(self) -> None:
        """Give back what ``begin`` took, when all jobs have ended or are given up."""


class Threads:
    """Threads of this process."""

    near = drops = True

    def __init__(self, size: int) -> None:
        self.size = size

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        self._trainer = trainer
        self._stop = stop
        self._executor = ThreadPoolExecutor(self.size, thread_name_prefix="nearstar")
        self._stops: dict[Future[Trained], Stop] = {}

    def submit(self, job: Job, left: float) -> Future[Trained]:
        stop = Stop()
        future = self._executor.submit(self._do, job, stop)
        self._stops[future] = stop
        future.add_done_callback(self._stops.pop)
        return future

    def _do(self, job: Job, stop: Stop) -> Trained:
        if self._stop.flag[0]:
            raise Stopped
        trained = self._trainer.train(job.program, job.start, job.goal, stop)
        job.keep(trained)
        return trained

    def drop(self, future: Future[Trained]) -> None:
        future.cancel()
        if stop := self._stops.get(future):
            stop.set()

    def cancel(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        for stop in list(self._stops.values()):
            stop.set()

    def end(self) -> None:
        self._executor.shutdown()
