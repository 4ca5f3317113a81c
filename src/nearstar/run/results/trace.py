"""How a run went: what was known when."""

from __future__ import annotations

from dataclasses import dataclass


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


def gap_between(best: float | None, bound: float | None) -> float | None:
    """By how much the best path cost may be above the least possible; None if that is unknown."""
    return None if best is None or bound is None else best - min(best, bound)
