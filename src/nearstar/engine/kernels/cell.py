"""The cell of an LSTM, forward and in reverse, in vector instructions.

Rows of the gates' inputs (in, forget, candidate, out: n of each) become the gates' values in place.
Besides, a cell has n rows each of its state c, of tanh c and of its output h. The state one step
earlier is at ``before``, or zero where that is negative.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from nearstar.engine.kernels import vectormath
from nearstar.engine.kernels.vectors import INT, LANES, LONG, MASK, Number, Writer

Fraction = tuple[Number, Number]


def _tanh(x: Number) -> Fraction:
    """tanh as numerator and denominator, with the coefficients of ``vectormath``."""
    x = x.within(vectormath.TANH_LIMIT)
    u = x * x
    above, below = (_polynomial(u, c) for c in (vectormath.TANH_ABOVE, vectormath.TANH_BELOW))
    return x * above, below


def _polynomial(u: Number, coefficients: tuple[float, ...]) -> Number:
    result = u * coefficients[-1] + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        result = result * u + coefficient
    return result


def _quotients(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> tuple[Number, ...]:
    """Four fractions at the price of one division, the slowest instruction here."""
    ab, cd = a[1] * b[1], c[1] * d[1]
    share = (ab * cd).reciprocal()
    per_ab, per_cd = share * cd, share * ab
    return (
        a[0] * b[1] * per_ab,
        b[0] * a[1] * per_ab,
        c[0] * d[1] * per_cd,
        d[0] * c[1] * per_cd,
    )


class _Rows:
    """Loads and stores vectors of the rows of unit k, at the positions of one loop round."""

    def __init__(self, builder: Any, stride: Any, position: Any, mask: Any) -> None:
        self.builder = builder
        self.write = Writer(builder)
        self.stride = stride
        self.position = position
        self.mask = mask

    def address(self, base: Any, row: Any) -> Any:
        b = self.builder
        return b.add(b.add(base, b.mul(row, self.stride)), b.mul(self.position, LONG(4)))

    def load(self, base: Any, row: Any) -> Number:
        return Number(self.builder, self.write.load(self.address(base, row), self.mask))

    def store(self, value: Number, base: Any, row: Any) -> None:
        self.write.store(value.value, self.address(base, row), self.mask)


def _each_vector(builder: Any, args: Any, body: Any) -> None:
    """Call ``body(now, earlier, unit)`` in a loop over units and vectors of positions."""
    stride, n, start, count, before = args
    write = Writer(builder)
    b = builder
    rounds = b.sdiv(b.add(count, LONG(LANES - 1)), LONG(LANES))
    with cgutils.for_range(builder, n) as units, cgutils.for_range(builder, rounds) as vectors:
        offset = b.mul(vectors.index, LONG(LANES))
        mask = write.mask(b.sub(count, offset))
        now = _Rows(builder, stride, b.add(start, offset), mask)
        exists = b.sext(b.icmp_signed(">=", before, LONG(0)), INT)
        known = b.and_(mask, b.trunc(write.spread(exists, INT), MASK))
        earlier = _Rows(builder, stride, b.add(before, offset), known)
        body(now, earlier, units.index)


@intrinsic
def forward(context, values, stride, gates, c, t, h, n, start, count, before):
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, stride, gates, c, t, h, n, start, count, before = args
        add = builder.add

        def body(now: _Rows, earlier: _Rows, k: Any) -> None:
            rows = [add(add(gates, k), builder.mul(n, LONG(gate))) for gate in range(4)]
            i, f, g, o = (now.load(values, row) for row in rows)
            fractions = (_tanh(i * 0.5), _tanh(f * 0.5), _tanh(g), _tanh(o * 0.5))
            i, f, g, o = _quotients(*fractions)
            i, f, o = (gate * 0.5 + 0.5 for gate in (i, f, o))
            for gate, row in zip((i, f, g, o), rows, strict=True):
                now.store(gate, values, row)
            state = f * earlier.load(values, add(c, k)) + i * g
            now.store(state, values, add(c, k))
            above, below = _tanh(state)
            squashed = above * below.reciprocal()
            now.store(squashed, values, add(t, k))
            now.store(o * squashed, values, add(h, k))

        _each_vector(builder, (stride, n, start, count, before), body)
        return context.get_dummy_value()

    return types.void(*[types.intp] * 10), codegen


@intrinsic
def backward(context, values, slopes, stride, gates, c, t, h, n, start, count, before):
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, slopes, stride, gates, c, t, h, n, start, count, before = args
        add = builder.add

        def body(now: _Rows, earlier: _Rows, k: Any) -> None:
            rows = [add(add(gates, k), builder.mul(n, LONG(gate))) for gate in range(4)]
            i, f, g, o = (now.load(values, row) for row in rows)
            squashed = now.load(values, add(t, k))
            dh = now.load(slopes, add(h, k))
            dc = now.load(slopes, add(c, k)) + dh * o * (1.0 - squashed * squashed)
            past = earlier.load(values, add(c, k))
            slope_rows = (
                dc * g * i * (1.0 - i),
                dc * past * f * (1.0 - f),
                dc * i * (1.0 - g * g),
                dh * squashed * o * (1.0 - o),
            )
            for slope, row in zip(slope_rows, rows, strict=True):
                now.store(slope, slopes, row)
            earlier.store(earlier.load(slopes, add(c, k)) + dc * f, slopes, add(c, k))

        _each_vector(builder, (stride, n, start, count, before), body)
        return context.get_dummy_value()

    return types.void(*[types.intp] * 11), codegen
