"""A model as an ONNX graph, for runtimes elsewhere.

The graph computes in single precision, as the engine does and with the same care: affine leaves
see features from which the mean of the training data is taken away, so that large numbers cancel
before they are rounded, not after.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nearstar.language.function import Function
from nearstar.language.meaning import Algebra, Occurrence, Site, evaluate, trace
from nearstar.language.operators import Window
from nearstar.language.operators.memory import share_kept
from nearstar.language.primitives import FLOAT, INT64, Primitive
from nearstar.language.program import Path
from nearstar.language.reductions import OnnxWindow
from nearstar.model.explain.program_parts import Part, parts_of
from nearstar.model.export.onnx_graph import Graph
from nearstar.util.errors import NearstarError

if TYPE_CHECKING:
    from nearstar.model.model import Model

OPSET = 17
_IR_VERSION = 8  # that of the operator set: runtimes from 2022 on can read it


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
    helper, real = onnx.helper, FLOAT
    graph = Graph()
    scores = _scores(model, graph)
    probabilities, label = _decided(model, graph, scores)
    signature, n_classes = model.program.signature, len(model.class_names)
    rows = 1 if signature.summarises else "rows"
    named = {
        "scores": (scores, real, [rows, signature.output.size]),
        "probabilities": (probabilities, real, [rows, n_classes]),
        "label": (label, INT64, [rows]),
    }
    for name, (value, _, _) in named.items():
        graph.nodes.append(helper.make_node("Identity", [value], [name]))
    program = helper.make_graph(
        graph.nodes,
        "program",
        [helper.make_tensor_value_info("x", real, ["rows", signature.input.size])],
        [
            helper.make_tensor_value_info(name, kind, shape)
            for name, (_, kind, shape) in named.items()
        ],
        graph.initializers,
    )
    made = helper.make_model(
        program,
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


def _scores(model: Model, graph: Graph) -> str:
    """The program's outputs, all rows of them."""
    signature, mean = model.program.signature, graph.number(model.scale.mean[None])
    at = _InGraph(parts_of(model), graph, mean, "x", graph.op("Sub", "x", mean))
    value = evaluate(model.program, at)
    if signature.summarises:
        rows = graph.integer([1])
    else:
        rows = graph.op("Slice", graph.op("Shape", "x"), graph.integer([0]), graph.integer([1]))
    # A value may have one row for all.
    shape = graph.op("Concat", rows, graph.integer([signature.output.size]), axis=0)
    return graph.op("Expand", value, shape)


def _decided(model: Model, graph: Graph, scores: str) -> tuple[str, str]:
    """The probabilities of the classes, and the index of the likeliest."""
    if model.offsets is not None:
        scores = graph.op("Add", scores, graph.number(model.offsets[None]))
    if model.program.signature.output.size > 1:
        return graph.op("Softmax", scores, axis=1), graph.op("ArgMax", scores, axis=1, keepdims=0)
    first = graph.op("Sigmoid", graph.op("Neg", scores))
    both = graph.op("Concat", first, graph.op("Sigmoid", scores), axis=1)
    above = graph.op("Greater", scores, graph.number(0))
    codes = graph.op("Cast", above, to=INT64)
    return both, graph.op("Squeeze", codes, graph.integer([1]))


@dataclass(frozen=True)
class _InGraph(Site[str], Algebra[str]):
    """A site in a graph. Values are (rows, components), or one row for all."""

    nodes: Mapping[Path, Part]
    graph: Graph
    mean: str
    """That of the training data."""
    raw: str
    """Features in the data's own units."""
    centred: str
    """Features less the mean of the training data (a window's change has none)."""
    state: str | None = None

    def broadcast(self, here: Occurrence, value: str) -> str:
        return value

    def window(self, here: Occurrence, window: Window) -> _InGraph:
        reduction, graph = window.reduces, self.graph
        # What does not move with the data is the same without their mean.
        x = self.centred if reduction.moves else self.raw
        rows = OnnxWindow(graph, x, window.back, window.ahead)
        reduced = reduction.onnx(rows) if self.each else reduction.onnx_last(rows)
        raw = graph.op("Add", reduced, self.mean) if reduction.moves else reduced
        return replace(self, raw=raw, centred=reduced)

    def scan(self, here: Occurrence, body: Callable[[_InGraph], str]) -> str:
        """A Scan over the frames, each of which is a matrix of one row there."""
        from onnx import helper

        signature, outputs = here.argument(0).signature, here.signature.output.size
        graph, size, features = self.graph, signature.carried, signature.input.size
        inner = Graph(graph)
        row, state = inner.fresh("row"), inner.fresh("state")
        centred = inner.op("Sub", row, self.mean)
        value = body(replace(self, graph=inner, raw=row, centred=centred, state=state))
        # A body may give its input, or a constant of the outer graph: here it must be its own.
        after, kept = (inner.ops("Identity", (value,), 1)[0] for _ in range(2))
        info = helper.make_tensor_value_info
        real = FLOAT
        scan = helper.make_graph(
            inner.nodes,
            inner.fresh("step"),
            [info(state, real, [1, size]), info(row, real, [1, features])],
            [info(after, real, [1, size]), info(kept, real, [1, size])],
        )
        rows = graph.op("Unsqueeze", "x", graph.integer([1]))
        start = graph.number(np.zeros((1, size)))
        last, states = graph.ops("Scan", (start, rows), 2, body=scan, num_scan_inputs=1)
        result = graph.op("Squeeze", states, graph.integer([1])) if self.each else last
        if outputs == size:
            return result
        return graph.op("Gather", result, graph.integer(range(outputs)), axis=1)

    def fade(self, here: Occurrence, value: str) -> str:
        """A Scan over what the value is at each frame; of a constant there is one row for all."""
        from onnx import helper

        graph, size = self.graph, here.signature.output.size
        half_life = self.nodes[here.path].half_life
        assert half_life is not None
        kept = share_kept(half_life)
        inner = Graph(graph)
        row, state = inner.fresh("row"), inner.fresh("state")
        mean = inner.op(
            "Add",
            inner.op("Mul", inner.number([[kept]]), state),
            inner.op("Mul", inner.number([[1 - kept]]), row),
        )
        after, each = (inner.ops("Identity", (mean,), 1)[0] for _ in range(2))
        ends = [helper.make_tensor_value_info(e, FLOAT, [1, size]) for e in (state, row)]
        given = [helper.make_tensor_value_info(e, FLOAT, [1, size]) for e in (after, each)]
        scan = helper.make_graph(inner.nodes, inner.fresh("step"), ends, given)
        # It starts as what the value is at the first frame, and so is still that after it.
        start = graph.op("Slice", value, graph.integer([0]), graph.integer([1]))
        rows = graph.op("Unsqueeze", value, graph.integer([1]))
        last, means = graph.ops("Scan", (start, rows), 2, body=scan, num_scan_inputs=1)
        return graph.op("Squeeze", means, graph.integer([1])) if self.each else last

    def affine(self, here: Occurrence, role: str = "affine") -> str:
        graph, leaf = self.graph, self.nodes[here.path].leaf
        assert leaf is not None
        chosen = self._columns(here, self.centred, leaf.columns)
        value = graph.op("MatMul", chosen, graph.number(leaf.weights))
        # What was taken away is the mean as the graph has it, in single precision.
        base = leaf.bias + leaf.mean.astype(np.float32) @ leaf.weights
        value = graph.op("Add", value, graph.number(base[None]))
        if self.state is None:
            return value
        memory = graph.op("MatMul", self.state, graph.number(leaf.accumulator))
        return graph.op("Add", value, memory)

    def constant(self, here: Occurrence) -> str:
        leaf = self.nodes[here.path].leaf
        assert leaf is not None
        return self.graph.number(leaf.bias[None])

    def features(self, here: Occurrence, columns: tuple[int, ...]) -> str:
        return self._columns(here, self.raw, columns)

    def _columns(self, here: Occurrence, x: str, columns: tuple[int, ...]) -> str:
        if columns == tuple(range(here.signature.input.size)):
            return x
        return self.graph.op("Gather", x, self.graph.integer(columns), axis=1)

    def variable(self, here: Occurrence) -> str:
        if self.state is None:
            return self.raw
        return self.graph.op("Concat", self.raw, self.state, axis=1)

    def function(self, here: Occurrence, function: Function, arguments: Sequence[str]) -> str:
        value, outputs = trace(function.meaning, self, arguments), here.signature.output.size
        if function.meaning.size == 1 and outputs > 1:
            return self.graph.op("Gather", value, self.graph.integer([0] * outputs), axis=1)
        return value

    def feature(self, column: int) -> str:
        return self.graph.op("Gather", self.raw, self.graph.integer([column]), axis=1)

    def literal(self, number: float) -> str:
        return self.graph.number([[number]])

    def component(self, value: str, index: int) -> str:
        return self.graph.op("Gather", value, self.graph.integer([index]), axis=1)

    def pointwise(self, primitive: Primitive, operands: Sequence[str]) -> str:
        return primitive.to_onnx(self.graph, *operands)
