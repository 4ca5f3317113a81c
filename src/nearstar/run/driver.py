"""Driving a search: what it asks for is trained by workers, within limits, and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from nearstar.run.events import Finished, Listener, Started
from nearstar.run.limits import Limits
from nearstar.run.recorder import Recorder
from nearstar.run.requests import Requests
from nearstar.run.results.audit import (
    audit_completions,
    audit_search,
    random_completions,
    unfinished,
)
from nearstar.run.results.result import Ended, Result
from nearstar.run.rounds import Rounds
from nearstar.run.store.trainings import Memory, NoMemory, RunMemory, Trainings
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.run.workers.pool import OutOfTime, Pool
from nearstar.run.workers.threads import Threads, Workers
from nearstar.search.protocol import Ask, Score, Search
from nearstar.search.space import Space
from nearstar.training.train import Trained
from nearstar.util.garbage import collection_paused
from nearstar.util.interrupt import Stop
from nearstar.util.linear_algebra import on_one_thread


class _Ending(NamedTuple):
    reason: Ended
    bound: float | None


def drive(
    search: Search,
    trainer: Trainer,
    space: Space,
    *,
    limits: Limits | None = None,
    workers: Workers | None = None,
    listeners: Sequence[Listener] = (),
    memory: Memory | None = None,
    caches: Sequence[Trainings] = (),
    given: Trained | None = None,
    relaxed: bool = False,
    keep: bool = False,
    samples: int = 0,
    algorithm: str = "",
    stop: Stop | None = None,
) -> Result:
    """Train what the search asks for until it ends, a limit is reached, or Ctrl-C is pressed.

    The result does not depend on the workers (one thread unless others are given): programs are
    taken in the order asked, and of a round that is cut short only those before the first one
    missing.

    What is in the ``memory`` is not trained again, but counts as if it were, so that the result is
    the same; what is trained is added to it, and so is what other runs know, the ``caches``.
    ``given`` is an answer from the beginning on. In a ``relaxed`` run programs with holes are
    answers too. ``keep`` all trainings, for searches that start others from them. ``samples``:
    when the search has ended, random completions of so many nodes that it left unfinished are
    trained for the audit, beyond all limits. They are programs like all others: one that is better
    than the best becomes the best. ``algorithm`` is the search's name, for the result. ``stop``
    ends it from another thread, as Ctrl-C does.
    """
    limits = Limits() if limits is None else limits
    workers = Threads(1) if workers is None else workers
    if memory is None:
        memory = RunMemory() if keep else NoMemory()
    recorder = Recorder(space, listeners, relaxed=relaxed)
    recorder.tell(Started(limits, workers.size))
    if given is not None:
        recorder.give(given)
    requests = Requests(memory, caches, given, keep)
    driver = _Driver(trainer, workers, requests, recorder, stop)
    ended, bound = driver.run(search, limits)
    seconds = requests.clock.seconds
    audit = pruned = None
    evaluations = recorder.taken()
    try:
        audit = audit_search(evaluations)
        if samples and ended != "interrupted":
            recorder.kind = "completion"
            left = unfinished(recorder.nodes, evaluations)
            completions = random_completions(space, left, samples, trainer.seed, bound)
            if driver.run(completions, Limits(), counts=False).reason == "interrupted":
                ended = "interrupted"
            seconds = requests.clock.seconds
            evaluations = recorder.taken()
            pruned = audit_completions(evaluations)
    except KeyboardInterrupt:  # What the search found must not be lost to a second Ctrl-C.
        ended = "interrupted"
        evaluations = recorder.taken()
    memory.seconds = seconds
    front = recorder.front()
    result = Result(
        best=front.best,
        front=front,
        trace=tuple(recorder.trace),
        evaluations=tuple(evaluations),
        bound=bound,
        ended=ended,
        limits=limits,
        trained=recorder.trained,
        rounds=recorder.rounds,
        seconds=seconds,
        engine_seconds=recorder.engine_seconds,
        algorithm=algorithm,
        audit=audit,
        pruned=pruned,
    )
    recorder.tell(Finished(result))
    return result


@dataclass(frozen=True, eq=False)
class _Driver:
    """Drives searches of one run."""

    trainer: Trainer
    workers: Workers
    requests: Requests
    recorder: Recorder
    stop: Stop | None

    def run(self, search: Search, limits: Limits, *, counts: bool = True) -> _Ending:
        """Drive a search to its end; the bound is the one that holds for all that is unexplored.

        Rounds are told of where the search ``counts`` as that of the run: the next process that
        resumes it goes through them again.
        """
        try:
            compile_engine()  # before the clock starts
            with on_one_thread(), Pool(self.workers, self.trainer, self.stop) as pool:
                return self._answer(search, limits, pool, counts)
        except KeyboardInterrupt:
            return _Ending("interrupted", self.recorder.bound)
        finally:
            search.close()

    def _answer(self, search: Search, limits: Limits, pool: Pool, counts: bool) -> _Ending:
        with ExitStack() as until_training:
            until_training.enter_context(collection_paused())
            rounds = Rounds(self.requests, self.recorder, pool, limits, until_training.close)
            ask = _next(search, None)
            while isinstance(ask, Ask):
                self.recorder.bound = ask.bound
                if self.recorder.rounds == limits.rounds:
                    return _Ending("rounds", ask.bound)
                try:
                    scores = rounds.answer(ask)
                except OutOfTime:
                    return _Ending("time", ask.bound)
                if scores is None:
                    return _Ending("trainings", ask.bound)
                answered, ask = ask, _next(search, scores)
                if counts:
                    self.recorder.end_round(answered)
            return ask


def _next(search: Search, scores: Sequence[Score] | None) -> Ask | _Ending:
    try:
        return next(search) if scores is None else search.send(scores)
    except StopIteration as end:
        return _Ending("finished" if end.value is None else "exhausted", end.value)
