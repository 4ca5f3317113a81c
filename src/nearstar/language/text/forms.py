"""The form of each operation in text, for printing and parsing alike."""

from __future__ import annotations

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
from nearstar.language.program import Operation
from nearstar.language.template import VARIABLES, Piece, pieces, template
from nearstar.util.errors import ProgramError


def form(operation: Operation) -> tuple[Piece, ...]:
    """The pieces that an operation's text is made of; the first one tells which it is."""
    match operation:
        case Function():
            return template(operation)
        case Map() | MapPrefix():
            return pieces(f"{operation.name} (fun {{fun}}. {{0}}) {{x}}")
        case Fold():
            return pieces("fold (fun {fun}. {0}) {c} {x}")
        case Window():
            return pieces(f"{operation.name}({{0}})")
        case Affine():
            return pieces(f"{operation.name}{{w}}({{x}})")
        case Select():
            return pieces(f"{operation.name} {{x}}")
        case Constant():
            return pieces("const{w}")
        case Input():
            return pieces("{x}")
    raise ProgramError(f"{operation.name} is not an operation that text can express")


def outline(form: tuple[Piece, ...], variable: str) -> str:
    """The form as a person would sketch it: ``if … > 0 then … else …``."""
    bound = VARIABLES[2] if variable == VARIABLES[1] else VARIABLES[1]
    shown = {"argument": "…", "variable": variable, "binder": bound, "numbers": ""}
    return "".join(" " * piece.spaced + shown.get(piece.kind, piece.text) for piece in form)
