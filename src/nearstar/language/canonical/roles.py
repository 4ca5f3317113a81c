"""What the identities know of operations, judged by their meaning rather than by their names."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from nearstar.language.canonical.closure import pick_bits
from nearstar.language.expression import Expression
from nearstar.language.function import Function
from nearstar.language.operators import (
    ADD,
    DIFFERENCE,
    MULTIPLY,
    Constant,
    Input,
    Select,
    Window,
    if_then_else,
)
from nearstar.language.program import Apply, Hole, Operation, Program
from nearstar.language.types import Signature

Role = Literal["add", "difference", "multiply", "if", "other"]


def role_of(operation: Operation) -> Role:
    """Which of the functions that the identities know this one is, judged by its meaning."""
    return _role_of_function(operation) if isinstance(operation, Function) else "other"


@lru_cache(maxsize=1024)
def _role_of_function(function: Function) -> Role:
    roles: tuple[tuple[Role, Function], ...] = (
        ("add", ADD),
        ("difference", DIFFERENCE),
        ("multiply", MULTIPLY),
    )
    for role, known in roles:
        if _same_meaning(function, known):
            return role
    return "if" if _is_if(function) else "other"


def _same_meaning(a: Function, b: Function) -> bool:
    return (a.takes, a.gives, a.meaning) == (b.takes, b.gives, b.meaning)


def are_alike(a: Operation, b: Operation) -> bool:
    return a == b or role_of(a) == role_of(b) != "other"


def _is_if(function: Function) -> bool:
    """Whether it is the smooth ``if`` of some temperature."""
    match function.meaning:
        case Expression(kind="mix", operands=(Expression(kind="sigmoid", operands=(gate,)), _, _)):
            beta = gate.operands[-1].value if gate.kind == "multiply" else None
            return isinstance(beta, float) and _same_meaning(function, if_then_else(beta))
    return False


def is_constant(program: Program) -> bool:
    return isinstance(program, Apply) and isinstance(program.operation, Constant)


def is_last(operation: Operation) -> bool:
    """Whether it is a window that is the element at the position."""
    return isinstance(operation, Window) and operation.size == 1 and operation.reduction != "Change"


def picked(operation: Select | Input, signature: Signature) -> tuple[int, ...]:
    """The components of the input that a leaf without parameters gives, in order."""
    if isinstance(operation, Select):
        return operation.group.columns
    return tuple(range(signature.input_size))


def is_taken_in(term: Program, shift: int | None) -> bool:
    """Whether a leaf without parameters reads only what the sum is closed under adding."""
    if shift is None or isinstance(term, Hole):
        return False
    operation = term.operation
    return isinstance(operation, Select | Input) and not (
        pick_bits(operation, term.signature) & ~shift
    )
