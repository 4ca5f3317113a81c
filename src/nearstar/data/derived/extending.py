"""Sequences with other features: those they have, and such as are derived of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import check_finite
from nearstar.data.cutting import cut
from nearstar.data.derived.formula import Computing
from nearstar.data.derived.from_text import read_derived
from nearstar.data.format import DataFormat
from nearstar.data.sequences import Sequences


def with_features(
    data: Sequences, features: Sequence[str], derived: Mapping[str, str]
) -> Sequences:
    """The sequences with these features, in order; those they do not have are ``derived``."""
    if data.feature_names == tuple(features):
        return data
    frames = features_at(data, features, derived, np.arange(len(data.frames)))
    return _checked(replace(data, frames=frames, feature_names=tuple(features)))


def ends_with_features(
    data: Sequences, features: Sequence[str], derived: Mapping[str, str], format: DataFormat
) -> Sequences:
    """The same of sequences, or of the windows that they are cut to, that have but their last frame
    each: it has all that is of the whole."""
    ends, rows = data, data.offsets[1:] - 1
    if format.window is not None:
        windows = cut(data, format.window, format.hop)
        ends, rows = windows.sequences, windows.frames[windows.sequences.offsets[1:] - 1]
    frames, offsets = features_at(data, features, derived, rows), np.arange(len(rows) + 1)
    return _checked(replace(ends, frames=frames, offsets=offsets, feature_names=tuple(features)))


def features_at(
    data: Sequences, features: Sequence[str], derived: Mapping[str, str], rows: NDArray[np.int64]
) -> NDArray[np.float32]:
    """These features in these frames: no more is kept, and one is computed on each core."""
    columns = {name: data.frames[:, column] for column, name in enumerate(data.feature_names)}
    # What the data have is not computed again: what it was made of may not be there.
    others = {name: text for name, text in derived.items() if name not in columns}
    computing = Computing(columns, read_derived(others), data.offsets)
    frames = np.empty((len(rows), len(features)), np.float32)

    def fill(place: int) -> None:
        name = features[place]
        frames[:, place] = (columns[name] if name in columns else computing[name])[rows]

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(fill, range(len(features))))
    return frames


def _checked(data: Sequences) -> Sequences:
    check_finite(data.frames, data.offsets, data.feature_names)
    return data
