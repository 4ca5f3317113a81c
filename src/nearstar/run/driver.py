"""Driving a search: what it asks for is trained by workers, within limits, and recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from nearstar.run.audit import audit_completions, audit_search, random_completions, unfinished
from nearstar.run.clock import Clock
from nearstar.run.evaluation import Candidate
from nearstar.run.events import Finished, Listener, Started
from nearstar.run.limits import Limits
from nearstar.run.memory import Answer, Answers, Forgetful, Key, Memory, Question, RunMemory
from nearstar.run.pool import OutOfTime, Pool
from nearstar.run.record import Record
from nearstar.run.result import Ended, Result
from nearstar.run.trainer import Trainer, compile_engine
from nearstar.run.workers import Job, Threads, Workers
from nearstar.search.protocol import Ask, Node, Score, Search
from nearstar.search.space import Space
from nearstar.train import Trained

FORESEEN = 1000
"""Most programs that were trained without being asked for, and may still be."""


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
    than the best becomes the best.
    """
    limits = Limits() if limits is None else limits
    workers = Threads(1) if workers is None else workers
    if memory is None:
        memory = RunMemory() if keep else Forgetful()
    record = Record(space, listeners, relaxed=relaxed)
    record.tell(Started(limits, workers.size))
    if given is not None:
        record.give(given)
    driver = _Driver(trainer, record, workers, memory, caches, given, keep)
    ended, bound = driver.run(search, limits)
    seconds = driver.clock.seconds
    audit = pruned = None
    evaluations = record.taken()
    try:
        audit = audit_search(evaluations)
        if samples and ended != "interrupted":
            first, left = len(evaluations), unfinished(record.nodes, evaluations)
            completions = random_completions(space, left, samples, trainer.seed, bound)
            if driver.run(completions, Limits()).reason == "interrupted":
                ended = "interrupted"
            seconds = driver.clock.seconds
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
        workers: Workers,
        memory: Memory,
        caches: Sequence[Answers],
        given: Trained | None,
        keep: bool,
    ) -> None:
        self.trainer = trainer
        self.record = record
        self.workers = workers
        self.memory = memory
        self.caches = caches
        self.given = given
        self.clock = Clock(memory.seconds)
        self.questions: dict[Node, Question] | None = {} if keep else None
        """What was asked about each node, where others may start from it."""
        self.foreseen: dict[Key, _Asked] = {}
        """What was trained, or is, before it is asked for; by key."""

    def run(self, search: Search, limits: Limits) -> _Ending:
        """Drive a search to its end; the bound is the one that holds for all that is unexplored."""
        try:
            compile_engine()  # before the clock starts
            with Pool(self.workers, self.trainer) as pool:
                return self._answer(search, limits, pool)
        except KeyboardInterrupt:
            return _Ending("interrupted", self.record.bound)
        finally:
            search.close()

    def _answer(self, search: Search, limits: Limits, pool: Pool) -> _Ending:
        ask = _next(search, None)
        while isinstance(ask, Ask):
            self.record.bound = ask.bound
            if self.record.rounds == limits.rounds:
                return _Ending("rounds", ask.bound)
            nodes = self._affordable(ask.nodes, limits)
            try:
                scores = self._scores(nodes, self._ahead(ask, limits), pool, limits)
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
            if not self.is_given(node):
                if trained == limits.trainings:
                    break
                trained += 1
            affordable.append(node)
        return affordable

    def _ahead(self, ask: Ask, limits: Limits) -> Iterator[Node]:
        """What idle workers may train already, unless the run ends with what is asked."""
        trained = self.record.trained + len(ask.nodes)
        return iter(() if limits.trainings and trained >= limits.trainings else ask.ahead)

    def _scores(
        self, nodes: Sequence[Node], ahead: Iterator[Node], pool: Pool, limits: Limits
    ) -> list[Score]:
        """Train programs side by side, and take the answers in order, while time is left."""
        asked = [_Asked(self, node) for node in nodes]
        # What is asked twice, or was foreseen, is trained once.
        training: dict[Key, _Asked] = {}
        for each in asked:
            if each.answer is None and each.key not in training:
                training[each.key] = self.foreseen.pop(each.key, each)
        if training:
            self.clock.start()

        def left() -> float:
            return math.inf if limits.seconds is None else limits.seconds - self.clock.seconds

        def begin(each: _Asked) -> None:
            each.future = pool.submit(each.job(), left())

        def go_ahead() -> bool:
            for node in ahead:
                each = _Asked(self, node)
                if each.answer is None and each.key not in {*training, *self.foreseen}:
                    begin(each)
                    self._foresee(each)
                    return True
            return False

        new = [each for each in training.values() if each.future is None]
        if new:
            self._make_room(len(new), pool)
        for each in new:
            begin(each)
        scores: list[Score] = []
        for each in asked:
            most = limits.engine_seconds
            if most is not None and self.record.engine_seconds >= most:
                raise OutOfTime
            if each.answer is None:
                first = training[each.key]
                assert first.future is not None
                pool.result(first.future, left, go_ahead)
                each.answer = first.answer
            assert each.answer is not None
            self.record.add(each.node, each.answer, each.question)
            scores.append(Score(each.answer.outcome.error, each.answer.outcome.diverged))
        return scores

    def _make_room(self, jobs: int, pool: Pool) -> None:
        """What was not asked for must not keep what is from being trained."""
        idle = [each.future for each in self.foreseen.values() if each.future is not None]
        dropped = set(pool.make_room(jobs, idle))
        self.foreseen = {k: v for k, v in self.foreseen.items() if v.future not in dropped}

    def _foresee(self, each: _Asked) -> None:
        """Note what is trained without being asked for. Of those that never are, few are kept."""
        self.foreseen[each.key] = each
        if len(self.foreseen) > FORESEEN:
            done = (key for key, each in self.foreseen.items() if each.answer is not None)
            self.foreseen.pop(next(done, each.key))

    def start_for(self, node: Node) -> Trained | None:
        """The trained program whose parameters a node's training starts from."""
        if node.start is None:
            return None
        if self.is_given(node.start):
            return self.given
        if self.questions is None:
            raise ValueError("the search starts trainings from others: drive it with keep=True")
        answer = self.memory.get(self.questions[node.start])
        assert answer is not None
        return answer.fetch()

    def known(self, question: Question) -> Answer | None:
        """The answer of this run, or of another one, which is then this one's too."""
        answer = self.memory.get(question)
        if answer is not None:
            return answer
        for cache in self.caches:
            found = cache.get(question)
            if found is not None and found.outcome.failure is None:
                return self.memory.keep(question, found.fetch(), self.clock.seconds)
        return None

    def is_given(self, node: Node) -> bool:
        return self.given is not None and node.program == self.given.program


class _Asked:
    """A node that was asked for, and its answer, once it is known."""

    def __init__(self, driver: _Driver, node: Node) -> None:
        self.node = node
        self.question: Question | None = None
        self.answer: Answer | None = None
        self._driver = driver
        self._start: Trained | None = None
        if driver.given is not None and driver.is_given(node):
            self.answer = Answer.of(driver.given, 0.0)
        else:
            self._start = driver.start_for(node)
            self.question = Question.of(node.program, node.goal, self._start)
            self.answer = driver.known(self.question)
            if driver.questions is not None:
                driver.questions[node] = self.question
        self.future: Future[Trained] | None = None
        """Of its training, once that is begun."""

    @property
    def key(self) -> Key:
        """What it shares with others that ask the same."""
        assert self.question is not None
        return self.question.key

    def job(self) -> Job:
        """Its training."""
        return Job(self.node.program, self._start, self.node.goal, self._arrive)

    def _arrive(self, trained: Trained) -> None:
        assert self.question is not None
        driver = self._driver
        self.answer = driver.memory.keep(self.question, trained, driver.clock.seconds)


def _next(search: Search, scores: Sequence[Score] | None) -> Ask | _Ending:
    try:
        return next(search) if scores is None else search.send(scores)
    except StopIteration as end:
        return _Ending("finished" if end.value is None else "exhausted", end.value)
