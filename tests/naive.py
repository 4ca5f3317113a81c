"""The language, interpreted from its definitions in plain NumPy loops: the oracle for values.

Nothing here is shared with the engine. It reads the program tree, the recorded meanings of
functions, and the layout of the parameters; the rest is written out again, slowly and plainly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    Memory,
    Select,
    Window,
)
from nearstar.language.parameters import layout, size_of
from nearstar.language.program import Hole, Path, Program

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """What a program gives, and the largest absolute value met on the way (inf for NaN)."""

    value: Array
    peak: float

    @property
    def comparable(self) -> bool:
        """Whether every intermediate value was finite and of ordinary size."""
        return self.peak < 1e4


def evaluate(
    program: Program, theta: ArrayLike, sequence: ArrayLike, units: Units | None = None
) -> Array:
    """The program's value on one sequence (T, F), or on one vector (F,) if it maps vectors.

    The body of a fold takes a vector with its accumulator appended.
    """
    return run(program, theta, sequence, units).value


def run(
    program: Program, theta: ArrayLike, sequence: ArrayLike, units: Units | None = None
) -> Result:
    """As ``evaluate``, with the peak of the intermediate values."""
    interpreter = _Interpreter(program, np.asarray(theta, np.float64), units)
    data = np.asarray(sequence, np.float64)
    signature = program.signature
    assert data.shape[-1] == signature.input_size
    with np.errstate(all="ignore"):
        if signature.maps_vectors:
            features, accumulator = np.split(data, [signature.input.size])
            value = interpreter.vector(program, (), features, accumulator)
        elif signature.summarises:
            value = interpreter.summary(program, (), data, len(data) - 1)
        else:
            value = interpreter.sequence(program, (), data)
    return Result(value, interpreter.peak)


def intermediate_peak(
    program: Program, theta: ArrayLike, sequence: ArrayLike, units: Units | None = None
) -> float:
    """The largest absolute intermediate value: compare results only where it is below 1e4."""
    return run(program, theta, sequence, units).peak


def loss(
    program: Program,
    theta: ArrayLike,
    sequences: Sequence[ArrayLike],
    labels: Sequence[ArrayLike],
    weights: Sequence[float] | None = None,
    units: Units | None = None,
) -> float:
    """Mean cross-entropy of the labelled elements, each weighted by its true class.

    ``labels`` has for each sequence one code, or one for each frame; negative is unlabelled.
    One output is logistic (class 1 is positive), several are softmax.
    """
    total = 0.0
    weight_sum = 0.0
    for sequence, codes in zip(sequences, labels, strict=True):
        outputs = np.atleast_2d(evaluate(program, theta, sequence, units))
        for output, code in zip(outputs, np.atleast_1d(np.asarray(codes)), strict=True):
            if code < 0:
                continue
            weight = 1.0 if weights is None else float(weights[code])
            total += weight * _cross_entropy(output, int(code))
            weight_sum += weight
    return total / weight_sum


def _cross_entropy(output: Array, code: int) -> float:
    # One output is the second of two logits, of which the first is 0.
    logits = np.array([0.0, output[0]]) if len(output) == 1 else output
    top = logits.max()
    return float(top + np.log(np.sum(np.exp(logits - top))) - logits[code])


class _Interpreter:
    """One program with its parameters; keeps the peak of all values it computes."""

    def __init__(self, program: Program, theta: Array, units: Units | None) -> None:
        blocks = layout(program, units)
        assert theta.shape == (size_of(blocks),)
        self.matrices: dict[tuple[Path, str], Array] = {
            (block.path, block.role): theta[block.offset : block.end].reshape(
                block.rows, block.outputs
            )
            for block in blocks
        }
        self.peak = 0.0

    def seen(self, value: Array) -> Array:
        """Note a value's size, and pass it on."""
        for number in value.ravel():
            size = abs(float(number))
            self.peak = max(self.peak, size if np.isfinite(size) else np.inf)
        return value

    def linear(self, path: Path, role: str, inputs: Array) -> Array:
        """The inputs times the weight rows, plus the bias row if the block has one."""
        matrix = self.matrices[path, role]
        has_bias = role != "recurrent"
        assert matrix.shape[0] == len(inputs) + has_bias
        result = np.zeros(matrix.shape[1])
        for row, number in zip(matrix, inputs, strict=False):
            result = result + number * row
        if has_bias:
            result = result + matrix[-1]
        return self.seen(result)

    # sequence → sequence

    def sequence(self, node: Program, path: Path, data: Array) -> Array:
        """One output for each element."""
        last = len(data) - 1
        if isinstance(node, Hole):
            return np.array([self.lstm(path, data, i) for i in range(len(data))])
        operation = node.operation
        body = node.arguments[0] if node.arguments else None
        if isinstance(operation, Input):
            return self.seen(data)
        if isinstance(operation, Map):
            assert body is not None
            empty = np.zeros(0)
            return np.array([self.vector(body, (*path, 0), element, empty) for element in data])
        if isinstance(operation, MapPrefix):
            assert body is not None
            return np.array([self.summary(body, (*path, 0), data, i) for i in range(len(data))])
        assert isinstance(operation, Function)
        values = [
            self.sequence(argument, (*path, index), data)
            if argument.signature.maps_sequences
            else self.summary(argument, (*path, index), data, last)
            for index, argument in enumerate(node.arguments)
        ]
        out = node.signature.output.size
        rows = []
        for i in range(len(data)):
            at_i = [value[i] if value.ndim == 2 else value for value in values]
            rows.append(self.apply(operation.meaning, at_i, None, out))
        return np.array(rows)

    # sequence → vector

    def summary(self, node: Program, path: Path, data: Array, position: int) -> Array:
        """The value at a position; a centred window there also sees what comes after it."""
        if isinstance(node, Hole):
            return self.lstm(path, data, position)
        operation = node.operation
        out = node.signature.output.size
        if isinstance(operation, Fold):
            accumulator = np.zeros(max(operation.accumulator, out))
            for element in data[: position + 1]:
                accumulator = self.vector(node.arguments[0], (*path, 0), element, accumulator)
            return accumulator[:out]
        if isinstance(operation, Memory):
            kept = 2.0 ** (-1.0 / float(self.matrices[path, "half-life"][0, 0]))
            empty, mean = np.zeros(0), None
            for element in data[: position + 1]:
                now = self.vector(node.arguments[0], (*path, 0), element, empty)
                mean = now if mean is None else kept * mean + (1.0 - kept) * now
            assert mean is not None
            return self.seen(mean)
        if isinstance(operation, Window):
            window = self.seen(_reduce(operation, data, position))
            return self.vector(node.arguments[0], (*path, 0), window, np.zeros(0))
        assert isinstance(operation, Function)
        values = [
            self.summary(argument, (*path, index), data, position)
            for index, argument in enumerate(node.arguments)
        ]
        return self.apply(operation.meaning, values, None, out)

    def lstm(self, path: Path, data: Array, position: int) -> Array:
        """The network in a hole: its hidden state at the position, through a linear layer."""
        size = self.matrices[path, "recurrent"].shape[0]
        hidden = np.zeros(size)
        cell = np.zeros(size)
        for element in data[: position + 1]:
            gates = self.linear(path, "gates", element) + self.linear(path, "recurrent", hidden)
            self.seen(gates)
            take = _sigmoid(gates[:size])
            keep = _sigmoid(gates[size : 2 * size])
            candidate = np.tanh(gates[2 * size : 3 * size])
            show = _sigmoid(gates[3 * size :])
            cell = self.seen(keep * cell + take * candidate)
            hidden = show * np.tanh(cell)
        return self.linear(path, "output", hidden)

    # vector → vector

    def vector(self, node: Program, path: Path, features: Array, accumulator: Array) -> Array:
        """The value on an element, with the accumulator of the fold around it (or none)."""
        assert len(accumulator) == node.signature.carried
        both = np.concatenate([features, accumulator])
        if isinstance(node, Hole):
            hidden = self.linear(path, "hidden", both)
            return self.linear(path, "output", np.maximum(hidden, 0.0))
        operation = node.operation
        if isinstance(operation, Input):
            return self.seen(both)
        if isinstance(operation, Select):
            return self.seen(np.array([features[column] for column in operation.group.columns]))
        if isinstance(operation, Constant):
            return self.linear(path, "constant", np.zeros(0))
        if isinstance(operation, Affine):
            group = operation.group
            columns = range(len(features)) if group is None else group.columns
            chosen = np.array([features[column] for column in columns])
            return self.linear(path, "affine", np.concatenate([chosen, accumulator]))
        assert isinstance(operation, Function)
        values = [
            self.vector(argument, (*path, index), features, accumulator)
            for index, argument in enumerate(node.arguments)
        ]
        return self.apply(operation.meaning, values, features, node.signature.output.size)

    # functions

    def apply(
        self, meaning: Expression, values: list[Array], features: Array | None, out: int
    ) -> Array:
        """A function's meaning on the values of its arguments; one component is repeated."""
        value = self.expression(meaning, values, features)
        assert len(value) in (1, out)
        return np.repeat(value, out) if len(value) == 1 else value

    def expression(
        self, expression: Expression, values: list[Array], features: Array | None
    ) -> Array:
        """A recorded expression, interpreted."""
        parts = [self.expression(part, values, features) for part in expression.operands]
        return self.seen(_expression(expression, parts, values, features))


def _expression(
    expression: Expression, parts: list[Array], values: list[Array], features: Array | None
) -> Array:
    match expression.kind, parts:
        case "argument", []:
            assert isinstance(expression.value, int)
            return values[expression.value]
        case "feature", []:
            assert isinstance(expression.value, int) and features is not None
            return features[[expression.value]]
        case "literal", []:
            assert isinstance(expression.value, float)
            return np.array([expression.value])
        case "component", [a]:
            assert isinstance(expression.value, int)
            return a[[expression.value]]
        case "add", [a, b]:
            return a + b
        case "subtract", [a, b]:
            return a - b
        case "multiply", [a, b]:
            return a * b
        case "divide", [a, b]:
            return np.asarray(a / b)
        case "minimum", [a, b]:
            return np.minimum(a, b)
        case "maximum", [a, b]:
            return np.maximum(a, b)
        case "greater", [a, b]:
            return np.where(a > b, 1.0, 0.0)
        case "mix", [gate, then, otherwise]:
            return gate * then + (1.0 - gate) * otherwise
        case "absolute", [a]:
            return np.abs(a)
        case "sqrt", [a]:
            return np.sqrt(np.maximum(a, 0.0))
        case "tanh", [a]:
            return np.tanh(a)
        case "sigmoid", [a]:
            return _sigmoid(a)
        case "exp", [a]:
            return np.exp(a)
        case "log", [a]:
            return np.log(a)
        case "relu", [a]:
            return np.maximum(a, 0.0)
    raise AssertionError(f"no meaning for {expression.kind} of {len(parts)} operands")


def _sigmoid(a: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-a)))


def _reduce(window: Window, data: Array, position: int) -> Array:
    """The window's summary of the elements around a position, cut off at both ends."""
    if window.centred:
        half = window.size // 2
        first, last = position - half, position + half
    else:
        first, last = position - window.size + 1, position
    inside = data[max(first, 0) : last + 1]
    if window.reduction == "Change":
        return np.asarray(inside[-1] - inside[0])
    if window.reduction == "Spread":
        deviations = inside - inside.mean(axis=0)
        return np.asarray(np.sqrt((deviations**2).mean(axis=0)))
    if window.reduction == "Max":
        return np.asarray(inside.max(axis=0))
    if window.reduction == "Min":
        return np.asarray(inside.min(axis=0))
    return np.asarray(inside.mean(axis=0))
