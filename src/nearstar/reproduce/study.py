"""A study: all trials of a task, and what they were made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nearstar.reproduce.trial import Trial


@dataclass(frozen=True)
class Published:
    """What the paper prints for an algorithm: means of three trials on the test data."""

    accuracy: float
    f1: float
    depth: float | None
    f1_deviation: float


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
        """Those that there are trials of, in the order of the table."""
        return tuple(dict.fromkeys(trial.algorithm for trial in self.trials))
