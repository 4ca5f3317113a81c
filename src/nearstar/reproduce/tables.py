"""The tables of a study, each made once: for Markdown, for CSV files and for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from nearstar.reproduce import algorithms, classic
from nearstar.reproduce.agreement import Agreement, agreement
from nearstar.reproduce.cells import (
    NONE,
    Cell,
    Column,
    Scalar,
    Table,
    amount,
    decimals,
    plain,
    score,
    share,
    spread,
)
from nearstar.reproduce.curves import median_curve
from nearstar.reproduce.resampling import interval_of_mean
from nearstar.reproduce.study import Published, Study
from nearstar.reproduce.trial import Trial
from nearstar.training.metrics import Metrics

SEARCHES = (*algorithms.BASELINES, *algorithms.NEAR)
"""Those that look for programs."""
_SCORES = ("accuracy", "f1", "f1_paper", "f1_macro")
_FIELDS = (
    *("seconds", "depth", "height", "structural_cost", "path_cost", "trained", "ended", "gap"),
    *("epsilon", "violations", "correlation", "program", "learned", "canonical"),
)


def called(algorithm: str) -> str:
    """An algorithm's name in tables."""
    return {**algorithms.NAMES, **classic.NAMES}.get(algorithm, algorithm)


def in_order(study: Study) -> tuple[str, ...]:
    """The algorithms that there are trials of, in the order of the paper's table."""
    known = [*algorithms.NAMES, *classic.NAMES]
    there = study.algorithms
    others = (each for each in there if each not in known)
    return (*(each for each in known if each in there), *others)


def searches(study: Study) -> tuple[str, ...]:
    """The searches for programs that there are trials of, in the order of the table."""
    return tuple(each for each in in_order(study) if each in SEARCHES)


def mean_f1(study: Study, algorithm: str) -> float | None:
    """The mean F1 on the test data of the trials that found something; None if none did."""
    scores = _tested(study.of(algorithm), "f1")
    return fmean(scores) if scores else None


def own_weights(study: Study) -> bool:
    """Whether the F1 that the paper prints differs from the usual one, in any trial."""
    tested = [trial.test for trial in study.trials if trial.test is not None]
    return any(not math.isclose(each.f1, each.f1_paper) for each in tested)


@dataclass(frozen=True)
class _Row:
    """What a row of the main table is made of."""

    algorithm: str
    trials: tuple[Trial, ...]
    printed: Published | None
    best: bool

    @property
    def steps(self) -> tuple[Trial, ...]:
        """The trials of a search: an RNN has no depth, and trains no programs."""
        return self.trials if self.algorithm in SEARCHES else ()


_MAIN: tuple[tuple[Column, Callable[[_Row], Cell]], ...] = (
    (
        Column("algorithm", ("algorithm", "name"), number=False),
        lambda row: plain(row.algorithm, called(row.algorithm)),
    ),
    (
        Column("trials", ("trials", "found"), number=False),
        lambda row: _found(row.trials, row.algorithm),
    ),
    (
        Column("accuracy", ("accuracy", "accuracy_sd")),
        lambda row: spread(_tested(row.trials, "accuracy")),
    ),
    (
        Column("published accuracy", ("published_accuracy",)),
        lambda row: score(None if row.printed is None else row.printed.accuracy),
    ),
    (
        Column("F1", ("f1", "f1_sd")),
        lambda row: spread(_tested(row.trials, "f1"), best=row.best),
    ),
    (Column("F1, 95 % interval", ("f1_low", "f1_high")), lambda row: _interval(row.trials)),
    (
        Column("F1 weighted as in the paper", ("f1_paper", "f1_paper_sd")),
        lambda row: spread(_tested(row.trials, "f1_paper")),
    ),
    (
        Column("published F1", ("published_f1", "published_f1_sd")),
        lambda row: _published_f1(row.printed),
    ),
    (Column("depth", ("depth", "depth_sd")), lambda row: spread(_known(row.steps, "depth"), 1)),
    (Column("published depth", ("published_depth",)), lambda row: _published_depth(row.printed)),
    (
        Column("path cost", ("path_cost", "path_cost_sd")),
        lambda row: spread(_known(row.steps, "path_cost")),
    ),
    (Column("programs trained", ("trained",)), lambda row: amount(_known(row.steps, "trained"))),
    (Column("processor seconds", ("seconds",)), lambda row: amount(_known(row.trials, "seconds"))),
)
"""The columns of the main table, what the paper prints beside ours, and the cells in them."""


def main_table(study: Study) -> Table:
    """The paper's Table 1: how good every algorithm is, over all its trials.

    Published results have columns if there are any, and the paper's own F1 if it differs.
    """
    weighted = own_weights(study)
    chosen = [
        (column, cell)
        for column, cell in _MAIN
        if (study.published or not column.keys[0].startswith("published"))
        and (weighted or column.keys[0] != "f1_paper")
    ]
    scores = {each: mean_f1(study, each) for each in searches(study)}
    highest = max((score for score in scores.values() if score is not None), default=None)
    rows = [
        _Row(each, study.of(each), study.published.get(each), scores.get(each, -1.0) == highest)
        for each in in_order(study)
    ]
    return Table(
        "Accuracy, F1 and depth",
        tuple(column for column, _ in chosen),
        tuple(tuple(cell(row) for _, cell in chosen) for row in rows),
    )


def sweep_table(study: Study) -> Table:
    """Depth and F1 at every λ."""
    columns = (
        Column("λ", ("weight",)),
        Column("trials", ("trials", "found"), number=False),
        Column("depth", ("depth", "depth_sd")),
        Column("F1", ("f1", "f1_sd")),
        Column("structural cost", ("structural_cost", "structural_cost_sd")),
    )
    rows = [
        (
            Cell(f"{weight:g}", (weight,)),
            _found(trials, "astar"),
            spread(_known(trials, "depth"), 1),
            spread(_tested(trials, "f1")),
            spread(_known(trials, "structural_cost")),
        )
        for weight, trials in by_weight(study).items()
    ]
    return Table("Programs at every λ", columns, tuple(rows))


def by_weight(study: Study) -> dict[float, tuple[Trial, ...]]:
    """The trials of the sweep at every λ, the least first."""
    weights = sorted({trial.weight for trial in study.sweep})
    return {
        weight: tuple(trial for trial in study.sweep if trial.weight == weight)
        for weight in weights
    }


def guarantee_table(study: Study) -> Table:
    """How near to the optimum every search can claim to be, and whether its heuristic held."""
    columns = (
        Column("algorithm", ("algorithm", "name"), number=False),
        Column("seed", ("seed",)),
        Column("ended", ("ended",), number=False),
        Column("gap", ("gap",)),
        Column("ε", ("epsilon",)),
        Column("violations", ("violations",)),
        Column("rank correlation", ("correlation",)),
    )
    rows = [
        (
            plain(algorithm, called(algorithm)),
            plain(trial.seed),
            plain(trial.ended),
            score(trial.gap),
            score(trial.epsilon),
            share(trial.violations),
            score(trial.correlation),
        )
        for algorithm in searches(study)
        for trial in study.of(algorithm)
    ]
    return Table("Gap and audit of every search", columns, tuple(rows))


def stability_table(study: Study) -> Table:
    """What the seeds of an algorithm have in common, where at least two found a program."""
    columns = (
        Column("algorithm", ("algorithm", "name"), number=False),
        Column("programs", ("programs",)),
        Column("distinct", ("distinct",)),
        Column("pairs alike", ("same",)),
        Column("overlap of features", ("feature_overlap",)),
        Column("most frequent", ("times",)),
        Column("its program", ("frequent",), number=False),
        Column("features read", ("features",), number=False),
    )
    found = ((each, agreement(study.of(each))) for each in searches(study))
    rows = [
        (
            plain(algorithm, called(algorithm)),
            plain(shared.trials),
            plain(len(shared.programs)),
            share(shared.same),
            score(shared.feature_overlap),
            *_most_frequent(shared),
            plain(_features(shared)),
        )
        for algorithm, shared in found
        if shared is not None and shared.trials >= 2
    ]
    return Table("What comes back over the seeds", columns, tuple(rows))


def trial_table(study: Study) -> Table:
    """Every trial, with all that can be told of it in one line."""
    parts = ("valid", "test")
    simple = ("set", "algorithm", "seed", "weight", "found")
    scores = tuple(f"{part}_{name}" for part in parts for name in _SCORES)
    keys = (*simple, *scores, *_FIELDS, "features")
    rows: list[tuple[Scalar, ...]] = []
    for kind, trials in (("comparison", study.trials), ("sweep", study.sweep)):
        for each in trials:
            own = (kind, each.algorithm, each.seed, each.weight, int(each.found))
            metrics = [value for part in parts for value in _all_scores(getattr(each, part))]
            fields = [getattr(each, name) for name in _FIELDS]
            rows.append((*own, *metrics, *fields, "; ".join(each.features)))
    return _of_values("Trials", keys, rows)


def efficiency_table(study: Study) -> Table:
    """The median best path cost of every search, from each of these times on."""
    rows = [
        (algorithm, seconds, cost)
        for algorithm in searches(study)
        for seconds, cost in zip(*median_curve(study.of(algorithm)), strict=True)
    ]
    return _of_values("Efficiency", ("algorithm", "seconds", "median_path_cost"), rows)


def _of_values(title: str, keys: Sequence[str], rows: Sequence[Sequence[Scalar]]) -> Table:
    columns = tuple(Column(key, (key,)) for key in keys)
    return Table(title, columns, tuple(tuple(plain(value) for value in row) for row in rows))


def _tested(trials: Sequence[Trial], score: str) -> list[float]:
    """A score on the test data, of the trials that found something."""
    return [getattr(trial.test, score) for trial in trials if trial.test is not None]


def _known(trials: Sequence[Trial], field: str) -> list[float]:
    values: list[Any] = [getattr(trial, field) for trial in trials]
    return [float(value) for value in values if value is not None]


def _all_scores(metrics: Metrics | None) -> list[float | None]:
    return [None if metrics is None else getattr(metrics, name) for name in _SCORES]


def _found(trials: Sequence[Trial], algorithm: str) -> Cell:
    """How many trials there are; and how many found something, unless all did."""
    found, n = sum(trial.found for trial in trials), len(trials)
    what = "found a program" if algorithm in SEARCHES else "gave a result"
    text = str(n) if found == n else f"{found or 'none'} of {n} {what}"
    return Cell(text, (n, found))


def _interval(trials: Sequence[Trial]) -> Cell:
    ends = interval_of_mean(trials)
    if ends is None:
        return Cell(NONE, (None, None))
    low, high = ends
    return Cell(f"{decimals(low)} to {decimals(high)}", (low, high))


def _published_f1(printed: Published | None) -> Cell:
    if printed is None:
        return Cell(NONE, (None, None))
    text = f"{decimals(printed.f1)} ± {decimals(printed.f1_deviation)}"
    return Cell(text, (printed.f1, printed.f1_deviation))


def _published_depth(printed: Published | None) -> Cell:
    depth = None if printed is None else printed.depth
    return Cell(decimals(depth, 1), (depth,))


def _most_frequent(shared: Agreement) -> tuple[Cell, Cell]:
    """How many trials found the program that most did, and its text; if all differ, none is."""
    program, times = shared.programs[0]
    often = Cell(f"{times} of {shared.trials}", (times,))
    return often, plain(program, code=True) if times > 1 else plain(None)


def _features(shared: Agreement) -> str:
    """Which features are read by how many programs, those that all read first."""
    names: dict[int, list[str]] = {}
    for name, count in sorted(shared.features, key=lambda each: -each[1]):
        names.setdefault(count, []).append(name)
    return "; ".join(
        f"in {'all' if count == shared.trials else count}: {', '.join(own)}"
        for count, own in names.items()
    )
