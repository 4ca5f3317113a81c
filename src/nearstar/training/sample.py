"""A sample of labelled data, small enough to look at each of its elements again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.data.sequences import Sequences
from nearstar.engine.packing import Blocks, pack
from nearstar.language.operators.memory import faded

SAMPLE = 8000
"""Labelled elements, about, of the sample that splits and terms are found on."""


class Split(NamedTuple):
    """Where a feature, standardised, is split."""

    column: int
    threshold: float


@dataclass(frozen=True, eq=False)
class Inputs:
    """What there is to read at each element: features, and a one for the bias."""

    values: NDArray[np.float32]

    @classmethod
    def of(cls, features: NDArray[np.floating]) -> Inputs:
        return cls(np.column_stack([features, np.ones(len(features))]).astype(np.float32))

    @property
    def ones(self) -> int:
        """The column of ones."""
        return int(self.values.shape[1]) - 1

    @cached_property
    def squares(self) -> NDArray[np.float32]:
        return np.asarray(self.values**2)


@dataclass(frozen=True, eq=False)
class Sample:
    """Sequences for the engine, and what there is to read at those elements that have a label."""

    blocks: Blocks
    labelled: NDArray[np.int64]
    """Which frames, or sequences, have one."""
    codes: NDArray[np.int64]
    """Their classes."""
    inputs: NDArray[np.float64]
    """Their features, standardised: those of a sequence are the means of its frames."""
    frames: NDArray[np.float64]
    """The features of all frames, standardised."""
    offsets: NDArray[np.int64]
    """Where sequences begin and end in them."""
    per_frame: bool
    """Whether frames have labels, not sequences."""
    splits: dict[tuple[object, ...], Split | None] = field(default_factory=dict)
    """Those that were found in them, by what they were found for."""

    @classmethod
    def of(cls, data: Sequences, scale: Scale) -> Sample:
        codes = np.asarray(data.labels, np.int64)
        labelled = np.flatnonzero(codes >= 0)
        frames = (data.frames.astype(np.float64) - scale.mean) / scale.std
        if data.per_frame:
            inputs = frames[labelled]
        else:
            means = np.add.reduceat(frames, data.offsets[:-1]) / data.lengths[:, None]
            inputs = means[labelled]
        return cls(
            pack(data, scale),
            labelled,
            codes[labelled],
            inputs,
            frames,
            data.offsets,
            data.per_frame,
        )

    @cached_property
    def _at_once(self) -> Inputs:
        """Of a leaf that no memory is around."""
        return Inputs.of(self.inputs)

    def remembered(self, half_lives: Sequence[float]) -> Inputs:
        """What there is to read inside of memories, the outer one first: features fade."""
        if not half_lives:
            return self._at_once
        values = self.frames
        for half_life in half_lives:
            values = faded(values, self.offsets, half_life)
        ends = self.labelled if self.per_frame else self.offsets[1:][self.labelled] - 1
        return Inputs.of(values[ends])


def some_sequences(data: Sequences, most: int) -> Sequences:
    """Sequences of labelled data, drawn once and for all, until they have so many labels."""
    labelled = np.asarray(data.labels) >= 0
    sums = np.concatenate([[0], np.cumsum(labelled)])
    offsets = data.offsets if data.per_frame else np.arange(len(sums))
    order = np.random.default_rng(0).permutation(len(data))
    counts = np.diff(sums[offsets])[order]
    return data.subset(np.sort(order[: np.searchsorted(np.cumsum(counts), most) + 1]))
