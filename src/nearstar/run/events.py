"""Everything that happens in a run, for those who listen: displays, journals, live pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nearstar.run.limits import Limits
from nearstar.run.results.evaluation import Candidate, Evaluation
from nearstar.run.results.result import Result, TracePoint
from nearstar.run.store.trainings import Key, Training
from nearstar.training.train import Trained


@dataclass(frozen=True)
class Started:
    """A run begins; the first thing it may do is to compile the engine."""

    limits: Limits
    workers: int


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A program was trained. Its f is provisional: the search takes it at the end of the round."""

    evaluation: Evaluation
    training: Training
    seconds: float
    """Since the start of the run."""
    key: Key | None
    """What decided the training; None for what was given with the start."""

    @property
    def trained(self) -> Trained:
        """The program with its parameters."""
        return self.training.fetch()


@dataclass(frozen=True, eq=False)
class NewBest:
    """An answer better than all before."""

    candidate: Candidate
    point: TracePoint


@dataclass(frozen=True)
class Round:
    """All that the search asked for in a round is answered, and taken by the search."""

    point: TracePoint
    waiting: int
    """Nodes in the frontier."""
    taken: tuple[Evaluation, ...]
    """What was evaluated since the last round ended, with f as the search made it."""


@dataclass(frozen=True, eq=False)
class Finished:
    """A run has ended; nothing follows."""

    result: Result


Event = Started | Evaluated | NewBest | Round | Finished
Listener = Callable[[Event], None]
"""Called in the thread of the run, one event after the other. What it raises ends the run."""
