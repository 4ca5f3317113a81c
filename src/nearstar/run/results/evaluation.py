"""The one record of an evaluated program: through a run, its journal, its front and its pages."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Literal

import numpy as np

from nearstar.language.choosing import Choice
from nearstar.language.numbers import numbers_of
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Program
from nearstar.language.text import to_text
from nearstar.model.model import text_with
from nearstar.training.train import Trained
from nearstar.util.errors import NearstarError
from nearstar.util.notebooks import ShownInNotebooks

Kind = Literal["search", "given", "completion", "probe", "chosen"]
Axis = Literal["structural_cost", "numbers"]
"""What a front is over, beside the error: that of programs of this name."""


def axis_of(price: float) -> Axis:
    """Numbers to read, where these have a price; else structural cost, as in the paper."""
    return "numbers" if price else "structural_cost"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What training a program gave, but for its parameters."""

    error: float
    """Validation error: ζ of a complete program or probe, h of a partial one, 1 if it diverged."""
    diverged: bool
    stages: tuple[float, ...]
    """The least error until the end of each stage of the training."""
    cut: bool
    """Whether it ended before its last stage: its error was above what the search asked for."""
    step: int
    """The step whose parameters count; 0 for parameters that were given, not trained."""
    seconds: float
    """Time that the training took."""
    accuracy: float | None
    """On the validation data; None if the training diverged."""
    f1: float | None
    failure: str | None = None
    """Why no worker could train it; it then counts as diverged."""
    choices: tuple[Choice, ...] = ()
    """Where leaves had terms to choose, the columns that they read in each program that came of it:
    these are evaluated right after it, in this order."""
    at: float = field(default=0.0, compare=False)
    """When it was there, in seconds since the start of the run."""


OUTCOME = tuple(each.name for each in fields(Outcome))
"""The names of all that an outcome has, in order."""
FROM_TRAINED = tuple(each.name for each in fields(Trained) if each.name in OUTCOME)
"""What it has of a training as it is."""


def outcome_of(trained: Trained, at: float) -> Outcome:
    """What a training gave, and when it was there."""
    metrics = trained.metrics
    return Outcome(
        accuracy=None if metrics is None else metrics.accuracy,
        f1=None if metrics is None else metrics.f1,
        choices=tuple(each.choice for each in trained.chosen),
        at=at,
        **{name: getattr(trained, name) for name in FROM_TRAINED},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated(Outcome):
    """A program of a run as all others are compared with it, and its place in the search."""

    index: int
    """Its place in the order in which the search asked, from 0."""
    parent: int | None
    """The index of its nearest trained ancestor in the search graph."""
    kind: Kind = "search"
    """Why it was evaluated: for the search, as given at the start, as a random completion for the
    audit, as a probe, which has a leaf over everything in each hole of a partial program, or since
    it came of the one before it by choosing terms."""
    complete: bool
    """Whether it has no holes. A probe has none, but stands for a partial program that has."""
    answer: bool
    """Whether it may be the result: complete ones whose leaves have no terms to choose, with no
    more numbers to read than they may have; and in a relaxed run all but probes."""
    size: int
    """Rules applied to derive it."""
    structural_cost: float
    """s, not weighted."""
    weight: float
    """λ."""
    numbers: int | None = None
    """Numbers to read, whatever its parameters are; None with networks in it."""
    price: float = 0.0
    """What each of these adds to the structural cost."""
    f: float
    """The path cost of a complete program. For a partial one the search's bound on what it leads
    to; from its own error alone as long as the search has not taken it. For a probe no bound, but
    the path cost that the partial program is expected to lead to."""
    completes: tuple[int, ...] = ()
    """Of a complete program: the indices of the partial ones before it that are in its derivation,
    or whose form is, however it was reached; a random completion has none."""
    completed_by: int | None = None
    """Of a partial program: the index of the best complete one before it that completes it so."""

    @property
    def is_root(self) -> bool:
        """Whether it is nothing but a hole."""
        return self.size == 0

    @property
    def relaxed(self) -> bool:
        """Whether networks stand in its holes, so that its error is h."""
        return not self.complete and self.kind != "probe"

    @property
    def simplicity(self) -> float:
        """Where it stands on the axis of the front: the less, the simpler."""
        given: float | None = getattr(self, axis_of(self.price))
        return math.inf if given is None else given

    @property
    def path_cost(self) -> float:
        """λ·s + ζ: what answers are compared by."""
        return self.weight * self.structural_cost + self.error

    @property
    def rank(self) -> tuple[float, float, float, int]:
        """The less, the better: by path cost; of equals the simpler one, then the first found."""
        return self.path_cost, self.structural_cost, self.error, self.index


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Rated):
    """One trained program of a run, and its place in the search."""

    program: Program

    @property
    def text(self) -> str:
        """The program's text, without parameters."""
        return to_text(self.program)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged(Rated):
    """The same, as a journal has it: of the program there is the text."""

    text: str


Told = Evaluation | Logged
"""An evaluation, whoever tells of it."""


@dataclass(frozen=True, eq=False)
class Candidate(ShownInNotebooks):
    """An evaluated program with its parameters."""

    evaluation: Evaluation
    trained: Trained

    def text(self, digits: int | None = 4) -> str:
        """The program with its parameters, rounded for reading; None: every digit."""
        return text_with(self.trained.program, self.trained.theta, self.trained.scale, digits)

    @property
    def numbers(self) -> int | None:
        """Numbers that a person has to read; None with networks in it."""
        program, theta = self.trained.program, self.trained.theta
        fits = theta.shape == (size_of(layout(program)),)  # a trainer of one's own may differ
        return numbers_of(program, theta if fits else None)

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
