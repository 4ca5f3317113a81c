"""Names and numbers in LaTeX."""

from __future__ import annotations

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
