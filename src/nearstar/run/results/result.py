"""What a run found, how it went, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from nearstar.language.domain import Domain
from nearstar.model.model import Model
from nearstar.run.limits import Limits
from nearstar.run.results.audit import Audit, measured_epsilon
from nearstar.run.results.evaluation import Candidate, Evaluation, Rated
from nearstar.run.results.front import Front
from nearstar.run.results.summary import summarise
from nearstar.util.errors import NearstarError
from nearstar.util.notebooks import ShownInNotebooks

Ended = Literal["exhausted", "finished", "time", "trainings", "rounds", "interrupted"]
"""Why a run ended: exhausted, nothing is left that the search would explore; finished, a search
that knows no bound came to its end; a limit; or Ctrl-C."""


@dataclass(frozen=True, slots=True)
class TracePoint:
    """Where a run stood after a round, or when a new best program was found."""

    seconds: float
    """Since the start of the run."""
    engine_seconds: float
    """Processor time of all trainings so far, summed."""
    rounds: int
    """Rounds answered."""
    trained: int
    """Programs trained."""
    best: float | None
    """Least path cost so far; None before any answer."""
    bound: float | None
    """No program unexplored when the search last asked can have a lower path cost, if the heuristic
    never overestimates; None for searches that know no bound."""


def gap_between(incumbent: float | None, bound: float | None) -> float | None:
    """By how much a path cost may be above the least possible; None if that is unknown."""
    return None if incumbent is None or bound is None else incumbent - min(incumbent, bound)


def gap_at(point: TracePoint, incumbent: float | None) -> float | None:
    """The gap of a search at a point of its trace; ``incumbent`` is the least that it found.

    The trace goes on to random completions, which may be below that.
    """
    best = point.best
    own = best if best is None or incumbent is None else max(best, incumbent)
    return gap_between(own, point.bound)


def least_found(evaluations: Iterable[Rated]) -> float | None:
    """The least path cost that a search found by itself: random completions are not its own."""
    own = (each.path_cost for each in evaluations if each.answer and each.kind != "completion")
    return min(own, default=None)


@dataclass(frozen=True, eq=False)
class Result(ShownInNotebooks):
    """The best program of a run, the best at every price, and how they were found."""

    best: Candidate | None
    """The answer of least path cost; None if no complete program was trained."""
    front: Front
    """Answers that none other beats in simplicity or error, simplest first: by their structural
    cost or, where numbers to read have a price, by these."""
    trace: tuple[TracePoint, ...]
    evaluations: tuple[Evaluation, ...]
    """All programs trained, in order; random completions for the audit come last."""
    bound: float | None
    """No program that was not explored can have a lower path cost, if the heuristic never
    overestimates; None for searches that know no bound."""
    ended: Ended
    limits: Limits
    trained: int
    """Programs trained, those for the audit included."""
    rounds: int
    """Times that programs to train were asked for."""
    seconds: float
    engine_seconds: float
    """Processor time of all trainings, summed."""
    algorithm: str = ""
    """The name of the search's class."""
    audit: Audit | None = None
    """Of partial programs of which the run has completions."""
    pruned: Audit | None = None
    """Of partial programs of which it has none, by random completions; None unless asked for."""
    finals: Result | None = None
    """The run in which the best programs were trained again, by `final`: ``best`` and ``front`` are
    then of both, all else is of the search alone. None if they were not."""

    @property
    def incumbent(self) -> float | None:
        """The least path cost that the search found by itself: finals, which train otherwise, and
        random completions for the audit are not its own. None if it found no answer."""
        return least_found(self.evaluations)

    @property
    def gap(self) -> float | None:
        """By how much the incumbent may be above the least possible, by the heuristic; None if
        unknown. It is that of the search: neither finals nor random completions enter it."""
        return gap_between(self.incumbent, self.bound)

    @property
    def settled(self) -> TracePoint | None:
        """Where the gap first was 0, by the heuristic; None if it never was."""
        gaps = ((gap_between(point.best, point.bound), point) for point in self.trace)
        return next((point for gap, point in gaps if gap == 0), None)

    @property
    def epsilon(self) -> float | None:
        """The measured ε: by how much h was above the error of a program that completes what it was
        measured on, at most. None if nothing was measured."""
        return measured_epsilon(self.audit, self.pruned)

    @property
    def final_cost(self) -> float | None:
        """The path cost that finals came to, if it is less than before them."""
        if self.best is None or self.finals is None:
            return None
        before = min(each.path_cost for each in self.evaluations if each.answer)
        cost = self.best.evaluation.path_cost
        return cost if cost < before else None

    def model(
        self, domain: Domain, class_names: tuple[str, ...], candidate: Candidate | None = None
    ) -> Model:
        """The model of the best program, or of another one of the front."""
        candidate = candidate or self.best
        if candidate is None:
            raise NearstarError(self.summary())
        return Model.of(candidate.trained, domain, class_names)

    def summary(self) -> str:
        """A few lines to read: what was found, how good it is, and why the run ended."""
        return summarise(self)

    def __str__(self) -> str:
        best = [] if self.best is None else [str(self.best)]
        return "\n\n".join([self.summary(), *best, *([str(self.front)] if self.front else [])])

    __repr__ = __str__
