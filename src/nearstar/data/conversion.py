"""Reading arrays: from what a caller has to frames, offsets and class codes, all checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.util.errors import DataError

UNLABELLED = -1
MAX_CLASSES = int(np.iinfo(np.int16).max)

# Data are walked over in pieces of this many values, so that no check needs a temporary array as
# large as the data.
_CHUNK = 1 << 16


def read_frames(
    X: ArrayLike, lengths: ArrayLike | None
) -> tuple[NDArray[np.float32], NDArray[np.int64], bool, int]:
    """Frames, offsets, whether X holds plain vectors, and the width of labels padded like X."""
    listed = as_list(X)
    if listed is not None:
        if lengths is not None:
            raise DataError("lengths are for a padded array; a list of arrays has its own")
        frames, sizes = _join([as_array(x, f"sequence {i} of X") for i, x in enumerate(listed)])
        return frames, offsets_of(sizes), False, int(sizes.max())
    array = as_array(X, "X")
    if array.ndim not in (2, 3):
        raise DataError(
            f"X has shape {array.shape}; expected (sequences, frames, features), "
            "(vectors, features), or a list of (frames, features) arrays"
        )
    if 0 in array.shape:
        raise DataError(f"X has shape {array.shape} and holds no values; every size must be > 0")
    check_numeric(array, "X")
    vectors = array.ndim == 2
    if vectors and lengths is not None:
        raise DataError("lengths go with sequences; X has two dimensions, so plain vectors")
    with np.errstate(over="ignore"):  # what overflows is reported as not finite, with its place
        array = np.ascontiguousarray(array, dtype=np.float32)
    frames, real = without_padding(array, lengths)
    return frames, offsets_of(real.sum(axis=1)), vectors, real.shape[1]


def without_padding(
    X: NDArray[Any], lengths: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Frames one after another, and which frames of each sequence are no padding.

    X is (sequences, frames, features); of (vectors, features), each vector is a sequence.
    """
    n, width = len(X), X.shape[1] if X.ndim == 3 else 1
    sizes = np.full(n, width) if lengths is None else read_lengths(lengths, n, width)
    real = np.arange(width) < sizes[:, None]
    frames = X.reshape(-1, X.shape[-1])
    return frames if real.all() else frames[real.reshape(-1)], real


def _join(arrays: list[NDArray[Any]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    if not arrays:
        raise DataError("X is an empty list; expected at least one sequence")
    for i, array in enumerate(arrays):
        if array.ndim != 2:
            raise DataError(
                f"sequence {i} of X has shape {array.shape}; expected (frames, features): write "
                "x[:, None] for sequences of one feature, np.stack(X) for plain vectors"
            )
        if 0 in array.shape:
            raise DataError(f"sequence {i} of X has shape {array.shape}; expected values in it")
        check_numeric(array, f"sequence {i} of X")
        if array.shape[1] != arrays[0].shape[1]:
            raise DataError(
                f"sequence {i} of X has {array.shape[1]} features, sequence 0 has "
                f"{arrays[0].shape[1]}; expected the same features in every sequence"
            )
    with np.errstate(over="ignore"):
        frames = np.concatenate(arrays, dtype=np.float32, casting="unsafe")
    # Joined, arrays that are all in the order of columns would be in it too.
    return np.ascontiguousarray(frames), np.array([len(array) for array in arrays])


def flatten_labels(
    y: ArrayLike, lengths: NDArray[np.int64], width: int
) -> tuple[NDArray[Any], bool]:
    """All labels in one row, and whether they are per frame."""
    n = len(lengths)
    listed = as_list(y)
    if listed and as_array(listed[0], "the labels of sequence 0").ndim:
        rows = [as_array(row, f"the labels of sequence {i}") for i, row in enumerate(listed)]
        _check_count(len(rows), n)
        for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            if row.shape != (length,):
                raise DataError(
                    f"the labels of sequence {i} have shape {row.shape}; expected ({length},): "
                    "one for each of its frames"
                )
        return join_labels(rows), True
    array = as_array(y, "y")
    if array.ndim not in (1, 2):
        raise DataError(f"y has shape {array.shape}; expected ({n},) or ({n}, {width})")
    _check_count(len(array), n)
    if array.ndim == 1:
        return array, False
    if array.shape[1] != width:
        raise DataError(
            f"y has {array.shape[1]} labels per sequence; expected {width}, one per frame, "
            f"or shape ({n},) for one per sequence"
        )
    if lengths.min() == width:
        return array.reshape(-1), True
    return array[np.arange(width) < lengths[:, None]], True


def join_labels(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Labels one after another; numbers, NaN among them, that stand by texts stay numbers."""
    if len({part.dtype.kind in "US" for part in parts}) > 1:
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)


def read_codes(
    flat: NDArray[Any], n_classes: int, offsets: NDArray[np.int64] | None
) -> NDArray[np.int16]:
    """Labels as class codes below n_classes, -1 where negative or NaN."""
    if flat.dtype.kind not in "biuf":
        raise DataError(
            f"labels have type {flat.dtype}; expected integer class codes from 0: "
            "class_names, y = np.unique(y, return_inverse=True) makes them from names"
        )
    codes = np.full(len(flat), UNLABELLED, dtype=np.int16)
    for part in row_chunks(len(flat), 1):
        values = flat[part]
        known = values >= 0
        wrong = known & ((values >= n_classes) | (values != np.floor(values)))
        if wrong.any():
            first = int(np.argmax(wrong))
            raise DataError(
                f"the label of {_where(part.start + first, offsets)} is {values[first]}; expected "
                f"whole numbers from 0 to {n_classes - 1} (negative or NaN: unlabelled). "
                "Number the classes from 0, or give a name for each in class_names"
            )
        np.copyto(codes[part], values, where=known, casting="unsafe")
    if codes.max() == UNLABELLED:
        raise DataError("every label is negative or NaN, so nothing is labelled; label something")
    return codes


def check_finite(
    frames: NDArray[np.float32], offsets: NDArray[np.int64], names: Sequence[str]
) -> None:
    bad, first = count_wrong(lambda part: ~np.isfinite(part), frames)
    if bad:
        row, column = divmod(first, frames.shape[1])
        raise DataError(
            f"{bad} of {frames.size} feature values are not finite as 32-bit floats; the first is "
            f"{frames[row, column]} at {_where(row, offsets)}, feature {names[column]!r}. "
            "Fill the gaps or drop those sequences"
        )


def _where(index: int, offsets: NDArray[np.int64] | None) -> str:
    if offsets is None:
        return f"sequence {index}"
    i = int(np.searchsorted(offsets, index, side="right")) - 1
    return f"sequence {i}, frame {index - int(offsets[i])}"


def count_wrong(wrong: Callable[[NDArray[Any]], Any], values: NDArray[Any]) -> tuple[int, int]:
    """How many values are wrong, and the place of the first in reading order."""
    count, first = 0, 0
    for part in row_chunks(*values.shape):
        found = wrong(values[part])
        if found.any():
            first = first if count else part.start * values.shape[1] + int(np.argmax(found))
            count += int(np.count_nonzero(found))
    return count, first


def row_chunks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Pieces of a large table that are small enough for temporary copies."""
    step = max(1, _CHUNK // n_columns)
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def offsets_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def positions(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each frame in its sequence, from 0."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))


def frame_rows(offsets: NDArray[np.int64], chosen: NDArray[np.int64]) -> slice | NDArray[np.int64]:
    """Where the frames of the chosen sequences are; a slice if they are one after another."""
    if np.all(np.diff(chosen) == 1):
        return slice(int(offsets[chosen[0]]), int(offsets[chosen[-1] + 1]))
    return runs_of(offsets[chosen], np.diff(offsets)[chosen])


def runs_of(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places from each start on, so many each."""
    return np.repeat(starts, lengths) + positions(offsets_of(lengths))


def read_lengths(lengths: ArrayLike, n: int, width: int) -> NDArray[np.int64]:
    sizes = as_array(lengths, "lengths")
    if sizes.shape != (n,) or sizes.dtype.kind not in "iu":
        raise DataError(
            f"lengths have shape {sizes.shape} and type {sizes.dtype}; expected {n} integers, "
            "one for each sequence"
        )
    wrong = np.flatnonzero((sizes < 1) | (sizes > width))
    if len(wrong):
        i = int(wrong[0])
        raise DataError(
            f"sequence {i} has length {sizes[i]}; expected 1 to {width}, the frames X has room for"
        )
    return sizes.astype(np.int64)


def read_indices(indices: ArrayLike, n: int) -> NDArray[np.int64]:
    chosen = as_array(indices, "the indices")
    if chosen.dtype == np.bool_ and chosen.shape == (n,):
        chosen = np.flatnonzero(chosen)
    if chosen.ndim != 1 or not len(chosen):
        raise DataError(
            f"the indices have shape {chosen.shape} and choose nothing; expected a list of at "
            f"least one index, or a mask of {n} booleans with a True"
        )
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n:
        raise DataError(f"the indices must be integers from 0 to {n - 1}; got {chosen}")
    return chosen.astype(np.int64)


def read_groups(groups: ArrayLike | None, n: int) -> NDArray[np.int64]:
    """The number of each sequence's group; without groups every sequence is its own."""
    if groups is None:
        return np.arange(n)
    names = as_array(groups, "groups")
    if names.shape != (n,):
        raise DataError(f"groups have shape {names.shape}; expected ({n},), one for each sequence")
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def read_class_names(names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    if not 2 <= len(names) <= MAX_CLASSES:
        raise DataError(f"class_names has {len(names)} names; expected 2 to {MAX_CLASSES}")
    return read_names(names, "class", len(names))


def read_names(names: Sequence[str] | None, what: str, n: int) -> tuple[str, ...]:
    if names is None:
        return plain_names(n) if what == "feature" else tuple(map(str, range(n)))
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{what}_names must be a list of strings; got {names!r}")
    if len(names) != n:
        raise DataError(f"{what}_names has {len(names)} names; expected {n}, one for each {what}")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"the {what} name {twice[0]!r} is given twice; expected distinct names")
    return tuple(str(name) for name in names)


def plain_names(n: int) -> tuple[str, ...]:
    """Names of features that have none."""
    return tuple(f"x{index}" for index in range(n))


def unnamed(features: Sequence[str]) -> bool:
    """Whether the names of features only count: x0, x1, …"""
    return tuple(features) == plain_names(len(features))


def as_list(values: ArrayLike) -> list[Any] | None:
    """The items, if this may be one array per sequence; None if it is one array for all."""
    if isinstance(values, np.ndarray):
        return list(values) if values.dtype == object and values.ndim == 1 else None
    return list(values) if isinstance(values, (list, tuple)) else None


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise DataError(f"{what} is not a rectangular array; expected rows of one length") from None


def check_numeric(array: NDArray[Any], what: str) -> None:
    """Raise unless an array holds real numbers."""
    if array.dtype.kind not in "biuf":
        raise DataError(f"{what} has type {array.dtype}; expected real numbers")


def _check_count(given: int, n: int) -> None:
    if given != n:
        raise DataError(f"y labels {given} sequences; X holds {n}: expected one entry for each")


def check_parts(
    frames: NDArray[np.float32], offsets: NDArray[np.int64], names: tuple[str, ...]
) -> None:
    """Raise unless frames and offsets are what compiled code takes them for."""
    if frames.dtype != np.float32 or frames.ndim != 2 or not frames.flags.c_contiguous:
        raise DataError(
            f"frames must be a C-contiguous float32 matrix, not {frames.dtype} of shape "
            f"{frames.shape}; use Sequences.from_arrays"
        )
    whole = offsets.dtype == np.int64 and offsets.ndim == 1 and len(offsets) >= 2
    if not whole or offsets[0] != 0 or offsets[-1] != len(frames) or (np.diff(offsets) < 1).any():
        raise DataError(
            "offsets must be int64, rise from 0 to the number of frames, and leave no sequence "
            "empty; use Sequences.from_arrays"
        )
    if len(names) != frames.shape[1]:
        raise DataError(f"{len(names)} feature names were given for {frames.shape[1]} features")


def check_labels(labels: NDArray[np.int16], n: int, n_classes: int) -> None:
    """Raise unless there is a class code, or -1, for each of n elements."""
    if labels.dtype != np.int16 or labels.shape != (n,):
        raise DataError(
            f"labels must be int16, one for each of {n} elements, not {labels.dtype} of shape "
            f"{labels.shape}; use Sequences.from_arrays"
        )
    if labels.min() < UNLABELLED or labels.max() >= n_classes:
        raise DataError(
            f"labels are from {labels.min()} to {labels.max()}; expected -1 to {n_classes - 1}"
        )
