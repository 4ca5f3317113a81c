"""Programs as values: immutable trees of applied operations and holes.

Parameters live beside a program, never in it: two programs are equal when their architectures are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from nearstar.errors import ProgramError
from nearstar.types import Signature

MAX_HEIGHT = 100
"""Trees may not be higher: everything that walks them can then recurse safely."""

Path = tuple[int, ...]
"""Where a node stands: the argument to follow at each step from the root."""


class Operation(Protocol):
    """What a node does. Operations are immutable, hashable values."""

    @property
    def name(self) -> str:
        """The name that text, grammars and cost tables use."""

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        """Types of the arguments where the operation has this type; None if it cannot have it."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place still open: any program of its signature may stand there."""

    signature: Signature

    arguments: ClassVar[tuple[Program, ...]] = ()
    size: ClassVar[int] = 0
    height: ClassVar[int] = 0
    n_holes: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """An operation applied to arguments; well typed, or it cannot be made."""

    operation: Operation
    signature: Signature
    arguments: tuple[Program, ...] = ()
    size: int = field(init=False, repr=False)
    """Rules applied to derive it."""
    height: int = field(init=False, repr=False)
    n_holes: int = field(init=False, repr=False)
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        expected = self.operation.arguments(self.signature)
        given = tuple(argument.signature for argument in self.arguments)
        if expected is None:
            raise ProgramError(f"{self.operation.name} cannot have the type {self.signature}")
        if given != expected:
            raise ProgramError(
                f"{self.operation.name} of type {self.signature} takes arguments of the types "
                f"({'; '.join(map(str, expected))}), not ({'; '.join(map(str, given))})"
            )
        height = 1 + max((argument.height for argument in self.arguments), default=0)
        if height > MAX_HEIGHT:
            raise ProgramError(f"a program may be at most {MAX_HEIGHT} levels high")
        for name, value in (
            ("size", 1 + sum(argument.size for argument in self.arguments)),
            ("height", height),
            ("n_holes", sum(argument.n_holes for argument in self.arguments)),
            ("_hash", hash((self.operation, self.signature, self.arguments))),
        ):
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Apply):
            return NotImplemented
        return (
            self._hash == other._hash
            and self.operation == other.operation
            and self.signature == other.signature
            and self.arguments == other.arguments
        )


Program = Apply | Hole
"""An expression, complete or with holes: an immutable value, equal to another by structure."""


def is_complete(program: Program) -> bool:
    """Whether no hole is open."""
    return program.n_holes == 0


def completes(program: Program, sketch: Program) -> bool:
    """Whether a program is the sketch with something in the place of each of its holes."""
    if isinstance(sketch, Hole):
        return program.signature == sketch.signature
    return (
        not isinstance(program, Hole)
        and program.operation == sketch.operation
        and program.signature == sketch.signature
        and all(map(completes, program.arguments, sketch.arguments))
    )


def walk(program: Program, path: Path = ()) -> Iterator[tuple[Path, Program]]:
    """Every node with its path, in the order of the derivation (depth first, leftmost)."""
    yield path, program
    for index, argument in enumerate(program.arguments):
        yield from walk(argument, (*path, index))


def first_hole(program: Program) -> Path | None:
    """The hole that is expanded next: the leftmost one."""
    return next((path for path, node in walk(program) if isinstance(node, Hole)), None)


def node_at(program: Program, path: Path) -> Program:
    """The node at a path."""
    for index in path:
        program = program.arguments[index]
    return program


def replace(program: Program, path: Path, new: Program) -> Program:
    """The program with another node at a path; the rest is shared, not copied."""
    if not path:
        return new
    if isinstance(program, Hole):
        raise ProgramError(f"there is nothing below a hole: path {path}")
    index, rest = path[0], path[1:]
    arguments = list(program.arguments)
    arguments[index] = replace(arguments[index], rest, new)
    return Apply(program.operation, program.signature, tuple(arguments))


def open_up(operation: Operation, signature: Signature) -> Apply:
    """The operation with a hole for each argument."""
    arguments = operation.arguments(signature)
    if arguments is None:
        raise ProgramError(f"{operation.name} cannot have the type {signature}")
    return Apply(operation, signature, tuple(Hole(argument) for argument in arguments))
