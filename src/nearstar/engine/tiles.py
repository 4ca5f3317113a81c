"""Tiles: the innermost loops of linear maps, with their sums held in vector registers.

A compiler that vectorises ``y[p] += w * x[p]`` loads and stores y again for every w. These two
tiles are written in vector instructions instead, so that a block of sums stays in registers until
it is complete: ``combine`` for outputs of a linear map, ``correlate`` for gradients of its weights.

Rows are addressed in bytes: y + row number · yo and x + row number · xo; lists of row numbers are
int32.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from nearstar.engine.vectors import FLOAT, INT, LANES, LONG, VECTOR, Writer

VECTORS = 4 if LANES == 16 else 2
"""Vectors of positions of a tile: with four rows, its sums must fit in the registers."""
SPAN = LANES * VECTORS
"""Positions of a tile."""


def _combine(n_rows: int, n_vectors: int, masked: bool) -> Any:
    """y[o][p] = b[o] + Σ_i w[o, i] · x[i][p] for n_rows outputs, n_vectors vectors of positions.

    Where ``bias`` is 0 instead of the address of b, the sum is added to what y holds. Only the
    first ``left`` positions count, where the tile is masked.
    """

    @intrinsic
    def tile(context, y, yo, outputs, x, xo, inputs, n, w, by_output, by_input, bias, first, left):
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            y, yo, outputs, x, xo, inputs, n, w, by_output, by_input, bias, first, left = args
            write = Writer(builder)
            masks = [
                write.mask(builder.sub(left, LONG(LANES * v))) if masked else None
                for v in range(n_vectors)
            ]
            targets = [write.pointer(y, outputs, o, yo, first) for o in range(n_rows)]
            places = [
                [builder.add(target, LONG(4 * LANES * v)) for v in range(n_vectors)]
                for target in targets
            ]
            sums = [[cgutils.alloca_once(builder, VECTOR) for _ in row] for row in places]
            with builder.if_else(builder.icmp_signed("==", bias, LONG(0))) as (adding, setting):
                with adding:
                    for row, row_places in zip(sums, places, strict=True):
                        for held, place, mask in zip(row, row_places, masks, strict=True):
                            builder.store(write.load(place, mask), held)
                with setting:
                    for o, row in enumerate(sums):
                        start = write.scalar(builder.add(bias, LONG(4 * o)))
                        for held in row:
                            builder.store(write.spread(start, FLOAT), held)
            with cgutils.for_range(builder, n) as loop:
                at = builder.add(inputs, builder.mul(loop.index, LONG(4)))
                source = write.pointer(x, at, 0, xo, first)
                values = [
                    write.load(builder.add(source, LONG(4 * LANES * v)), mask)
                    for v, mask in enumerate(masks)
                ]
                weight = builder.add(w, builder.mul(loop.index, by_input))
                for row in sums:
                    factor = write.spread(write.scalar(weight), FLOAT)
                    for held, value in zip(row, values, strict=True):
                        builder.store(write.multiply_add(factor, value, builder.load(held)), held)
                    weight = builder.add(weight, by_output)
            for row, row_places in zip(sums, places, strict=True):
                for held, place, mask in zip(row, row_places, masks, strict=True):
                    write.store(builder.load(held), place, mask)
            return context.get_dummy_value()

        return types.void(*[types.intp] * 13), codegen

    return tile


def _correlate(n_rows: int, n_inputs: int) -> Any:
    """sums[o, i] += Σ_p y[o][p] · x[i][p] for n_rows × n_inputs rows over n positions."""

    @intrinsic
    def tile(context, y, yo, outputs, x, xo, inputs, n, sums, by_output, by_input, first):
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            y, yo, outputs, x, xo, inputs, n, sums, by_output, by_input, first = args
            write = Writer(builder)
            rows = [write.pointer(y, outputs, o, yo, first) for o in range(n_rows)]
            columns = [write.pointer(x, inputs, i, xo, first) for i in range(n_inputs)]
            zero = ir.Constant(VECTOR, None)
            held = [[cgutils.alloca_once_value(builder, zero) for _ in columns] for _ in rows]

            def step(position: Any, mask: Any | None) -> None:
                offset = builder.mul(position, LONG(4))
                left = [write.load(builder.add(row, offset), mask) for row in rows]
                right = [write.load(builder.add(column, offset), mask) for column in columns]
                for o, a in enumerate(left):
                    for i, b in enumerate(right):
                        total = write.multiply_add(a, b, builder.load(held[o][i]))
                        builder.store(total, held[o][i])

            full = builder.sdiv(n, LONG(LANES))
            with cgutils.for_range(builder, full) as loop:
                step(builder.mul(loop.index, LONG(LANES)), None)
            done = builder.mul(full, LONG(LANES))
            rest = builder.sub(n, done)
            with builder.if_then(builder.icmp_signed(">", rest, LONG(0))):
                step(done, write.mask(rest))
            pairs = [(o, i) for o in range(n_rows) for i in range(n_inputs)]
            for first_pair in range(0, len(pairs), LANES):
                group = pairs[first_pair : first_pair + LANES]
                totals, labels = write.totals([builder.load(held[o][i]) for o, i in group])
                for lane, label in enumerate(labels):
                    if label < 0:
                        continue
                    o, i = group[label]
                    at = builder.add(builder.mul(by_output, LONG(o)), sums)
                    at = builder.add(at, builder.mul(by_input, LONG(i)))
                    place = builder.inttoptr(at, FLOAT.as_pointer())
                    total = builder.extract_element(totals, INT(lane))
                    builder.store(builder.fadd(builder.load(place), total), place)
            return context.get_dummy_value()

        return types.void(*[types.intp] * 11), codegen

    return tile


combine_4 = _combine(4, VECTORS, masked=False)
combine_4_part = _combine(4, VECTORS, masked=True)
combine_4_two = _combine(4, 2, masked=True)
combine_4_one = _combine(4, 1, masked=True)
combine_2 = _combine(2, VECTORS, masked=False)
combine_2_part = _combine(2, VECTORS, masked=True)
combine_2_two = _combine(2, 2, masked=True)
combine_2_one = _combine(2, 1, masked=True)
combine_1 = _combine(1, VECTORS, masked=False)
combine_1_part = _combine(1, VECTORS, masked=True)
combine_1_two = _combine(1, 2, masked=True)
combine_1_one = _combine(1, 1, masked=True)
correlate_4x4 = _correlate(4, 4)
correlate_4x3 = _correlate(4, 3)
correlate_4x1 = _correlate(4, 1)
correlate_1x4 = _correlate(1, 4)
correlate_1x1 = _correlate(1, 1)
