"""Pointwise instructions, forward and reverse, one row at a time."""

from __future__ import annotations

import numpy as np

from nearstar.engine import opcodes as op
from nearstar.engine.compiled import kernel
from nearstar.engine.linear import row
from nearstar.engine.vectormath import exp, log, sigmoid, tanh

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
# The gradient of a square root is infinite at 0; below this argument it is held.
_ROOT_FLOOR = np.float32(1e-12)


@kernel
def forward_pointwise(code, constants, values, start, n):
    """Compute the output row of one instruction."""
    kind = code[0]
    y = row(values, code[1], start, n)
    if kind == op.LITERAL:
        y[:] = constants[code[2]]
        return
    a = row(values, code[2], start, n)
    if kind == op.LINEAR:
        factor = constants[code[3]]
        offset = constants[code[4]]
        for p in range(n):
            y[p] = factor * a[p] + offset
    elif kind >= op.ABSOLUTE:
        _forward_unary(kind, y, a, n)
    elif kind == op.MIX:
        b = row(values, code[3], start, n)
        c = row(values, code[4], start, n)
        for p in range(n):
            y[p] = c[p] + a[p] * (b[p] - c[p])
    else:
        _forward_binary(kind, y, a, row(values, code[3], start, n), n)


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
    """Add to the slopes of the operands what the slope of the output row gives them."""
    kind = code[0]
    if kind == op.LITERAL or kind == op.GREATER:
        return
    y = row(values, code[1], start, n)
    dy = row(slopes, code[1], start, n)
    a = row(values, code[2], start, n)
    da = row(slopes, code[2], start, n)
    if kind == op.LINEAR:
        factor = constants[code[3]]
        for p in range(n):
            da[p] += factor * dy[p]
    elif kind >= op.ABSOLUTE:
        _backward_unary(kind, y, dy, a, da, n)
    elif kind == op.MIX:
        b = row(values, code[3], start, n)
        c = row(values, code[4], start, n)
        for p in range(n):
            da[p] += dy[p] * (b[p] - c[p])
        db = row(slopes, code[3], start, n)
        for p in range(n):
            db[p] += dy[p] * a[p]
        dc = row(slopes, code[4], start, n)
        for p in range(n):
            dc[p] += dy[p] * (_ONE - a[p])
    else:
        b = row(values, code[3], start, n)
        _backward_binary(kind, y, dy, a, da, b, row(slopes, code[3], start, n), n)


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
