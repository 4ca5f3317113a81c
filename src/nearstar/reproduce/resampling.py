"""How far scores would move with other recordings: the bootstrap over whole units.

Frames of one recording are alike, so that frames drawn one by one would promise far too much.
Whole units are drawn instead, with replacement: games, videos, subjects. A draw needs nothing but
the confusion matrix of each unit, as scores follow from the sum of those drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.sequences import Sequences
from nearstar.reproduce.study import Trial
from nearstar.training.metrics import ratio
from nearstar.util.checks import check_whole, is_number
from nearstar.util.errors import DataError, NearstarError
from nearstar.util.nearest import suggestion

Score = Literal["accuracy", "f1", "f1_paper", "f1_macro"]
"""The scores of `Metrics`, by their names there."""
Interval = tuple[float, float]

_LEVEL = 0.95
_DRAWS = 2000
_AT_ONCE = 1 << 21
"""Drawn units that are held in memory at a time."""


def confusions_by_unit(
    true: ArrayLike, predicted: ArrayLike, data: Sequences, units: ArrayLike
) -> NDArray[np.int64]:
    """The confusion matrix of each unit, (units, n, n), in the order of their sorted names.

    Codes are one for each label of the data, ``units`` one for each sequence. Unlabelled elements
    never count; a unit of nothing else has a matrix of zeros.
    """
    labels, guesses = np.asarray(true, np.int64), np.asarray(predicted, np.int64)
    ids, n = np.asarray(units), data.n_classes
    if ids.shape != (len(data),):
        raise DataError(
            f"units have shape {ids.shape}; expected the unit of each of {len(data)} sequences"
        )
    n_labels = len(data.frames) if data.per_frame else len(data)
    if labels.shape != (n_labels,) or guesses.shape != (n_labels,):
        raise DataError(
            f"there are {labels.shape} true codes and {guesses.shape} predicted ones; expected "
            f"{n_labels} of each, one for every label of the data"
        )
    if max(labels.max(initial=0), guesses.max(initial=0)) >= n or (guesses < 0).any():
        raise DataError(f"class codes are whole numbers from 0 to {n - 1}")
    names, places = np.unique(ids, return_inverse=True)
    owners = np.repeat(places, data.lengths) if data.per_frame else places
    cells = (owners * n + labels) * n + guesses
    counts = np.bincount(cells[labels >= 0], minlength=len(names) * n * n)
    return counts.reshape(len(names), n, n)


def scores_of(confusions: NDArray[np.int64], score: Score = "f1") -> NDArray[np.float64]:
    """A score of each confusion matrix, (…, n, n), as `Metrics` has it of one."""
    if score not in get_args(Score):
        raise NearstarError(f"unknown score {score!r}; {suggestion(score, get_args(Score))}")
    right = np.diagonal(confusions, axis1=-2, axis2=-1)
    true, predicted = confusions.sum(axis=-1), confusions.sum(axis=-2)
    if score == "accuracy":
        return ratio(right.sum(axis=-1), true.sum(axis=-1))
    f1 = ratio(2 * right, true + predicted)
    if score == "f1_macro":
        return np.asarray(f1.mean(axis=-1))
    if f1.shape[-1] == 2:
        return f1[..., 1]
    support = true if score == "f1" else predicted
    return ratio((f1 * support).sum(axis=-1), support.sum(axis=-1))


def resampled(by_unit: NDArray[np.int64], draws: int = _DRAWS, seed: int = 0) -> NDArray[np.int64]:
    """Confusion matrices of drawn data: (…, units, n, n) to (draws, …, n, n).

    A draw takes as many units as there are, with replacement, and the same ones for everything
    that lies before the units. Draw i takes ``default_rng(seed).integers(units, size=(draws,
    units))[i]``.
    """
    check_whole("draws", draws)
    *before, n_units, n, _ = by_unit.shape
    counts = np.moveaxis(by_unit, -3, 0).reshape(n_units, -1).astype(np.float64)
    sums = np.empty((draws, counts.shape[1]), np.int64)
    rng, step = np.random.default_rng(seed), max(1, _AT_ONCE // n_units)
    for first in range(0, draws, step):
        drawn = rng.integers(n_units, size=(min(step, draws - first), n_units))
        cells = drawn + n_units * np.arange(len(drawn))[:, None]
        often = np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape)
        # Whole numbers below 2⁵³: products of doubles are exact, and many times faster.
        sums[first : first + len(drawn)] = often.astype(np.float64) @ counts
    return sums.reshape(draws, *before, n, n)


def interval_of_mean(
    trials: Iterable[Trial],
    score: Score = "f1",
    *,
    level: float = _LEVEL,
    draws: int = _DRAWS,
    seed: int = 0,
) -> Interval | None:
    """The percentile interval of the mean score of trials on the same test data.

    The same units are drawn for all trials; it tells how the mean of these very programs would
    move with other recordings, not with other seeds. Trials that found nothing have no score and
    are left out. None if that leaves none, or for fewer than two units: every draw would be the
    same data, and an interval without width would claim a certainty that one unit cannot give.
    """
    if not is_number(level) or not 0 < level < 1:
        raise NearstarError(f"level must be a number between 0 and 1, as .95, not {level!r}")
    by_unit = _same_units([trial.by_unit for trial in trials if trial.found])
    if by_unit is None or by_unit.shape[1] < 2:
        return None
    means = scores_of(resampled(by_unit, draws, seed), score).mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def _same_units(matrices: Sequence[NDArray[np.int64]]) -> NDArray[np.int64] | None:
    """All in one array; they must be of predictions for the same labels."""
    for by_unit in matrices:
        if by_unit.ndim != 3 or by_unit.shape[1] != by_unit.shape[2] or by_unit.shape[1] < 2:
            raise DataError(
                f"the confusion matrices have shape {by_unit.shape}; expected (units, n, n) for n "
                "classes, from 2"
            )
        same = by_unit.shape == matrices[0].shape
        if not same or (by_unit.sum(axis=2) != matrices[0].sum(axis=2)).any():
            raise DataError(
                "confusion matrices are compared that count different labels; expected those of "
                "predictions for the same test data, divided in the same units"
            )
    return np.stack(matrices) if matrices else None
