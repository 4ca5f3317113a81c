"""Bouts: maximal runs of one class in a sequence, in which annotators think."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.training.metrics import ratio
from nearstar.util.checks import check_whole, is_number
from nearstar.util.errors import DataError, NearstarError


def smooth(codes: ArrayLike, offsets: ArrayLike, min_bout: int) -> NDArray[np.int64]:
    """Class codes of frames without bouts shorter than ``min_bout`` frames.

    Sequence i is ``codes[offsets[i]:offsets[i + 1]]``. The shortest bout, the first of equals, goes
    to the longer of its neighbours, the earlier of equals, until none is too short or the sequence
    is one bout.
    """
    check_whole("min_bout", min_bout)
    values, ends = _checked(codes, offsets)
    starts = np.flatnonzero(_is_first(values, ends))
    runs = _Runs(values, starts, ends)
    short = [(length, run) for run, length in enumerate(runs.lengths) if length < min_bout]
    heapq.heapify(short)  # runs are numbered in order, so the first of equals comes first
    while short:
        length, run = heapq.heappop(short)
        if runs.lengths[run] != length or runs.is_alone(run):  # joined to another since, or grown
            continue
        joined = runs.give_up(run)
        if runs.lengths[joined] < min_bout:
            heapq.heappush(short, (runs.lengths[joined], joined))
    left = [run for run, length in enumerate(runs.lengths) if length]
    return np.repeat(
        np.array([runs.codes[run] for run in left], np.int64),
        [runs.lengths[run] for run in left],
    )


class _Runs:
    """Runs of one class, linked to their neighbours in the same sequence.

    A run that was joined to others has the number of the first of them; the others have length 0.
    """

    def __init__(
        self, values: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        self.codes: list[int] = values[starts].tolist()
        self.lengths: list[int] = np.diff(starts, append=len(values)).tolist()
        opens = np.isin(starts, ends)
        numbers = np.arange(len(starts))
        self.before: list[int] = np.where(opens, -1, numbers - 1).tolist()
        self.after: list[int] = np.where(np.append(opens[1:], True), -1, numbers + 1).tolist()

    def is_alone(self, run: int) -> bool:
        return self.before[run] < 0 and self.after[run] < 0

    def give_up(self, run: int) -> int:
        """Join a run to its longer neighbour; the number of the run that this makes."""
        before, after = self.before[run], self.after[run]
        if before >= 0 and (after < 0 or self.lengths[before] >= self.lengths[after]):
            self.codes[run] = self.codes[before]
        else:
            self.codes[run] = self.codes[after]
        if after >= 0 and self.codes[after] == self.codes[run]:
            self._take_next(run)
        if before >= 0 and self.codes[before] == self.codes[run]:
            self._take_next(before)
            return before
        return run

    def _take_next(self, run: int) -> None:
        taken = self.after[run]
        self.lengths[run] += self.lengths[taken]
        self.lengths[taken] = 0
        self.after[run] = self.after[taken]
        if self.after[run] >= 0:
            self.before[self.after[run]] = run


@dataclass(frozen=True, eq=False)
class BoutScores:
    """How well predicted bouts match true ones. Where a score would be 0/0 it is 0, never NaN."""

    overlap: float
    """Least share of the frames of either that two bouts must have in common to match."""
    n_true: NDArray[np.int64]
    """Bouts of each class."""
    n_predicted: NDArray[np.int64]
    n_matched: NDArray[np.int64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]
    f1_macro: float
    """The mean F1 of the classes that have bouts, true or predicted."""

    @classmethod
    def of_counts(
        cls,
        overlap: float,
        n_true: NDArray[np.int64],
        n_predicted: NDArray[np.int64],
        n_matched: NDArray[np.int64],
    ) -> BoutScores:
        """Scores of the numbers of bouts of each class."""
        f1 = ratio(2 * n_matched, n_true + n_predicted)
        occurring = n_true + n_predicted > 0
        return cls(
            overlap,
            n_true,
            n_predicted,
            n_matched,
            precision=ratio(n_matched, n_predicted),
            recall=ratio(n_matched, n_true),
            f1=f1,
            f1_macro=float(ratio(f1.sum(), occurring.sum())),
        )

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Every score as plain JSON."""
        if len(names) != len(self.f1):
            raise DataError(f"{len(names)} names were given for {len(self.f1)} classes")
        columns = {
            "precision": self.precision.tolist(),
            "recall": self.recall.tolist(),
            "f1": self.f1.tolist(),
            "true": self.n_true.tolist(),
            "predicted": self.n_predicted.tolist(),
        }
        per_class = {
            name: {score: values[code] for score, values in columns.items()}
            for code, name in enumerate(names)
        }
        return {"overlap": self.overlap, "f1_macro": self.f1_macro, "per_class": per_class}


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
    truth, ends = _checked(true, offsets)
    guess, _ = _checked(predicted, offsets)
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
    return BoutScores.of_counts(
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
    numbers = np.cumsum(_is_first(codes, ends))[known]
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _bouts_of_each(
    codes: NDArray[np.int64], bouts: NDArray[np.int64], n_classes: int
) -> NDArray[np.int64]:
    _, first = np.unique(bouts, return_index=True)
    return np.bincount(codes[first], minlength=n_classes)


def _is_first(codes: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each frame is the first of a run of one code in its sequence."""
    first = np.ones(len(codes), bool)
    first[1:] = codes[1:] != codes[:-1]
    first[ends[:-1]] = True
    return first


def _checked(codes: ArrayLike, offsets: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    values, ends = np.asarray(codes), np.asarray(offsets)
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise DataError(
            f"codes have type {values.dtype} and shape {values.shape}; expected one whole number "
            "for each frame"
        )
    rising = ends.ndim == 1 and len(ends) >= 2 and ends.dtype.kind in "iu"
    if not rising or ends[0] != 0 or ends[-1] != len(values) or (np.diff(ends) < 1).any():
        raise DataError(
            f"offsets must rise from 0 to the number of frames, {len(values)}, and leave no "
            "sequence empty; use those of the Sequences that were predicted"
        )
    return values.astype(np.int64), ends.astype(np.int64)
