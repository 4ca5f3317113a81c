"""Driving a search: what it asks for is trained by workers, within limits, and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from nearstar.run.collecting import nothing_to_collect
from nearstar.run.events import Finished, Listener, Started
from nearstar.run.limits import Limits
from nearstar.run.results.audit import (
    audit_completions,
    audit_search,
    random_completions,
    unfinished,
)
from nearstar.run.results.evaluation import Candidate
from nearstar.run.results.record import Record
from nearstar.run.results.result import Ended, Result
from nearstar.run.rounds import Rounds
from nearstar.run.store.known import Known
from nearstar.run.store.memory import Answers, Forgetful, Memory, RunMemory
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.run.workers.pool import OutOfTime, Pool
from nearstar.run.workers.threads import Threads, Workers
from nearstar.search.protocol import Ask, Score, Search
from nearstar.search.space import Space
from nearstar.training.train import Trained
from nearstar.util.interrupt import Stop


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
    caches: Sequence[Answers] = (),
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
    answers too. ``keep`` all answers, for searches that start trainings from others. ``samples``:
    when the search has ended, random completions of so many nodes that it left unfinished are
    trained for the audit, beyond all limits. They are programs like all others: one that is better
    than the best becomes the best. ``algorithm`` is the search's name, for the result. ``stop``
    ends it from another thread, as Ctrl-C does.
    """
    limits = Limits() if limits is None else limits
    workers = Threads(1) if workers is None else workers
    if memory is None:
        memory = RunMemory() if keep else Forgetful()
    record = Record(space, listeners, relaxed=relaxed)
    record.tell(Started(limits, workers.size))
    if given is not None:
        record.give(given)
    known = Known(memory, caches, given, keep)
    driver = _Driver(trainer, workers, known, record, stop)
    ended, bound = driver.run(search, limits)
    seconds = known.clock.seconds
    audit = pruned = None
    evaluations = record.taken()
    try:
        audit = audit_search(evaluations)
        if samples and ended != "interrupted":
            first, left = len(evaluations), unfinished(record.nodes, evaluations)
            completions = random_completions(space, left, samples, trainer.seed, bound)
            if driver.run(completions, Limits(), counts=False).reason == "interrupted":
                ended = "interrupted"
            seconds = known.clock.seconds
            evaluations = record.taken()
            pruned = audit_completions(evaluations, first)
    except KeyboardInterrupt:  # What the search found must not be lost to a second Ctrl-C.
        ended = "interrupted"
        evaluations = record.taken()
    memory.seconds = seconds
    front = record.front()
    result = Result(
        best=min(front, key=_rank, default=None),
        front=front,
        trace=tuple(record.trace),
        evaluations=tuple(evaluations),
        bound=bound,
        ended=ended,
        limits=limits,
        trained=record.trained,
        rounds=record.rounds,
        seconds=seconds,
        engine_seconds=record.engine_seconds,
        algorithm=algorithm,
        audit=audit,
        pruned=pruned,
    )
    record.tell(Finished(result))
    return result


def _rank(candidate: Candidate) -> tuple[float, ...]:
    return candidate.evaluation.rank


class _Driver:
    """Drives searches of one run."""

    def __init__(
        self,
        trainer: Trainer,
        workers: Workers,
        known: Known,
        record: Record,
        stop: Stop | None,
    ) -> None:
        self.trainer = trainer
        self.stop = stop
        self.workers = workers
        self.known = known
        self.record = record

    def run(self, search: Search, limits: Limits, *, counts: bool = True) -> _Ending:
        """Drive a search to its end; the bound is the one that holds for all that is unexplored.

        Rounds are told of where the search ``counts`` as that of the run: the next process that
        resumes it goes through them again.
        """
        try:
            compile_engine()  # before the clock starts
            with Pool(self.workers, self.trainer, self.stop) as pool:
                return self._answer(search, limits, pool, counts)
        except KeyboardInterrupt:
            return _Ending("interrupted", self.record.bound)
        finally:
            search.close()

    def _answer(self, search: Search, limits: Limits, pool: Pool, counts: bool) -> _Ending:
        with ExitStack() as until_training:
            until_training.enter_context(nothing_to_collect())
            rounds = Rounds(self.known, self.record, pool, limits, until_training.close)
            ask = _next(search, None)
            while isinstance(ask, Ask):
                self.record.bound = ask.bound
                if self.record.rounds == limits.rounds:
                    return _Ending("rounds", ask.bound)
                try:
                    scores = rounds.answer(ask)
                except OutOfTime:
                    return _Ending("time", ask.bound)
                if scores is None:
                    return _Ending("trainings", ask.bound)
                answered, ask = ask, _next(search, scores)
                if counts:
                    self.record.end_round(answered)
            return ask


def _next(search: Search, scores: Sequence[Score] | None) -> Ask | _Ending:
    try:
        return next(search) if scores is None else search.send(scores)
    except StopIteration as end:
        return _Ending("finished" if end.value is None else "exhausted", end.value)
