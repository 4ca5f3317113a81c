"""Training on any executor of Python's ``concurrent.futures``, such as a pool of processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import socket
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from nearstar.run.requests import Arguments, Request
from nearstar.run.trainer import Trainer
from nearstar.run.workers.remote import RemoteWorkers, train_with_deadline
from nearstar.training.train import Trained
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop

_HERE: dict[tuple[int, str], tuple[Trainer, Stop]] = {}
"""Runs that this process drives, by its id: an executor may well do its work here. A process that
is forked has the entry, too, but would never hear of the stop."""


class ExecutorWorkers(RemoteWorkers):
    """The workers of an executor. The data go to them in a file, which each process reads once.

    That the file is gone tells them that the run is over.
    """

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor
        self._folder: TemporaryDirectory[str] | None = None

    @property
    def near(self) -> bool:  # type: ignore[override]
        return isinstance(self._executor, ThreadPoolExecutor)

    @property
    def size(self) -> int:
        return int(getattr(self._executor, "_max_workers", 1))

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        super().begin(trainer, stop)
        self._folder = TemporaryDirectory(prefix="nearstar-")
        self._path = str(Path(self._folder.name) / "trainer")
        with open(self._path, "wb") as file:
            pickle.dump(trainer, file)
        _HERE[os.getpid(), self._path] = trainer, stop

    def send(self, request: Request, left: float) -> Future[Trained]:
        try:
            return self._executor.submit(_train, self._path, request.arguments, left)
        except RuntimeError as problem:
            raise _useless(problem) from problem

    def received(self, sent: Future[Trained]) -> Trained:
        try:
            return sent.result()
        except BrokenExecutor as problem:
            raise _useless(problem) from problem

    def end(self) -> None:
        super().end()
        if self._folder is not None:
            _HERE.pop((os.getpid(), self._path), None)
            self._folder.cleanup()
            self._folder = None


def _useless(problem: RuntimeError) -> NearstarError:
    return NearstarError(
        f"the executor takes no more work ({str(problem).rstrip('.')}). Give another one: a run in "
        "a folder goes on with what is trained already"
    )


def _train(path: str, arguments: Arguments, left: float) -> Trained:
    """Train, where the worker is."""
    if (os.getpid(), path) in _HERE:
        trainer, stop = _HERE[os.getpid(), path]
        return train_with_deadline(trainer, arguments, left, stop=stop)

    def given_up() -> bool:
        parent = multiprocessing.parent_process()
        return not os.path.exists(path) or (parent is not None and not parent.is_alive())

    return train_with_deadline(_trainer_in(path), arguments, left, given_up)


@lru_cache(maxsize=1)
def _trainer_in(path: str) -> Trainer:
    try:
        trainer: Trainer = pickle.loads(Path(path).read_bytes())
    except FileNotFoundError:
        raise NearstarError(
            f"a worker of the executor on {socket.gethostname()} cannot read {path}: an executor "
            "must work on this machine; for others, give a cluster"
        ) from None
    return trainer
