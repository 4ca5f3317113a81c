"""Reductions: what a window makes of the elements that it reaches; each with all of its forms.

The engine has a number ``WINDOW_…`` for each (``engine/kernels/opcodes.py``) and computes it in
``engine/kernels/inputs.py``. Adding one is an entry here and that kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearstar.language.primitives import FLOAT, OnnxGraph

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
_TO_THE_END = np.iinfo(np.int64).max


@dataclass(frozen=True)
class OnnxWindow:
    """A window in an ONNX graph: the rows of ``x`` from ``back`` before one to ``ahead`` after."""

    graph: OnnxGraph
    x: str
    back: int
    ahead: int

    def last(self) -> str:
        """The rows that it has at the last row."""
        graph = self.graph
        first, end, axis = ([-self.back - 1], [_TO_THE_END], [0])
        return graph.op("Slice", self.x, *map(graph.integer, (first, end, axis)))

    def ends(self) -> tuple[str, str]:
        """The numbers of its first and its last row, at each row."""
        graph = self.graph
        count = graph.op("Gather", graph.op("Shape", self.x), graph.integer(0), axis=0)
        here = graph.op("Range", graph.integer(0), count, graph.integer(1))
        ahead = graph.op("Add", here, graph.integer(self.ahead))
        last = graph.op("Min", ahead, graph.op("Sub", count, graph.integer(1)))
        back = graph.op("Sub", here, graph.integer(self.back))
        return graph.op("Max", back, graph.integer(0)), last

    def pooled(self, kind: str, *, negated: bool = False, **attributes: int) -> str:
        """A pool over time at each row, which leaves out what is not there."""
        graph = self.graph
        x = graph.op("Unsqueeze", graph.op("Transpose", self.x), graph.integer([0]))
        shape = {"kernel_shape": [self.back + 1 + self.ahead], "pads": [self.back, self.ahead]}
        pooled = graph.op(kind, graph.op("Neg", x) if negated else x, **attributes, **shape)
        pooled = graph.op("Neg", pooled) if negated else pooled
        return graph.op("Transpose", graph.op("Squeeze", pooled, graph.integer([0])))

    def gathered(self) -> tuple[str, str]:
        """All elements at each row, as (rows, elements, features), and 1 for those there are."""
        graph, (first, last) = self.graph, self.ends()
        first, last = (graph.op("Unsqueeze", end, graph.integer([1])) for end in (first, last))
        count = graph.op("Gather", graph.op("Shape", self.x), graph.integer(0), axis=0)
        most = graph.op("Min", count, graph.integer(self.back + 1 + self.ahead))
        steps = graph.op("Range", graph.integer(0), most, graph.integer(1))
        index = graph.op("Add", first, steps)
        there = graph.op("Cast", graph.op("LessOrEqual", index, last), to=FLOAT)
        elements = graph.op("Gather", self.x, graph.op("Min", index, last), axis=0)
        return elements, graph.op("Unsqueeze", there, graph.integer([2]))


@dataclass(frozen=True)
class Reduction:
    """What is made of the elements of a window, for each feature."""

    name: str
    """As windows print it: SlidingWindowAverage5."""
    noun: str
    moves: bool
    """Whether it moves with the data: that of x + c is that of x, + c; else it stays as it is.
    So of one element it is that element, or 0."""
    numpy: Callable[[Array, Rows, Rows], Array]
    """Of the rows of an array from the first to the last ones, both included."""
    python: str
    """Source over ``rows``, a window's elements."""
    python_last: str
    """Source over ``{rows}``, the last elements of ``x``, for a value of one row."""
    onnx: Callable[[OnnxWindow], str]
    """At each row."""
    onnx_last: Callable[[OnnxWindow], str]
    """At the last row."""
    averages: bool = False
    """Whether that of an affine map is the affine map of it, and the engine can average rows."""


def _over(reduce: np.ufunc) -> Callable[[Array, Rows, Rows], Array]:
    def over(x: Array, first: Rows, last: Rows) -> Array:
        # Every other one of these stretches is a window; one more row lets the last window end.
        stretches = np.column_stack([first, last + 1]).ravel()
        return np.asarray(reduce.reduceat(np.vstack([x, x[-1:]]), stretches, axis=0)[::2])

    return over


def _mean(x: Array, first: Rows, last: Rows) -> Array:
    return np.asarray(_over(np.add)(x, first, last) / (last - first + 1)[:, None])


def _at_last(kind: str) -> Callable[[OnnxWindow], str]:
    return lambda window: window.graph.op(kind, window.last(), axes=[0], keepdims=1)


def _change(window: OnnxWindow) -> str:
    graph, (first, last) = window.graph, window.ends()
    return graph.op("Sub", *(graph.op("Gather", window.x, end, axis=0) for end in (last, first)))


def _change_at_last(window: OnnxWindow) -> str:
    graph, rows = window.graph, window.last()
    ends = (graph.op("Gather", rows, graph.integer([end]), axis=0) for end in (-1, 0))
    return graph.op("Sub", *ends)


def _deviation(x: Array, first: Rows, last: Rows) -> Array:
    """From the window's own mean, so that a large offset of the data leaves it exact."""
    mean, squares = _mean(x, first, last), np.zeros((len(first), x.shape[1]))
    for step in range(int((last - first).max(initial=0)) + 1):
        there = np.flatnonzero(first + step <= last)
        squares[there] += (x[first[there] + step] - mean[there]) ** 2
    return np.asarray(np.sqrt(squares / (last - first + 1)[:, None]))


def _spread(window: OnnxWindow) -> str:
    graph, (elements, there) = window.graph, window.gathered()
    axis = graph.integer([1])
    count = graph.op("ReduceSum", there, axis)
    total = graph.op("ReduceSum", graph.op("Mul", elements, there), axis)
    deviation = graph.op("Sub", elements, graph.op("Div", total, count))
    squares = graph.op("Mul", graph.op("Mul", deviation, deviation), there)
    variance = graph.op("Div", graph.op("ReduceSum", squares, axis), count)
    return graph.op("Squeeze", graph.op("Sqrt", variance), axis)


def _spread_at_last(window: OnnxWindow) -> str:
    graph, rows = window.graph, window.last()
    deviation = graph.op("Sub", rows, graph.op("ReduceMean", rows, axes=[0], keepdims=1))
    squares = graph.op("Mul", deviation, deviation)
    return graph.op("Sqrt", graph.op("ReduceMean", squares, axes=[0], keepdims=1))


_ALL = (
    Reduction(
        name="Average",
        noun="average",
        moves=True,
        numpy=_mean,
        python="rows.mean(axis=0)",
        python_last="{rows}.mean(axis=0, keepdims=True)",
        onnx=lambda window: window.pooled("AveragePool", count_include_pad=0),
        onnx_last=_at_last("ReduceMean"),
        averages=True,
    ),
    Reduction(
        name="Max",
        noun="maximum",
        moves=True,
        numpy=_over(np.maximum),
        python="rows.max(axis=0)",
        python_last="{rows}.max(axis=0, keepdims=True)",
        onnx=lambda window: window.pooled("MaxPool"),
        onnx_last=_at_last("ReduceMax"),
    ),
    Reduction(
        name="Min",
        noun="minimum",
        moves=True,
        numpy=_over(np.minimum),
        python="rows.min(axis=0)",
        python_last="{rows}.min(axis=0, keepdims=True)",
        onnx=lambda window: window.pooled("MaxPool", negated=True),
        onnx_last=_at_last("ReduceMin"),
    ),
    Reduction(
        name="Change",
        noun="change",
        moves=False,
        numpy=lambda x, first, last: x[last] - x[first],
        python="rows[-1] - rows[0]",
        python_last="x[-1:] - {rows}[:1]",
        onnx=_change,
        onnx_last=_change_at_last,
    ),
    Reduction(
        name="Spread",
        noun="spread",
        moves=False,
        numpy=_deviation,
        python="rows.std(axis=0)",
        python_last="{rows}.std(axis=0, keepdims=True)",
        onnx=_spread,
        onnx_last=_spread_at_last,
    ),
)

REDUCTIONS = {reduction.name: reduction for reduction in _ALL}
"""The reductions by name."""
