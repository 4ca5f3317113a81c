"""The recorded meaning of a library function as a Python function over NumPy arrays."""

from __future__ import annotations

from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.model.export.python_literals import quoted

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
"""How tightly an expression holds together."""
_OPERATORS = {
    "add": ("+", _SUM),
    "subtract": ("-", _SUM),
    "multiply": ("*", _PRODUCT),
    "divide": ("/", _PRODUCT),
}
_CALLS = {
    "minimum": "np.minimum({}, {})",
    "maximum": "np.maximum({}, {})",
    "greater": "np.where({} > {}, 1.0, 0.0)",
    "mix": "mix({}, {}, {})",
    "absolute": "np.abs({})",
    "sqrt": "root({})",
    "tanh": "np.tanh({})",
    "sigmoid": "sigmoid({})",
    "exp": "exponential({})",
    "log": "np.log({})",
    "relu": "np.maximum({}, 0)",
}


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


def _text(
    expression: Expression, arguments: list[str], features: tuple[str, ...]
) -> tuple[str, int]:
    """The source of an expression, and how tightly it holds together."""

    def inner(part: Expression, least: int) -> str:
        text, tightness = _text(part, arguments, features)
        return text if tightness >= least else f"({text})"

    match expression:
        case Expression(kind="argument", value=int(index)):
            return arguments[index], _ATOM
        case Expression(kind="feature", value=int(column)):
            return f"select(x, {quoted(features[column])})", _ATOM
        case Expression(kind="literal", value=float(number)):
            return _number(number), _ATOM if number >= 0 else _SIGN
        case Expression(kind="component", value=int(index), operands=(whole,)):
            return f"{inner(whole, _ATOM)}[..., [{index}]]", _ATOM
        case Expression(kind="multiply", operands=(a, Expression(kind="literal", value=-1.0))):
            return f"-{inner(a, _SIGN)}", _SIGN
    if (power := _power(expression)) is not None:
        base, exponent = power
        return f"{inner(base, _ATOM)} ** {exponent}", _POWER
    if expression.kind in _OPERATORS:
        sign, tightness = _OPERATORS[expression.kind]
        left, right = expression.operands
        return f"{inner(left, tightness)} {sign} {inner(right, tightness + 1)}", tightness
    operands = [
        inner(part, _PRODUCT if expression.kind == "greater" else _SUM)
        for part in expression.operands
    ]
    return _CALLS[expression.kind].format(*operands), _ATOM


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
