"""Training on any executor of Python's ``concurrent.futures``, such as a pool of processes."""

from __future__ import annotations

import pickle
import socket
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from nearstar.errors import NearstarError
from nearstar.interrupt import Stop
from nearstar.program import Program
from nearstar.run.elsewhere import Elsewhere
from nearstar.run.trainer import Trainer
from nearstar.run.watched import train_watched
from nearstar.run.workers import Job
from nearstar.train import Trained

_HERE: dict[str, tuple[Trainer, Stop]] = {}
"""Runs that this process drives: an executor may well do its work here."""


class OnExecutor(Elsewhere):
    """The workers of an executor. The data go to them in a file, which each process reads once."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    @property
    def near(self) -> bool:  # type: ignore[override]
        return isinstance(self._executor, ThreadPoolExecutor)

    @property
    def size(self) -> int:
        return int(getattr(self._executor, "_max_workers", 1))

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        super().begin(trainer, stop)
        self._folder = TemporaryDirectory(prefix="nearstar-")
        self._place = str(Path(self._folder.name) / "trainer")
        Path(self._place).write_bytes(pickle.dumps(trainer))
        _HERE[self._place] = trainer, stop

    def send(self, job: Job, left: float) -> Future[Trained]:
        try:
            return self._executor.submit(
                _train, self._place, job.program, job.start, job.goal, left
            )
        except (BrokenExecutor, RuntimeError) as problem:
            raise NearstarError(
                f"the executor takes no more work: {problem}. What is trained is kept if the run "
                "has a folder: resume it with another executor"
            ) from None

    def end(self) -> None:
        super().end()
        _HERE.pop(self._place, None)
        self._folder.cleanup()


def _train(
    place: str, program: Program, start: Trained | None, goal: float | None, left: float
) -> Trained:
    """The job, where the worker is."""
    if place in _HERE:
        trainer, stop = _HERE[place]
        return trainer.train(program, start, goal, stop)
    return train_watched(_trainer_in(place), program, start, goal, left)


@lru_cache(maxsize=1)
def _trainer_in(place: str) -> Trainer:
    try:
        trainer: Trainer = pickle.loads(Path(place).read_bytes())
    except FileNotFoundError:
        raise NearstarError(
            f"a worker of the executor on {socket.gethostname()} cannot read {place}: an executor "
            "must work on this machine; for others, give a cluster"
        ) from None
    return trainer
