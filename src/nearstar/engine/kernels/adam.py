"""The optimiser: Adam (Kingma & Ba, 2015) with its customary constants."""

from __future__ import annotations

import numpy as np

from nearstar.util.compiled import kernel

_MEAN = np.float32(0.9)
_SQUARE = np.float32(0.999)
_EPSILON = np.float32(1e-8)
_ONE = np.float32(1.0)


@kernel
def norm(gradient):
    """Euclidean length, or something not finite if a component is not."""
    squares = 0.0
    for p in range(gradient.shape[0]):
        squares += np.float64(gradient[p]) * np.float64(gradient[p])
    return np.sqrt(squares)


@kernel
def adam(parameters, work, rate, factor):
    """One step along the gradient times ``factor``."""
    work.taken[0] += 1
    t = work.taken[0]
    step = np.float32(rate / (1.0 - 0.9**t))
    debias = np.float32(1.0 / np.sqrt(1.0 - 0.999**t))
    scale = np.float32(factor)
    mean = work.mean
    square = work.square
    gradient = work.gradient
    for p in range(parameters.shape[0]):
        g = gradient[p] * scale
        mean[p] = _MEAN * mean[p] + (_ONE - _MEAN) * g
        square[p] = _SQUARE * square[p] + (_ONE - _SQUARE) * g * g
        parameters[p] -= step * mean[p] / (np.sqrt(square[p]) * debias + _EPSILON)
