"""Cross-entropy and decisions.

``outputs`` lists the rows of the program's output: one, positive class if above 0; or one a class.
"""

from __future__ import annotations

import numpy as np

from nearstar.engine.kernels.linear import copy, row
from nearstar.engine.kernels.vectormath import exp, log, sigmoid
from nearstar.util.compiled import reduction

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_POSITIVE = np.int16(1)
_NEGATIVE = np.int16(0)


@reduction
def cross_entropy(values, slopes, outputs, labels, weights, share, scratch):
    """Sum of weighted losses; slopes of the outputs are set to its gradient times ``share``.

    An element counts with the weight of its class, or not at all where there is no label.
    """
    if outputs.shape[0] == 1:
        return _binary(values, slopes, outputs[0], labels, weights, share)
    return _softmax(values, slopes, outputs, labels, weights, share, scratch)


@reduction
def _binary(values, slopes, output, labels, weights, share):
    n = labels.shape[0]
    z = row(values, output, 0, n)
    dz = row(slopes, output, 0, n)
    loss = _ZERO
    negative, positive = weights[0], weights[1]
    for p in range(n):
        margin = z[p] if labels[p] == _POSITIVE else -z[p]
        weight = positive if labels[p] == _POSITIVE else negative
        weight = weight if labels[p] >= _NEGATIVE else _ZERO
        # log(1 + exp(-margin)), without overflow
        loss += weight * (log(_ONE + exp(-abs(margin))) + (-margin if margin < _ZERO else _ZERO))
    for p in range(n):
        margin = z[p] if labels[p] == _POSITIVE else -z[p]
        weight = positive if labels[p] == _POSITIVE else negative
        weight = weight if labels[p] >= _NEGATIVE else _ZERO
        missed = sigmoid(-margin) * weight * share
        dz[p] = -missed if labels[p] == _POSITIVE else missed
    return loss


@reduction
def _softmax(values, slopes, outputs, labels, weights, share, scratch):
    n = labels.shape[0]
    most = scratch[0][:n]
    total = scratch[1][:n]
    chosen = scratch[2][:n]
    weight = scratch[3][:n]
    copy(most, row(values, outputs[0], 0, n), n)
    for k in range(1, outputs.shape[0]):
        z = row(values, outputs[k], 0, n)
        for p in range(n):
            # A NaN in any output must stay visible.
            most[p] = z[p] if not z[p] <= most[p] else most[p]
    total[:] = _ZERO
    chosen[:] = _ZERO
    weight[:] = _ZERO
    # Short loops: each is simple enough for the compiler to vectorise.
    for k in range(outputs.shape[0]):
        z = row(values, outputs[k], 0, n)
        dz = row(slopes, outputs[k], 0, n)
        for p in range(n):
            dz[p] = exp(z[p] - most[p])
        for p in range(n):
            total[p] += dz[p]
        here = np.int16(k)
        for p in range(n):
            chosen[p] += z[p] - most[p] if labels[p] == here else _ZERO
        for p in range(n):
            weight[p] += weights[k] if labels[p] == here else _ZERO
    loss = _ZERO
    for p in range(n):
        loss += weight[p] * (log(total[p]) - chosen[p])
    for p in range(n):
        total[p] = share / total[p]
    for k in range(outputs.shape[0]):
        dz = row(slopes, outputs[k], 0, n)
        here = np.int16(k)
        for p in range(n):
            dz[p] = weight[p] * (dz[p] * total[p] - (share if labels[p] == here else _ZERO))
    return loss


@reduction
def decide(values, outputs, p):
    """The class at a position, or -1 where an output is not finite."""
    best = 0
    for k in range(outputs.shape[0]):
        if not np.isfinite(values[outputs[k]][p]):
            return -1
        if values[outputs[k]][p] > values[outputs[best]][p]:
            best = k
    if outputs.shape[0] == 1:
        return 1 if values[outputs[0]][p] > _ZERO else 0
    return best
