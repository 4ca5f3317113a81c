"""Python source: literals, and the recorded meaning of library functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.language.primitives import ATOM, POWER, PRIMITIVES, SIGN

WIDTH = 96
"""Characters of a line in exported modules."""


def quoted(value: str | int | float | bool | None) -> str:
    """A label or a name, in double quotes if it is a plain text."""
    if isinstance(value, str) and value.isprintable() and not {'"', "\\"} & set(value):
        return f'"{value}"'
    return repr(value)


def listed(items: Sequence[str], brackets: str = "[]") -> str:
    """Items in brackets, on one line or on one for each."""
    line = brackets[0] + ", ".join(items) + brackets[1]
    if len(line) <= WIDTH - 10 or len(items) < 2:
        return line
    return "\n".join([brackets[0], *(f"    {item}," for item in items), brackets[1]])


def table(rows: Mapping[str, Sequence[float]]) -> str:
    """A dictionary from names to lists of numbers, in lines for itself if it is long."""
    return listed([f"{quoted(name)}: {list(row)}" for name, row in rows.items()], "{}")


def definition(function: Function, name: str, features: tuple[str, ...]) -> str:
    """The source of a Python function that means the same."""
    arguments = _arguments(len(function.takes))
    inputs = ["x", *arguments] if function.features() else arguments
    value = _text(function.meaning, arguments, features)[0]
    if not _varies(function.meaning):
        value = f"np.array([{value}])"
    return f"def {name}({', '.join(inputs)}):\n    return {value}"


def _arguments(n: int) -> list[str]:
    return list("abcdef"[:n]) if n <= 6 else [f"a{index}" for index in range(n)]


def _varies(expression: Expression) -> bool:
    """Whether anything but numbers is in it."""
    if expression.kind in ("argument", "feature"):
        return True
    return any(map(_varies, expression.operands))


def written(expression: Expression, arguments: Sequence[str]) -> str:
    """The source of an expression of arguments, which are names."""
    return _text(expression, arguments, ())[0]


def _text(
    expression: Expression, arguments: Sequence[str], features: tuple[str, ...]
) -> tuple[str, int]:
    """The source of an expression, and how tightly it holds together."""

    def inner(part: Expression, least: int) -> str:
        text, tightness = _text(part, arguments, features)
        return text if tightness >= least else f"({text})"

    match expression:
        case Expression(kind="argument", value=int(index)):
            return arguments[index], ATOM
        case Expression(kind="feature", value=int(column)):
            return f"select(x, {quoted(features[column])})", ATOM
        case Expression(kind="literal", value=float(number)):
            return _number(number), ATOM if number >= 0 else SIGN
        case Expression(kind="component", value=int(index), operands=(whole,)):
            return f"{inner(whole, ATOM)}[..., [{index}]]", ATOM
        case Expression(kind="multiply", operands=(a, Expression(kind="literal", value=-1.0))):
            return f"-{inner(a, SIGN)}", SIGN
    if (power := _power(expression)) is not None:
        base, exponent = power
        return f"{inner(base, ATOM)} ** {exponent}", POWER
    primitive = PRIMITIVES[expression.kind]
    # What follows an operator of the same rank must hold together more tightly than it does.
    after = primitive.inner + (primitive.holds < ATOM)
    operands = [
        inner(part, after if place else primitive.inner)
        for place, part in enumerate(expression.operands)
    ]
    return primitive.python.format(*operands), primitive.holds


def _power(expression: Expression) -> tuple[Expression, int] | None:
    """The base and the exponent of a product of one factor with itself."""
    exponent, rest = 1, expression
    while rest.kind == "multiply" and rest.operands[1] == expression.operands[1]:
        rest, exponent = rest.operands[0], exponent + 1
    if exponent > 1 and rest == expression.operands[1] and rest.kind != "literal":
        return rest, exponent
    return None


def _number(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
