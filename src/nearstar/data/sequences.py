"""Labelled sequences of feature vectors, stored end to end without padding."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.errors import DataError

UNLABELLED = -1
MAX_CLASSES = int(np.iinfo(np.int16).max)

# Data are walked over in pieces of this many values, so that no check needs a temporary array as
# large as the data.
_CHUNK = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Sequences:
    """Sequences of feature vectors, of any lengths, with one label per frame or per sequence.

    Build one with `Sequences.from_arrays`. Sequence i is `frames[offsets[i]:offsets[i + 1]]`. The
    arrays are read-only. Where the memory layout allows it, `frames` is a view of the array it
    was made from, which must then stay unchanged.
    """

    frames: NDArray[np.float32]
    """All frames, one after another: (total frames, features), C-contiguous."""
    offsets: NDArray[np.int64]
    """Where each sequence starts in `frames`, and the total number of frames at the end."""
    labels: NDArray[np.int16] | None
    """Class codes, one per frame or per sequence; -1 is unlabelled. None: no labels at all."""
    per_frame: bool
    """Whether each frame has its own label."""
    vectors: bool
    """Whether the examples are plain vectors: sequences of one frame by definition."""
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    """A name for each class; empty when neither labels nor names were given."""

    def __post_init__(self) -> None:
        # A read-only view protects the values here; the flags of the caller's array stay his.
        for name in ("frames", "offsets", "labels"):
            array = getattr(self, name)
            if array is not None:
                view = array.view()
                view.flags.writeable = False
                object.__setattr__(self, name, view)

    @classmethod
    def from_arrays(
        cls,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        lengths: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> Sequences:
        """Read and check arrays.

        X is a (sequences, frames, features) array, with `lengths` if it is padded (padding is
        never read); or a list of (frames, features) arrays; or a (vectors, features) array.

        y holds class codes 0, 1, ...; negative or NaN is unlabelled. Two dimensions, or a list
        of arrays, label every frame; one dimension labels every sequence. The number of classes
        is that of `class_names`, else the largest code + 1, and at least 2.
        """
        frames, offsets, vectors, width = _read_frames(X, lengths)
        names = _names(feature_names, "feature", frames.shape[1])
        _check_finite(frames, offsets, names)
        plain = cls(frames, offsets, None, False, vectors, names, _class_names(class_names))
        return plain if y is None else plain._labelled(y, width)

    @property
    def n_sequences(self) -> int:
        return len(self.offsets) - 1

    def __len__(self) -> int:
        return self.n_sequences

    @property
    def n_features(self) -> int:
        return int(self.frames.shape[1])

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of frames of each sequence."""
        return np.diff(self.offsets)

    def sequence(self, i: int) -> NDArray[np.float32]:
        """The frames of sequence i, as a view."""
        if not 0 <= i < len(self):
            raise DataError(f"there is no sequence {i}; expected 0 to {len(self) - 1}")
        return self.frames[self.offsets[i] : self.offsets[i + 1]]

    def subset(self, indices: ArrayLike) -> Sequences:
        """The sequences of these indices (or of a boolean mask), in the order given.

        Consecutive sequences share the memory of this object.
        """
        chosen = _indices(indices, len(self))
        starts, lengths = self.offsets[chosen], self.lengths[chosen]
        if np.all(np.diff(chosen) == 1):
            rows: slice | NDArray[np.int64] = slice(starts[0], starts[-1] + lengths[-1])
        else:
            rows = np.concatenate(
                [np.arange(s, s + n) for s, n in zip(starts, lengths, strict=True)]
            )
        labels = self.labels
        if labels is not None:
            labels = labels[rows if self.per_frame else chosen]
        return replace(self, frames=self.frames[rows], offsets=_offsets(lengths), labels=labels)

    def cut(self, length: int) -> Sequences:
        """Cut every sequence into pieces of at most `length` frames; the frames are shared.

        The last piece of a sequence has what is left. Each piece keeps its sequence's label.
        """
        if length < 1:
            raise DataError(f"sequences cannot be cut every {length} frames; expected 1 or more")
        pieces = -(-self.lengths // length)
        # How many pieces of its own sequence lie before each piece.
        before = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        starts = np.repeat(self.offsets[:-1], pieces) + length * before
        labels = self.labels
        if labels is not None and not self.per_frame:
            labels = np.repeat(labels, pieces)
        return replace(self, offsets=np.append(starts, self.offsets[-1]), labels=labels)

    def split(
        self, fractions: Sequence[float], seed: int, groups: ArrayLike | None = None
    ) -> tuple[Sequences, ...]:
        """Split at random into parts of about these fractions of the sequences.

        `groups` names the group of each sequence (a subject, a video): no group is in two parts.
        Every part gets at least one group, and keeps its sequences in their order.
        """
        shares = np.asarray(fractions, dtype=np.float64)
        if shares.ndim != 1 or not np.all(shares > 0) or abs(shares.sum() - 1) > 1e-6:
            raise DataError(f"fractions are {fractions}; expected positive numbers that sum to 1")
        group = _groups(groups, len(self))
        sizes = np.bincount(group)
        n_groups, n_parts = len(sizes), len(shares)
        if n_groups < n_parts:
            what = "sequences" if groups is None else "groups"
            raise DataError(
                f"{n_groups} {what} cannot fill {n_parts} parts; give more {what} or fewer parts"
            )
        order = np.random.default_rng(seed).permutation(n_groups)
        filled = np.cumsum(sizes[order])
        stop, part_of_group = 0, np.empty(n_groups, dtype=np.int64)
        for part, target in enumerate(np.cumsum(shares) * len(self)):
            start = stop
            nearest = int(np.argmin(np.abs(filled - target))) + 1
            # One group at least for this part, and one left for each part after it.
            stop = min(max(nearest, start + 1), n_groups - (n_parts - 1 - part))
            part_of_group[order[start:stop]] = part
        part_of = part_of_group[group]
        return tuple(self.subset(np.flatnonzero(part_of == part)) for part in range(n_parts))

    def with_labels(
        self, labels: ArrayLike | None, class_names: Sequence[str] | None = None
    ) -> Sequences:
        """The same sequences with other labels, in any form that `from_arrays` takes as y.

        One flat array with a label for every frame, as `labels` itself, will also do. Without
        `class_names` the present ones stay.
        """
        names = self.class_names if class_names is None else _class_names(class_names)
        plain = replace(self, labels=None, per_frame=False, class_names=names)
        if labels is None:
            return plain
        # With as many sequences as frames either reading would fit: the present one decides.
        flat_is_per_frame = self.per_frame or len(self.frames) != len(self)
        if flat_is_per_frame and _as_list(labels) is None:
            flat = _array(labels, "the labels")
            if flat.shape == (len(self.frames),):
                return plain._with_codes(flat, per_frame=True)
        return plain._labelled(labels, int(self.lengths.max()))

    def relabel(self, mapping: Mapping[int, int], class_names: Sequence[str]) -> Sequences:
        """Join or drop classes: old code -> new code, where -1 makes frames unlabelled.

        `relabel({0: 0, 1: 1, 2: 0}, ("other", "social"))` makes a binary task of three classes.
        """
        if self.labels is None:
            raise DataError("there are no labels to map; add some with with_labels first")
        missing = [k for k in range(self.n_classes) if k not in mapping]
        if missing:
            names = ", ".join(f"{k} ({self.class_names[k]!r})" for k in missing)
            raise DataError(f"the mapping says nothing about class {names}; map it, or to -1")
        # The last entry is where the code -1 looks up.
        table = np.array([*(mapping[k] for k in range(self.n_classes)), UNLABELLED])
        return self.with_labels(table[self.labels], class_names)

    def fingerprint(self) -> str:
        """Hexadecimal SHA-256 of everything here that decides the outcome of a training."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        header = {
            "shape": self.frames.shape,
            "labelled": self.labels is not None,
            "per_frame": self.per_frame,
            "vectors": self.vectors,
            "feature_names": self.feature_names,
            "class_names": self.class_names,
        }
        digest = hashlib.sha256(json.dumps(header).encode())
        # Little-endian everywhere, so that the same data has one fingerprint on any machine.
        digest.update(np.ascontiguousarray(self.frames, dtype="<f4").data)
        digest.update(np.ascontiguousarray(self.offsets, dtype="<i8").data)
        if self.labels is not None:
            digest.update(np.ascontiguousarray(self.labels, dtype="<i2").data)
        return digest.hexdigest()

    def __repr__(self) -> str:
        labels = "no" if self.labels is None else "per-frame" if self.per_frame else "per-sequence"
        return (
            f"Sequences({self.n_sequences} sequences, {len(self.frames)} frames, "
            f"{self.n_features} features, {self.n_classes} classes, {labels} labels)"
        )

    def _labelled(self, y: ArrayLike, width: int) -> Sequences:
        flat, per_frame = _flatten_labels(y, self.lengths, width)
        if per_frame and self.vectors:
            raise DataError(
                f"y has a row for each vector; expected one label per vector, shape ({len(self)},)"
            )
        return self._with_codes(flat, per_frame)

    def _with_codes(self, flat: NDArray[Any], per_frame: bool) -> Sequences:
        offsets = self.offsets if per_frame else None
        codes = _codes(flat, self.n_classes or MAX_CLASSES, offsets)
        names = self.class_names or _names(None, "class", max(2, int(codes.max()) + 1))
        return replace(self, labels=codes, per_frame=per_frame, class_names=names)


def _read_frames(
    X: ArrayLike, lengths: ArrayLike | None
) -> tuple[NDArray[np.float32], NDArray[np.int64], bool, int]:
    """Frames, offsets, whether X holds plain vectors, and the width of labels padded like X."""
    listed = _as_list(X)
    if listed is not None:
        if lengths is not None:
            raise DataError("lengths are for a padded array; a list of arrays has its own")
        frames, sizes = _join([_array(x, f"sequence {i} of X") for i, x in enumerate(listed)])
        return frames, _offsets(sizes), False, int(sizes.max())
    array = _array(X, "X")
    if array.ndim not in (2, 3):
        raise DataError(
            f"X has shape {array.shape}; expected (sequences, frames, features), "
            "(vectors, features), or a list of (frames, features) arrays"
        )
    if 0 in array.shape:
        raise DataError(f"X has shape {array.shape} and holds no values; every size must be > 0")
    _check_numeric(array, "X")
    if array.ndim == 2:
        if lengths is not None:
            raise DataError("lengths go with sequences; X has two dimensions, so plain vectors")
        return _float32(array), np.arange(len(array) + 1), True, 1
    n, width, n_features = array.shape
    sizes = np.full(n, width) if lengths is None else _lengths(lengths, n, width)
    offsets = _offsets(sizes)
    if offsets[-1] == n * width:
        return _float32(array).reshape(-1, n_features), offsets, False, width
    frames = np.empty((offsets[-1], n_features), dtype=np.float32)
    with np.errstate(over="ignore"):
        for padded, (start, stop) in zip(array, pairwise(offsets.tolist()), strict=True):
            frames[start:stop] = padded[: stop - start]
    return frames, offsets, False, width


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
        _check_numeric(array, f"sequence {i} of X")
        if array.shape[1] != arrays[0].shape[1]:
            raise DataError(
                f"sequence {i} of X has {array.shape[1]} features, sequence 0 has "
                f"{arrays[0].shape[1]}; expected the same features in every sequence"
            )
    with np.errstate(over="ignore"):
        frames = np.concatenate(arrays, dtype=np.float32, casting="unsafe")
    return frames, np.array([len(array) for array in arrays])


def _flatten_labels(
    y: ArrayLike, lengths: NDArray[np.int64], width: int
) -> tuple[NDArray[Any], bool]:
    """All labels in one row, and whether they are per frame."""
    n = len(lengths)
    listed = _as_list(y)
    if listed and _array(listed[0], "the labels of sequence 0").ndim:
        rows = [_array(row, f"the labels of sequence {i}") for i, row in enumerate(listed)]
        _check_count(len(rows), n)
        for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            if row.shape != (length,):
                raise DataError(
                    f"the labels of sequence {i} have shape {row.shape}; expected ({length},): "
                    "one for each of its frames"
                )
        return np.concatenate(rows), True
    array = _array(y, "y")
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
    return np.concatenate([row[:length] for row, length in zip(array, lengths, strict=True)]), True


def _codes(
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
                f"the label of {_place(part.start + first, offsets)} is {values[first]}; expected "
                f"whole numbers from 0 to {n_classes - 1} (negative or NaN: unlabelled). "
                "Number the classes from 0, or give a name for each in class_names"
            )
        np.copyto(codes[part], values, where=known, casting="unsafe")
    if codes.max() == UNLABELLED:
        raise DataError("every label is negative or NaN, so nothing is labelled; label something")
    return codes


def _check_finite(
    frames: NDArray[np.float32], offsets: NDArray[np.int64], names: Sequence[str]
) -> None:
    bad, first = 0, 0
    for part in row_chunks(*frames.shape):
        finite = np.isfinite(frames[part])
        if finite.all():
            continue
        if not bad:
            first = part.start * frames.shape[1] + int(np.argmin(finite))
        bad += int(finite.size - np.count_nonzero(finite))
    if bad:
        row, column = divmod(first, frames.shape[1])
        raise DataError(
            f"{bad} of {frames.size} feature values are not finite as 32-bit floats; the first is "
            f"{frames[row, column]} at {_place(row, offsets)}, feature {names[column]!r}. "
            "Fill the gaps or drop those sequences"
        )


def _place(index: int, offsets: NDArray[np.int64] | None) -> str:
    if offsets is None:
        return f"sequence {index}"
    i = int(np.searchsorted(offsets, index, side="right")) - 1
    return f"sequence {i}, frame {index - int(offsets[i])}"


def row_chunks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Pieces of a large table that are small enough for temporary copies."""
    step = max(1, _CHUNK // n_columns)
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _lengths(lengths: ArrayLike, n: int, width: int) -> NDArray[np.int64]:
    sizes = _array(lengths, "lengths")
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


def _indices(indices: ArrayLike, n: int) -> NDArray[np.int64]:
    chosen = _array(indices, "the indices")
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


def _groups(groups: ArrayLike | None, n: int) -> NDArray[np.int64]:
    """The number of each sequence's group; without groups every sequence is its own."""
    if groups is None:
        return np.arange(n)
    names = _array(groups, "groups")
    if names.shape != (n,):
        raise DataError(f"groups have shape {names.shape}; expected ({n},), one for each sequence")
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def _class_names(names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    if not 2 <= len(names) <= MAX_CLASSES:
        raise DataError(f"class_names has {len(names)} names; expected 2 to {MAX_CLASSES}")
    return _names(names, "class", len(names))


def _names(names: Sequence[str] | None, what: str, n: int) -> tuple[str, ...]:
    if names is None:
        prefix = "x" if what == "feature" else ""
        return tuple(f"{prefix}{i}" for i in range(n))
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{what}_names must be a list of strings; got {names!r}")
    if len(names) != n:
        raise DataError(f"{what}_names has {len(names)} names; expected {n}, one for each {what}")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"the {what} name {twice[0]!r} is given twice; expected distinct names")
    return tuple(str(name) for name in names)


def _as_list(values: ArrayLike) -> list[Any] | None:
    """The items, if this may be one array per sequence; None if it is one array for all."""
    if isinstance(values, np.ndarray):
        return list(values) if values.dtype == object and values.ndim == 1 else None
    return list(values) if isinstance(values, (list, tuple)) else None


def _array(values: ArrayLike, what: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise DataError(f"{what} is not a rectangular array; expected rows of one length") from None


def _float32(array: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what overflows is reported as not finite, with its place
        return np.ascontiguousarray(array, dtype=np.float32)


def _check_numeric(array: NDArray[Any], what: str) -> None:
    if array.dtype.kind not in "biuf":
        raise DataError(f"{what} has type {array.dtype}; expected real numbers")


def _check_count(given: int, n: int) -> None:
    if given != n:
        raise DataError(f"y labels {given} sequences; X holds {n}: expected one entry for each")
