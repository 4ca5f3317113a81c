"""Sequences together with what their source says about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.conversion import frame_rows, read_indices
from nearstar.data.labels import Label, class_names
from nearstar.data.sequences import Sequences, pieces


@dataclass(frozen=True, eq=False)
class Recordings:
    """Sequences with their names, groups and places in the file or table they come from."""

    sequences: Sequences
    """Features and labels, as class codes."""
    labels: tuple[Label, ...]
    """The classes as they stand in the data, by code; empty without labels."""
    ids: tuple[Any, ...]
    """What the source calls each sequence; 0, 1, … where it has no names."""
    groups: tuple[Any, ...] | None = None
    """What each sequence belongs to, such as an animal or a game."""
    frames: NDArray[Any] | None = None
    """The number of each frame, as in the table."""
    rows: NDArray[np.int64] | None = None
    """The row of each frame in the table, counted from 0."""

    @classmethod
    def of(cls, sequences: Sequences) -> Recordings:
        """Sequences from nowhere else, which have no names."""
        return cls(sequences, sequences.class_names, tuple(range(len(sequences))))

    def __len__(self) -> int:
        return len(self.sequences)

    def subset(self, indices: ArrayLike) -> Recordings:
        """The recordings of these indices (or of a boolean mask), in the order given."""
        chosen = read_indices(indices, len(self))
        lengths = self.sequences.lengths[chosen]
        return stretches(self, frame_rows(self.sequences.offsets, chosen), chosen, lengths)


def stretches(
    whole: Recordings,
    rows: slice | NDArray[np.int64],
    owners: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> Recordings:
    """Recordings of these frames, so many each, that were parts of the owners."""
    return Recordings(
        pieces(whole.sequences, rows, owners, lengths),
        whole.labels,
        tuple(whole.ids[i] for i in owners),
        None if whole.groups is None else tuple(whole.groups[i] for i in owners),
        None if whole.frames is None else whole.frames[rows],
        None if whole.rows is None else whole.rows[rows],
    )


def rarer_second(parts: Mapping[str, Recordings], first: str) -> dict[str, Recordings]:
    """The parts with the rarer of two classes second; the ``first`` part says how rare it is.

    F1 is that of the second class; that of a frequent one says little. Other numbers of classes
    stay as they are, and so do classes that are equally frequent.
    """
    labels, codes = parts[first].labels, parts[first].sequences.labels
    if len(labels) != 2 or codes is None:
        return dict(parts)
    counts = np.bincount(codes[codes >= 0], minlength=2)
    if counts[1] <= counts[0]:
        return dict(parts)
    return {name: _swapped(part) for name, part in parts.items()}


def _swapped(part: Recordings) -> Recordings:
    labels = part.labels[::-1]
    sequences = part.sequences.relabel({0: 1, 1: 0}, class_names(labels))
    return replace(part, sequences=sequences, labels=labels)
