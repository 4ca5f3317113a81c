"""The mean and spread of each feature, by which affine leaves and networks standardise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import row_chunks
from nearstar.data.sequences import Sequences
from nearstar.util.errors import DataError


@dataclass(frozen=True, eq=False)
class Scale:
    """Mean and standard deviation of each feature. Equal and hashed by these."""

    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    constant: tuple[int, ...] = ()
    """Columns that tell nothing in the data it is of: all their frames are the same, as far as
    numbers of single precision can tell. What is trained on these data gives them no weight. It is
    not saved: by then it has been used."""

    def __post_init__(self) -> None:
        for name in ("mean", "std"):
            # Adding zero turns -0.0 into 0.0, so that equal scales have equal bytes.
            own = np.array(getattr(self, name), dtype=np.float64) + 0.0
            own.flags.writeable = False
            object.__setattr__(self, name, own)
        if self.mean.ndim != 1 or self.mean.shape != self.std.shape:
            raise DataError(
                f"mean has shape {self.mean.shape} and std {self.std.shape}; expected two lists "
                "of one number per feature"
            )
        if not (
            np.isfinite(self.mean).all() and np.isfinite(self.std).all() and (self.std > 0).all()
        ):
            raise DataError(
                "a scale needs finite means and finite deviations above 0; a constant "
                "feature takes 1"
            )

    @classmethod
    def identity(cls, n: int) -> Scale:
        """The scale that changes nothing, for n features."""
        return cls(np.zeros(n), np.ones(n))

    @classmethod
    def of(cls, sequences: Sequences) -> Scale:
        """Mean and deviation over all frames; a constant feature gets deviation 1.

        Where the deviation is within the rounding of numbers as large as the mean, such as times in
        nanoseconds since 1970, the feature counts as constant too.
        """
        frames = sequences.frames
        # Measured from the first frame, a constant feature sums to exactly 0, without rounding.
        origin = frames[0].astype(np.float64)
        n = len(frames)
        shift = (
            sum((d.sum(axis=0) for d in _differences(frames, origin)), np.zeros_like(origin)) / n
        )
        mean = origin + shift
        squares = (np.square(d - shift).sum(axis=0) for d in _differences(frames, origin))
        std = np.sqrt(sum(squares, np.zeros_like(origin)) / n)
        constant = std <= np.finfo(np.float32).eps * np.abs(mean)
        columns = tuple(np.flatnonzero(constant).tolist())
        return cls(mean, np.where(constant, 1.0, std), columns)

    def to_dict(self) -> dict[str, list[float]]:
        return {"mean": self.mean.tolist(), "std": self.std.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Sequence[float]]) -> Scale:
        if not {"mean", "std"} <= values.keys():
            raise DataError(f"a scale has the entries mean and std; got {sorted(values)}")
        return cls(np.asarray(values["mean"]), np.asarray(values["std"]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scale):
            return NotImplemented
        return np.array_equal(self.mean, other.mean) and np.array_equal(self.std, other.std)

    def __hash__(self) -> int:
        return hash((self.mean.tobytes(), self.std.tobytes()))


def _differences(
    frames: NDArray[np.float32], origin: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    return (frames[part] - origin for part in row_chunks(*frames.shape))
