"""Averages over windows of time steps, of features or of computed rows, and their reverse.

At step t a window reaches from t − back to t + ahead, cut off at both ends of its sequence. Time is
divided into spans as long as the window, which then reaches over at most two of them: its sum is
that of the end of the span before (kept for all of its steps) and of the beginning of this one (a
running sum). Nothing is ever subtracted, so one huge element is gone when it leaves the window.
"""

from __future__ import annotations

import numpy as np

from nearstar.util.compiled import kernel


@kernel
def average(y, x, sums, steps, lengths, back, ahead):
    """y at every position: the average of x over the window."""
    _slide(y, x, sums, steps, lengths, back, ahead, back, ahead, False)


@kernel
def average_slopes(dx, dy, sums, steps, lengths, back, ahead):
    """Add to dx what dy gives it: element s is in the windows from s − ahead to s + back."""
    _slide(dx, dy, sums, steps, lengths, ahead, back, back, ahead, True)


@kernel
def _slide(y, x, sums, steps, lengths, before, after, back, ahead, reverse):
    """Sums of x from ``before`` steps ago to ``after`` steps later, at every step.

    Forward, a sum is divided by the number of its elements. In reverse, each element of x counts
    with its share of the average that was taken at its own step, and sums are added to y.
    ``sums`` has room for zeros and running sums, one of each a lane, and a span of kept ones.
    """
    n_steps = steps.shape[0] - 1
    n_lanes = steps[1]
    size = before + after + 1
    zeros = sums[:n_lanes]
    running = sums[n_lanes : 2 * n_lanes]
    kept = sums[2 * n_lanes :]
    for lane in range(2 * n_lanes):
        sums[lane] = 0.0
    for s in range(n_steps + after):
        if s > 0 and s % size == 0:
            _keep(kept, x, steps, lengths, s - size, back, ahead, reverse)
            for lane in range(n_lanes):
                running[lane] = 0.0
        if s < n_steps:
            n = steps[s + 1] - steps[s]
            _add(running, x, steps, lengths, s, n, back, ahead, reverse)
        t = s - after
        if t < 0:
            continue
        low = t - before
        n = steps[t + 1] - steps[t]
        out = y[steps[t] : steps[t] + n]
        if low > 0 and low % size != 0:
            start = steps[low] - steps[low // size * size]
            _write(out, running, kept[start : start + n], lengths, t, low, after, reverse)
        else:  # the window begins with the span
            _write(out, running, zeros, lengths, t, max(low, 0), after, reverse)


@kernel
def _keep(kept, x, steps, lengths, first, back, ahead, reverse):
    """Sums from each step of a span to the span's end, or to the end of a sequence before that."""
    last = min(first + (back + ahead), steps.shape[0] - 2)
    origin = steps[first]
    following = 0
    for s in range(last, first - 1, -1):
        n = steps[s + 1] - steps[s]
        here = kept[steps[s] - origin : steps[s] - origin + n]
        for lane in range(n):
            here[lane] = 0.0
        if s < last:
            later = kept[steps[s + 1] - origin : steps[s + 1] - origin + following]
            for lane in range(following):
                here[lane] = later[lane]
        _add(here, x, steps, lengths, s, n, back, ahead, reverse)
        following = n


@kernel
def _add(sums, x, steps, lengths, s, n, back, ahead, reverse):
    """Add the elements of a step, in reverse with their shares of the averages taken there."""
    entering = x[steps[s] : steps[s] + n]
    if not reverse:
        for lane in range(n):
            sums[lane] += np.float64(entering[lane])
        return
    low = max(s - back, 0)
    if ahead == 0:
        share = 1.0 / (s - low + 1)
        for lane in range(n):
            sums[lane] += share * np.float64(entering[lane])
    else:
        for lane in range(n):
            count = min(s + ahead, lengths[lane] - 1) - low + 1
            sums[lane] += np.float64(entering[lane]) / count


@kernel
def _write(out, running, kept, lengths, t, low, after, reverse):
    """What has been summed up, at one step."""
    n = out.shape[0]
    if reverse:
        for lane in range(n):
            out[lane] += np.float32(running[lane] + kept[lane])
    elif after == 0:
        share = 1.0 / (t - low + 1)
        for lane in range(n):
            out[lane] = np.float32((running[lane] + kept[lane]) * share)
    else:
        for lane in range(n):
            count = min(t + after, lengths[lane] - 1) - low + 1
            out[lane] = np.float32((running[lane] + kept[lane]) / count)
