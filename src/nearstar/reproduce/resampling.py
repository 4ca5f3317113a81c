"""How far F1 would move with other recordings: the bootstrap over whole units.

Frames of one recording are alike, so that frames drawn one by one would promise far too much.
Whole units are drawn instead, with replacement: games, videos, subjects. A draw needs nothing but
the confusion matrix of each unit, as F1 follows from the sum of those drawn.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.sequences import Sequences
from nearstar.reproduce.study import Trial
from nearstar.training.metrics import ratio
from nearstar.util.errors import DataError

LEVEL = 0.95
DRAWS = 2000
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
    n = data.n_classes
    names, places = np.unique(np.asarray(units), return_inverse=True)
    owners = np.repeat(places, data.lengths) if data.per_frame else places
    cells = (owners * n + labels) * n + guesses
    counts = np.bincount(cells[labels >= 0], minlength=len(names) * n * n)
    return counts.reshape(len(names), n, n)


def f1_of(confusions: NDArray[np.int64]) -> NDArray[np.float64]:
    """F1 of each confusion matrix, (…, n, n), as `Metrics` has it of one."""
    right = np.diagonal(confusions, axis1=-2, axis2=-1)
    true, predicted = confusions.sum(axis=-1), confusions.sum(axis=-2)
    f1 = ratio(2 * right, true + predicted)
    if f1.shape[-1] == 2:
        return f1[..., 1]
    return ratio((f1 * true).sum(axis=-1), true.sum(axis=-1))


def resampled(by_unit: NDArray[np.int64], draws: int = DRAWS) -> NDArray[np.int64]:
    """Confusion matrices of drawn data: (…, units, n, n) to (draws, …, n, n).

    A draw takes as many units as there are, with replacement, and the same ones for everything
    that lies before the units. Draw i takes ``default_rng(0).integers(units, size=(draws,
    units))[i]``.
    """
    *before, n_units, n, _ = by_unit.shape
    counts = np.moveaxis(by_unit, -3, 0).reshape(n_units, -1).astype(np.float64)
    sums = np.empty((draws, counts.shape[1]), np.int64)
    rng, step = np.random.default_rng(0), max(1, _AT_ONCE // n_units)
    for first in range(0, draws, step):
        drawn = rng.integers(n_units, size=(min(step, draws - first), n_units))
        cells = drawn + n_units * np.arange(len(drawn))[:, None]
        often = np.bincount(cells.ravel(), minlength=drawn.size).reshape(drawn.shape)
        # Whole numbers below 2⁵³: products of doubles are exact, and many times faster.
        sums[first : first + len(drawn)] = often.astype(np.float64) @ counts
    return sums.reshape(draws, *before, n, n)


def interval_of_mean(trials: Iterable[Trial], draws: int = DRAWS) -> tuple[float, float] | None:
    """The percentile interval of the mean F1 of trials on the same test data.

    The same units are drawn for all trials; it tells how the mean of these very programs would
    move with other recordings, not with other seeds. Trials that found nothing have no score and
    are left out. None if that leaves none, or for fewer than two units: every draw would be the
    same data, and an interval without width would claim a certainty that one unit cannot give.
    """
    matrices = [trial.by_unit for trial in trials if trial.found]
    if any(not np.array_equal(each.sum(axis=2), matrices[0].sum(axis=2)) for each in matrices):
        raise DataError(
            "confusion matrices are compared that count different labels; expected those of "
            "predictions for the same test data, divided in the same units"
        )
    if not matrices or len(matrices[0]) < 2:
        return None
    means = f1_of(resampled(np.stack(matrices), draws)).mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return low, high
