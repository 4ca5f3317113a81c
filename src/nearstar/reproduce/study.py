"""A study: what each algorithm found on a task with each seed, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.reproduce.algorithms import ALL, SEARCHES
from nearstar.reproduce.published import Published
from nearstar.training.metrics import Metrics


@dataclass(frozen=True, eq=False)
class Trial:
    """What an algorithm found, and how it went. Of a classifier without a program most is None."""

    algorithm: str
    """Its key in `algorithms.ALL`."""
    seed: int
    valid: Metrics | None
    """Scores on the validation data; None if nothing was found."""
    test: Metrics | None
    by_unit: NDArray[np.int64]
    """The confusion matrix of each unit of the test data that is resampled whole: (units, n, n)."""
    seconds: float
    """Processor time of its trainings."""
    weight: float = 1.0
    """λ."""
    program: str | None = None
    """The text of the program."""
    learned: str | None = None
    """The same with its parameters, rounded for reading."""
    canonical: str | None = None
    """The text of its canonical form: the same for programs that are equal."""
    features: tuple[str, ...] = ()
    """The features that it reads."""
    depth: int | None = None
    """Rules applied."""
    height: int | None = None
    structural_cost: float | None = None
    path_cost: float | None = None
    curve: tuple[tuple[float, float], ...] = ()
    """Processor seconds and path cost at each new best."""
    trained: int = 0
    ended: str = ""
    gap: float | None = None
    """That of the search itself, by its heuristic."""
    epsilon: float | None = None
    """The measured ε: the largest excess of h over the error of a program that completes it."""
    violations: float | None = None
    """The share of nodes with any excess."""
    correlation: float | None = None
    """Spearman's, of h with what was reached."""

    @property
    def gap_with_epsilon(self) -> float | None:
        """The gap if the heuristic overestimates by as much as was measured."""
        return None if self.gap is None else self.gap + (self.epsilon or 0.0)

    @property
    def found(self) -> bool:
        """Whether there is anything to score."""
        return self.test is not None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; `from_dict` makes the same trial of it."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        for part in ("valid", "test"):
            metrics = plain[part]
            plain[part] = None if metrics is None else metrics.confusion.tolist()
        return {**plain, "by_unit": self.by_unit.tolist()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Trial:
        values = dict(plain)
        for part in ("valid", "test"):
            if values[part] is not None:
                values[part] = Metrics.from_confusion(values[part])
        values["by_unit"] = np.array(values["by_unit"], np.int64)
        values["features"] = tuple(values["features"])
        values["curve"] = tuple((float(x), float(y)) for x, y in values["curve"])
        return cls(**values)


@dataclass(frozen=True, eq=False)
class Study:
    """The trials of a task, as tables, figures and pages are made of them."""

    task: str
    """Its name, as on the command line."""
    title: str
    """What is to be told, in a sentence."""
    paper: bool
    """Whether the paper's settings are followed to the letter."""
    classes: tuple[str, ...]
    unit: str
    """What is resampled for confidence intervals: game, video, subject, sequence."""
    trials: tuple[Trial, ...]
    """Of all algorithms and seeds, λ = 1."""
    sweep: tuple[Trial, ...] = ()
    """A* with several λ."""
    published: Mapping[str, Published] = field(default_factory=dict)
    """By algorithm; empty where the task is none of the paper's."""
    made: Mapping[str, str] = field(default_factory=dict)
    """How it was made, for people: command, data, settings, time, machine, by what to call them."""

    def of(self, algorithm: str) -> tuple[Trial, ...]:
        """The trials of an algorithm, by seed."""
        own = (trial for trial in self.trials if trial.algorithm == algorithm)
        return tuple(sorted(own, key=lambda trial: trial.seed))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Those that there are trials of, in the order of the paper's table."""
        there = dict.fromkeys(trial.algorithm for trial in self.trials)
        return tuple(name for name in dict.fromkeys((*ALL, *there)) if name in there)

    @property
    def searches(self) -> tuple[str, ...]:
        """The searches for programs among them."""
        return tuple(name for name in self.algorithms if name in SEARCHES)

    @property
    def by_weight(self) -> dict[float, tuple[Trial, ...]]:
        """The trials of the sweep at every λ, the least first, by seed."""
        found: dict[float, tuple[Trial, ...]] = {}
        for trial in sorted(self.sweep, key=lambda trial: (trial.weight, trial.seed)):
            found[trial.weight] = (*found.get(trial.weight, ()), trial)
        return found
