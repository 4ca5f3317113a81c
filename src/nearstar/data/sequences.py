"""Labelled sequences of feature vectors, stored end to end without padding."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.conversion import (
    MAX_CLASSES,
    UNLABELLED,
    as_array,
    as_list,
    check_finite,
    check_labels,
    check_parts,
    flatten_labels,
    frame_rows,
    offsets_of,
    read_class_names,
    read_codes,
    read_frames,
    read_groups,
    read_indices,
    read_names,
)
from nearstar.util.errors import DataError


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
        check_parts(self.frames, self.offsets, self.feature_names)
        if self.labels is not None:
            n = len(self.frames) if self.per_frame else len(self.offsets) - 1
            check_labels(self.labels, n, len(self.class_names))
        if self.vectors and len(self.offsets) - 1 != len(self.frames):
            raise DataError("plain vectors are sequences of one frame each")
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
        frames, offsets, vectors, width = read_frames(X, lengths)
        names = read_names(feature_names, "feature", frames.shape[1])
        check_finite(frames, offsets, names)
        plain = cls(frames, offsets, None, False, vectors, names, read_class_names(class_names))
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
        chosen = read_indices(indices, len(self))
        return pieces(self, frame_rows(self.offsets, chosen), chosen, self.lengths[chosen])

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
        group = read_groups(groups, len(self))
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
        names = self.class_names if class_names is None else read_class_names(class_names)
        plain = replace(self, labels=None, per_frame=False, class_names=names)
        if labels is None:
            return plain
        # With as many sequences as frames either reading would fit: the present one decides.
        flat_is_per_frame = self.per_frame or len(self.frames) != len(self)
        if flat_is_per_frame and as_list(labels) is None:
            flat = as_array(labels, "the labels")
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
        flat, per_frame = flatten_labels(y, self.lengths, width)
        if per_frame and self.vectors:
            raise DataError(
                f"y has a row for each vector; expected one label per vector, shape ({len(self)},)"
            )
        return self._with_codes(flat, per_frame)

    def _with_codes(self, flat: NDArray[Any], per_frame: bool) -> Sequences:
        offsets = self.offsets if per_frame else None
        codes = read_codes(flat, self.n_classes or MAX_CLASSES, offsets)
        names = self.class_names or read_names(None, "class", max(2, int(codes.max()) + 1))
        return replace(self, labels=codes, per_frame=per_frame, class_names=names)


def pieces(
    whole: Sequences,
    rows: slice | NDArray[np.int64],
    owners: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> Sequences:
    """Sequences of these frames, so many each, that were parts of the owners."""
    labels = whole.labels
    if labels is not None:
        labels = labels[rows if whole.per_frame else owners]
    return replace(whole, frames=whole.frames[rows], offsets=offsets_of(lengths), labels=labels)


def check_sequences(data: object, what: str) -> None:
    """Raise unless data are Sequences: arrays are the likeliest thing to be given instead."""
    if not isinstance(data, Sequences):
        raise DataError(
            f"{what} must be Sequences, not {type(data).__name__}; make them with "
            "Sequences.from_arrays(X, y)"
        )
