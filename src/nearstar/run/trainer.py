"""Training the programs of a run, each with a seed of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from nearstar.data.sequences import Sequences
from nearstar.language.networks import Units
from nearstar.language.parameters import layout, unscaled
from nearstar.language.program import Hole, Program
from nearstar.language.text import to_text
from nearstar.run.warm_start import starting_parameters
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.training.train import Trained, train
from nearstar.util.interrupt import Stop
from nearstar.util.seeds import seed_for


@dataclass(frozen=True, eq=False)
class Trainer:
    """Trains programs for a task. A program's seed comes from the run's seed and its text alone."""

    task: Task
    budget: Budget = field(default_factory=Budget)
    seed: int = 0

    def __post_init__(self) -> None:
        self.budget.check_classes(self.task.train.n_classes)

    def seed_of(self, program: Program) -> int:
        """The seed of a program's training."""
        return seed_for(self.seed, "train", to_text(program))

    def train(
        self,
        program: Program,
        start: Trained | None = None,
        goal: float | None = None,
        cutoffs: tuple[float, ...] = (),
        probe: bool = False,
        stop: Stop | None = None,
    ) -> Trained:
        """The trained program; ``start`` is one whose parameters it begins with, where they fit.

        With a ``goal``, the training may end as soon as the error is no higher; with ``cutoffs``,
        after a stage that it leaves with a higher one.
        """
        seed = self.seed_of(program)
        theta = None
        # What diverged has nothing to pass on.
        if start is not None and not start.diverged:
            theta = starting_parameters(program, self.budget, self.task.scale, start, seed)
        return train(
            program,
            self.task,
            self.budget,
            seed,
            start=theta,
            goal=goal,
            cutoffs=cutoffs,
            probe=probe,
            stop=stop,
        )

    def failed(self, program: Program, reason: str) -> Trained:
        """What stands for a training that no worker could do."""
        blocks = layout(program, self.budget.units)
        first = self.budget.initial(program, self.seed_of(program))
        return Trained(
            program=program,
            theta=unscaled(blocks, first, self.task.scale),
            scale=self.task.scale,
            units=self.budget.units,
            error=1.0,
            metrics=None,
            losses=(),
            stages=(),
            cut=False,
            step=0,
            diverged=True,
            seconds=0.0,
            failure=reason,
        )


@cache
def compile_engine() -> None:
    """Have the engine compiled, which takes long only the first time on a machine."""
    tiny = Task(Sequences.from_arrays(np.zeros((2, 2, 1), np.float32), np.array([[0, 1], [1, 0]])))
    train(Hole(tiny.signature()), tiny, Budget(neural_steps=1, units=Units(1, 1)))
