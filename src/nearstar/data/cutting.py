"""Long recordings cut to windows, and values of windows stitched together again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import offsets_of, positions, runs_of
from nearstar.data.format import DataFormat
from nearstar.data.sequences import Sequences, pieces
from nearstar.util.errors import DataError


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows, and where in the recordings each of them is."""

    sequences: Sequences
    """The windows, one after another; each keeps its recording's label, or its frames' labels."""
    owners: NDArray[np.int64]
    """The recording that each window was cut from."""
    frames: NDArray[np.int64]
    """The place of each window's frame among the frames of the recordings."""

    def stitch(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """For each frame of the recordings, the mean over the windows that it is in.

        `values` are numbers, or vectors, for each frame of each window or for each window.
        """
        per_frame = np.asarray(values, dtype=np.float64)
        if len(per_frame) == len(self.sequences):
            per_frame = np.repeat(per_frame, self.sequences.lengths, axis=0)
        if len(per_frame) != len(self.frames):
            raise DataError(
                f"{len(values)} values cannot be stitched; expected one for each of "
                f"{len(self.frames)} frames of windows, or of {len(self.sequences)} windows"
            )
        return _means(per_frame, self.frames)

    def means(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """For each recording, the mean over its windows; `values` are for each window."""
        return _means(values, self.owners)


def _means(values: NDArray[Any], owners: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean of the values of each owner; all have some."""
    counts = np.bincount(owners)
    total = np.zeros((len(counts), *np.shape(values)[1:]))
    np.add.at(total, owners, values)
    return np.asarray(total / counts.reshape(-1, *[1] * (total.ndim - 1)))


def cut(sequences: Sequences, window: int, hop: int | None = None) -> Windows:
    """Windows of `window` frames, each `hop` frames after the last; by default they just touch.

    The last window of a recording is moved back to end with it, so that every frame is in a
    window and all windows are full; a recording that is shorter than a window is one.
    """
    hop = window if hop is None else hop
    if not 1 <= hop <= window:
        raise DataError(
            f"the window is {window} and the hop {hop} frames; expected a window from 1 frame, and "
            "a hop from 1 frame to the window, so that every frame is in a window"
        )
    lengths = sequences.lengths
    counts = 1 + np.maximum(-(-(lengths - window) // hop), 0)
    owners = np.repeat(np.arange(len(sequences)), counts)
    before = positions(offsets_of(counts))  # windows of its own recording before each window
    starts = np.minimum(before * hop, np.maximum(lengths - window, 0)[owners])
    sizes = np.minimum(window, lengths)[owners]
    frames = runs_of(sequences.offsets[owners] + starts, sizes)
    return Windows(pieces(sequences, frames, owners, sizes), owners, frames)


def in_windows(sequences: Sequences, format: DataFormat) -> Sequences:
    """The sequences cut as the format says; as they are, if it says nothing."""
    if format.window is None:
        return sequences
    return cut(sequences, format.window, format.hop).sequences
