"""Where programs are trained: on threads here, or elsewhere."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from nearstar.run.requests import Request
from nearstar.run.trainer import Trainer
from nearstar.training.train import Trained
from nearstar.util.interrupt import Stop, Stopped


class Workers(Protocol):
    """Those who train, for one run at a time: ``begin``, then ``submit`` any number of requests."""

    @property
    def size(self) -> int:
        """Programs that they train at a time."""

    @property
    def near(self) -> bool:
        """Whether they see a stop at once, so that one can wait for them to end."""

    @property
    def drops(self) -> bool:
        """Whether a training that is dropped ends soon, so that one can try one's luck with it."""

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        """Get ready for a run. Once the stop is set, no training is begun any more."""

    def submit(self, request: Request, left: float) -> Future[Trained]:
        """Train when somebody is free; ``left`` are the seconds after which it is useless."""

    def drop(self, future: Future[Trained]) -> None:
        """End a training that is not wanted any more; does not wait."""

    def cancel(self) -> None:
        """Begin no more trainings, and drop all that are under way; does not wait."""

    def end(self) -> None:
        """Give back what ``begin`` took, when all trainings have ended or are given up."""


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

    def submit(self, request: Request, left: float) -> Future[Trained]:
        stop = Stop()
        future = self._executor.submit(self._train, request, stop)
        self._stops[future] = stop
        future.add_done_callback(self._stops.pop)
        return future

    def _train(self, request: Request, stop: Stop) -> Trained:
        if self._stop.is_set:
            raise Stopped
        trained = self._trainer.train(*request.arguments, stop)
        request.keep(trained)
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
