"""Derived features computed, frame by frame and never across sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.derived import Call, Column, Derived, Point, check_column, point_columns
from nearstar.util.errors import DomainError

Values = NDArray[np.float64]
Pair = tuple[Values, Values]


def compute(
    derived: Derived, columns: Mapping[str, NDArray[Any]], offsets: NDArray[np.int64]
) -> Values:
    """The feature in every frame; sequence i is the frames from offsets[i] to offsets[i + 1]."""
    position = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    with np.errstate(over="ignore", invalid="ignore"):  # whoever reads the values checks them
        values, _ = _Evaluation(derived.place, columns, position).value(derived.expression)
    return values


class _Evaluation:
    """Values of expressions, each with the number of frames at a start that have none."""

    def __init__(
        self, place: str, columns: Mapping[str, NDArray[Any]], position: NDArray[np.int64]
    ) -> None:
        self._place = place
        self._columns = columns
        self._position = position

    def value(self, expression: Column | Call) -> tuple[Values, int]:
        if isinstance(expression, Column):
            return self._column(expression.name), 0
        if expression.function == "change":
            (inner,) = expression.arguments
            assert not isinstance(inner, Point)  # what it is read as
            values, first = self.value(inner)
            turns = isinstance(inner, Call) and inner.function == "heading"
            return self._change(values, first, expression.lag, turns)
        points = [self._point(each) for each in expression.arguments if isinstance(each, Point)]
        match expression.function, points:
            case "distance", [a, b]:
                return _length(_step(a, b)), 0
            case "speed", [a]:
                return _length(self._moved(a)), 1
            case "acceleration", [a]:
                return self._change(_length(self._moved(a)), 1, 1, False)
            case "heading", [a]:
                return _direction(self._moved(a)), 1
            case "heading", [a, b]:
                return _direction(_step(a, b)), 0
            case "angle", [a, b, c]:
                return _angle(_step(b, a), _step(b, c)), 0
            case "angle", [a, b, c, d]:
                return _angle(_step(a, b), _step(c, d)), 0
        raise DomainError(f"{self._place}: not what {expression.function} takes")

    def _moved(self, point: Pair) -> Pair:
        x, y = (self._change(values, 0, 1, False)[0] for values in point)
        return x, y

    def _change(self, values: Values, first: int, lag: int, turns: bool) -> tuple[Values, int]:
        difference = np.zeros_like(values)
        difference[lag:] = values[lag:] - values[:-lag]
        if turns:
            difference -= 2 * np.pi * np.ceil((difference - np.pi) / (2 * np.pi))
        # The first frames of a sequence were compared with the sequence before it.
        difference[self._position < first + lag] = 0
        return difference, first + lag

    def _point(self, point: Point) -> Pair:
        x, y = point_columns(point, list(self._columns), self._place)
        return self._column(x), self._column(y)

    def _column(self, name: str) -> Values:
        check_column(name, self._columns, self._place)
        return np.asarray(self._columns[name], dtype=np.float64)


def _step(a: Pair, b: Pair) -> Pair:
    return b[0] - a[0], b[1] - a[1]


def _length(step: Pair) -> Values:
    return np.hypot(*step)


def _direction(step: Pair) -> Values:
    return np.arctan2(step[1], step[0])


def _angle(one: Pair, other: Pair) -> Values:
    cross = one[0] * other[1] - one[1] * other[0]
    return np.arctan2(np.abs(cross), one[0] * other[0] + one[1] * other[1])
