"""Vector code: a thin layer over LLVM's builder, for the few loops that compilers leave slow.

Rows are addressed in bytes. A mask selects the first lanes; masked loads read zeros elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils

LANES = 16 if llvm.get_host_cpu_features().get("avx512f", False) else 8
"""Numbers in a vector register."""

FLOAT = ir.FloatType()
VECTOR = ir.VectorType(FLOAT, LANES)
INT = ir.IntType(32)
LONG = ir.IntType(64)
MASK = ir.VectorType(ir.IntType(1), LANES)
LANE_NUMBERS = ir.VectorType(INT, LANES)


def choose(builder: Any, *options: tuple[Any, Callable[[], None]]) -> None:
    """Write code that runs the first option whose condition holds; the last one has none."""
    (condition, write), *others = options
    if condition is None:
        write()
        return
    with builder.if_else(condition) as (then, otherwise):
        with then:
            write()
        with otherwise:
            choose(builder, *others)


class Number:
    """A vector as an operand of ordinary arithmetic."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def _operand(self, other: Number | float) -> Any:
        if isinstance(other, Number):
            return other.value
        return ir.Constant(VECTOR, [float(other)] * LANES)

    def __add__(self, other: Number | float) -> Number:
        result = self.builder.fadd(self.value, self._operand(other), flags=("contract",))
        return Number(self.builder, result)

    def __rsub__(self, other: float) -> Number:
        result = self.builder.fsub(self._operand(other), self.value, flags=("contract",))
        return Number(self.builder, result)

    def __mul__(self, other: Number | float) -> Number:
        result = self.builder.fmul(self.value, self._operand(other), flags=("contract",))
        return Number(self.builder, result)

    def reciprocal(self) -> Number:
        """1 / x for ordinary positive x: a guess from its bits, refined by Newton's method.

        Faster than dividing: the guess is within 12 %, and each round squares that.
        """
        b = self.builder
        magic = ir.Constant(LANE_NUMBERS, [0x7EF311C3] * LANES)
        guess = b.sub(magic, b.bitcast(self.value, LANE_NUMBERS))
        result = Number(b, b.bitcast(guess, VECTOR))
        for _ in range(3):
            result = result * (2.0 - self * result)
        return result

    def within(self, limit: float) -> Number:
        """Cut off at ±limit; NaN stays NaN."""
        value = self.value
        for sign, bound in ((">", limit), ("<", -limit)):
            edge = self._operand(bound)
            value = self.builder.select(self.builder.fcmp_ordered(sign, value, edge), edge, value)
        return Number(self.builder, value)


class Writer:
    """Writes vector code with a builder."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def pointer(self, base: Any, rows: Any, index: int, stride: Any, first: Any) -> Any:
        """Address of position ``first`` of the row that stands at ``index`` in a list of rows."""
        b = self.builder
        entry = b.inttoptr(b.add(rows, LONG(4 * index)), INT.as_pointer())
        row = b.sext(b.load(entry), LONG)
        return b.add(b.add(base, b.mul(row, stride)), b.mul(first, LONG(4)))

    def mask(self, left: Any) -> Any:
        """The first ``left`` lanes."""
        b = self.builder
        lanes = ir.Constant(LANE_NUMBERS, list(range(LANES)))
        count = self.spread(b.trunc(left, INT), INT)
        return b.icmp_signed("<", lanes, count)

    def spread(self, scalar: Any, kind: Any) -> Any:
        b = self.builder
        vector = ir.VectorType(kind, LANES)
        single = b.insert_element(ir.Constant(vector, ir.Undefined), scalar, INT(0))
        zeros = ir.Constant(LANE_NUMBERS, [0] * LANES)
        return b.shuffle_vector(single, ir.Constant(vector, ir.Undefined), zeros)

    def load(self, address: Any, mask: Any | None) -> Any:
        b = self.builder
        pointer = b.inttoptr(address, VECTOR.as_pointer())
        if mask is None:
            return b.load(pointer, align=4)
        function = self._declared(
            f"llvm.masked.load.v{LANES}f32.p0v{LANES}f32",
            VECTOR,
            (VECTOR.as_pointer(), INT, MASK, VECTOR),
        )
        return b.call(function, (pointer, INT(4), mask, ir.Constant(VECTOR, None)))

    def store(self, value: Any, address: Any, mask: Any | None) -> None:
        b = self.builder
        pointer = b.inttoptr(address, VECTOR.as_pointer())
        if mask is None:
            b.store(value, pointer, align=4)
            return
        function = self._declared(
            f"llvm.masked.store.v{LANES}f32.p0v{LANES}f32",
            ir.VoidType(),
            (VECTOR, VECTOR.as_pointer(), INT, MASK),
        )
        b.call(function, (value, pointer, INT(4), mask))

    def scalar(self, address: Any) -> Any:
        return self.builder.load(self.builder.inttoptr(address, FLOAT.as_pointer()))

    def multiply_add(self, a: Any, b: Any, c: Any) -> Any:
        function = self._declared(f"llvm.fma.v{LANES}f32", VECTOR, (VECTOR,) * 3)
        return self.builder.call(function, (a, b, c))

    def totals(self, vectors: list[Any]) -> tuple[Any, list[int]]:
        """Sums over the lanes of up to LANES vectors, as one vector, and whose sum each lane has.

        Vectors are merged in pairs: each halves its segments by adding their two halves, and the
        results are interleaved, until a segment is one lane.
        """
        b = self.builder
        zero = ir.Constant(VECTOR, None)
        parts = [(vector, [index]) for index, vector in enumerate(vectors)]
        parts += [(zero, [-1])] * (LANES - len(vectors))
        width = LANES
        while width > 1:
            width //= 2
            half = len(parts) // 2
            firsts = [
                source * LANES + segment * 2 * width + lane
                for segment in range(LANES // (2 * width))
                for source in (0, 1)
                for lane in range(width)
            ]
            low = ir.Constant(LANE_NUMBERS, firsts)
            high = ir.Constant(LANE_NUMBERS, [lane + width for lane in firsts])
            parts = [
                (
                    b.fadd(b.shuffle_vector(x, y, low), b.shuffle_vector(x, y, high)),
                    [label for pair in zip(p, q, strict=True) for label in pair],
                )
                for (x, p), (y, q) in zip(parts[:half], parts[half:], strict=True)
            ]
        return parts[0]

    def _declared(self, name: str, result: Any, arguments: tuple[Any, ...]) -> Any:
        kind = ir.FunctionType(result, arguments)
        return cgutils.get_or_insert_function(self.builder.module, kind, name)
