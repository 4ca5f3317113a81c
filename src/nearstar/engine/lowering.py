"""Lowering: from a program to an instruction table.

A site is where a part is computed: over the frames, over the sequences (at the end of each), or
over the steps of a fold. Values are lists of rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nearstar.data.scale import Scale
from nearstar.engine.code import Code
from nearstar.engine.kernels import opcodes as op
from nearstar.language.function import Function
from nearstar.language.meaning import Algebra, Occurrence, Site, evaluate, trace
from nearstar.language.networks import Units, network_for
from nearstar.language.operation import HALF_LIFE
from nearstar.language.operators import Window
from nearstar.language.parameters import Block, layout, size_of
from nearstar.language.primitives import PRIMITIVES, Primitive
from nearstar.language.program import Path, Program
from nearstar.language.reductions import REDUCTIONS

Rows = list[int]
Value = Rows | float
"""Rows, or a number that no row is needed for yet."""

_REDUCTIONS: dict[str, int] = {name: getattr(op, f"WINDOW_{name.upper()}") for name in REDUCTIONS}
_PRIMITIVES: dict[str, int] = {name: getattr(op, name.upper()) for name in PRIMITIVES}
# Until all rows are counted, some have numbers that no field of a table (32 bits) can have.
_COMPUTED = 1 << 40
"""Rows from here on are computed; they follow the data rows once those are counted."""
_PROMISED = 1 << 44
"""Numbers from here on stand for rows that are decided later."""


def lower(program: Program, scale: Scale, units: Units | None = None) -> Code:
    """The instruction table of a program on features standardised by ``scale``.

    Holes become networks with these units.
    """
    blocks = layout(program, units)
    table = _Table(scale, {(block.path, block.role): block for block in blocks})
    outputs = table.rows_of(evaluate(program, _Lowered(table)), op.FRAMES)
    return table.code(program, outputs, size_of(blocks))


class _Table:
    """The instructions so far."""

    def __init__(self, scale: Scale, blocks: dict[tuple[Path, str], Block]) -> None:
        self.scale = scale
        self.blocks = blocks
        self.regions: list[tuple[int, list[list[int]]]] = []
        self.operands: list[int] = []
        self.constants: dict[float, int] = {}
        self.n_data = 0
        self.n_computed = 0
        self.loaded: dict[tuple[int, ...], int] = {}
        self.raw_rows: dict[tuple[int, bool], int] = {}
        self.promised: dict[int, int] = {}

    def code(self, program: Program, outputs: Rows, n_parameters: int) -> Code:
        """The table as it will run."""
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
            n_parameters=n_parameters,
            held=np.array([p for block in self.blocks.values() for p in block.held], np.int64),
            fading=np.array([p for block in self.blocks.values() for p in block.fading], np.int64),
            n_features=program.signature.input.size,
            in_frames=not program.signature.summarises,
        )

    def _final(self, row: int) -> int:
        """A field as it stands in the table; only numbers of rows change."""
        row = self.promised.get(row, row)
        return row - _COMPUTED + self.n_data if row >= _COMPUTED else row

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

    def emit_each(self, kind: int, what: int, rows: Rows) -> Rows:
        """An instruction for each row, and the rows that they give."""
        result = self.rows(len(rows))
        for out, row in zip(result, rows, strict=True):
            self.emit(kind, what, out, row)
        return result

    def open_steps(self) -> None:
        """Begin a region of steps, with a region of frames before it."""
        self.regions.append((op.FRAMES, []))
        self.regions.append((op.STEPS, []))

    def close_steps(self) -> None:
        """Steps are over: what follows on frames must not join the region before them."""
        self.regions.append((op.FRAMES, []))

    def rows(self, n: int) -> Rows:
        """New rows to compute, adjacent."""
        first = _COMPUTED + self.n_computed
        self.n_computed += n
        return list(range(first, first + n))

    def promise(self, n: int) -> Rows:
        """Rows that are not known yet."""
        first = _PROMISED + len(self.promised)
        rows = list(range(first, first + n))
        self.promised.update(dict.fromkeys(rows, -1))
        return rows

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

    def rows_of(self, value: Value, kind: int) -> Rows:
        """The rows of a value; a number gets one."""
        if isinstance(value, float):
            return self.pointwise(kind, op.LITERAL, [], self.constant(value))
        return value


@dataclass(frozen=True)
class _Lowered(Site[Value], Algebra[Value]):
    """A site in an instruction table."""

    table: _Table
    seen: Window | None = None
    """The window that the features are taken over, if any."""
    past: Rows = field(default_factory=list)
    """Inside a fold, the rows of its result: one step earlier, they are the accumulator."""

    @property
    def bulk(self) -> int:
        """Region of what does not depend on an accumulator, and is computed all at once."""
        return op.FRAMES if self.each else op.LANES

    @property
    def kind(self) -> int:
        """Region of its pointwise instructions."""
        return op.STEPS if self.past else self.bulk

    def window(self, here: Occurrence, window: Window) -> _Lowered:
        return replace(self, seen=window)

    def broadcast(self, here: Occurrence, value: Value) -> Value:
        rows = self.table.rows_of(value, op.LANES)
        return self.table.emit_each(op.FRAMES, op.BROADCAST, rows)

    # Features

    def _source(self, feature: int) -> int:
        """The row of a standardised feature."""
        if self.seen is None:
            return self.table.data_row(op.FRAMES, op.FEATURE, feature)
        what = op.WINDOW if self.each else op.WINDOW_LAST
        fields = (_REDUCTIONS[self.seen.reduction], self.seen.back, self.seen.ahead)
        return self.table.data_row(self.kind, what, feature, *fields)

    def _raw(self, feature: int) -> int:
        """The row of a feature in the data's own units."""
        source, moves = self._source(feature), self.seen is None or self.seen.reduces.moves
        known, scale = self.table.raw_rows, self.table.scale
        if (source, moves) not in known:
            mean = float(scale.mean[feature]) if moves else 0.0
            std = float(scale.std[feature])
            (known[source, moves],) = self.table.linear(self.bulk, [source], std, mean)
        return known[source, moves]

    def features(self, here: Occurrence, columns: tuple[int, ...]) -> Value:
        return [self._raw(column) for column in columns]

    def variable(self, here: Occurrence) -> Value:
        features = [self._raw(column) for column in range(here.signature.input.size)]
        return features + self.table.emit_each(op.STEPS, op.PREVIOUS, self.past)

    # Parameters

    def constant(self, here: Occurrence) -> Value:
        block = self.table.blocks[here.path, "constant"]
        result = self.table.rows(block.outputs)
        for index, out in enumerate(result):
            self.table.emit(self.bulk, op.PARAMETER, out, block.offset + index)
        return result

    def affine(self, here: Occurrence, role: str = "affine") -> Rows:
        table, block = self.table, self.table.blocks[here.path, role]
        result, columns = table.rows(block.outputs), list(block.columns)
        bias, window = block.end - block.outputs, self.seen
        if window is None:
            table.affine(op.FRAMES, result, columns, block.offset, bias, op.AFFINE_FEATURES)
        elif window.reduces.averages and self.each and block.outputs < len(columns):
            # The average of an affine map is the affine map of the average, in fewer rows.
            inner = table.rows(block.outputs)
            table.affine(op.FRAMES, inner, columns, block.offset, bias, op.AFFINE_FEATURES)
            for out, row in zip(result, inner, strict=True):
                table.emit(op.FRAMES, op.AVERAGE_ROW, out, row, window.back, window.ahead)
        else:
            inputs = [self._source(column) for column in columns]
            table.affine(self.kind, result, inputs, block.offset, bias)
        if self.past:
            weights = block.offset + len(columns) * block.outputs
            table.affine(op.STEPS, result, self.past, weights, -1, op.AFFINE_PAST)
        return result

    def layer(self, here: Occurrence, role: str, value: Value) -> Value:
        """A learned affine map of a value."""
        table, block = self.table, self.table.blocks[here.path, role]
        result = table.rows(block.outputs)
        inputs, bias = table.rows_of(value, self.kind), block.end - block.outputs
        table.affine(self.kind, result, inputs, block.offset, bias)
        return result

    # Steps

    def scan(self, here: Occurrence, body: Callable[[_Lowered], Value]) -> Value:
        table, signature = self.table, here.argument(0).signature
        table.open_steps()
        # The body reads its own result one step earlier: rows not known before it is lowered.
        past = table.promise(signature.carried)
        result = table.rows_of(body(_Lowered(table, past=past)), op.STEPS)
        table.promised.update(zip(past, result, strict=True))
        table.close_steps()
        return self._at_end(result[: here.signature.output.size])

    def fade(self, here: Occurrence, value: Value) -> Value:
        table, block = self.table, self.table.blocks[here.path, HALF_LIFE]
        # Nothing in it depends on what came before: it is one instruction over all frames.
        rows = table.rows_of(value, op.FRAMES)
        result = table.rows(len(rows))
        for out, row in zip(result, rows, strict=True):
            table.emit(op.FRAMES, op.FADE, out, row, block.offset)
        return self._at_end(result)

    def recurrent(self, here: Occurrence, gates: str, recurrent: str) -> Value:
        """The hidden units of an LSTM over the sequence."""
        table, block = self.table, self.table.blocks[here.path, recurrent]
        table.open_steps()
        gate_rows = self.affine(here, gates)
        cell, squashed, hidden = (table.rows(block.others) for _ in range(3))
        table.affine(op.STEPS, gate_rows, hidden, block.offset, -1, op.AFFINE_PAST)
        firsts = gate_rows[0], cell[0], squashed[0], hidden[0]
        table.emit(op.STEPS, op.CELL, *firsts, block.others)
        table.close_steps()
        return self._at_end(hidden)

    def _at_end(self, rows: Rows) -> Rows:
        """Rows of frames, or where they are of a whole sequence, what they are at its end."""
        return rows if self.each else self.table.emit_each(op.LANES, op.LAST, rows)

    def hole(self, here: Occurrence) -> Value:
        return network_for(here.signature).value(here, self)

    # Functions

    def function(self, here: Occurrence, function: Function, arguments: Sequence[Value]) -> Value:
        table = self.table
        rows = table.rows_of(trace(function.meaning, self, arguments), self.kind)
        if len(rows) == here.signature.output.size:
            return rows
        # One component for all outputs: as rows of their own, since slopes of rows are sums.
        one, zero = table.constant(1.0), table.constant(0.0)
        copies = range(here.signature.output.size)
        return [table.pointwise(self.kind, op.LINEAR, [rows], one, zero)[0] for _ in copies]

    def feature(self, column: int) -> Value:
        return [self._raw(column)]

    def literal(self, number: float) -> Value:
        """A number, for which there is a row only where one is needed."""
        return number

    def component(self, value: Value, index: int) -> Value:
        return value if isinstance(value, float) else [value[index]]

    def pointwise(self, primitive: Primitive, operands: Sequence[Value]) -> Value:
        """A primitive; with a number, sums and products are one instruction a row."""
        match primitive.name, operands:
            case ("add", [list(rows), float(k)]) | ("add", [float(k), list(rows)]):
                return self.table.linear(self.kind, rows, 1.0, k)
            case "subtract", [list(rows), float(k)]:
                return self.table.linear(self.kind, rows, 1.0, -k)
            case "subtract", [float(k), list(rows)]:
                return self.table.linear(self.kind, rows, -1.0, k)
            case ("multiply", [list(rows), float(k)]) | ("multiply", [float(k), list(rows)]):
                return self.table.linear(self.kind, rows, k, 0.0)
            case "divide", [list(rows), float(k)]:
                return self.table.linear(self.kind, rows, 1.0 / k if k else np.inf, 0.0)
        rows_of = [self.table.rows_of(operand, self.kind) for operand in operands]
        return self.table.pointwise(self.kind, _PRIMITIVES[primitive.name], rows_of)
