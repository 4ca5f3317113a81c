"""Runs of one class in a sequence, and labels without those that are too short."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.util.checks import check_whole
from nearstar.util.errors import DataError


def smooth(codes: ArrayLike, offsets: ArrayLike, min_bout: int) -> NDArray[np.int64]:
    """Class codes of frames without bouts shorter than ``min_bout`` frames.

    Sequence i is ``codes[offsets[i]:offsets[i + 1]]``. The shortest bout, the first of equals, goes
    to the longer of its neighbours, the earlier of equals, until none is too short or the sequence
    is one bout.
    """
    check_whole("min_bout", min_bout)
    values, ends = checked_codes(codes, offsets)
    starts = np.flatnonzero(first_of_runs(values, ends))
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


def first_of_runs(codes: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each frame is the first of a run of one code in its sequence."""
    first = np.ones(len(codes), bool)
    first[1:] = codes[1:] != codes[:-1]
    first[ends[:-1]] = True
    return first


def checked_codes(
    codes: ArrayLike, offsets: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes and offsets as arrays, which fit each other."""
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
