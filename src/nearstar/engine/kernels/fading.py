"""Means that fade: what is older counts less, by a half-life; and their reverse.

At each step a mean keeps a share of what it was, and takes the rest of the element at hand; at the
first step it is that element. What is trained is the logarithm of the half-life, of base 2.
"""

from __future__ import annotations

import numpy as np

from nearstar.util.compiled import kernel

_LN2 = np.log(2.0)
_MOST = 40.0  # beyond this, half-lives are 0, or without end


@kernel
def _forgetting(parameter):
    """The rate at which it forgets: exp(−rate) is what a step keeps."""
    return _LN2 * np.exp(-_LN2 * min(max(np.float64(parameter), -_MOST), _MOST))


@kernel
def fade(y, x, sums, steps, parameter):
    """y at every position: the mean of x up to there. Means are kept in double precision, or what
    a long one takes of an element would be rounded away."""
    taken = -np.expm1(-_forgetting(parameter))
    means = sums[: steps[1]]
    for lane in range(steps[1]):
        means[lane] = np.float64(x[lane])
        y[lane] = x[lane]
    for t in range(1, steps.shape[0] - 1):
        n = steps[t + 1] - steps[t]
        now, out = x[steps[t] : steps[t] + n], y[steps[t] : steps[t] + n]
        for lane in range(n):
            means[lane] += taken * (np.float64(now[lane]) - means[lane])
            out[lane] = np.float32(means[lane])


@kernel
def fade_slopes(dx, dy, y, x, sums, steps, parameter):
    """Add to dx what dy gives it; the slope of the parameter."""
    rate = _forgetting(parameter)
    taken = -np.expm1(-rate)
    later = sums[: steps[1]]  # what a mean is worth to those after it
    for lane in range(steps[1]):
        later[lane] = 0.0
    slope = 0.0
    for t in range(steps.shape[0] - 2, 0, -1):
        n = steps[t + 1] - steps[t]
        now, out = x[steps[t] : steps[t] + n], dx[steps[t] : steps[t] + n]
        before, given = y[steps[t - 1] : steps[t - 1] + n], dy[steps[t] : steps[t] + n]
        for lane in range(n):
            worth = np.float64(given[lane]) + later[lane]
            slope += worth * (np.float64(now[lane]) - np.float64(before[lane]))
            out[lane] += np.float32(taken * worth)
            later[lane] = worth - taken * worth
    for lane in range(steps[1]):
        dx[lane] += np.float32(np.float64(dy[lane]) + later[lane])
    return np.float32(-slope * (1.0 - taken) * rate * _LN2)
