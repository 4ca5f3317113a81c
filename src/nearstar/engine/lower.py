"""Lowering: from a program to an instruction table.

Vector → vector expressions are lowered in a *place*: the frames (under map), the sequences (a
window of a whole sequence), or the steps of a fold. Sequence → vector expressions are lowered
either at each frame (under mapprefix) or once for each sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nearstar.data.scale import Scale
from nearstar.engine.code import Code
from nearstar.engine.kernels import opcodes as op
from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.language.networks import Units
from nearstar.language.operators import (
    Affine,
    Constant,
    Fold,
    Input,
    Map,
    MapPrefix,
    Select,
    Window,
)
from nearstar.language.parameters import Block, layout, size_of
from nearstar.language.program import Apply, Hole, Path, Program
from nearstar.language.types import Signature

Rows = list[int]

_REDUCTIONS = {"Average": op.AVERAGE, "Max": op.MAX, "Min": op.MIN, "Change": op.CHANGE}
_PRIMITIVES = {
    "add": op.ADD,
    "subtract": op.SUBTRACT,
    "multiply": op.MULTIPLY,
    "divide": op.DIVIDE,
    "minimum": op.MINIMUM,
    "maximum": op.MAXIMUM,
    "greater": op.GREATER,
    "mix": op.MIX,
    "absolute": op.ABSOLUTE,
    "sqrt": op.SQRT,
    "tanh": op.TANH,
    "sigmoid": op.SIGMOID,
    "exp": op.EXP,
    "log": op.LOG,
    "relu": op.RELU,
}
# Until all rows are counted, some have numbers that no field of a table (32 bits) can have.
_COMPUTED = 1 << 40
"""Rows from here on are computed; they follow the data rows once those are counted."""
_PROMISED = 1 << 44
"""Numbers from here on stand for rows that are decided later."""


def lower(program: Program, scale: Scale, units: Units | None = None) -> Code:
    """The instruction table of a program on features standardised by ``scale``.

    Holes become the networks of ``relax`` with these units.
    """
    return _Lowering(program, scale, units).code()


@dataclass(frozen=True)
class _Place:
    """Where a vector → vector expression is computed."""

    kind: int
    """Region of its pointwise instructions."""
    source: Callable[[int], int]
    """The row of a standardised feature."""
    window: Window | None = None
    """The window that the features are taken over, if any."""
    past: Rows = field(default_factory=list)
    """Inside a fold, the rows of its result: one step earlier, they are the accumulator."""

    @property
    def shifted(self) -> bool:
        """Whether the features have the data's mean (a window's change has mean 0)."""
        return self.window is None or self.window.reduction != "Change"

    @property
    def bulk(self) -> int:
        """Region of what does not depend on the accumulator."""
        return op.FRAMES if self.kind == op.STEPS else self.kind


class _Lowering:
    def __init__(self, program: Program, scale: Scale, units: Units | None) -> None:
        self.program = program
        self.scale = scale
        self.blocks: dict[tuple[Path, str], Block] = {}
        blocks = layout(program, units)
        for block in blocks:
            self.blocks[block.path, block.role] = block
        self.n_parameters = size_of(blocks)
        self.regions: list[tuple[int, list[list[int]]]] = []
        self.operands: list[int] = []
        self.constants: dict[float, int] = {}
        self.n_data = 0
        self.n_computed = 0
        self.loaded: dict[tuple[int, ...], int] = {}
        self.raw_rows: dict[tuple[int, bool], int] = {}
        self.promised: dict[int, int] = {}

    def code(self) -> Code:
        signature = self.program.signature
        if signature.maps_vectors:
            outputs = self.vector(self.program, (), self._frames())
        elif signature.summarises:
            outputs = self.summary(self.program, (), each=False)
        else:
            outputs = self.sequence(self.program, ())
        code: list[list[int]] = []
        regions: list[list[int]] = []
        for kind, instructions in self.regions:
            if instructions:
                regions.append([kind, len(code), len(code) + len(instructions)])
                code.extend([self._final(field) for field in each] for each in instructions)
        return Code(
            code=np.array(code, np.int32),
            operands=np.array([self._final(entry) for entry in self.operands], np.int32),
            regions=np.array(regions, np.int32),
            constants=np.array(list(self.constants), np.float32),
            outputs=np.array([self._final(row) for row in outputs], np.int32),
            n_rows=self.n_data + self.n_computed,
            n_data_rows=self.n_data,
            n_parameters=self.n_parameters,
            n_features=signature.input.size,
            in_frames=not signature.summarises,
        )

    def _final(self, row: int) -> int:
        """A field as it stands in the table; only numbers of rows change."""
        row = self.promised.get(row, row)
        return row - _COMPUTED + self.n_data if row >= _COMPUTED else row

    # Emitting

    def emit(self, kind: int, what: int, *fields: int) -> None:
        """Append an instruction, to the region being written if it is of this kind.

        Within a fold, what goes to the frames joins the region before the fold's steps.
        """
        if self.regions and self.regions[-1][0] == kind:
            target = self.regions[-1][1]
        elif kind == op.FRAMES and len(self.regions) > 1 and self.regions[-1][0] == op.STEPS:
            target = self.regions[-2][1]
        else:
            target = []
            self.regions.append((kind, target))
        target.append([what, *fields, *[0] * (op.WIDTH - 1 - len(fields))])

    def rows(self, n: int) -> Rows:
        """New rows to compute, adjacent."""
        first = _COMPUTED + self.n_computed
        self.n_computed += n
        return list(range(first, first + n))

    def listed(self, rows: Rows) -> int:
        """Where a list of rows is in the operand table."""
        self.operands.extend(rows)
        return len(self.operands) - len(rows)

    def constant(self, value: float) -> int:
        return self.constants.setdefault(float(np.float32(value)), len(self.constants))

    def data_row(self, kind: int, what: int, *fields: int) -> int:
        """The row of an input instruction, emitted once."""
        key = (what, *fields)
        if key not in self.loaded:
            self.loaded[key] = self.n_data
            self.n_data += 1
            self.emit(kind, what, self.loaded[key], *fields)
        return self.loaded[key]

    def affine(
        self,
        kind: int,
        outputs: Rows,
        inputs: Rows,
        weights: int,
        bias: int,
        what: int = op.AFFINE,
    ) -> None:
        """A linear map of rows; without bias (-1) it is added to the outputs."""
        self.emit(
            kind,
            what,
            self.listed(outputs),
            len(outputs),
            self.listed(inputs),
            len(inputs),
            weights,
            bias,
        )

    def pointwise(self, kind: int, what: int, operands: Sequence[Rows], *fields: int) -> Rows:
        """Componentwise, as one instruction where rows are adjacent; single rows are repeated."""
        n = max((len(rows) for rows in operands), default=1)
        result = self.rows(n)
        if all(rows == list(range(rows[0], rows[0] + len(rows))) for rows in operands):
            strides = sum(1 << bit for bit, rows in enumerate(operands) if len(rows) > 1)
            pieces = [(result[0], [rows[0] for rows in operands], n, strides)]
        else:
            pieces = [
                (out, [rows[index if len(rows) > 1 else 0] for rows in operands], 1, 0)
                for index, out in enumerate(result)
            ]
        for out, firsts, count, strides in pieces:
            unused = [0] * (3 - len(firsts) - len(fields))
            self.emit(kind, what, out, *firsts, *fields, *unused, count, strides)
        return result

    def linear(self, kind: int, rows: Rows, factor: float, offset: float) -> Rows:
        """factor · rows + offset."""
        if factor == 1 and offset == 0:
            return rows
        return self.pointwise(kind, op.LINEAR, [rows], self.constant(factor), self.constant(offset))

    # Places

    def _frames(self) -> _Place:
        return _Place(op.FRAMES, lambda f: self.data_row(op.FRAMES, op.FEATURE, f))

    def _window(self, window: Window, each: bool) -> _Place:
        kind, what = (op.FRAMES, op.WINDOW) if each else (op.LANES, op.WINDOW_LAST)
        fields = (_REDUCTIONS[window.reduction], window.back, window.ahead)
        return _Place(kind, lambda f: self.data_row(kind, what, f, *fields), window)

    def raw(self, place: _Place, feature: int) -> int:
        """The row of a feature in the data's own units."""
        source = place.source(feature)
        if (source, place.shifted) not in self.raw_rows:
            mean = float(self.scale.mean[feature]) if place.shifted else 0.0
            (self.raw_rows[source, place.shifted],) = self.linear(
                place.bulk, [source], float(self.scale.std[feature]), mean
            )
        return self.raw_rows[source, place.shifted]

    # Sequence → sequence

    def sequence(self, node: Program, path: Path) -> Rows:
        """Rows of frames."""
        if isinstance(node, Hole):
            return self.network(node, path, each=True)
        operation = node.operation
        if isinstance(operation, Map):
            return self.vector(node.arguments[0], (*path, 0), self._frames())
        if isinstance(operation, MapPrefix):
            return self.summary(node.arguments[0], (*path, 0), each=True)
        if isinstance(operation, Input):
            return [self.raw(self._frames(), f) for f in range(node.signature.input.size)]
        if isinstance(operation, Function):
            arguments = [
                self.sequence(argument, (*path, index))
                if argument.signature.maps_sequences
                else self.spread(self.summary(argument, (*path, index), each=False))
                for index, argument in enumerate(node.arguments)
            ]
            return self.function(operation, arguments, node.signature, _Place(op.FRAMES, _no_input))
        raise TypeError(f"{operation.name} cannot be lowered as {node.signature}")

    def spread(self, rows: Rows) -> Rows:
        """Rows of sequences as rows of frames."""
        result = self.rows(len(rows))
        for out, row in zip(result, rows, strict=True):
            self.emit(op.FRAMES, op.SPREAD, out, row)
        return result

    # Sequence → vector

    def summary(self, node: Program, path: Path, *, each: bool) -> Rows:
        """Rows of frames if ``each``, else rows of sequences."""
        if isinstance(node, Hole):
            return self.network(node, path, each=each)
        operation = node.operation
        if isinstance(operation, Fold):
            rows = self.fold(node, path)[: node.signature.output.size]
            return rows if each else self.last(rows)
        if isinstance(operation, Window):
            return self.vector(node.arguments[0], (*path, 0), self._window(operation, each))
        if isinstance(operation, Function):
            arguments = [
                self.summary(argument, (*path, index), each=each)
                for index, argument in enumerate(node.arguments)
            ]
            place = _Place(op.FRAMES if each else op.LANES, _no_input)
            return self.function(operation, arguments, node.signature, place)
        raise TypeError(f"{operation.name} cannot be lowered as {node.signature}")

    def last(self, rows: Rows) -> Rows:
        """Rows of frames at the end of each sequence."""
        result = self.rows(len(rows))
        for out, row in zip(result, rows, strict=True):
            self.emit(op.LANES, op.LAST, out, row)
        return result

    def open_steps(self) -> None:
        """Begin a region of steps, with a region of frames before it."""
        self.regions.append((op.FRAMES, []))
        self.regions.append((op.STEPS, []))

    def close_steps(self) -> None:
        """Steps are over: what follows on frames must not join the region before them."""
        self.regions.append((op.FRAMES, []))

    def fold(self, node: Apply, path: Path) -> Rows:
        """Rows of frames: the accumulator after each element."""
        self.open_steps()
        body = node.arguments[0]
        # The body reads its own result one step earlier: rows not known before it is lowered.
        first = _PROMISED + len(self.promised)
        past = list(range(first, first + body.signature.carried))
        self.promised.update(dict.fromkeys(past, -1))
        place = _Place(op.STEPS, lambda f: self.data_row(op.FRAMES, op.FEATURE, f), past=past)
        result = self.vector(body, (*path, 0), place)
        self.promised.update(zip(past, result, strict=True))
        self.close_steps()
        return result

    def network(self, hole: Hole, path: Path, *, each: bool) -> Rows:
        """An LSTM, then a linear layer at every frame or at the end."""
        gates, recurrent = self.blocks[path, "gates"], self.blocks[path, "recurrent"]
        output = self.blocks[path, "output"]
        n = recurrent.others
        self.open_steps()
        gate_rows = self.affine_of(gates, self._frames())
        cell, squashed, hidden = (self.rows(n) for _ in range(3))
        self.affine(op.STEPS, gate_rows, hidden, recurrent.start, -1, op.AFFINE_PAST)
        self.emit(op.STEPS, op.CELL, gate_rows[0], cell[0], squashed[0], hidden[0], n)
        self.close_steps()
        rows = hidden if each else self.last(hidden)
        result = self.rows(output.outputs)
        kind = op.FRAMES if each else op.LANES
        self.affine(kind, result, rows, output.start, output.stop - output.outputs)
        return result

    # Vector → vector

    def vector(self, node: Program, path: Path, place: _Place) -> Rows:
        if isinstance(node, Hole):
            hidden, output = self.blocks[path, "hidden"], self.blocks[path, "output"]
            active = self.pointwise(place.kind, op.RELU, [self.affine_of(hidden, place)])
            result = self.rows(output.outputs)
            bias = output.stop - output.outputs
            self.affine(place.kind, result, active, output.start, bias)
            return result
        operation = node.operation
        if isinstance(operation, Affine):
            return self.affine_of(self.blocks[path, "affine"], place)
        if isinstance(operation, Constant):
            block = self.blocks[path, "constant"]
            result = self.rows(block.outputs)
            for index, out in enumerate(result):
                self.emit(place.bulk, op.PARAMETER, out, block.start + index)
            return result
        if isinstance(operation, Select):
            return [self.raw(place, f) for f in operation.group.columns]
        if isinstance(operation, Input):
            features = [self.raw(place, f) for f in range(node.signature.input.size)]
            accumulator = self.rows(len(place.past))
            for out, row in zip(accumulator, place.past, strict=True):
                self.emit(op.STEPS, op.PREVIOUS, out, row)
            return features + accumulator
        if isinstance(operation, Function):
            arguments = [
                self.vector(argument, (*path, index), place)
                for index, argument in enumerate(node.arguments)
            ]
            return self.function(operation, arguments, node.signature, place)
        raise TypeError(f"{operation.name} cannot be lowered as {node.signature}")

    def affine_of(self, block: Block, place: _Place) -> Rows:
        """An affine map of features and, inside a fold, of the accumulator."""
        result = self.rows(block.outputs)
        columns = list(block.columns)
        bias = block.stop - block.outputs
        window = place.window
        if window is None:
            self.affine(op.FRAMES, result, columns, block.start, bias, op.AFFINE_FEATURES)
        elif (
            window.reduction == "Average"
            and place.kind == op.FRAMES
            and block.outputs < len(columns)
        ):
            # The average of an affine map is the affine map of the average, in fewer rows.
            inner = self.rows(block.outputs)
            self.affine(op.FRAMES, inner, columns, block.start, bias, op.AFFINE_FEATURES)
            for out, row in zip(result, inner, strict=True):
                self.emit(op.FRAMES, op.AVERAGE_ROW, out, row, window.back, window.ahead)
        else:
            inputs = [place.source(f) for f in columns]
            self.affine(place.kind, result, inputs, block.start, bias)
        if place.past:
            weights = block.start + len(columns) * block.outputs
            self.affine(op.STEPS, result, place.past, weights, -1, op.AFFINE_PAST)
        return result

    def function(
        self, function: Function, arguments: Sequence[Rows], signature: Signature, place: _Place
    ) -> Rows:
        """A library function: its meaning, traced into pointwise instructions."""
        known: dict[Expression, Rows] = {}

        def rows_of(expression: Expression) -> Rows:
            if expression not in known:
                known[expression] = self.expression(expression, rows_of, arguments, place)
            return known[expression]

        rows = rows_of(function.meaning)
        if len(rows) == signature.output.size:
            return rows
        # One component for all outputs: as rows of their own, since slopes of rows are sums.
        one, zero = self.constant(1.0), self.constant(0.0)
        copies = range(signature.output.size)
        return [self.pointwise(place.kind, op.LINEAR, [rows], one, zero)[0] for _ in copies]

    def expression(
        self,
        expression: Expression,
        rows_of: Callable[[Expression], Rows],
        arguments: Sequence[Rows],
        place: _Place,
    ) -> Rows:
        value = expression.value
        if expression.kind == "argument":
            return arguments[int(value)]  # type: ignore[arg-type]
        if expression.kind == "feature":
            return [self.raw(place, int(value))]  # type: ignore[arg-type]
        if expression.kind == "component":
            return [rows_of(expression.operands[0])[int(value)]]  # type: ignore[arg-type]
        if expression.kind == "literal":
            constant = self.constant(float(value))  # type: ignore[arg-type]
            return self.pointwise(place.kind, op.LITERAL, [], constant)
        if (simple := self.with_literal(expression, rows_of, place)) is not None:
            return simple
        operands = [rows_of(operand) for operand in expression.operands]
        return self.pointwise(place.kind, _PRIMITIVES[expression.kind], operands)

    def with_literal(
        self, expression: Expression, rows_of: Callable[[Expression], Rows], place: _Place
    ) -> Rows | None:
        """Sums, differences, products and quotients with a number, as one instruction a row."""
        if len(expression.operands) != 2:
            return None
        left, right = expression.operands
        if left.kind == "literal" and expression.kind in ("add", "multiply"):
            left, right = right, left
        if right.kind == "literal" and left.kind != "literal":
            k = float(right.value)  # type: ignore[arg-type]
            factor, offset = {
                "add": (1.0, k),
                "subtract": (1.0, -k),
                "multiply": (k, 0.0),
                "divide": (1.0 / k if k else np.inf, 0.0),
            }.get(expression.kind, (0.0, 0.0))
            operand = left
        elif left.kind == "literal" and expression.kind == "subtract" and right.kind != "literal":
            factor, offset, operand = -1.0, float(left.value), right  # type: ignore[arg-type]
        else:
            return None
        if factor == 0.0 and expression.kind != "multiply":
            return None
        return self.linear(place.kind, rows_of(operand), factor, offset)


def _no_input(feature: int) -> int:
    raise TypeError("a function of whole sequences cannot read features")
