"""Training in other processes or on other machines: sending jobs, and again if one gets lost."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from nearstar.run.trainer import Trainer
from nearstar.run.workers.threads import Job
from nearstar.training.train import Trained
from nearstar.util.interrupt import Stop, Stopped

TRIES = 3
"""Times that a job is begun, if its workers get lost."""


class Lost(Exception):  # noqa: N818 (an outcome, not an error)
    """A worker got lost or could not do its work, and another one may."""


class Sent(Protocol):
    """A future of any library: a job that is under way."""

    def add_done_callback(self, function: Callable[[Any], object], /) -> Any: ...

    def result(self) -> Any: ...

    def cancel(self) -> Any: ...


@dataclass(eq=False)
class _Errand:
    """A job and what has become of it so far."""

    job: Job
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
        return self.dropped or bool(self.stop.flag[0])


class Elsewhere(ABC):
    """Workers that are reached by sending them jobs; how, is said by those who inherit this.

    A job whose worker gets lost is sent again. When workers die, those who died of a job cannot be
    told from those who only had it; so its last try is made when nothing else is under way.
    """

    near = drops = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[_Errand, Sent | None] = {}
        self._last_tries: deque[_Errand] = deque()
        self._tries_last = False

    @property
    @abstractmethod
    def size(self) -> int:
        """Programs that they train at a time."""

    @abstractmethod
    def send(self, job: Job, left: float) -> Sent:
        """Have a job done somewhere."""

    @abstractmethod
    def received(self, sent: Any) -> Trained:
        """What came back; raises Lost if it is worth another try."""

    def recall(self, sent: Iterable[Sent]) -> None:
        """Let the workers know that these are of no use any more; does not wait."""
        for each in sent:
            each.cancel()

    def begin(self, trainer: Trainer, stop: Stop) -> None:
        self._trainer = trainer
        self._stop = stop

    def submit(self, job: Job, left: float) -> Future[Trained]:
        errand = _Errand(job, self._stop, time.monotonic() + left, Future())
        errand.future.set_running_or_notify_cancel()
        with self._lock:
            self._under_way[errand] = None
        self._send(errand)
        return errand.future

    def _send(self, errand: _Errand) -> None:
        """Send what is noted as under way. Never raises: in a callback, nobody would see it."""
        try:
            if errand.over:
                raise Stopped
            errand.tries += 1
            sent = self.send(errand.job, errand.left)
            with self._lock:
                self._under_way[errand] = sent
            if errand.over:  # and perhaps all others were recalled already
                self.recall([sent])
            sent.add_done_callback(partial(self._take, errand))
        except BaseException as problem:
            self._done(errand)
            errand.future.set_exception(problem)

    def _take(self, errand: _Errand, sent: Sent) -> None:
        """Pass on what came back, or have it tried again. Never raises."""
        try:
            trained = self._trained(errand, sent)
            if trained is None:
                self._again(errand)
                return
            # Its copies of what all answers share would fill the memory.
            trained = replace(
                trained,
                program=errand.job.program,
                scale=self._trainer.task.scale,
                units=self._trainer.budget.units,
            )
            with self._lock:
                if errand.over:  # the run may be, too, and its journal may be closed
                    raise Stopped
                errand.job.keep(trained)
        except BaseException as problem:
            self._done(errand)
            errand.future.set_exception(problem)
        else:
            self._done(errand)
            errand.future.set_result(trained)

    def _trained(self, errand: _Errand, sent: Sent) -> Trained | None:
        """The answer, or what stands for it after the last try; None if there is another one."""
        try:
            try:
                return self.received(sent)
            except Stopped:
                if errand.left <= 0 or errand.over:
                    raise
                raise Lost("it was given up by its worker") from None
        except Lost as problem:
            if errand.tries < TRIES:
                return None
            reason = f"{problem}, at the last of {TRIES} tries"
            return self._trainer.failed(errand.job.program, reason)

    def _again(self, errand: _Errand) -> None:
        if errand.tries < TRIES - 1:
            self._send(errand)
            return
        with self._lock:
            self._last_tries.append(errand)
        self._done(errand)

    def _done(self, errand: _Errand) -> None:
        """Note that nobody has it in hand; if so with all, make the last tries, one by one."""
        with self._lock:
            self._under_way.pop(errand, None)
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
            for errand in (*self._under_way, *self._last_tries):
                errand.dropped = errand.dropped or errand.future is future
            under_way = [
                sent for errand, sent in self._under_way.items() if errand.dropped and sent
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
