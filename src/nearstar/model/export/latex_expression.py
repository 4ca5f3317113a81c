"""Names, numbers and the meaning of library functions in LaTeX."""

from __future__ import annotations

from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.language.primitives import ATOM, PRIMITIVES, PRODUCT, SUM

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def text(name: str) -> str:
    """Any text as it is, upright, within mathematics."""
    shown = "".join(_ESCAPES.get(sign, sign if sign.isprintable() else " ") for sign in name)
    return rf"\text{{{shown}}}"


def operator(name: str) -> str:
    """The name of a function: letters, digits and underlines."""
    return rf"\operatorname{{{name.replace('_', chr(92) + '_')}}}"


def number(value: float) -> str:
    """A number with as many digits as it has, without an exponent's e."""
    digits, _, exponent = repr(value).partition("e")
    digits = digits.removesuffix(".0")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else digits


def definition(function: Function, features: tuple[str, ...]) -> str:
    """What the function means, as an equation of an align environment."""
    arguments = [_argument(index) for index in range(len(function.takes))]
    inputs = [*arguments, "x"] if function.features() else arguments
    meaning, _ = _text(function.meaning, features)
    return rf"{operator(function.name)}({', '.join(inputs)}) &= {meaning}"


def has_mix(expression: Expression) -> bool:
    """Whether the reader must be told what mix means."""
    return expression.kind == "mix" or any(map(has_mix, expression.operands))


def _argument(index: int) -> str:
    return f"a_{{{index + 1}}}"


def _text(expression: Expression, features: tuple[str, ...]) -> tuple[str, int]:
    def inner(part: Expression, least: int = SUM) -> str:
        written, tightness = _text(part, features)
        return written if tightness >= least else rf"\left({written}\right)"

    match expression:
        case Expression(kind="argument", value=int(index)):
            return _argument(index), ATOM
        case Expression(kind="feature", value=int(column)):
            return text(features[column]), ATOM
        case Expression(kind="literal", value=float(value)):
            return number(value), ATOM if value >= 0 else SUM
        case Expression(kind="component", value=int(index), operands=(whole,)):
            return rf"\left({inner(whole)}\right)_{{{index + 1}}}", ATOM
        case Expression(kind="add", operands=(a, b)):
            return f"{inner(a)} + {inner(b, PRODUCT)}", SUM
        case Expression(kind="subtract", operands=(a, b)):
            return f"{inner(a)} - {inner(b, PRODUCT)}", SUM
        case Expression(kind="multiply", operands=(a, b)) if a == b:
            return rf"\left({inner(a)}\right)^2", ATOM
        case Expression(kind="multiply", operands=(a, b)):
            return rf"{inner(a, PRODUCT)} \cdot {inner(b, PRODUCT)}", PRODUCT
    latex = PRIMITIVES[expression.kind].latex
    return latex.format(*(inner(operand) for operand in expression.operands)), ATOM
