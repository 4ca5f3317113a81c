"""Expressions over the engine's primitives: what a library function means.

A function is written as ordinary Python over these values; calling it once records the expression,
which is then lowered to instructions like any other part of a program. An expression has a number
of components: a fixed one, or ``"out"``, the output size of the place where the function stands.
Operations work componentwise, and a single component is repeated as needed.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field
from typing import Any, Literal

from nearstar.language.primitives import PRIMITIVES
from nearstar.util.errors import DomainError

Size = int | Literal["out"]

MAX_NODES = 2000
"""Expressions are trees: what is used twice counts twice."""
MAX_HEIGHT = 100
"""Levels of an expression: everything that walks one can then recurse safely."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A recorded expression.

    ``kind`` is a primitive, or one of: ``argument`` (the value of the function's n-th argument),
    ``feature`` (a raw feature of the input, by index or by name), ``literal`` (a number),
    ``component`` (one component of an expression).
    """

    kind: str
    operands: tuple[Expression, ...] = ()
    value: int | float | str | None = None
    size: Size = 1
    nodes: int = field(default=1, compare=False, repr=False)
    height: int = field(default=1, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expression):
            return self is other or (
                (self.kind, self.value, self.size) == (other.kind, other.value, other.size)
                and self.operands == other.operands
            )
        if isinstance(other, int | float):
            raise DomainError(
                "a library function is recorded once, without data: == and != cannot look at its "
                "values; compare with > or <, as in mix(abs(a - 1) < 0.5, then, otherwise)"
            )
        return NotImplemented

    def __add__(self, other: Expression | float) -> Expression:
        return primitive("add", self, other)

    def __radd__(self, other: float) -> Expression:
        return primitive("add", other, self)

    def __sub__(self, other: Expression | float) -> Expression:
        return primitive("subtract", self, other)

    def __rsub__(self, other: float) -> Expression:
        return primitive("subtract", other, self)

    def __mul__(self, other: Expression | float) -> Expression:
        return primitive("multiply", self, other)

    def __rmul__(self, other: float) -> Expression:
        return primitive("multiply", other, self)

    def __truediv__(self, other: Expression | float) -> Expression:
        return primitive("divide", self, other)

    def __rtruediv__(self, other: float) -> Expression:
        return primitive("divide", other, self)

    def __pow__(self, power: int) -> Expression:
        if not isinstance(power, int) or not 1 <= power <= 16:
            raise DomainError(f"powers of expressions are whole numbers from 1 to 16, not {power}")
        result = self
        for _ in range(power - 1):
            result = result * self
        return result

    def __neg__(self) -> Expression:
        return primitive("multiply", self, -1.0)

    def __abs__(self) -> Expression:
        return primitive("absolute", self)

    def __gt__(self, other: Expression | float) -> Expression:
        """1 where greater, else 0; no gradient passes a comparison."""
        return primitive("greater", self, other)

    def __lt__(self, other: Expression | float) -> Expression:
        return primitive("greater", other, self)

    def __getitem__(self, index: int) -> Expression:
        size = self.size
        if not isinstance(index, int) or size == "out" or not -size <= index < size:
            raise DomainError(f"no component {index} in an expression of size {size}")
        return _made("component", (self,), index % size, 1)

    def __bool__(self) -> bool:
        raise DomainError(
            "a library function is recorded once, without data: Python's if, and, or cannot look "
            "at its values; write mix(a > b, then, otherwise) instead"
        )

    def __iter__(self) -> Any:
        if not isinstance(self.size, int):
            raise DomainError("an expression of size 'out' has no fixed number of components")
        return (self[index] for index in range(self.size))


class Features:
    """The input as a library function sees it: ``x["speed"]`` or ``x[3]`` is a raw feature."""

    def __getitem__(self, feature: int | str) -> Expression:
        if isinstance(feature, bool) or not isinstance(feature, int | str):
            raise DomainError(f"a feature is an index or a name, not {feature!r}")
        if isinstance(feature, int) and feature < 0:
            raise DomainError(f"feature indices count from 0: {feature}")
        return Expression("feature", (), feature)


def primitive(name: str, *operands: Expression | float) -> Expression:
    """A primitive applied to expressions and numbers."""
    wrapped = tuple(
        operand if isinstance(operand, Expression) else _literal(operand) for operand in operands
    )
    size: Size = 1
    for operand in wrapped:
        if size == 1:
            size = operand.size
        elif operand.size not in (1, size):
            sizes = ", ".join(str(operand.size) for operand in wrapped)
            raise DomainError(f"{name} of sizes {sizes}: sizes must be equal, or 1")
    return _made(name, wrapped, None, size)


def _made(kind: str, operands: tuple[Expression, ...], value: int | None, size: Size) -> Expression:
    nodes = 1 + sum(operand.nodes for operand in operands)
    if nodes > MAX_NODES:
        raise DomainError(
            f"an expression may have at most {MAX_NODES} parts, repeated ones counted"
        )
    height = 1 + max(operand.height for operand in operands)
    if height > MAX_HEIGHT:
        raise DomainError(
            f"an expression may be at most {MAX_HEIGHT} levels high; add long sums up in parts"
        )
    return Expression(kind, operands, value, size, nodes, height)


def _literal(number: float) -> Expression:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise DomainError(f"expected an expression or a number, not {number!r}")
    if number != 0 and not 1e-38 <= abs(number) <= 3e38:  # so that 32 bits hold 1 / number too
        raise DomainError(f"numbers in expressions are 0 or from 1e-38 to 3e38, not {number!r}")
    return Expression("literal", (), float(number))


def sqrt(a: Expression) -> Expression:
    """Square root; 0 below 0, with a gradient that stays finite at 0."""
    return primitive("sqrt", a)


def tanh(a: Expression) -> Expression:
    """Hyperbolic tangent."""
    return primitive("tanh", a)


def sigmoid(a: Expression) -> Expression:
    """1 / (1 + exp(-a))."""
    return primitive("sigmoid", a)


def exp(a: Expression) -> Expression:
    """e to the power a; saturates at the largest numbers that fit."""
    return primitive("exp", a)


def log(a: Expression) -> Expression:
    """Natural logarithm; guard its argument, as in log(maximum(a, 1e-6))."""
    return primitive("log", a)


def relu(a: Expression) -> Expression:
    """a where positive, else 0."""
    return primitive("relu", a)


def minimum(a: Expression | float, b: Expression | float) -> Expression:
    """The smaller one, componentwise."""
    return primitive("minimum", a, b)


def maximum(a: Expression | float, b: Expression | float) -> Expression:
    """The larger one, componentwise."""
    return primitive("maximum", a, b)


def mix(gate: Expression, then: Expression | float, otherwise: Expression | float) -> Expression:
    """gate · then + (1 − gate) · otherwise."""
    return primitive("mix", gate, then, otherwise)


def to_data(expression: Expression) -> list[Any]:
    """The expression as nested lists, for files."""
    operands = [to_data(operand) for operand in expression.operands]
    return [expression.kind, expression.value, expression.size, operands]


def from_data(data: Any) -> Expression:
    """The expression that ``to_data`` wrote; anything else is an error."""
    return _from_data(data, MAX_HEIGHT)


def _from_data(data: Any, levels: int) -> Expression:
    if not levels:
        raise DomainError(f"a stored expression is more than {MAX_HEIGHT} levels high")
    match data:
        case [str(kind), value, (int() | "out") as size, list(operands)]:
            pass
        case _:
            raise DomainError(f"not a stored expression: {reprlib.repr(data)}")
    parts = tuple(_from_data(operand, levels - 1) for operand in operands)
    if kind in PRIMITIVES and len(parts) == PRIMITIVES[kind].arity:
        return primitive(kind, *parts)
    match kind, parts, value:
        case "argument", (), int():
            return Expression(kind, (), value, size)
        case "feature", (), int() | str():
            return Features()[value]
        case "literal", (), int() | float():
            return _literal(value)
        case "component", (inner,), int():
            return inner[value]
    raise DomainError(f"not a stored expression: {reprlib.repr(data)}")
