"""Leaves whose terms training chooses: where a program has them, and what it is once they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nearstar.language.operators import Affine, Few
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


def opened(program: Program, features: Sequence[str]) -> tuple[Program, Choice]:
    """The program with leaves that may choose again of what they read, and what that is."""
    choice: list[Columns] = []
    return _opened(program, features, choice), tuple(choice)


def _opened(program: Program, features: Sequence[str], choice: list[Columns]) -> Program:
    if not isinstance(program, Apply):
        return program
    operation, signature = program.operation, program.signature
    if isinstance(operation, Affine):
        columns = sorted(operation.columns(signature))
        few = Few(tuple(features[column] for column in columns), tuple(columns))
        (matrix,) = operation.matrices(signature)
        absent = {(matrix.columns[row], output) for row, output in matrix.absent}
        choice.append(
            tuple(
                tuple(column for column in columns if (column, output) not in absent)
                for output in range(signature.output.size)
            )
        )
        return Apply(Affine(few), signature)
    return program.on(
        tuple([_opened(argument, features, choice) for argument in program.arguments])
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
