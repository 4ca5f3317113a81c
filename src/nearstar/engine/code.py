"""Lowered programs, checked before anything runs.

The machine does not look where it reads and writes; a table with an index out of range must never
reach it. ``Code`` can only be made from a table that passes every check here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nearstar.engine.kernels import machine
from nearstar.engine.kernels import opcodes as op
from nearstar.language.reductions import REDUCTIONS

_POINTWISE = {
    op.LITERAL: ("out", "constant", "", "", "count", "strides"),
    op.LINEAR: ("out", "a", "constant", "constant", "count", "strides"),
    op.MIX: ("out", "a", "b", "c", "count", "strides"),
    **dict.fromkeys(range(op.ADD, op.MIX), ("out", "a", "b", "", "count", "strides")),
    **dict.fromkeys(range(op.ABSOLUTE, op.RELU + 1), ("out", "a", "", "", "count", "strides")),
}
_FIELDS = {
    op.FEATURE: ("out", "feature"),
    op.WINDOW: ("out", "feature", "reduction", "reach", "reach"),
    op.WINDOW_LAST: ("out", "feature", "reduction", "reach", "reach"),
    op.AFFINE: ("outs", "count", "ins", "count", "weights", "bias"),
    op.AFFINE_FEATURES: ("outs", "count", "features", "count", "weights", "bias"),
    op.PARAMETER: ("out", "parameter"),
    op.AFFINE_PAST: ("outs", "count", "later", "count", "weights", "bias"),
    op.PREVIOUS: ("out", "later"),
    op.CELL: ("gates", "out", "out", "out", "count"),
    op.LAST: ("out", "row"),
    op.BROADCAST: ("out", "row"),
    op.AVERAGE_ROW: ("out", "row", "reach", "reach"),
    op.FADE: ("out", "row", "parameter"),
    **_POINTWISE,
}
_ANYWHERE = {op.AFFINE, op.PARAMETER, *_POINTWISE}
_ALLOWED = {
    op.FRAMES: {op.FEATURE, op.WINDOW, op.AFFINE_FEATURES, op.BROADCAST, op.AVERAGE_ROW, op.FADE}
    | _ANYWHERE,
    op.LANES: {op.WINDOW_LAST, op.LAST} | _ANYWHERE,
    op.STEPS: {op.AFFINE_PAST, op.PREVIOUS, op.CELL} | _ANYWHERE,
}


class TableError(Exception):
    """An instruction table that must not run: a fault of the lowering, never of the user."""


@dataclass(frozen=True, eq=False)
class Code:
    """An instruction table with all that the machine needs to know of it."""

    code: NDArray[np.int32]
    operands: NDArray[np.int32]
    regions: NDArray[np.int32]
    constants: NDArray[np.float32]
    outputs: NDArray[np.int32]
    n_rows: int
    n_data_rows: int
    n_parameters: int
    n_features: int
    in_frames: bool
    held: NDArray[np.int64]
    """Parameters that training leaves as they are."""
    fading: NDArray[np.int64]
    """Parameters that training draws to 0."""
    tables: machine.Tables = field(init=False)

    def __post_init__(self) -> None:
        _Check(self).all()
        kinds = set(self.regions[:, 0].tolist())
        extent = (
            machine.CHUNKED
            if kinds <= {op.FRAMES} and not self.averages
            else machine.LANES_ONLY
            if kinds == {op.LANES}
            else machine.WHOLE
        )
        tables = machine.Tables(
            self.code,
            self.operands,
            self.regions,
            self.constants,
            self.outputs,
            self._summed(),
            self.n_data_rows,
            self.in_frames,
            extent,
        )
        object.__setattr__(self, "tables", tables)

    @property
    def averages(self) -> bool:
        """Whether it goes along sequences with running sums."""
        return bool(np.isin(self.code[:, 0], (op.WINDOW, op.AVERAGE_ROW, op.FADE)).any())

    def _summed(self) -> NDArray[np.int32]:
        """Rows whose slopes are sums: all that are computed, but for those that a cell sets."""
        rows = set(range(self.n_data_rows, self.n_rows))
        for what, gates, _, squashed, _, n, *_ in self.code.tolist():
            if what == op.CELL:
                rows -= {*range(gates, gates + 4 * n), *range(squashed, squashed + n)}
        return np.array(sorted(rows), np.int32)


class _Check:
    """Walks a table in the order in which the machine will."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.written: set[int] = set()

    def all(self) -> None:
        code = self.code
        self._need(code.code.ndim == 2 and code.code.shape[1] == op.WIDTH, "code has a wrong shape")
        self._need(code.regions.ndim == 2 and code.regions.shape[1] == 3, "regions: wrong shape")
        for name, kind in (
            ("code", np.int32),
            ("operands", np.int32),
            ("regions", np.int32),
            ("constants", np.float32),
            ("outputs", np.int32),
            ("held", np.int64),
            ("fading", np.int64),
        ):
            array = getattr(code, name)
            self._need(array.dtype == kind and array.flags.c_contiguous, f"{name}: not {kind}")
        self._need(0 <= code.n_data_rows <= code.n_rows, "more data rows than rows")
        for place in (*code.held.tolist(), *code.fading.tolist()):
            self._need(0 <= place < code.n_parameters, f"parameter {place} is held or fades")
        at = 0
        for kind, begin, end in code.regions.tolist():
            self._need(kind in _ALLOWED, f"region kind {kind}")
            self._need(begin == at and end > begin, f"region {begin}-{end} after {at}")
            self._region(kind, begin, end)
            at = end
        self._need(at == len(code.code), "instructions outside of all regions")
        self._need(len(code.outputs) >= 1, "no outputs")
        for row in code.outputs.tolist():
            self._need(row in self.written, f"output row {row} is never computed")

    def _region(self, kind: int, begin: int, end: int) -> None:
        self._need(end <= len(self.code.code), f"region ends at {end}")
        later: list[int] = []
        for at in range(begin, end):
            what, *values = self.code.code[at].tolist()
            self._need(what in _ALLOWED[kind], f"operation {what} in a region of kind {kind}")
            fields = list(zip(_FIELDS[what], values, strict=False))
            for name, value in fields:
                self._field(name, value, fields, later)
        for row in later:
            self._need(row in self.written, f"row {row} is read from the past but never computed")

    def _field(
        self, name: str, value: int, fields: list[tuple[str, int]], later: list[int]
    ) -> None:
        code = self.code
        count = next((v for n, v in reversed(fields) if n == "count"), 1)
        if name in ("out", "gates"):
            rows = range(value, value + count * (4 if name == "gates" else 1))
            self._need(value >= 0 and rows.stop <= code.n_rows, f"rows {rows}")
            if name == "gates":
                self._written(rows)
            else:
                self.written.update(rows)
        elif name == "outs":
            self._affine(fields, later)
        elif name == "later":
            if fields[0][0] == "out":
                later.append(value)
        elif name == "row":
            self._written(range(value, value + 1))
        elif name in ("a", "b", "c"):
            moves = fields[5][1] >> "abc".index(name) & 1
            self._need(count < 2**16, f"{count} rows")
            self._written(range(value, value + (count if moves else 1)))
        elif name in ("ins", "features", "weights", "bias", ""):
            return  # checked with the outputs, or not in use
        else:
            limit = {
                "constant": len(code.constants),
                "parameter": code.n_parameters,
                "feature": code.n_features,
                "reduction": len(REDUCTIONS),
                "strides": 8,
            }.get(name, 2**30)
            least = 1 if name == "count" else 0
            self._need(least <= value < limit, f"{name} {value}")

    def _affine(self, fields: list[tuple[str, int]], later: list[int]) -> None:
        outs, n, ins, m, weights, bias = (value for _, value in fields[:6])
        code = self.code
        for first, count in ((outs, n), (ins, m)):
            self._need(
                count >= 1 and first >= 0 and first + count <= len(code.operands),
                f"operands {first} to {first + count}",
            )
        inputs = code.operands[ins : ins + m].tolist()
        outputs = code.operands[outs : outs + n].tolist()
        for row in outputs:
            self._need(code.n_data_rows <= row < code.n_rows, f"output row {row}")
        self._need(len(set(outputs)) == n, "an output row twice")
        if fields[2][0] == "features":
            for feature in inputs:
                self._need(0 <= feature < code.n_features, f"feature {feature}")
        elif fields[2][0] == "later":
            later.extend(inputs)
            self._need(bias < 0 and len(set(inputs)) == m, "past rows twice, or with a bias")
        else:
            self._written(inputs)
            data = sum(row < code.n_data_rows for row in inputs)
            self._need(data in (0, m), "inputs both from the data and computed")
            self._need(not set(inputs) & set(outputs), "a row is input and output")
            self._need(data > 0 or len(set(inputs)) == m, "an input row twice")
        self._need(weights >= 0 and weights + n * m <= code.n_parameters, f"weights at {weights}")
        self._need(bias >= -1 and bias + n <= code.n_parameters, f"bias at {bias}")
        if bias < 0:
            self._written(outputs)
        self.written.update(outputs)

    def _written(self, rows: range | list[int]) -> None:
        for row in rows:
            self._need(row in self.written, f"row {row} is read before it is computed")

    def _need(self, condition: bool, problem: str) -> None:
        if not condition:
            raise TableError(f"invalid instruction table: {problem}")
