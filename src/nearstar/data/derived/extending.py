"""Sequences with other features: those they have, and such as are derived of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from nearstar.data.conversion import check_finite
from nearstar.data.derived.formula import Computing
from nearstar.data.derived.from_text import read_derived
from nearstar.data.sequences import Sequences


def with_features(
    data: Sequences, features: Sequence[str], derived: Mapping[str, str], *, ends: bool = False
) -> Sequences:
    """The sequences with these features, in order; those they do not have are ``derived``.

    With ``ends`` there is but the last frame of each sequence, which has all that is of the whole.
    """
    if data.feature_names == tuple(features) and not ends:
        return data
    rows = data.offsets[1:] - 1 if ends else slice(None)
    columns = {name: data.frames[:, column] for column, name in enumerate(data.feature_names)}
    missing = [name for name in features if name not in columns]
    computing = Computing(columns, read_derived(derived), data.offsets)
    offsets = np.arange(len(data) + 1) if ends else data.offsets
    frames = np.empty((int(offsets[-1]), len(features)), np.float32)

    def fill(place: int) -> None:
        name = features[place]
        frames[:, place] = (computing[name] if name in missing else columns[name])[rows]

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(fill, range(len(features))))
    check_finite(frames, offsets, tuple(features))
    return replace(data, frames=frames, offsets=offsets, feature_names=tuple(features))
