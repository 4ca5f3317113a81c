"""Driving a search: what it asks for is trained on threads, within limits, and recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from nearstar.interrupt import Stop
from nearstar.run.audit import audit_completions, audit_search, random_completions, unfinished
from nearstar.run.evaluation import Candidate
from nearstar.run.events import Finished, Listener, Started
from nearstar.run.limits import Limits
from nearstar.run.memory import Memory, Question
from nearstar.run.pool import OutOfTime, Pool
from nearstar.run.record import Record
from nearstar.run.result import Ended, Result
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.search.protocol import Ask, Node, Score, Search
from nearstar.search.space import Space
from nearstar.train import Trained


class _Ending(NamedTuple):
    reason: Ended
    bound: float | None


def drive(
    search: Search,
    trainer: Trainer,
    space: Space,
    *,
    limits: Limits | None = None,
    workers: int = 1,
    listeners: Sequence[Listener] = (),
    memory: Memory | None = None,
    given: Trained | None = None,
    relaxed: bool = False,
    keep: bool = False,
    samples: int = 0,
) -> Result:
    """Train what the search asks for until it ends, a limit is reached, or Ctrl-C is pressed.

    The result does not depend on the number of workers: programs are taken in the order asked, and
    of a round that is cut short only those before the first one missing.

    What is in the ``memory`` is not trained again, but counts as if it were, so that the result is
    the same; what is trained is added to it. ``given`` is an answer from the beginning on. In a
    ``relaxed`` run programs with holes are answers too. ``keep`` all parameters for searches that
    start trainings from others. ``samples``: when the search has ended, random completions of so
    many nodes that it left unfinished are trained for the audit, beyond all limits. They are
    programs like all others: one that is better than the best becomes the best.
    """
    limits = Limits() if limits is None else limits
    record = Record(space, listeners, relaxed=relaxed, keep=keep)
    record.tell(Started(limits, workers))
    if given is not None:
        record.give(given)
    driver = _Driver(trainer, record, workers, {} if memory is None else memory, given)
    ended, bound = driver.run(search, limits)
    seconds = record.seconds
    audit = pruned = None
    try:
        audit = audit_search(record.taken())
        if samples and ended != "interrupted":
            first, left = len(record.evaluations), unfinished(record.nodes, record.taken())
            completions = random_completions(space, left, samples, trainer.seed, bound)
            if driver.run(completions, Limits()).reason == "interrupted":
                ended = "interrupted"
            seconds = record.seconds
            pruned = audit_completions(record.taken(), first)
    except KeyboardInterrupt:  # What the search found must not be lost to a second Ctrl-C.
        ended = "interrupted"
    front = record.front()
    result = Result(
        best=min(front, key=_rank, default=None),
        front=front,
        trace=tuple(record.trace),
        evaluations=tuple(record.taken()),
        bound=bound,
        ended=ended,
        limits=limits,
        trained=record.trained,
        rounds=record.rounds,
        seconds=seconds,
        engine_seconds=record.engine_seconds,
        audit=audit,
        pruned=pruned,
    )
    record.tell(Finished(result))
    return result


def _rank(candidate: Candidate) -> tuple[float, ...]:
    return candidate.evaluation.rank


class _Driver:
    """Answers what a search asks."""

    def __init__(
        self,
        trainer: Trainer,
        record: Record,
        workers: int,
        memory: Memory,
        given: Trained | None,
    ) -> None:
        self.trainer = trainer
        self.record = record
        self.workers = workers
        self.memory = memory
        self.given = given

    def run(self, search: Search, limits: Limits) -> _Ending:
        """Drive a search to its end; the bound is the one that holds for all that is unexplored."""
        try:
            compile_engine()  # before the clock starts
            self.record.start_clock()
            with Pool(self.workers) as pool:
                return self._answer(search, limits, pool)
        except KeyboardInterrupt:
            return _Ending("interrupted", self.record.bound)
        finally:
            search.close()

    def _answer(self, search: Search, limits: Limits, pool: Pool) -> _Ending:
        deadline = self.record.deadline(limits.seconds)
        ask = _next(search, None)
        while isinstance(ask, Ask):
            self.record.bound = ask.bound
            if self.record.rounds == limits.rounds:
                return _Ending("rounds", ask.bound)
            nodes = self._affordable(ask.nodes, limits)
            try:
                scores = self._scores(nodes, pool, deadline, limits.engine_seconds)
            except OutOfTime:
                return _Ending("time", ask.bound)
            if len(nodes) < len(ask.nodes):
                return _Ending("trainings", ask.bound)
            self.record.end_round(ask)
            ask = _next(search, scores)
        return ask

    def _affordable(self, nodes: Sequence[Node], limits: Limits) -> list[Node]:
        """The nodes, in order, before the first that would be a training too many."""
        affordable: list[Node] = []
        trained = self.record.trained
        for node in nodes:
            if not self._is_given(node):
                if trained == limits.trainings:
                    break
                trained += 1
            affordable.append(node)
        return affordable

    def _scores(
        self, nodes: Sequence[Node], pool: Pool, deadline: float | None, most: float | None
    ) -> list[Score]:
        """Train programs side by side, and take the results in order, while time is left."""
        jobs = [self._job(node) for node in nodes]
        results = pool.in_order(jobs, deadline)
        scores: list[Score] = []
        for node in nodes:
            if most is not None and self.record.engine_seconds >= most:
                raise OutOfTime
            trained = next(results)
            given = self._is_given(node)
            self.record.add(node, trained, counted=not given)
            if not given:
                self.memory[Question.of(node)] = trained
            scores.append(Score(trained.error, trained.diverged))
        return scores

    def _job(self, node: Node) -> Callable[[Stop], Trained]:
        answer = self.given if self._is_given(node) else self.memory.get(Question.of(node))
        if answer is not None:
            return lambda stop: answer
        start = self.record.start_for(node)
        return partial(self.trainer.train, node.program, start, node.goal)

    def _is_given(self, node: Node) -> bool:
        return self.given is not None and node.program == self.given.program


def _next(search: Search, scores: Sequence[Score] | None) -> Ask | _Ending:
    try:
        return next(search) if scores is None else search.send(scores)
    except StopIteration as end:
        return _Ending("finished" if end.value is None else "exhausted", end.value)
