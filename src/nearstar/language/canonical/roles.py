"""What the identities know of operations, judged by their meaning rather than by their names."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from nearstar.language.canonical.closure import pick_bits
from nearstar.language.function import Function
from nearstar.language.operation import Operation
from nearstar.language.operators import ADD, DIFFERENCE, MULTIPLY, Constant, Window
from nearstar.language.program import Apply, Hole, Program

Role = Literal["add", "difference", "multiply", "if", "other"]


_ROLES: dict[Role, Function] = {"add": ADD, "difference": DIFFERENCE, "multiply": MULTIPLY}


@lru_cache(maxsize=4096)
def role_of(operation: Operation) -> Role:
    """Which of the functions that the identities know this one is, judged by its meaning."""
    if not isinstance(operation, Function):
        return "other"
    meant = operation.takes, operation.gives, operation.meaning
    for role, known in _ROLES.items():
        if meant == (known.takes, known.gives, known.meaning):
            return role
    return "other" if operation.beta is None else "if"


def are_alike(a: Operation, b: Operation) -> bool:
    return a == b or role_of(a) == role_of(b) != "other"


def is_constant(program: Program) -> bool:
    return isinstance(program, Apply) and isinstance(program.operation, Constant)


def is_last(operation: Operation) -> bool:
    """Whether it is a window that is the element at the position."""
    return isinstance(operation, Window) and operation.size == 1 and operation.reduces.moves


def is_taken_in(term: Program, shift: int | None) -> bool:
    """Whether a leaf without parameters reads only what the sum is closed under adding."""
    if shift is None or isinstance(term, Hole):
        return False
    picks = term.operation.picks(term.signature)
    return picks is not None and not pick_bits(picks, term.signature) & ~shift
