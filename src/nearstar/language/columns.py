"""Which columns of the data programs read."""

from __future__ import annotations

from nearstar.language.function import Function
from nearstar.language.operators import Affine, Input, Select
from nearstar.language.program import Hole, Operation, Program, walk
from nearstar.language.types import Signature


def columns_of(operation: Operation, signature: Signature) -> tuple[int, ...]:
    """The columns that an operation of this type reads by itself, without its arguments."""
    match operation:
        case Function():
            return operation.features()
        case Affine():
            return operation.columns(signature)
        case Select():
            return operation.group.columns
        case Input():
            return tuple(range(signature.input.size))
    return ()


def columns_read(program: Program) -> tuple[int, ...]:
    """All columns that a program reads, in order; a hole's network reads every one."""
    columns: set[int] = set()
    for _, node in walk(program):
        if isinstance(node, Hole):
            return tuple(range(program.signature.input.size))
        columns.update(columns_of(node.operation, node.signature))
    return tuple(sorted(columns))
