"""Averages over windows of time steps, of features or of computed rows, and their reverse.

At step t a window reaches from t − back to t + ahead, cut off at both ends of its sequence. Sums
slide along: what enters is added, what leaves is subtracted, in double precision, so that nothing
accumulates however long the sequence is.
"""

from __future__ import annotations

import numpy as np

from nearstar.engine.compiled import kernel


@kernel
def average(y, x, sums, steps, lengths, back, ahead):
    """y at every position: the average of x over the window."""
    n_steps = steps.shape[0] - 1
    for lane in range(steps[1]):
        sums[lane] = 0.0
    for s in range(min(ahead, n_steps)):
        _enter(sums, x, steps[s], steps[s + 1] - steps[s], 1.0)
    for t in range(n_steps):
        n = steps[t + 1] - steps[t]
        if t + ahead < n_steps:
            s = t + ahead
            _enter(sums, x, steps[s], steps[s + 1] - steps[s], 1.0)
        low = max(t - back, 0)
        if t > back:
            _enter(sums, x, steps[low - 1], n, -1.0)
        out = y[steps[t] : steps[t] + n]
        if ahead == 0:
            share = 1.0 / (t - low + 1)
            for lane in range(n):
                out[lane] = np.float32(sums[lane] * share)
        else:
            for lane in range(n):
                count = min(t + ahead, lengths[lane] - 1) - low + 1
                out[lane] = np.float32(sums[lane] / count)


@kernel
def average_slopes(dx, dy, sums, steps, lengths, back, ahead):
    """Add to dx what dy gives it: element s is in the windows from s − ahead to s + back."""
    n_steps = steps.shape[0] - 1
    for lane in range(steps[1]):
        sums[lane] = 0.0
    for t in range(min(back, n_steps)):
        _enter_shares(sums, dy, t, steps[t + 1] - steps[t], 1.0, steps, lengths, back, ahead)
    for s in range(n_steps):
        n = steps[s + 1] - steps[s]
        if s + back < n_steps:
            t = s + back
            _enter_shares(sums, dy, t, steps[t + 1] - steps[t], 1.0, steps, lengths, back, ahead)
        if s > ahead:
            _enter_shares(sums, dy, s - ahead - 1, n, -1.0, steps, lengths, back, ahead)
        out = dx[steps[s] : steps[s] + n]
        for lane in range(n):
            out[lane] += np.float32(sums[lane])


@kernel
def _enter(sums, x, start, n, sign):
    entering = x[start : start + n]
    for lane in range(n):
        sums[lane] += sign * np.float64(entering[lane])


@kernel
def _enter_shares(sums, dy, t, n, sign, steps, lengths, back, ahead):
    """Each element counts with its share of the average at step t."""
    entering = dy[steps[t] : steps[t] + n]
    low = max(t - back, 0)
    if ahead == 0:
        share = sign / (t - low + 1)
        for lane in range(n):
            sums[lane] += share * np.float64(entering[lane])
    else:
        for lane in range(n):
            count = min(t + ahead, lengths[lane] - 1) - low + 1
            sums[lane] += sign / count * np.float64(entering[lane])
