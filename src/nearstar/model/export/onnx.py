"""A model as an ONNX graph, for runtimes elsewhere.

The graph computes in single precision, as the engine does and with the same care: affine leaves
see features from which the mean of the training data is taken away, so that large numbers cancel
before they are rounded, not after.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nearstar.language.expression import Expression
from nearstar.language.function import Function
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
from nearstar.language.program import Path
from nearstar.model.explain.nodes import Node, nodes_of
from nearstar.model.export.onnx_graph import Graph
from nearstar.model.model import Model
from nearstar.util.errors import NearstarError

OPSET = 17
_IR_VERSION = 8  # that of the operator set: runtimes from 2022 on can read it
_TO_THE_END = np.iinfo(np.int64).max
_PRIMITIVES = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "minimum": "Min",
    "maximum": "Max",
    "absolute": "Abs",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "log": "Log",
    "relu": "Relu",
}


def to_onnx(model: Model) -> bytes:
    """The contents of an ONNX file.

    The input ``x`` is one sequence (frames, features) of any length, or vectors (n, features).
    The outputs have a row for each frame or vector, or one row for the sequence: ``scores``, the
    program's outputs; ``probabilities`` of the classes; ``label``, the index of the likeliest.
    """
    try:
        import onnx
    except ImportError:
        raise NearstarError("exporting to ONNX needs onnx: pip install nearstar[onnx]") from None
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    writer = _Writer(nodes_of(model), model)
    signature, n_classes = model.program.signature, len(model.class_names)
    rows = 1 if signature.summarises else "rows"
    named = {
        "scores": (writer.scores, real, [rows, signature.output.size]),
        "probabilities": (writer.probabilities(), real, [rows, n_classes]),
        "label": (writer.label(), onnx.TensorProto.INT64, [rows]),
    }
    for name, (value, _, _) in named.items():
        writer.graph.nodes.append(helper.make_node("Identity", [value], [name]))
    graph = helper.make_graph(
        writer.graph.nodes,
        "program",
        [helper.make_tensor_value_info("x", real, ["rows", signature.input.size])],
        [
            helper.make_tensor_value_info(name, kind, shape)
            for name, (_, kind, shape) in named.items()
        ],
        writer.graph.initializers,
    )
    made = helper.make_model(
        graph,
        producer_name="nearstar",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=_IR_VERSION,
    )
    helper.set_model_props(
        made,
        {
            "program": model.text(),
            "classes": json.dumps(model.labels),
            "features": json.dumps(model.domain.features),
        },
    )
    onnx.checker.check_model(made)
    contents: bytes = made.SerializeToString()
    return contents


@dataclass(frozen=True)
class _Place:
    """Where a vector → vector expression is computed: the names of its inputs."""

    graph: Graph
    raw: str
    """Features in the data's own units."""
    centred: str
    """Features less the mean of the training data (a window's change has none)."""
    state: str | None = None


class _Writer:
    """Writes a program into a graph. Values are (rows, components), or one row for all."""

    def __init__(self, nodes: Mapping[Path, Node], model: Model) -> None:
        self.nodes = nodes
        self.model = model
        self.graph = Graph()
        self.mean = self.graph.number(model.scale.mean[None])
        self.frames = _Place(self.graph, "x", self.graph.op("Sub", "x", self.mean))

    # Outputs

    @cached_property
    def scores(self) -> str:
        """The program's outputs, all rows of them."""
        root, graph = self.nodes[()], self.graph
        if root.signature.maps_vectors:
            value = self.vector(root, self.frames)
        elif root.signature.summarises:
            return self.full(self.summary(root, each=False), graph.integer([1]), root.outputs)
        else:
            value = self.sequence(root)
        rows = graph.op("Slice", graph.op("Shape", "x"), graph.integer([0]), graph.integer([1]))
        return self.full(value, rows, root.outputs)

    def full(self, value: str, rows: str, outputs: int) -> str:
        """A value with all of its rows, where it may have one for all."""
        shape = self.graph.op("Concat", rows, self.graph.integer([outputs]), axis=0)
        return self.graph.op("Expand", value, shape)

    def decided(self) -> str:
        """The scores with the model's offsets."""
        offsets = self.model.offsets
        if offsets is None:
            return self.scores
        return self.graph.op("Add", self.scores, self.graph.number(offsets[None]))

    def probabilities(self) -> str:
        graph, scores = self.graph, self.decided()
        if self.model.program.signature.output.size > 1:
            return graph.op("Softmax", scores, axis=1)
        first = graph.op("Sigmoid", graph.op("Neg", scores))
        return graph.op("Concat", first, graph.op("Sigmoid", scores), axis=1)

    def label(self) -> str:
        graph, scores = self.graph, self.decided()
        if self.model.program.signature.output.size > 1:
            return graph.op("ArgMax", scores, axis=1, keepdims=0)
        above = graph.op("Greater", scores, graph.number(0))
        codes = graph.op("Cast", above, to=_tensor_type("INT64"))
        return graph.op("Squeeze", codes, graph.integer([1]))

    def arguments(self, node: Node) -> list[Node]:
        return [self.nodes[path] for path in node.arguments]

    # Sequence → sequence, sequence → vector

    def sequence(self, node: Node) -> str:
        arguments = self.arguments(node)
        match node.operation:
            case Map():
                return self.vector(arguments[0], self.frames)
            case MapPrefix():
                return self.summary(arguments[0], each=True)
            case Input():
                return "x"
            case Function() as function:
                values = [
                    self.sequence(argument)
                    if argument.signature.maps_sequences
                    else self.summary(argument, each=False)
                    for argument in arguments
                ]
                return self.function(node, function, values, self.frames)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def summary(self, node: Node, *, each: bool) -> str:
        """At each frame, or at the last one."""
        arguments = self.arguments(node)
        match node.operation:
            case Fold():
                return self.fold(node, arguments[0], each)
            case Window() as window:
                return self.vector(arguments[0], self.window(window, each))
            case Function() as function:
                values = [self.summary(argument, each=each) for argument in arguments]
                return self.function(node, function, values, self.frames)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def fold(self, node: Node, body: Node, each: bool) -> str:
        """A Scan over the frames, each of which is a matrix of one row there."""
        from onnx import helper

        graph, size, features = self.graph, body.outputs, body.signature.input.size
        inner = Graph(graph)
        row, state = inner.fresh("row"), inner.fresh("state")
        place = _Place(inner, row, inner.op("Sub", row, self.mean), state)
        value = self.vector(body, place)
        # A body may give its input, or a constant of the outer graph: here it must be its own.
        after, kept = (inner.ops("Identity", (value,), 1)[0] for _ in range(2))
        info = helper.make_tensor_value_info
        real = _tensor_type("FLOAT")
        scan = helper.make_graph(
            inner.nodes,
            inner.fresh("step"),
            [info(state, real, [1, size]), info(row, real, [1, features])],
            [info(after, real, [1, size]), info(kept, real, [1, size])],
        )
        rows = graph.op("Unsqueeze", "x", graph.integer([1]))
        start = graph.number(np.zeros((1, size)))
        last, states = graph.ops("Scan", (start, rows), 2, body=scan, num_scan_inputs=1)
        result = graph.op("Squeeze", states, graph.integer([1])) if each else last
        if node.outputs == size:
            return result
        return graph.op("Gather", result, graph.integer(range(node.outputs)), axis=1)

    def window(self, window: Window, each: bool) -> _Place:
        """What a window gives; its own mean is that of the data, unless it is a change."""
        graph = self.graph
        if window.reduction == "Change":
            change = self.change(window, each)
            return _Place(graph, change, change)
        reduced = self.pooled(window) if each else self.reduced(window)
        return _Place(graph, graph.op("Add", reduced, self.mean), reduced)

    def change(self, window: Window, each: bool) -> str:
        graph, x = self.graph, self.frames.raw
        if not each:
            rows = self.last_rows(x, window.back + 1)
            ends = [graph.op("Gather", rows, graph.integer([end]), axis=0) for end in (-1, 0)]
            return graph.op("Sub", *ends)
        count = graph.op("Gather", graph.op("Shape", x), graph.integer(0), axis=0)
        here = graph.op("Range", graph.integer(0), count, graph.integer(1))
        ahead = graph.op("Add", here, graph.integer(window.ahead))
        last = graph.op("Min", ahead, graph.op("Sub", count, graph.integer(1)))
        back = graph.op("Sub", here, graph.integer(window.back))
        first = graph.op("Max", back, graph.integer(0))
        ends = [graph.op("Gather", x, index, axis=0) for index in (last, first)]
        return graph.op("Sub", *ends)

    def reduced(self, window: Window) -> str:
        """The window at the end of the sequence."""
        rows = self.last_rows(self.frames.centred, window.back + 1)
        kind = {"Average": "ReduceMean", "Max": "ReduceMax", "Min": "ReduceMin"}[window.reduction]
        return self.graph.op(kind, rows, axes=[0], keepdims=1)

    def pooled(self, window: Window) -> str:
        """The window around each frame: a pool over time, which leaves out what is not there."""
        graph, minimum = self.graph, window.reduction == "Min"
        x = graph.op("Unsqueeze", graph.op("Transpose", self.frames.centred), graph.integer([0]))
        shape = {"kernel_shape": [window.size], "pads": [window.back, window.ahead]}
        if window.reduction == "Average":
            pooled = graph.op("AveragePool", x, count_include_pad=0, **shape)
        else:
            pooled = graph.op("MaxPool", graph.op("Neg", x) if minimum else x, **shape)
            pooled = graph.op("Neg", pooled) if minimum else pooled
        return graph.op("Transpose", graph.op("Squeeze", pooled, graph.integer([0])))

    def last_rows(self, x: str, n: int) -> str:
        graph = self.graph
        return graph.op(
            "Slice", x, graph.integer([-n]), graph.integer([_TO_THE_END]), graph.integer([0])
        )

    # Vector → vector

    def vector(self, node: Node, place: _Place) -> str:
        graph, leaf = place.graph, node.leaf
        match node.operation:
            case Affine() if leaf:
                chosen = self.columns(graph, place.centred, leaf.columns)
                value = graph.op("MatMul", chosen, graph.number(leaf.weights))
                # What was taken away is the mean as the graph has it, in single precision.
                base = leaf.bias + leaf.mean.astype(np.float32) @ leaf.weights
                value = graph.op("Add", value, graph.number(base[None]))
                if place.state is None:
                    return value
                memory = graph.op("MatMul", place.state, graph.number(leaf.accumulator))
                return graph.op("Add", value, memory)
            case Constant() if leaf:
                return graph.number(leaf.bias[None])
            case Select(group=group):
                return self.columns(graph, place.raw, group.columns)
            case Input():
                if place.state is None:
                    return place.raw
                return graph.op("Concat", place.raw, place.state, axis=1)
            case Function() as function:
                values = [self.vector(argument, place) for argument in self.arguments(node)]
                return self.function(node, function, values, place)
        raise TypeError(f"{node.operation.name} cannot be exported as {node.signature}")

    def columns(self, graph: Graph, x: str, columns: tuple[int, ...]) -> str:
        if columns == tuple(range(self.model.program.signature.input.size)):
            return x
        return graph.op("Gather", x, graph.integer(columns), axis=1)

    def function(self, node: Node, function: Function, values: list[str], place: _Place) -> str:
        value = _expression(place, function.meaning, values)
        if function.meaning.size == 1 and node.outputs > 1:
            return place.graph.op("Gather", value, place.graph.integer([0] * node.outputs), axis=1)
        return value


def _expression(place: _Place, expression: Expression, arguments: list[str]) -> str:
    """A recorded expression, as operators."""
    graph = place.graph
    match expression:
        case Expression(kind="argument", value=int(index)):
            return arguments[index]
        case Expression(kind="feature", value=int(column)):
            return graph.op("Gather", place.raw, graph.integer([column]), axis=1)
        case Expression(kind="literal", value=float(number)):
            return graph.number([[number]])
    operands = [_expression(place, operand, arguments) for operand in expression.operands]
    match expression:
        case Expression(kind="component", value=int(index)):
            return graph.op("Gather", operands[0], graph.integer([index]), axis=1)
        case Expression(kind="greater"):
            return graph.op("Cast", graph.op("Greater", *operands), to=_tensor_type("FLOAT"))
        case Expression(kind="sqrt"):
            return graph.op("Sqrt", graph.op("Relu", *operands))
        case Expression(kind="exp"):  # as far as single precision goes
            clipped = graph.op("Clip", *operands, graph.number(-87.3), graph.number(88.3))
            return graph.op("Exp", clipped)
        case Expression(kind="mix"):
            gate, then, otherwise = operands
            rest = graph.op("Sub", graph.number([[1.0]]), gate)
            parts = graph.op("Mul", gate, then), graph.op("Mul", rest, otherwise)
            return graph.op("Add", *parts)
    return graph.op(_PRIMITIVES[expression.kind], *operands)


def _tensor_type(name: str) -> Any:
    from onnx import TensorProto

    return getattr(TensorProto, name)
