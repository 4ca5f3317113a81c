"""Instructions that read the data: features, and windows over them.

``data`` is one block of features, with a row of frames for each.
"""

from __future__ import annotations

import numpy as np

from nearstar.engine.kernels import opcodes as op
from nearstar.engine.kernels.averages import average
from nearstar.engine.kernels.linear import copy
from nearstar.util.compiled import kernel


@kernel
def forward_feature(code, values, data, first, n):
    """The feature at the frames first … first + n of the block."""
    copy(values[code[1]], data[code[2]][first : first + n], n)


@kernel
def step_of(steps, position):
    """The time step that a position belongs to."""
    low = 0
    high = steps.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if steps[middle] <= position:
            low = middle
        else:
            high = middle
    return low


@kernel
def forward_window(code, values, sums, data, steps, lengths):
    """The window's value at all frames of the block."""
    feature = data[code[2]]
    y = values[code[1]]
    back, ahead = np.int64(code[4]), np.int64(code[5])
    if code[3] == op.WINDOW_AVERAGE:
        average(y, feature, sums, steps, lengths, back, ahead)
        return
    for t in range(steps.shape[0] - 1):
        out = y[steps[t] : steps[t + 1]]
        low = max(t - back, 0)
        high = min(t + ahead, steps.shape[0] - 2)
        if code[3] == op.WINDOW_CHANGE:
            for lane in range(out.shape[0]):
                end = min(high, lengths[lane] - 1)
                out[lane] = feature[steps[end] + lane] - feature[steps[low] + lane]
        elif code[3] == op.WINDOW_SPREAD:
            _spreads(out, sums, feature, steps, lengths, low, high)
        else:
            _extremes(out, code[3] == op.WINDOW_MAX, feature, steps, low, high)


@kernel
def forward_window_last(code, values, data, steps, lengths):
    """The window's value at the last element of each sequence."""
    feature = data[code[2]]
    y = values[code[1]]
    back = code[4]
    for lane in range(lengths.shape[0]):
        high = lengths[lane] - 1
        y[lane] = _reduce(code[3], feature, steps, lane, max(high - back, 0), high)


@kernel
def _extremes(y, largest, feature, steps, low, high):
    """Largest or smallest values of the steps low … high, for the first lanes."""
    copy(y, feature[steps[low] : steps[low + 1]], y.shape[0])
    for s in range(low + 1, high + 1):
        # After the step at hand sequences end: only the first lanes are still there.
        n = min(y.shape[0], steps[s + 1] - steps[s])
        a = feature[steps[s] : steps[s] + n]
        if largest:
            for lane in range(n):
                y[lane] = a[lane] if a[lane] > y[lane] else y[lane]
        else:
            for lane in range(n):
                y[lane] = a[lane] if a[lane] < y[lane] else y[lane]


@kernel
def _spreads(y, sums, feature, steps, lengths, low, high):
    """Standard deviations of the steps low … high, for the first lanes.

    From the mean of the window itself, in double precision, so that nothing cancels.
    """
    lanes = y.shape[0]
    means, squares = sums[:lanes], sums[lanes : 2 * lanes]
    for lane in range(lanes):
        means[lane] = 0.0
        squares[lane] = 0.0
    for s in range(low, high + 1):
        n = min(lanes, steps[s + 1] - steps[s])
        a = feature[steps[s] : steps[s] + n]
        for lane in range(n):
            means[lane] += np.float64(a[lane])
    for lane in range(lanes):
        means[lane] /= min(high, lengths[lane] - 1) - low + 1
    for s in range(low, high + 1):
        n = min(lanes, steps[s + 1] - steps[s])
        a = feature[steps[s] : steps[s] + n]
        for lane in range(n):
            deviation = np.float64(a[lane]) - means[lane]
            squares[lane] += deviation * deviation
    for lane in range(lanes):
        y[lane] = np.float32(np.sqrt(squares[lane] / (min(high, lengths[lane] - 1) - low + 1)))


@kernel
def _reduce(reduction, feature, steps, lane, low, high):
    """The reduction of one sequence's elements low … high."""
    if reduction == op.WINDOW_CHANGE:
        return feature[steps[high] + lane] - feature[steps[low] + lane]
    result = feature[steps[low] + lane]
    if reduction == op.WINDOW_AVERAGE or reduction == op.WINDOW_SPREAD:
        total = np.float64(result)
        for s in range(low + 1, high + 1):
            total += np.float64(feature[steps[s] + lane])
        mean = total / (high - low + 1)
        if reduction == op.WINDOW_AVERAGE:
            return np.float32(mean)
        squares = 0.0
        for s in range(low, high + 1):
            deviation = np.float64(feature[steps[s] + lane]) - mean
            squares += deviation * deviation
        return np.float32(np.sqrt(squares / (high - low + 1)))
    for s in range(low + 1, high + 1):
        value = feature[steps[s] + lane]
        if (value > result) if reduction == op.WINDOW_MAX else (value < result):
            result = value
    return result
