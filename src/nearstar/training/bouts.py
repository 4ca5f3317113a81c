"""Scores of bouts: maximal runs of one class in a sequence, in which annotators think."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.runs import checked_codes, first_of_runs
from nearstar.training.metrics import per_class, ratio
from nearstar.util.checks import is_number
from nearstar.util.errors import DataError, NearstarError


@dataclass(frozen=True, eq=False)
class BoutScores:
    """How well predicted bouts match true ones. Where a score would be 0/0 it is 0, never NaN."""

    overlap: float
    """Least share of the frames of either that two bouts must have in common to match."""
    n_true: NDArray[np.int64]
    """Bouts of each class."""
    n_predicted: NDArray[np.int64]
    n_matched: NDArray[np.int64]

    @property
    def f1_macro(self) -> float:
        """The mean F1 of the classes that have bouts, true or predicted."""
        bouts = self.n_true + self.n_predicted
        return float(ratio(ratio(2 * self.n_matched, bouts).sum(), (bouts > 0).sum()))

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Every score as plain JSON."""
        counts = {"true": self.n_true, "predicted": self.n_predicted}
        table = per_class(names, self.n_matched, self.n_true, self.n_predicted, counts)
        return {"overlap": self.overlap, "f1_macro": self.f1_macro, "per_class": table}


def bout_scores(
    true: ArrayLike,
    predicted: ArrayLike,
    offsets: ArrayLike,
    n_classes: int,
    overlap: float = 0.5,
) -> BoutScores:
    """Scores of predicted bouts, from class codes of frames; sequences lie between the offsets.

    A predicted bout matches a true one of its class if they share at least ``overlap`` of the
    frames that either has. Each matches one at most: those that share most come first, then earlier
    ones. Frames whose true code is negative are not looked at, and divide the bouts around them.
    """
    if not is_number(overlap) or not 0 < overlap <= 1:
        raise NearstarError(f"overlap must be above 0 and at most 1, not {overlap!r}")
    truth, ends = checked_codes(true, offsets)
    guess, _ = checked_codes(predicted, offsets)
    if max(truth.max(initial=0), guess.max(initial=0)) >= n_classes or guess.min(initial=0) < 0:
        raise DataError(f"class codes are whole numbers from 0 to {n_classes - 1}")
    known = truth >= 0
    guess = np.where(known, guess, -1)  # so that what is not known divides these bouts too
    true_bouts, guessed_bouts = _bouts(truth, ends, known), _bouts(guess, ends, known)
    truth, guess = truth[known], guess[known]
    true_lengths, guessed_lengths = np.bincount(true_bouts), np.bincount(guessed_bouts)
    # A true and a predicted bout are both runs, so what they share is one, too.
    shared = np.flatnonzero(truth == guess)
    keys = true_bouts[shared] * len(guessed_lengths) + guessed_bouts[shared]
    keys, first, common = np.unique(keys, return_index=True, return_counts=True)
    pairs = np.stack(np.divmod(keys, max(len(guessed_lengths), 1)))
    overlaps = common / (true_lengths[pairs[0]] + guessed_lengths[pairs[1]] - common)
    matched = _matched(pairs, overlaps, first, overlap)
    classes = truth[shared[first[matched]]]
    return BoutScores(
        float(overlap),
        n_true=_bouts_of_each(truth, true_bouts, n_classes),
        n_predicted=_bouts_of_each(guess, guessed_bouts, n_classes),
        n_matched=np.bincount(classes, minlength=n_classes),
    )


def _matched(
    pairs: NDArray[np.int64],
    overlaps: NDArray[np.float64],
    first: NDArray[np.int64],
    least: float,
) -> list[int]:
    """The pairs that match, one to one."""
    order = np.lexsort((first, -overlaps))
    used: tuple[set[int], set[int]] = (set(), set())
    matched = []
    for pair in order[overlaps[order] >= least].tolist():
        true, guessed = pairs[:, pair].tolist()
        if true not in used[0] and guessed not in used[1]:
            used[0].add(true)
            used[1].add(guessed)
            matched.append(pair)
    return matched


def _bouts(
    codes: NDArray[np.int64], ends: NDArray[np.int64], known: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The number of the bout of each known frame."""
    numbers = np.cumsum(first_of_runs(codes, ends))[known]
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _bouts_of_each(
    codes: NDArray[np.int64], bouts: NDArray[np.int64], n_classes: int
) -> NDArray[np.int64]:
    _, first = np.unique(bouts, return_index=True)
    return np.bincount(codes[first], minlength=n_classes)
