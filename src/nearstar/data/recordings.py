"""Sequences together with what their source says about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.data.conversion import frame_rows, read_indices
from nearstar.data.labels import Label
from nearstar.data.sequences import Sequences


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
        rows = frame_rows(self.sequences.offsets, chosen)
        return Recordings(
            self.sequences.subset(chosen),
            self.labels,
            tuple(self.ids[i] for i in chosen),
            None if self.groups is None else tuple(self.groups[i] for i in chosen),
            None if self.frames is None else self.frames[rows],
            None if self.rows is None else self.rows[rows],
        )
