"""Best path cost against time, the median of several trials: one line for each algorithm."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from statistics import median

from nearstar.reproduce.trial import Trial


def median_curve(trials: Sequence[Trial]) -> tuple[list[float], list[float]]:
    """Times, and the median best path cost from each on: a step curve, of one algorithm's trials.

    A trial that has ended keeps its last value, and one that has no program yet is worse than all
    others: so the curve begins when more than half of the trials have a program, and never rises.
    The last point is the end of the longest trial. Empty if so many never have one.
    """
    curves = [trial.curve for trial in trials if trial.curve]
    moments = sorted({seconds for curve in curves for seconds, _ in curve})
    times: list[float] = []
    costs: list[float] = []
    for moment in moments:
        reached = [_at(curve, moment) for curve in curves if curve[0][0] <= moment]
        cost = median([*reached, *[math.inf] * (len(trials) - len(reached))])
        if cost < (costs[-1] if costs else math.inf):
            times.append(moment)
            costs.append(cost)
    end = max((trial.seconds for trial in trials), default=0.0)
    if times and end > times[-1]:
        times.append(end)
        costs.append(costs[-1])
    return times, costs


def _at(curve: Sequence[tuple[float, float]], moment: float) -> float:
    """The value of a step curve at a moment that is not before its first."""
    return curve[bisect_right(curve, moment, key=lambda point: point[0]) - 1][1]
