"""The functions of derived features, each a value: one more is read, computed and exported.

They are computed by the very functions that exported Python modules hold. Points are arrays of x
and y by frame. NaN stands for what has no earlier frame to compare with.
"""
# mypy: disable-error-code="no-any-return"
# NumPy does not say what its functions give for arrays that are unpacked.

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def before(values: Values, frames: int = 1) -> Values:
    """The values of so many frames before; NaN where there is no such frame."""
    earlier = np.full_like(values, np.nan)
    earlier[..., frames:] = values[..., :-frames]
    return earlier


def change(values: Values, frames: int = 1) -> Values:
    """The difference to so many frames before."""
    return values - before(values, frames)


def turn(headings: Values, frames: int = 1) -> Values:
    """The change of a heading, from -pi to pi."""
    angles = change(headings, frames)
    return angles - 2 * np.pi * np.ceil((angles - np.pi) / (2 * np.pi))


def distance(a: Values, b: Values) -> Values:
    """Between two points."""
    return np.hypot(*(b - a))


def speed(a: Values) -> Values:
    """The length of the step from the frame before."""
    return np.hypot(*change(a))


def acceleration(a: Values) -> Values:
    """The change of the speed."""
    return change(speed(a))


def heading(a: Values, b: Values | None = None) -> Values:
    """The direction of the step from the frame before, or from a to b; from -pi to pi."""
    x, y = change(a) if b is None else b - a
    return np.arctan2(y, x)


def angle(a: Values, b: Values, c: Values, d: Values | None = None) -> Values:
    """At b between the directions to a and c, or between those from a to b and from c to d."""
    (x1, y1), (x2, y2) = (a - b, c - b) if d is None else (b - a, d - c)
    return np.arctan2(np.abs(x1 * y2 - y1 * x2), x1 * x2 + y1 * y2)


@dataclass(frozen=True)
class Measure:
    """What may be called in the text of a derived feature."""

    compute: Callable[..., Values]
    frames_back: Mapping[int, int]
    """Frames that it looks back, by each number of arguments that it can take."""
    of_values: bool = False
    """Whether it is of a column or another function, and perhaps of a number of frames; others are
    of points."""
    of_headings: Callable[..., Values] | None = None
    """What computes it for directions, if not what computes it for other values."""
    is_heading: bool = False
    """Whether its values are directions."""


_MEASURES = (
    Measure(distance, {2: 0}),
    Measure(speed, {1: 1}),
    Measure(acceleration, {1: 2}),
    Measure(heading, {1: 1, 2: 0}, is_heading=True),
    Measure(angle, {3: 0, 4: 0}),
    Measure(change, {1: 0}, of_values=True, of_headings=turn),
)
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {each.compute.__name__: each for each in _MEASURES}
)


def sources() -> dict[str, str]:
    """The text of each function that computes, without types, in the order of their use."""
    functions = dict.fromkeys((before, change, turn, *(each.compute for each in _MEASURES)))
    return {each.__name__: _source(each) for each in functions}


def _source(function: Callable[..., Values]) -> str:
    given = inspect.signature(function).parameters.values()
    untyped = inspect.Signature([each.replace(annotation=each.empty) for each in given])
    body = inspect.getsource(function).partition(":\n")[2].rstrip()
    return f"def {function.__name__}{untyped}:\n{body}"
