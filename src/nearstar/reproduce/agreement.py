"""How often the same comes back over seeds: the program that was found, and what it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from nearstar.language.domain import Domain
from nearstar.language.program import Program, columns_read
from nearstar.reproduce.trial import Trial


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


def features_of(program: Program, domain: Domain) -> tuple[str, ...]:
    """The names of the features that a program reads, in the order of the columns."""
    return tuple(domain.features[column] for column in columns_read(program))


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
