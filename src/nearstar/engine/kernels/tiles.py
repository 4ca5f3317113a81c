"""Tiles: the innermost loops of linear maps, with their sums held in vector registers.

A compiler that vectorises ``y[p] += w * x[p]`` loads and stores y again for every w. These two
tiles are written in vector instructions instead, so that a block of sums stays in registers until
it is complete: ``combine`` for outputs of a linear map, ``correlate`` for gradients of its weights.

Rows are addressed in bytes: y + row number · yo and x + row number · xo; lists of row numbers are
int32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from nearstar.engine.kernels.vectors import FLOAT, INT, LANES, LONG, VECTOR, Writer, choose

VECTORS = 4 if LANES == 16 else 2
"""Vectors of positions of a tile: with four rows, its sums must fit in the registers."""
SPAN = LANES * VECTORS
"""Positions of a tile."""


class _Combine(NamedTuple):
    """Arguments of ``combine``, as values of the code being written."""

    y: Any
    yo: Any
    outputs: Any
    x: Any
    xo: Any
    inputs: Any
    n: Any
    w: Any
    by_output: Any
    by_input: Any
    bias: Any
    first: Any
    left: Any


def _write_combine(builder: Any, args: _Combine, n_rows: int, n_vectors: int, masked: bool) -> None:
    """The tile for n_rows outputs and n_vectors vectors of positions."""
    write = Writer(builder)
    masks = [
        write.mask(builder.sub(args.left, LONG(LANES * v))) if masked else None
        for v in range(n_vectors)
    ]
    targets = [write.pointer(args.y, args.outputs, o, args.yo, args.first) for o in range(n_rows)]
    places = [
        [builder.add(target, LONG(4 * LANES * v)) for v in range(n_vectors)] for target in targets
    ]
    sums = [[cgutils.alloca_once(builder, VECTOR) for _ in row] for row in places]
    with builder.if_else(builder.icmp_signed("==", args.bias, LONG(0))) as (adding, setting):
        with adding:
            for row, row_places in zip(sums, places, strict=True):
                for held, place, mask in zip(row, row_places, masks, strict=True):
                    builder.store(write.load(place, mask), held)
        with setting:
            for o, row in enumerate(sums):
                start = write.scalar(builder.add(args.bias, LONG(4 * o)))
                for held in row:
                    builder.store(write.spread(start, FLOAT), held)
    with cgutils.for_range(builder, args.n) as loop:
        at = builder.add(args.inputs, builder.mul(loop.index, LONG(4)))
        source = write.pointer(args.x, at, 0, args.xo, args.first)
        values = [
            write.load(builder.add(source, LONG(4 * LANES * v)), mask)
            for v, mask in enumerate(masks)
        ]
        weight = builder.add(args.w, builder.mul(loop.index, args.by_input))
        for row in sums:
            factor = write.spread(write.scalar(weight), FLOAT)
            for held, value in zip(row, values, strict=True):
                builder.store(write.multiply_add(factor, value, builder.load(held)), held)
            weight = builder.add(weight, args.by_output)
    for row, row_places in zip(sums, places, strict=True):
        for held, place, mask in zip(row, row_places, masks, strict=True):
            write.store(builder.load(held), place, mask)


@intrinsic
def combine(
    context, rows, y, yo, outputs, x, xo, inputs, n, w, by_output, by_input, bias, first, left
):
    """y[o][p] = b[o] + Σ_i w[o, i] · x[i][p] for 4, 2 or 1 outputs and up to SPAN positions.

    ``bias`` is the address of b; where it is 0, the sum is added to what y holds. Of the positions
    from ``first`` on, ``left`` are left to do.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, arguments = args[0], _Combine(*args[1:])

        def more_than(n: int) -> Any:
            return builder.icmp_signed(">", arguments.left, LONG(n))

        def tile(n_rows: int) -> None:
            def write(n_vectors: int, masked: bool) -> Callable[[], None]:
                return lambda: _write_combine(builder, arguments, n_rows, n_vectors, masked)

            choose(
                builder,
                (more_than(SPAN - 1), write(VECTORS, False)),
                (more_than(2 * LANES), write(VECTORS, True)),
                (more_than(LANES), write(2, True)),
                (None, write(1, True)),
            )

        choose(
            builder,
            (builder.icmp_signed("==", rows, LONG(4)), lambda: tile(4)),
            (builder.icmp_signed("==", rows, LONG(2)), lambda: tile(2)),
            (None, lambda: tile(1)),
        )
        return context.get_dummy_value()

    return types.void(*[types.intp] * 14), codegen


class _Correlate(NamedTuple):
    """Arguments of ``correlate``, as values of the code being written."""

    y: Any
    yo: Any
    outputs: Any
    x: Any
    xo: Any
    inputs: Any
    n: Any
    sums: Any
    by_output: Any
    by_input: Any
    first: Any


def _write_correlate(builder: Any, args: _Correlate, n_rows: int, n_inputs: int) -> None:
    """The tile for n_rows × n_inputs sums."""
    write = Writer(builder)
    rows = [write.pointer(args.y, args.outputs, o, args.yo, args.first) for o in range(n_rows)]
    columns = [write.pointer(args.x, args.inputs, i, args.xo, args.first) for i in range(n_inputs)]
    zero = ir.Constant(VECTOR, None)
    held = [[cgutils.alloca_once_value(builder, zero) for _ in columns] for _ in rows]

    def step(position: Any, mask: Any | None) -> None:
        offset = builder.mul(position, LONG(4))
        left = [write.load(builder.add(row, offset), mask) for row in rows]
        right = [write.load(builder.add(column, offset), mask) for column in columns]
        for o, a in enumerate(left):
            for i, b in enumerate(right):
                builder.store(write.multiply_add(a, b, builder.load(held[o][i])), held[o][i])

    full = builder.sdiv(args.n, LONG(LANES))
    with cgutils.for_range(builder, full) as loop:
        step(builder.mul(loop.index, LONG(LANES)), None)
    done = builder.mul(full, LONG(LANES))
    rest = builder.sub(args.n, done)
    with builder.if_then(builder.icmp_signed(">", rest, LONG(0))):
        step(done, write.mask(rest))
    pairs = [(o, i) for o in range(n_rows) for i in range(n_inputs)]
    for start in range(0, len(pairs), LANES):
        group = pairs[start : start + LANES]
        totals, labels = write.totals([builder.load(held[o][i]) for o, i in group])
        for lane, label in enumerate(labels):
            if label < 0:
                continue
            o, i = group[label]
            at = builder.add(builder.mul(args.by_output, LONG(o)), args.sums)
            at = builder.add(at, builder.mul(args.by_input, LONG(i)))
            place = builder.inttoptr(at, FLOAT.as_pointer())
            total = builder.extract_element(totals, INT(lane))
            builder.store(builder.fadd(builder.load(place), total), place)


@intrinsic
def correlate(
    context, rows, columns, y, yo, outputs, x, xo, inputs, n, sums, by_output, by_input, first
):
    """sums[o, i] += Σ_p y[o][p] · x[i][p] for 4 or 1 outputs and 4, 3 or 1 inputs, n positions."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, columns, arguments = args[0], args[1], _Correlate(*args[2:])

        def tile(n_rows: int) -> None:
            def write(n_inputs: int) -> Callable[[], None]:
                return lambda: _write_correlate(builder, arguments, n_rows, n_inputs)

            choose(
                builder,
                (builder.icmp_signed("==", columns, LONG(4)), write(4)),
                (builder.icmp_signed("==", columns, LONG(3)), write(3)),
                (None, write(1)),
            )

        choose(
            builder,
            (builder.icmp_signed("==", rows, LONG(4)), lambda: tile(4)),
            (None, lambda: tile(1)),
        )
        return context.get_dummy_value()

    return types.void(*[types.intp] * 13), codegen
