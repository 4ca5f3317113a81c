"""A training under way: stages of steps from one start, and looks at the validation data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearstar.engine.code import Code
from nearstar.engine.kernels import machine
from nearstar.engine.lowering import lower
from nearstar.engine.packing import Blocks
from nearstar.engine.session import Session
from nearstar.language.parameters import Block, layout, without_constant
from nearstar.language.program import Path, Program, applied, rebuilt
from nearstar.training.budget import Budget
from nearstar.training.losses import LOSSES, ClassWeights, f1_of_yes
from nearstar.training.metrics import Metrics
from nearstar.training.task import Task
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop, Stopped

HARDEST_TRAINED = 30.0
"""β of a hard choice in the last stage of its training; it is 1 in the first."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What is the same from whatever parameters a training starts."""

    program: Program
    task: Task
    budget: Budget
    goal: float | None
    probe: bool
    stop: Stop
    terms_at: tuple[Path, ...] = ()
    """Leaves whose terms are chosen on the way."""

    @cached_property
    def layout(self) -> tuple[Block, ...]:
        return layout(self.program, self.budget.units)

    @cached_property
    def code(self) -> Code:
        return lower(self.program, self.task.scale, self.budget.units)

    @cached_property
    def is_hard(self) -> bool:
        """Whether the program has choices that are hard."""
        return any(node.operation.is_hard for node in applied(self.program))

    def trained_code(self, stage: int) -> Code:
        """What is trained in a stage: choices that are hard are smooth meanwhile, and ever less."""
        last = len(self.stages) - 1
        return self.softened(HARDEST_TRAINED ** (stage / last if last else 1.0))

    def softened(self, beta: float) -> Code:
        """The program with smooth choices of this temperature where it has hard ones."""
        if not self.is_hard:
            return self.code
        smooth = rebuilt(self.program, lambda operation: operation.softened(beta))
        return lower(smooth, self.task.scale, self.budget.units)

    @cached_property
    def stages(self) -> tuple[int, ...]:
        """The steps of each stage."""
        return self.budget.stages_of(self.program, self.probe)

    @cached_property
    def batches(self) -> Blocks:
        return self.task.batches(self.budget.batch_size, self.budget.batch_seed)

    @cached_property
    def valid(self) -> Blocks:
        """All validation data: without any of their own, the training data, packed already."""
        return self.batches if self.task.valid is self.task.train else self.task.valid_blocks()

    @cached_property
    def quick(self) -> Blocks:
        """What stages before the last are judged on, and probes: a part of the validation data, or
        all."""
        alone = len(self.stages) == 1 and not self.probe
        if alone or self.task.valid is self.task.train:
            return self.valid
        return self.task.valid_blocks(self.budget.quick_look)

    @cached_property
    def weights(self) -> ClassWeights:
        """Those of the classes that are given."""
        return self.budget.class_weights or (1.0,) * self.task.train.n_classes

    @cached_property
    def decay(self) -> float:
        """How much weights of terms are drawn to 0."""
        weights = sum(
            len(block.fading) - len(block.absent) for block in self.layout if block.fading
        )
        return self.budget.decay_of(weights, self.task.n_labels)

    @cached_property
    def least_f1(self) -> float:
        """Any program reaches as much: less, as where it never says yes, tells nothing."""
        return f1_of_yes(self.task.train)

    def weights_at(self, f1: float) -> ClassWeights:
        """The weights for the steps after a look that gave this F1."""
        reweigh = LOSSES[self.budget.loss].reweigh
        return reweigh(self.weights, max(f1, self.least_f1)) if reweigh else self.weights


def is_cut(stages: Sequence[float], cutoffs: Sequence[float]) -> bool:
    """Whether a training with these errors at the ends of its stages ends by the cutoffs."""
    return 0 < len(stages) <= len(cutoffs) and stages[-1] > cutoffs[len(stages) - 1]


class Look(NamedTuple):
    """Parameters and what they reach on validation data."""

    error: float
    step: int
    parameters: NDArray[np.float32]
    metrics: Metrics
    on_all: bool
    """Whether it was on all validation data."""


class Course:
    """A training from one start; goes on by one stage after the other, until it is ``over``."""

    def __init__(self, plan: Plan, seed: int, start: NDArray[np.float32] | None) -> None:
        self.plan = plan
        drawn = plan.budget.initial(plan.program, seed) if start is None else start
        self.start = without_constant(plan.layout, drawn, plan.task.scale)
        self.best: Look | None = None
        """The look whose parameters count so far."""
        self.losses: list[float] = []
        self.stages: list[float] = []
        """The least error until the end of each stage that it went through."""
        self._reached = 1.0
        self.step = 0
        self.over = False
        """Whether it has nothing more to do: it diverged, reached its goal, or lost patience."""
        self._weights = plan.weights_at(0.0)
        self._session = Session(
            plan.code, self.start, plan.batches, plan.valid, plan.quick, stop=plan.stop.flag
        )
        self._order = self._shuffled(np.random.default_rng([seed, 1]))
        self._since_best = 0

    @property
    def error(self) -> float:
        """The least error so far; 1 if there is none, since it diverged."""
        return 1.0 if self.best is None else self.best.error

    def go(self) -> None:
        """Go through the next stage."""
        self._go(len(self.stages))
        self.stages.append(min(self.error, self._reached))

    def reach(self, error: float) -> None:
        """Count an error as reached by all stages: with fewer terms the program has it."""
        self._reached = error
        self.stages[:] = [min(each, error) for each in self.stages]

    def _go(self, stage: int) -> None:
        budget, steps = self.plan.budget, self.plan.stages[stage]
        last = stage == len(self.plan.stages) - 1 and not self.plan.probe
        every = budget.look_every if budget.select == "best" or self._reweighs else steps
        n_looks = max(round(steps / every), 1)
        session = self._training(stage)
        for first, end in pairwise(round(steps * look / n_looks) for look in range(n_looks + 1)):
            order = np.fromiter(islice(self._order, end - first), np.int64)
            length = self.plan.task.mean_length
            rates = budget.rates(self.plan.program, length, steps, first, end)[: len(order)]
            ended, loss = session.train(
                self.plan.batches, self._weights, order, rates, budget.clip or 0.0, self.plan.decay
            )
            self._session.parameters[:] = session.parameters
            self.step += end - first
            self.losses.append(loss)
            if not self._check(ended) or not self._look(on_all=last):
                self.over = True
                return
            if budget.select == "best" and self._is_enough:
                self.over = True
                return

    def _training(self, stage: int) -> Session:
        """Where the steps of a stage are taken: apart, if what is judged is not what is trained."""
        code = self.plan.trained_code(stage)
        if code is self.plan.code:
            return self._session
        stop = self.plan.stop.flag
        return Session(code, self._session.parameters, self.plan.batches, stop=stop)

    def judged(self) -> Look:
        """What the parameters that it starts from reach, without any step."""
        if not self._look(on_all=True):
            raise NearstarError("the outputs of the program are not finite numbers")
        assert self.best is not None
        return self.best

    def look_at_all(self) -> None:
        """Judge what counts on all validation data, where it was not: it ended before its last
        stage, or in it, by accident."""
        best = self.best
        if best is None or best.on_all:
            return
        self._session.parameters[:] = best.parameters
        ended, confusion = self._session.judge(self.plan.valid, self.plan.task.valid.n_classes)
        if ended == machine.STOPPED:
            raise Stopped
        if ended == machine.DONE:
            metrics = Metrics.from_confusion(confusion)
            self.best = best._replace(error=metrics.error, metrics=metrics, on_all=True)
        else:
            self.best = None

    @property
    def _reweighs(self) -> bool:
        return LOSSES[self.plan.budget.loss].reweigh is not None

    def _look(self, *, on_all: bool) -> bool:
        """Judge the parameters; False if they give what is not finite."""
        blocks = self.plan.valid if on_all else self.plan.quick
        ended, confusion = self._session.judge(blocks, self.plan.task.valid.n_classes)
        if not self._check(ended):
            return False
        metrics = Metrics.from_confusion(confusion)
        self._weights = self.plan.weights_at(metrics.f1)
        self._since_best += 1
        on_all = blocks is self.plan.valid
        # What a part of the data says is not compared with what all of them say.
        if (
            self.best is None
            or self.plan.budget.select == "last"
            or on_all > self.best.on_all
            or metrics.error < self.best.error
        ):
            parameters = self._session.parameters.copy()
            self.best = Look(metrics.error, self.step, parameters, metrics, on_all)
            self._since_best = 0
        return True

    @property
    def _is_enough(self) -> bool:
        """Whether it is at its goal, or the best look was long ago."""
        goal, patience = self.plan.goal, self.plan.budget.patience
        reached = goal is not None and self.error <= goal
        return reached or (patience is not None and self._since_best >= patience)

    def _check(self, ended: int) -> bool:
        """Whether numbers are finite; one that diverges in its first stage has reached nothing."""
        if ended == machine.STOPPED:
            raise Stopped
        if ended == machine.DIVERGED and self.step <= self.plan.stages[0]:
            self.best = None
        return ended == machine.DONE

    def _shuffled(self, random: np.random.Generator) -> Iterator[int]:
        """Batches that have any weight, again and again; none if there are no such batches."""
        counts = self.plan.batches.counts
        used = np.flatnonzero(counts @ np.array(self._weights[: counts.shape[1]]) > 0)
        reshuffle = self.plan.budget.reshuffle
        times = repeat(None) if len(used) else ()
        passes = (random.permutation(used) if reshuffle else used for _ in times)
        return chain.from_iterable(map(np.ndarray.tolist, passes))
