"""Primitives: what library functions are made of, componentwise; each with all of its forms.

The engine has an instruction of the same name in capitals (``engine/kernels/opcodes.py``), with its
slopes. Adding one is an entry here and that kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import expit

SUM, PRODUCT, SIGN, POWER, ATOM = range(5)
"""How tightly written expressions hold together."""

FLOAT, INT64 = 1, 7
"""The numbers that ONNX has for the types."""


class OnnxGraph(Protocol):
    """What the ONNX form of a primitive or a reduction is written with; values go by names."""

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The value of an operator."""

    def number(self, values: Any) -> str:
        """A constant in single precision."""

    def integer(self, values: Any) -> str:
        """A constant of whole numbers."""


@dataclass(frozen=True)
class Primitive:
    """A function of single numbers, applied to each component."""

    name: str
    arity: int
    numpy: Callable[..., Any]
    python: str
    """Source over the sources of its operands, which hold together at least as ``inner``."""
    latex: str
    onnx: str | Callable[..., str]
    """An operator, or a function of the graph and of the operands' values."""
    holds: int = ATOM
    """How tightly its source holds together."""
    inner: int = SUM
    helper: str = ""
    """The source of what it calls in exported modules."""

    def to_onnx(self, graph: OnnxGraph, *operands: str) -> str:
        """Its value in a graph."""
        if isinstance(self.onnx, str):
            return graph.op(self.onnx, *operands)
        return self.onnx(graph, *operands)


def _mix(graph: OnnxGraph, gate: str, then: str, otherwise: str) -> str:
    rest = graph.op("Sub", graph.number([[1.0]]), gate)
    return graph.op("Add", graph.op("Mul", gate, then), graph.op("Mul", rest, otherwise))


def _exp(graph: OnnxGraph, a: str) -> str:
    return graph.op("Exp", graph.op("Clip", a, graph.number(-87.3), graph.number(88.3)))


# fmt: off
_ALL = (
    Primitive("add", 2, np.add, "{} + {}", "{} + {}", "Add", SUM),
    Primitive("subtract", 2, np.subtract, "{} - {}", "{} - {}", "Sub", SUM),
    Primitive("multiply", 2, np.multiply, "{} * {}", r"{} \cdot {}", "Mul", PRODUCT, PRODUCT),
    Primitive("divide", 2, np.divide, "{} / {}", r"\frac{{{}}}{{{}}}", "Div", PRODUCT, PRODUCT),
    Primitive("minimum", 2, np.minimum, "np.minimum({}, {})", r"\min\left({}, {}\right)", "Min"),
    Primitive("maximum", 2, np.maximum, "np.maximum({}, {})", r"\max\left({}, {}\right)", "Max"),
    Primitive(
        "greater", 2, lambda a, b: np.where(a > b, 1.0, 0.0),
        "np.where({} > {}, 1.0, 0.0)", r"\left[{} > {}\right]",
        lambda graph, a, b: graph.op("Cast", graph.op("Greater", a, b), to=FLOAT),
        inner=PRODUCT,
    ),
    Primitive("absolute", 1, np.abs, "np.abs({})", r"\left|{}\right|", "Abs"),
    Primitive("tanh", 1, np.tanh, "np.tanh({})", r"\tanh\left({}\right)", "Tanh"),
    Primitive("log", 1, np.log, "np.log({})", r"\log\left({}\right)", "Log"),
    Primitive(
        "relu", 1, lambda a: np.maximum(a, 0),
        "np.maximum({}, 0)", r"\max\left({}, 0\right)", "Relu",
    ),
    Primitive(
        "sigmoid", 1, expit, "sigmoid({})", r"\sigma\left({}\right)", "Sigmoid",
        helper='''\
def sigmoid(a):
    """1 / (1 + exp(-a)), which cannot overflow in this form."""
    return 0.5 + 0.5 * np.tanh(0.5 * a)''',
    ),
    Primitive(
        "mix", 3, lambda gate, then, otherwise: gate * then + (1 - gate) * otherwise,
        "mix({}, {}, {})", r"\operatorname{{mix}}\left({}, {}, {}\right)", _mix,
        helper='''\
def mix(gate, then, otherwise):
    """Something between two values: all of the first if the gate is 1, of the other if 0."""
    return gate * then + (1 - gate) * otherwise''',
    ),
    Primitive(
        "sqrt", 1, lambda a: np.sqrt(np.maximum(a, 0)),
        "root({})", r"\sqrt{{{}}}", lambda graph, a: graph.op("Sqrt", graph.op("Relu", a)),
        helper='''\
def root(a):
    """Square root, 0 below 0."""
    return np.sqrt(np.maximum(a, 0))''',
    ),
    Primitive(
        "exp", 1, lambda a: np.exp(np.clip(a, -87.3, 88.3)),  # as far as single precision goes
        "exponential({})", r"\exp\left({}\right)", _exp,
        helper='''\
def exponential(a):
    """e to the power a, as far as single precision goes."""
    return np.exp(np.clip(a, -87.3, 88.3))''',
    ),
)
# fmt: on

PRIMITIVES = {primitive.name: primitive for primitive in _ALL}
"""The primitives by name."""
