"""Linear maps of rows: the two kernels in which a training spends most of its time.

Rows of outputs y and inputs x (rows of values, or features of the data) are given by an address,
the distance of rows in bytes, and a list of row numbers. Weights are a matrix in a flat vector,
given by its base and two strides, in elements.
"""

from __future__ import annotations

import numpy as np

from nearstar.engine.kernels import tiles
from nearstar.engine.kernels.tiles import SPAN
from nearstar.util.compiled import inline, reduction

_BLOCK = 384
"""Positions that ``correlate`` sums at a time: few enough that their rows stay in the cache."""

_ZERO = np.float32(0.0)


@reduction
def address(array):
    # Signed: adding signed numbers to Numba's unsigned address would make it a float.
    return np.int64(array.ctypes.data)


@inline
def row(values, index, start, n):
    return values[index][start : start + n]


@reduction
def copy(target, source, n):
    # Assigning slices would do, but takes Numba seconds to compile.
    for p in range(n):
        target[p] = source[p]


@reduction
def fill(target, value, start, n):
    for p in range(start, start + n):
        target[p] = value


@reduction
def combine(y, yo, outputs, x, xo, inputs, weights, base, by_output, by_input, bias, start, n):
    """y[o] = b[o] + Σ_i w[o, i] · x[i] for listed rows, at positions start … start + n.

    Weights start at ``base`` and b at ``bias``; where that is negative, the sum is added to y.
    """
    n_inputs = inputs.shape[0]
    to, ti = 4 * by_output, 4 * by_input
    for p in range(start, start + n, SPAN):
        left = start + n - p
        o = 0
        while o < outputs.shape[0]:
            rest = outputs.shape[0] - o
            rows = 4 if rest >= 4 else (2 if rest >= 2 else 1)
            outs = address(outputs) + 4 * o
            w = address(weights) + 4 * base + o * to
            b = address(weights) + 4 * (bias + o) if bias >= 0 else 0
            tiles.combine(
                rows, y, yo, outs, x, xo, address(inputs), n_inputs, w, to, ti, b, p, left
            )
            o += rows


@reduction
def correlate(y, yo, outputs, x, xo, inputs, sums, base, by_output, by_input, start, n):
    """sums[o, i] += Σ_p y[o][p] · x[i][p] over positions start … start + n."""
    to, ti = 4 * by_output, 4 * by_input
    for p in range(start, start + n, _BLOCK):
        m = min(_BLOCK, start + n - p)
        o = 0
        while o < outputs.shape[0]:
            rows = 4 if outputs.shape[0] - o >= 4 else 1
            outs = address(outputs) + 4 * o
            i = 0
            while i < inputs.shape[0]:
                rest = inputs.shape[0] - i
                columns = 4 if rest >= 4 else (3 if rest == 3 else 1)
                ins = address(inputs) + 4 * i
                at = address(sums) + 4 * base + o * to + i * ti
                tiles.correlate(rows, columns, y, yo, outs, x, xo, ins, m, at, to, ti, p)
                i += columns
            o += rows


@reduction
def total(y, index, start, n):
    """Sum of a row."""
    values = row(y, index, start, n)
    result = _ZERO
    for p in range(n):
        result += values[p]
    return result
