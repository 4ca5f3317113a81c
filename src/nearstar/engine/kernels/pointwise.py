"""Pointwise instructions, forward and reverse.

An instruction computes adjacent rows; each of its operands is as many adjacent rows, or one row for
all of them.
"""

from __future__ import annotations

import numpy as np

from nearstar.engine.kernels import opcodes as op
from nearstar.engine.kernels.linear import row
from nearstar.engine.kernels.vectormath import exp, log, sigmoid, tanh
from nearstar.util.compiled import kernel

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
# The gradient of a square root is infinite at 0; below this argument it is held.
_ROOT_FLOOR = np.float32(1e-12)


@kernel
def forward_pointwise(code, constants, values, start, n):
    """Compute the output rows of one instruction."""
    kind = code[0]
    for r in range(code[5]):
        y = row(values, code[1] + r, start, n)
        if kind == op.LITERAL:
            y[:] = constants[code[2]]
            continue
        a = row(values, code[2] + r * (code[6] & 1), start, n)
        if kind == op.LINEAR:
            factor = constants[code[3]]
            offset = constants[code[4]]
            for p in range(n):
                y[p] = factor * a[p] + offset
        elif kind >= op.ABSOLUTE:
            _forward_unary(kind, y, a, n)
        else:
            b = row(values, code[3] + r * (code[6] >> 1 & 1), start, n)
            if kind == op.MIX:
                c = row(values, code[4] + r * (code[6] >> 2), start, n)
                for p in range(n):
                    y[p] = c[p] + a[p] * (b[p] - c[p])
            else:
                _forward_binary(kind, y, a, b, n)


@kernel
def _forward_unary(kind, y, a, n):
    if kind == op.ABSOLUTE:
        for p in range(n):
            y[p] = abs(a[p])
    elif kind == op.SQRT:
        for p in range(n):
            y[p] = np.sqrt(a[p] if not a[p] < _ZERO else _ZERO)
    elif kind == op.TANH:
        for p in range(n):
            y[p] = tanh(a[p])
    elif kind == op.SIGMOID:
        for p in range(n):
            y[p] = sigmoid(a[p])
    elif kind == op.EXP:
        for p in range(n):
            y[p] = exp(a[p])
    elif kind == op.LOG:
        for p in range(n):
            y[p] = log(a[p])
    else:
        for p in range(n):
            y[p] = _ZERO if a[p] < _ZERO else a[p]


@kernel
def _forward_binary(kind, y, a, b, n):
    if kind == op.ADD:
        for p in range(n):
            y[p] = a[p] + b[p]
    elif kind == op.SUBTRACT:
        for p in range(n):
            y[p] = a[p] - b[p]
    elif kind == op.MULTIPLY:
        for p in range(n):
            y[p] = a[p] * b[p]
    elif kind == op.DIVIDE:
        for p in range(n):
            y[p] = a[p] / b[p]
    elif kind == op.MINIMUM:
        for p in range(n):
            y[p] = b[p] if b[p] < a[p] else a[p]
    elif kind == op.MAXIMUM:
        for p in range(n):
            y[p] = b[p] if b[p] > a[p] else a[p]
    else:
        for p in range(n):
            y[p] = _ONE if a[p] > b[p] else _ZERO


@kernel
def backward_pointwise(code, constants, values, slopes, start, n):
    """Add to the slopes of the operands what the slopes of the output rows give them."""
    kind = code[0]
    if kind == op.LITERAL or kind == op.GREATER:
        return
    for r in range(code[5]):
        at = code[2] + r * (code[6] & 1)
        y = row(values, code[1] + r, start, n)
        dy = row(slopes, code[1] + r, start, n)
        a = row(values, at, start, n)
        da = row(slopes, at, start, n)
        if kind == op.LINEAR:
            factor = constants[code[3]]
            for p in range(n):
                da[p] += factor * dy[p]
        elif kind >= op.ABSOLUTE:
            _backward_unary(kind, y, dy, a, da, n)
        else:
            at = code[3] + r * (code[6] >> 1 & 1)
            b = row(values, at, start, n)
            db = row(slopes, at, start, n)
            if kind == op.MIX:
                at = code[4] + r * (code[6] >> 2)
                c = row(values, at, start, n)
                dc = row(slopes, at, start, n)
                _backward_mix(dy, a, da, b, db, c, dc, n)
            else:
                _backward_binary(kind, y, dy, a, da, b, db, n)


@kernel
def _backward_mix(dy, a, da, b, db, c, dc, n):
    for p in range(n):
        da[p] += dy[p] * (b[p] - c[p])
    for p in range(n):
        db[p] += dy[p] * a[p]
    for p in range(n):
        dc[p] += dy[p] * (_ONE - a[p])


@kernel
def _backward_unary(kind, y, dy, a, da, n):
    if kind == op.ABSOLUTE:
        for p in range(n):
            da[p] += dy[p] if a[p] > _ZERO else (-dy[p] if a[p] < _ZERO else _ZERO)
    elif kind == op.SQRT:
        for p in range(n):
            held = a[p] if a[p] > _ROOT_FLOOR else _ROOT_FLOOR
            da[p] += _ZERO if a[p] < _ZERO else dy[p] * _HALF / np.sqrt(held)
    elif kind == op.TANH:
        for p in range(n):
            da[p] += dy[p] * (_ONE - y[p] * y[p])
    elif kind == op.SIGMOID:
        for p in range(n):
            da[p] += dy[p] * (y[p] * (_ONE - y[p]))
    elif kind == op.EXP:
        for p in range(n):
            da[p] += dy[p] * y[p]
    elif kind == op.LOG:
        for p in range(n):
            da[p] += dy[p] / a[p]
    else:
        for p in range(n):
            da[p] += dy[p] if a[p] > _ZERO else _ZERO


# Operands may be one row, as in a · a: each gets its share in a loop of its own.
@kernel
def _backward_binary(kind, y, dy, a, da, b, db, n):
    if kind == op.ADD:
        for p in range(n):
            da[p] += dy[p]
        for p in range(n):
            db[p] += dy[p]
    elif kind == op.SUBTRACT:
        for p in range(n):
            da[p] += dy[p]
        for p in range(n):
            db[p] -= dy[p]
    elif kind == op.MULTIPLY:
        for p in range(n):
            da[p] += dy[p] * b[p]
        for p in range(n):
            db[p] += dy[p] * a[p]
    elif kind == op.DIVIDE:
        for p in range(n):
            da[p] += dy[p] / b[p]
        for p in range(n):
            db[p] -= dy[p] * y[p] / b[p]
    elif kind == op.MINIMUM:
        for p in range(n):
            da[p] += _ZERO if b[p] < a[p] else dy[p]
        for p in range(n):
            db[p] += dy[p] if b[p] < a[p] else _ZERO
    else:
        for p in range(n):
            da[p] += _ZERO if b[p] > a[p] else dy[p]
        for p in range(n):
            db[p] += dy[p] if b[p] > a[p] else _ZERO
