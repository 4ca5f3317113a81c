"""Training in other processes or on other machines, again where a worker gets lost."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from nearstar.run.requests import Arguments, Request
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.training.train import Trained
from nearstar.util.interrupt import Stop, Stopped

TRIES = 3
"""Times that a training is begun, if its workers get lost."""
LOOK_UP = 0.2
"""Seconds between two looks at whether a training is still of use."""


class WorkerLostError(Exception):
    """A worker got lost or could not do its work, and another one may."""


class Sent(Protocol):
    """A future of any library: a training that is under way."""

    def add_done_callback(self, function: Callable[[Any], object], /) -> Any: ...

    def result(self) -> Any: ...

    def cancel(self) -> Any: ...


@dataclass(eq=False)
class _Submission:
    """A request and what has become of it so far."""

    request: Request
    stop: Stop
    end: float
    """When it is useless, on the clock that never goes back."""
    future: Future[Trained]
    tries: int = 0
    dropped: bool = False

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    @property
    def over(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.dropped or self.stop.is_set


class RemoteWorkers(ABC):
    """Workers that are reached by sending them requests; how, is said by those who inherit this.

    A request whose worker gets lost is sent again. When workers die, those who died of a training
    cannot be told from those who only had it; so its last try is made when nothing else is under
    way.
    """

    near = drops = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[_Submission, Sent | None] = {}
        self._last_tries: deque[_Submission] = deque()
        self._tries_last = False

    @property
    @abstractmethod
    def size(self) -> int:
        """Programs that they train at a time."""

    @abstractmethod
    def send(self, request: Request, left: float) -> Sent:
        """Have a program trained somewhere."""

    @abstractmethod
    def received(self, sent: Any) -> Trained:
        """What came back; raises WorkerLostError if it is worth another try. So are errors of the
        system, and what was cancelled by others."""

    def recall(self, sent: Iterable[Sent]) -> None:
        """Let the workers know that these are of no use any more; does not wait."""
        for each in sent:
            each.cancel()

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        self._trainer = trainer
        self._stop = stop

    def submit(self, request: Request, left: float) -> Future[Trained]:
        submission = _Submission(request, self._stop, time.monotonic() + left, Future())
        submission.future.set_running_or_notify_cancel()
        with self._lock:
            self._under_way[submission] = None
        self._send(submission)
        return submission.future

    def _send(self, submission: _Submission) -> None:
        """Send what is noted as under way. Never raises: in a callback, nobody would see it."""
        try:
            if submission.over:
                raise Stopped
            submission.tries += 1
            sent = self.send(submission.request, submission.left)
            with self._lock:
                self._under_way[submission] = sent
            if submission.over:  # and perhaps all others were recalled already
                self.recall([sent])
            sent.add_done_callback(partial(self._take, submission))
        except BaseException as problem:
            self._done(submission)
            submission.future.set_exception(problem)

    def _take(self, submission: _Submission, sent: Sent) -> None:
        """Pass on what came back, or have it tried again. Never raises."""
        try:
            trained = self._trained(submission, sent)
            if trained is None:
                self._again(submission)
                return
            # Its copies of what all trainings share would fill the memory.
            trained = replace(
                trained,
                program=submission.request.program,
                scale=self._trainer.task.scale,
                units=self._trainer.budget.units,
            )
            with self._lock:
                if submission.over:  # the run may be, too, and its journal may be closed
                    raise Stopped
                submission.request.keep(trained)
        except BaseException as problem:
            self._done(submission)
            submission.future.set_exception(problem)
        else:
            self._done(submission)
            submission.future.set_result(trained)

    def _trained(self, submission: _Submission, sent: Sent) -> Trained | None:
        """What was trained, or stands for it after the last try; None if there is another one."""
        try:
            return self.received(sent)
        except Stopped:
            if submission.left <= 0 or submission.over:
                raise
            problem = "it was given up by its worker"
        except WorkerLostError as lost:
            problem = str(lost)
        except (OSError, EOFError, MemoryError, CancelledError) as lost:
            problem = f"{type(lost).__name__}: {lost}"
        if submission.tries < TRIES:
            return None
        reason = f"{problem}, at the last of {TRIES} tries"
        return self._trainer.failed(submission.request.program, reason)

    def _again(self, submission: _Submission) -> None:
        if submission.tries < TRIES - 1:
            self._send(submission)
            return
        with self._lock:
            self._last_tries.append(submission)
        self._done(submission)

    def _done(self, submission: _Submission) -> None:
        """Note that nobody has it in hand; if so with all, make the last tries, one by one."""
        with self._lock:
            self._under_way.pop(submission, None)
        while True:
            with self._lock:
                if self._under_way or self._tries_last or not self._last_tries:
                    return
                last = self._last_tries.popleft()
                self._under_way[last] = None
                self._tries_last = True
            self._send(last)  # which may well be done at once, and so come by here
            with self._lock:
                self._tries_last = False

    def drop(self, future: Future[Trained]) -> None:
        with self._lock:
            for submission in (*self._under_way, *self._last_tries):
                submission.dropped = submission.dropped or submission.future is future
            under_way = [
                sent for submission, sent in self._under_way.items() if submission.dropped and sent
            ]
        self.recall(under_way)

    def cancel(self) -> None:
        with self._lock:  # so what is being kept just now is kept before the run ends
            under_way = [sent for sent in self._under_way.values() if sent is not None]
        self.recall(under_way)

    def end(self) -> None:
        with self._lock:
            self._under_way.clear()
            self._last_tries.clear()


def train_with_deadline(
    trainer: Trainer,
    arguments: Arguments,
    left: float,
    given_up: Callable[[], bool] = lambda: False,
    stop: Stop | None = None,
) -> Trained:
    """Train where nobody else looks at the clock: raises Stopped once no seconds are left, nobody
    waits for it, or it is stopped.
    """
    end = time.monotonic() + left
    compile_engine()
    stop, done = Stop() if stop is None else stop, threading.Event()

    def watch() -> None:
        while not done.wait(min(LOOK_UP, max(end - time.monotonic(), 0.0))):
            if time.monotonic() >= end or given_up():
                stop.set()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return trainer.train(*arguments, stop)
    finally:
        done.set()
