"""What is known of a program once it is trained."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from nearstar.language.program import Hole, Program
from nearstar.language.text import to_text
from nearstar.model.model import text_with
from nearstar.training.train import Trained
from nearstar.util.errors import NearstarError


class Rated(ABC):
    """What a program of a run is compared by; see Evaluation for what each means."""

    __slots__ = ()
    index: int
    parent: int | None
    complete: bool
    answer: bool
    structural_cost: float
    weight: float
    error: float
    f: float

    @property
    @abstractmethod
    def is_root(self) -> bool:
        """Whether it is nothing but a hole."""

    @property
    def path_cost(self) -> float:
        """λ·s + ζ: what answers are compared by."""
        return self.weight * self.structural_cost + self.error

    @property
    def rank(self) -> tuple[float, float, float, int]:
        """The less, the better: by path cost; of equals the simpler one, then the first found."""
        return self.path_cost, self.structural_cost, self.error, self.index


@dataclass(frozen=True, slots=True)
class Evaluation(Rated):
    """One trained program of a run, and its place in the search."""

    program: Program
    index: int
    """Its place in the order in which the search asked, from 0."""
    parent: int | None
    """The index of its nearest trained ancestor in the search graph."""
    complete: bool
    answer: bool
    """Whether it may be the result: complete ones, and in a relaxed run all."""
    structural_cost: float
    """s, not weighted."""
    weight: float
    """λ."""
    error: float
    """Validation error: ζ of a complete program, h of a partial one, 1 if it diverged."""
    f: float
    """The path cost of a complete program. For a partial one the search's bound on what it leads
    to; from its own error alone as long as the search has not taken it."""
    diverged: bool
    epoch: int
    """The epoch whose parameters count; 0 for parameters that were given, not trained."""
    seconds: float
    """Time that the training took."""
    accuracy: float | None
    """On the validation data; None if the training diverged."""
    f1: float | None
    failure: str | None = None
    """Why no worker could train it; it then counts as diverged."""

    @property
    def is_root(self) -> bool:
        return isinstance(self.program, Hole)


@dataclass(frozen=True, eq=False)
class Candidate:
    """An evaluated program with its parameters."""

    evaluation: Evaluation
    trained: Trained

    def text(self, digits: int | None = 4) -> str:
        """The program with its parameters, rounded for reading; None: every digit."""
        return text_with(self.trained.program, self.trained.theta, self.trained.scale, digits)

    def __str__(self) -> str:
        try:
            with np.errstate(over="raise", invalid="raise"):
                return self.text()
        except (NearstarError, ArithmeticError, ValueError):
            # Showing never fails: a trainer of one's own may give parameters that do not fit.
            return to_text(self.trained.program)

    def __repr__(self) -> str:
        each = self.evaluation
        return f"Candidate({self}; cost {each.structural_cost:.4g}, error {each.error:.4f})"

    def _repr_html_(self) -> str:
        from nearstar.report.notebook import candidate_html

        return candidate_html(self)
