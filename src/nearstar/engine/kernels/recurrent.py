"""Instructions that cross time steps, or lead from frames to sequences and back.

Frames are stored one time step after the other; step t occupies the positions
steps[t] … steps[t + 1], one for each sequence that is still going. Sequences are sorted by length,
longest first, so lane l of step t is at steps[t] + l, and its past is at steps[t − 1] + l.
"""

from __future__ import annotations

import numpy as np

from nearstar.engine.kernels import cell
from nearstar.engine.kernels.linear import address, copy, row
from nearstar.util.compiled import kernel

_ZERO = np.float32(0.0)


@kernel
def forward_previous(code, values, start, n, before):
    """A row as it was one step earlier; zeros at the first step, where ``before`` is negative."""
    y = row(values, code[1], start, n)
    if before < 0:
        y[:] = _ZERO
    else:
        copy(y, row(values, code[2], before, n), n)


@kernel
def backward_previous(code, slopes, start, n, before):
    if before < 0:
        return
    dy = row(slopes, code[1], start, n)
    da = row(slopes, code[2], before, n)
    for p in range(n):
        da[p] += dy[p]


@kernel
def forward_cell(code, values, start, n, before):
    """An LSTM cell: gate inputs become gate values in place; c, tanh c and h are computed."""
    stride = 4 * values.shape[1]
    gates, c, t, h, size = code[1], code[2], code[3], code[4], code[5]
    cell.forward(address(values), stride, gates, c, t, h, size, start, n, before)


@kernel
def backward_cell(code, values, slopes, start, n, before):
    """The slopes of c and h go to the gates' inputs and to the previous c."""
    stride = 4 * values.shape[1]
    gates, c, t, h, size = code[1], code[2], code[3], code[4], code[5]
    cell.backward(address(values), address(slopes), stride, gates, c, t, h, size, start, n, before)


@kernel
def forward_last(code, values, steps, lengths):
    """A row of frames at the last element of each sequence."""
    y = values[code[1]]
    a = values[code[2]]
    for lane in range(lengths.shape[0]):
        y[lane] = a[steps[lengths[lane] - 1] + lane]


@kernel
def backward_last(code, slopes, steps, lengths):
    dy = slopes[code[1]]
    da = slopes[code[2]]
    for lane in range(lengths.shape[0]):
        da[steps[lengths[lane] - 1] + lane] += dy[lane]


@kernel
def forward_broadcast(code, values, steps):
    """A row of sequences at each of their frames."""
    for t in range(steps.shape[0] - 1):
        n = steps[t + 1] - steps[t]
        y = row(values, code[1], steps[t], n)
        copy(y, row(values, code[2], 0, n), n)


@kernel
def backward_broadcast(code, slopes, steps):
    for t in range(steps.shape[0] - 1):
        n = steps[t + 1] - steps[t]
        dy = row(slopes, code[1], steps[t], n)
        da = row(slopes, code[2], 0, n)
        for p in range(n):
            da[p] += dy[p]
