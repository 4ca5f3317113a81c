"""Which axis of an array means what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import as_array, as_list
from nearstar.util.errors import DataError, NearstarError
from nearstar.util.nearest import suggestion

Form = Literal["vectors", "array", "list", "table"]
"""What data were given as; answers take the same form."""


@dataclass(frozen=True)
class Layout:
    """The order of the axes of one sequence."""

    axes: tuple[str, ...]
    turn: Callable[[NDArray[Any]], NDArray[Any]]
    """Brings frames and features, the last axes, into this order."""

    @property
    def one(self) -> str:
        return f"({', '.join(self.axes)}{',' * (len(self.axes) == 1)})"

    @property
    def many(self) -> str:
        return f"(sequences, {', '.join(self.axes)})"


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "auto": Layout(("frames", "features"), lambda x: x),
        "frames_features": Layout(("frames", "features"), lambda x: x),
        "features_frames": Layout(("features", "frames"), lambda x: np.swapaxes(x, -1, -2)),
        "series": Layout(("frames",), lambda x: x[..., None]),
    }
)
"""The layouts by name. With "auto", an array of two dimensions is a set of plain vectors."""


def check_layout(layout: object) -> None:
    """Raise unless this is the name of a layout."""
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise NearstarError(f"no layout {layout!r}; {suggestion(str(layout), LAYOUTS)}")


def arranged(X: Any, layout: str) -> tuple[Any, Form]:
    """Sequences as `Sequences.from_arrays` takes them, frames before features; and their form.

    Plain vectors are given back as they are.
    """
    expected = LAYOUTS[layout]
    listed = as_list(X)
    # A list of lists of numbers is a table of vectors, not a list of sequences.
    if listed and as_array(listed[0], "sequence 0 of X").ndim >= len(expected.axes):
        return [expected.turn(_sequence(x, i, layout)) for i, x in enumerate(listed)], "list"
    dimensions = X.ndim if hasattr(X, "ndim") else as_array(X, "X").ndim
    if layout == "auto" and dimensions < 3:
        return X, "vectors"
    array = as_array(X, "X")
    if dimensions != len(expected.axes) + 1:
        raise DataError(
            f"X has shape {array.shape}; for layout={layout!r} expected {expected.many}, or a list "
            f"of arrays {expected.one}"
        )
    return expected.turn(array), "array"


def _sequence(x: Any, i: int, layout: str) -> NDArray[Any]:
    array = as_array(x, f"sequence {i} of X")
    if array.ndim != len(LAYOUTS[layout].axes):
        raise DataError(
            f"sequence {i} of X has shape {array.shape}; for layout={layout!r} expected "
            f"{LAYOUTS[layout].one}"
        )
    return array
