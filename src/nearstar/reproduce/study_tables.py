"""The tables of a study, each made once: for Markdown, for CSV files and for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from nearstar.reproduce.algorithms import SEARCHES, called
from nearstar.reproduce.published import Published
from nearstar.reproduce.resampling import interval_of_mean
from nearstar.reproduce.study import Study, Trial
from nearstar.reproduce.summaries import Agreement, agreement, known, median_curve, tested
from nearstar.reproduce.table import (
    NONE,
    Cell,
    Column,
    Columns,
    Scalar,
    Table,
    amount,
    column,
    decimals,
    plain,
    score,
    share,
    spread,
    tabulate,
)
from nearstar.training.metrics import Metrics

_SCORES = ("accuracy", "f1", "f1_paper", "f1_macro")
_FIELDS = (
    *("seconds", "depth", "height", "structural_cost", "path_cost", "trained", "ended", "gap"),
    *("epsilon", "violations", "correlation", "program", "learned", "canonical"),
)


def mean_f1(study: Study, algorithm: str) -> float | None:
    """The mean F1 on the test data of the trials that found something; None if none did."""
    scores = tested(study.of(algorithm), "f1")
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


_MAIN: Columns[_Row] = (
    column("algorithm", "algorithm name", lambda row: _name(row.algorithm), number=False),
    column("trials", "trials found", lambda row: _found(row.trials, row.algorithm), number=False),
    column("accuracy", "accuracy accuracy_sd", lambda row: spread(tested(row.trials, "accuracy"))),
    column("published accuracy", "published_accuracy", lambda row: _printed(row, "accuracy")),
    column("F1", "f1 f1_sd", lambda row: spread(tested(row.trials, "f1"), best=row.best)),
    column("F1, 95 % interval", "f1_low f1_high", lambda row: _interval(row.trials)),
    column(
        "F1 weighted as in the paper",
        "f1_paper f1_paper_sd",
        lambda row: spread(tested(row.trials, "f1_paper")),
    ),
    column(
        "published F1",
        "published_f1 published_f1_sd",
        lambda row: _printed(row, "f1", "f1_deviation"),
    ),
    column("depth", "depth depth_sd", lambda row: spread(known(row.steps, "depth"), 1)),
    column("published depth", "published_depth", lambda row: _printed(row, "depth", places=1)),
    column(
        "path cost", "path_cost path_cost_sd", lambda row: spread(known(row.steps, "path_cost"))
    ),
    column("programs trained", "trained", lambda row: amount(known(row.steps, "trained"))),
    column("processor seconds", "seconds", lambda row: amount(known(row.trials, "seconds"))),
)
"""The columns of the main table, what the paper prints beside ours, and the cells in them."""


def main_table(study: Study) -> Table:
    """The paper's Table 1: how good every algorithm is, over all its trials.

    Published results have columns if there are any, and the paper's own F1 if it differs.
    """
    weighted = own_weights(study)
    chosen = [
        (head, cell)
        for head, cell in _MAIN
        if (study.published or not head.keys[0].startswith("published"))
        and (weighted or head.keys[0] != "f1_paper")
    ]
    scores = {each: mean_f1(study, each) for each in study.searches}
    highest = max((score for score in scores.values() if score is not None), default=None)
    rows = [
        _Row(each, study.of(each), study.published.get(each), scores.get(each, -1.0) == highest)
        for each in study.algorithms
    ]
    return tabulate("Accuracy, F1 and depth", chosen, rows)


_SWEEP: Columns[tuple[float, Sequence[Trial]]] = (
    column("λ", "weight", lambda row: Cell(f"{row[0]:g}", (row[0],))),
    column("trials", "trials found", lambda row: _found(row[1], "astar"), number=False),
    column("depth", "depth depth_sd", lambda row: spread(known(row[1], "depth"), 1)),
    column("F1", "f1 f1_sd", lambda row: spread(tested(row[1], "f1"))),
    column(
        "structural cost",
        "structural_cost structural_cost_sd",
        lambda row: spread(known(row[1], "structural_cost")),
    ),
)


def sweep_table(study: Study) -> Table:
    """Depth and F1 at every λ."""
    return tabulate("Programs at every λ", _SWEEP, study.by_weight.items())


_GUARANTEE: Columns[Trial] = (
    column("algorithm", "algorithm name", lambda trial: _name(trial.algorithm), number=False),
    column("seed", "seed", lambda trial: plain(trial.seed)),
    column("ended", "ended", lambda trial: plain(trial.ended), number=False),
    column("gap", "gap", lambda trial: score(trial.gap)),
    column("ε", "epsilon", lambda trial: score(trial.epsilon)),
    column("gap + ε", "gap_with_epsilon", lambda trial: score(trial.gap_with_epsilon)),
    column("violations", "violations", lambda trial: share(trial.violations)),
    column("rank correlation", "correlation", lambda trial: score(trial.correlation)),
)


def guarantee_table(study: Study) -> Table:
    """How near to the optimum every search can claim to be, and whether its heuristic held."""
    trials = (trial for each in study.searches for trial in study.of(each))
    return tabulate("Gap and audit of every search", _GUARANTEE, trials)


_STABILITY: Columns[tuple[str, Agreement]] = (
    column("algorithm", "algorithm name", lambda row: _name(row[0]), number=False),
    column("programs", "programs", lambda row: plain(row[1].trials)),
    column("distinct", "distinct", lambda row: plain(len(row[1].programs))),
    column("pairs alike", "same", lambda row: share(row[1].same)),
    column("overlap of features", "feature_overlap", lambda row: score(row[1].feature_overlap)),
    column("most frequent", "times", lambda row: _times(row[1])),
    column("its program", "frequent", lambda row: _most_frequent(row[1]), number=False),
    column("features read", "features", lambda row: plain(_features(row[1])), number=False),
)


def stability_table(study: Study) -> Table:
    """What the seeds of an algorithm have in common, where at least two found a program."""
    found = ((each, agreement(study.of(each))) for each in study.searches)
    rows = [(each, own) for each, own in found if own is not None and own.trials >= 2]
    return tabulate("What comes back over the seeds", _STABILITY, rows)


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
        for algorithm in study.searches
        for seconds, cost in zip(*median_curve(study.of(algorithm)), strict=True)
    ]
    return _of_values("Efficiency", ("algorithm", "seconds", "median_path_cost"), rows)


def _of_values(title: str, keys: Sequence[str], rows: Sequence[Sequence[Scalar]]) -> Table:
    columns = tuple(Column(key, (key,)) for key in keys)
    return Table(title, columns, tuple(tuple(plain(value) for value in row) for row in rows))


def _name(algorithm: str) -> Cell:
    return plain(algorithm, called(algorithm))


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


def _printed(row: _Row, *names: str, places: int = 3) -> Cell:
    """What the paper prints: a mean, and its deviation where that is named too."""
    values: tuple[float | None, ...] = tuple(getattr(row.printed, name, None) for name in names)
    known = [decimals(value, places) for value in values if value is not None]
    return Cell(" ± ".join(known) or NONE, values)


def _times(shared: Agreement) -> Cell:
    """How many trials found the program that most did."""
    times = shared.programs[0][1]
    return Cell(f"{times} of {shared.trials}", (times,))


def _most_frequent(shared: Agreement) -> Cell:
    """The program that most trials found; if all differ, none is."""
    program, times = shared.programs[0]
    return plain(program, code=True) if times > 1 else plain(None)


def _features(shared: Agreement) -> str:
    """Which features are read by how many programs, those that all read first."""
    names: dict[int, list[str]] = {}
    for name, count in shared.features:
        names.setdefault(count, []).append(name)
    return "; ".join(
        f"in {'all' if count == shared.trials else count}: {', '.join(own)}"
        for count, own in names.items()
    )
