"""What the trials of an algorithm come to together: one curve, and how alike programs are."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median

from nearstar.reproduce.study import Trial


def tested(trials: Iterable[Trial], score: str) -> list[float]:
    """A score on the test data, of the trials that found something."""
    return [getattr(trial.test, score) for trial in trials if trial.test is not None]


def known(trials: Iterable[Trial], field: str) -> list[float]:
    """A field of the trials, where it is known."""
    values = (getattr(trial, field) for trial in trials)
    return [float(value) for value in values if value is not None]


def median_curve(trials: Sequence[Trial]) -> tuple[list[float], list[float]]:
    """Times, and the median best path cost from each on: a step curve, of one algorithm's trials.

    A trial that has ended keeps its last value. The median is of the trials that have a program: of
    two that have one, while the third has none, it is the mean. The curve begins when more than
    half of the trials have a program, and rises, if at all, only where another one finds its first.
    The last point is the end of the longest trial. Empty if so many never have one.
    """
    curves = [trial.curve for trial in trials if trial.curve]
    moments = sorted({seconds for curve in curves for seconds, _ in curve})
    times: list[float] = []
    costs: list[float] = []
    for moment in moments:
        reached = [_at(curve, moment) for curve in curves if curve[0][0] <= moment]
        if 2 * len(reached) > len(trials) and median(reached) not in costs[-1:]:
            times.append(moment)
            costs.append(median(reached))
    end = max((trial.seconds for trial in trials), default=0.0)
    if times and end > times[-1]:
        times.append(end)
        costs.append(costs[-1])
    return times, costs


@dataclass(frozen=True)
class Agreement:
    """How alike the programs of several trials are."""

    trials: int
    """Those that found a program; others do not count here."""
    programs: tuple[tuple[str, int], ...]
    """The canonical forms, and how many trials found a program of each; most frequent first."""
    same: float | None
    """The share of pairs of trials whose programs are equal; None for fewer than two programs."""
    features: tuple[tuple[str, int], ...]
    """The features, and how many of the programs read each; most frequent first."""
    feature_overlap: float | None
    """Features that both programs of a pair read, divided by those that either reads (Jaccard's
    index), in the mean over pairs; None for fewer than two programs."""


def agreement(trials: Iterable[Trial]) -> Agreement | None:
    """How alike the programs of these trials are; None if none of them found one."""
    forms: list[str] = []
    reads: list[frozenset[str]] = []
    for trial in trials:
        if trial.program is not None:
            forms.append(trial.canonical or trial.program)
            reads.append(frozenset(trial.features))
    if not forms:
        return None
    return Agreement(
        trials=len(forms),
        programs=_counted(forms),
        same=_mean(a == b for a, b in combinations(forms, 2)),
        features=_counted(name for features in reads for name in features),
        feature_overlap=_mean(_jaccard(a, b) for a, b in combinations(reads, 2)),
    )


def _counted(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    # Equally frequent ones by name: the order of trials must not matter.
    return tuple(sorted(Counter(names).items(), key=lambda each: (-each[1], each[0])))


def _mean(values: Iterable[float]) -> float | None:
    every = [*values]
    return fmean(every) if every else None


def _jaccard(a: Set[str], b: Set[str]) -> float:
    either = len(a | b)
    # Programs that read nothing at all agree in that.
    return len(a & b) / either if either else 1.0


def _at(curve: Sequence[tuple[float, float]], moment: float) -> float:
    """The value of a step curve at a moment that is not before its first."""
    return curve[bisect_right(curve, moment, key=lambda point: point[0]) - 1][1]
