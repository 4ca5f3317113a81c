"""Leaves whose terms training chooses: where a program has them, and what it is once they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nearstar.language.program import Apply, Path, Program, applied, walk

Columns = tuple[tuple[int, ...], ...]
"""The columns that a leaf reads, for each of its outputs."""
Choice = tuple[Columns, ...]
"""What each leaf with terms to choose is to read, in the order of the derivation."""


def chooses_terms(program: Program) -> bool:
    """Whether it has leaves whose terms are to be chosen: it is then no answer itself."""
    return any(node.operation.chooses_terms for node in applied(program))


def places(program: Program) -> tuple[Path, ...]:
    """Where these leaves are, in the order of the derivation."""
    return tuple(
        path
        for path, node in walk(program)
        if isinstance(node, Apply) and node.operation.chooses_terms
    )


def everything(program: Program) -> Choice:
    """All that may be chosen."""
    return tuple(
        (node.operation.columns(node.signature),) * node.signature.output.size
        for node in applied(program)
        if node.operation.chooses_terms
    )


def most_terms(program: Program) -> tuple[int, ...]:
    """How many terms each output of these leaves may choose."""
    return tuple(
        len(node.operation.columns(node.signature))
        if node.operation.most_terms is None
        else node.operation.most_terms
        for node in applied(program)
        if node.operation.chooses_terms
    )


def with_terms(program: Program, choice: Sequence[Columns]) -> Program:
    """The program with these terms in its leaves."""
    return _with(program, iter(choice))


def _with(program: Program, choice: Iterator[Columns]) -> Program:
    if not isinstance(program, Apply):
        return program
    if program.operation.chooses_terms:
        return Apply(program.operation.with_terms(next(choice)), program.signature)
    return program.on(tuple([_with(argument, choice) for argument in program.arguments]))
