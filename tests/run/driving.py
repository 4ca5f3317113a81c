"""A small task, a plain search, and a trainer that trains nothing, for tests of driving."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from nearstar import Budget, Domain, Metrics, Scale, Stop, Stopped, Task, Trained, Units, to_text
from nearstar.data import two_animals
from nearstar.language.program import Program
from nearstar.run import Evaluation, Event, Result, Round, TracePoint, drive, trainer
from nearstar.search.constraints import Constraints
from nearstar.search.protocol import Ask, Node, Search
from nearstar.search.space import Space
from nearstar.util.seeds import seed_for

DOMAIN = Domain.built_in("crim13")
QUICK = Budget(neural_steps=16, symbolic_steps=24, units=Units(4, 2))
SMALL = Constraints(max_depth=4, forbid=("mapprefix",))


def small_task() -> Task:
    """A dozen short sequences."""
    whole = two_animals(18, 0, length=(10, 20))
    return Task(whole.subset(np.arange(12)), whole.subset(np.arange(12, 18)))


def small_space(max_depth: int = 4) -> Space:
    """Some 60 complete programs at the default depth."""
    grammar = DOMAIN.grammar(DOMAIN.signature(1, per_frame=True))
    return Space(grammar, Constraints(max_depth=max_depth, forbid=("mapprefix",)))


@dataclass
class Plain:
    """Asks for all programs by levels, a few at a time; h never falls on the way to a program.

    The bound is a count of rounds.
    """

    width: int = 3
    bounded: bool = True
    warm: bool = False
    closed: bool = False

    def search(self, space: Space) -> Search:
        try:
            waiting = [Node(start, None, space.cost(start)) for start in space.roots]
            rounds = 0
            while waiting:
                asked, waiting = waiting[: self.width], waiting[self.width :]
                rounds += 1
                bound = rounds / 10_000 if self.bounded else None
                scores = yield Ask(tuple(asked), bound, len(waiting))
                for node, score in zip(asked, scores, strict=True):
                    node.trained = True
                    above = 0.0 if node.parent is None or node.complete else node.parent.h
                    node.error = max(score.error, above)
                    start = node if self.warm else None
                    waiting += [
                        Node(child, node, space.cost(child), warm_from=start)
                        for child in space.expansions(node.program)
                    ]
            return 1.0 if self.bounded else None
        finally:
            self.closed = True


def error_of(program: Program, seed: int = 0) -> float:
    """An error from a coarse scale, so that there are ties; below 1, and high enough for larger
    programs to be worth a look."""
    return (10 + seed_for(seed, to_text(program)) % 10) / 20


@dataclass
class Table:
    """In place of a trainer: errors by the program's text, and whatever else a test wants done."""

    seed: int = 0
    before: Callable[[Program, Stop], None] = lambda program, stop: None
    asked: list[Program] = field(default_factory=list)
    starts: dict[Program, Program] = field(default_factory=dict)

    def train(
        self,
        program: Program,
        start: Trained | None,
        goal: float | None,
        cutoffs: tuple[float, ...],
        probe: bool,
        stop: Stop,
    ) -> Trained:
        self.asked.append(program)
        if start is not None:
            self.starts[program] = start.program
        self.before(program, stop)
        return trained(program, error_of(program, self.seed))


def trained(program: Program, error: float, step: int = 1) -> Trained:
    """What a training might have given."""
    wrong = round(1000 * error)
    metrics = Metrics.from_confusion([[1000 - wrong, wrong], [wrong, 1000 - wrong]])
    n_features = program.signature.input.size
    return Trained(
        program=program,
        theta=np.array([error]),
        scale=Scale.identity(n_features),
        units=Units(),
        error=error,
        metrics=metrics,
        losses=(1.0,),
        stages=(error,),
        cut=False,
        step=step,
        diverged=False,
        seconds=0.001,
    )


def wait_for(stop: Stop) -> None:
    """A training that goes on until it is stopped."""
    while not stop.flag[0]:
        time.sleep(0.001)
    raise Stopped


def timeless(result: Result) -> Mapping[str, object]:
    """All of a result that must not depend on workers or on time."""
    return {
        "evaluations": [replace(each, seconds=0.0) for each in result.evaluations],
        "thetas": [each.trained.theta.tobytes() for each in result.front],
        "front": [each.evaluation.index for each in result.front],
        "best": result.best and result.best.evaluation.index,
        "trace": [at_no_time(point) for point in result.trace],
        "bound": result.bound,
        "ended": result.ended,
        "audits": (result.audit, result.pruned),
        "counts": (result.trained, result.rounds),
    }


@cache
def trained_after_each_round(space: Space, width: int) -> list[int]:
    """How many programs a plain search has had trained by the end of each round."""
    events: list[Event] = []
    drive(Plain(width).search(space), Table(), space, listeners=[events.append])
    return [event.point.trained for event in events if isinstance(event, Round)]


def at_no_time(point: TracePoint) -> TracePoint:
    return replace(point, seconds=0.0, engine_seconds=0.0)


def as_trained(evaluation: Evaluation) -> tuple[object, ...]:
    """What training alone decides: not f, which the search may not have taken."""
    each = evaluation
    how = each.stages, each.cut, each.step
    return each.program, each.index, each.parent, each.error, *how, each.accuracy, each.f1


class Trainings:
    """Counts trainings, and does them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.done: list[tuple[Program, bool]] = []
        """What was trained, and whether it was but a probe."""
        self._train = trainer.train
        self.before: Callable[[], None] = lambda: None
        patch.setattr(trainer, "train", self)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.count += 1
        self.done.append((arguments[0], options["probe"]))
        self.before()
        return self._train(*arguments, **options)

    def during(self, action: Callable[[], Result]) -> tuple[Result, int]:
        before = self.count
        return action(), self.count - before
