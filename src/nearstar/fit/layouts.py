"""Which axis of an array means what."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import as_array, as_list
from nearstar.util.errors import DataError, NearstarError
from nearstar.util.nearest import suggestion

Form = Literal["vectors", "array", "list", "table"]
"""What data were given as; answers take the same form."""


LAYOUTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "auto": ("frames", "features"),
        "frames_features": ("frames", "features"),
        "features_frames": ("features", "frames"),
        "series": ("frames",),
    }
)
"""The axes of one sequence by layout. With "auto", an array of two dimensions holds vectors."""


def check_layout(layout: object) -> None:
    """Raise unless this is the name of a layout."""
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise NearstarError(f"no layout {layout!r}; {suggestion(str(layout), LAYOUTS)}")


def arranged(X: Any, layout: str) -> tuple[Any, Form]:
    """Sequences as `Sequences.from_arrays` takes them, frames before features; and their form.

    Plain vectors are given back as they are.
    """
    axes = LAYOUTS[layout]
    listed = as_list(X)
    # A list of lists of numbers is a table of vectors, not a list of sequences.
    if listed and as_array(listed[0], "sequence 0 of X").ndim >= len(axes):
        return [_turned(_sequence(x, i, layout), axes) for i, x in enumerate(listed)], "list"
    dimensions = X.ndim if hasattr(X, "ndim") else as_array(X, "X").ndim
    if layout == "auto" and dimensions < 3:
        return X, "vectors"
    array = as_array(X, "X")
    if dimensions != len(axes) + 1:
        raise DataError(
            f"X has shape {array.shape}; for layout={layout!r} expected "
            f"{_shown('sequences', *axes)}, or a list of arrays {_shown(*axes)}"
        )
    return _turned(array, axes), "array"


def _sequence(x: Any, i: int, layout: str) -> NDArray[Any]:
    array = as_array(x, f"sequence {i} of X")
    if array.ndim != len(LAYOUTS[layout]):
        raise DataError(
            f"sequence {i} of X has shape {array.shape}; for layout={layout!r} expected "
            f"{_shown(*LAYOUTS[layout])}"
        )
    return array


def _turned(array: NDArray[Any], axes: tuple[str, ...]) -> NDArray[Any]:
    """With frames before features, as the last axes."""
    if axes == ("frames",):
        return array[..., None]
    return np.swapaxes(array, -1, -2) if axes[0] == "features" else array


def _shown(*axes: str) -> str:
    return f"({', '.join(axes)}{',' * (len(axes) == 1)})"
