"""Programs as values: immutable trees of applied operations and holes.

Parameters live beside a program, never in it: two programs are equal when their architectures are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, NoReturn, cast

from nearstar.language.notation import text_of
from nearstar.language.operation import Operation
from nearstar.language.types import Signature
from nearstar.util.errors import ProgramError
from nearstar.util.notebooks import ShownInNotebooks

MAX_HEIGHT = 100
"""Trees may not be higher: everything that walks them can then recurse safely."""

Path = tuple[int, ...]
"""Where a node stands: the argument to follow at each step from the root."""


@dataclass(frozen=True, slots=True, eq=False)
class Production:
    """An operation at one type: what may become of a hole of that type.

    All nodes that apply the operation at that type share one (see ``production``), so that tables
    of what is known of it are looked up without comparing operations and types.
    """

    operation: Operation
    signature: Signature
    arguments: tuple[Signature, ...]
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Operations without fields, such as map and mapprefix, differ by their class alone.
        found = hash((type(self.operation), self.operation, self.signature))
        object.__setattr__(self, "_hash", found)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Production):
            return NotImplemented
        return self.signature == other.signature and self.operation == other.operation

    def __reduce__(self) -> tuple[object, ...]:
        return production, (self.operation, self.signature)


@lru_cache(maxsize=4096)
def production(operation: Operation, signature: Signature) -> Production:
    """The operation at this type; ProgramError if it cannot have it."""
    arguments = operation.arguments(signature)
    if arguments is None:
        raise ProgramError(f"{operation.name} cannot have the type {signature}")
    return Production(operation, _shared(signature), tuple(map(_shared, arguments)))


@lru_cache(maxsize=4096)
def _shared(signature: Signature) -> Signature:
    """The first of equal signatures: the same object is found equal without comparing."""
    return signature


class _Shown(ShownInNotebooks):
    """Shows itself as its text."""

    __slots__ = ()

    signature: Signature

    def __str__(self) -> str:
        assert isinstance(self, Apply | Hole)
        return text_of(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self}: {self.signature})"


@dataclass(frozen=True, slots=True, repr=False)
class Hole(_Shown):
    """A place still open: any program of its signature may stand there."""

    signature: Signature

    production: ClassVar[None] = None
    arguments: ClassVar[tuple[Program, ...]] = ()
    size: ClassVar[int] = 0
    height: ClassVar[int] = 0
    n_holes: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Apply(_Shown):
    """An operation applied to arguments; well typed, or it cannot be made."""

    operation: Operation
    signature: Signature
    arguments: tuple[Program, ...] = ()
    size: int = field(init=False)
    """Rules applied to derive it."""
    height: int = field(init=False)
    n_holes: int = field(init=False)
    production: Production = field(init=False)
    _hash: int = field(init=False)

    def __new__(
        cls, operation: Operation, signature: Signature, arguments: tuple[Program, ...] = ()
    ) -> Apply:
        return _applied_to(operation, production(operation, signature), arguments)

    def on(self, arguments: tuple[Program, ...]) -> Apply:
        """The same operation, applied to other arguments."""
        return _applied_to(self.operation, self.production, arguments)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Apply):
            return NotImplemented
        return (
            self._hash == other._hash
            and (self.production is other.production or self.production == other.production)
            and self.arguments == other.arguments
        )

    def __reduce__(self) -> tuple[object, ...]:
        # Hashes hold in one process only: another one has to find its own.
        return Apply, (self.operation, self.signature, self.arguments)


class _Unfinished(_Shown):
    """A node that is being made: one that is finished cannot be changed.

    Setting the fields of what cannot be changed takes longer than all else that making a node
    takes, and a search makes a hundred thousand of them in a second.
    """

    __slots__ = Apply.__slots__


def _applied_to(operation: Operation, made_by: Production, arguments: tuple[Program, ...]) -> Apply:
    size, height, n_holes = 1, 0, 0
    for argument, expected in zip(arguments, made_by.arguments, strict=False):
        size += argument.size
        n_holes += argument.n_holes
        if argument.height > height:
            height = argument.height
        if argument.signature is not expected and argument.signature != expected:
            _refuse(operation, made_by, arguments)
    if len(arguments) != len(made_by.arguments):
        _refuse(operation, made_by, arguments)
    if height >= MAX_HEIGHT:
        raise ProgramError(f"a program may be at most {MAX_HEIGHT} levels high")
    node: Any = object.__new__(_Unfinished)
    node.operation = operation
    node.signature = made_by.signature
    node.arguments = arguments
    node.size = size
    node.height = height + 1
    node.n_holes = n_holes
    node.production = made_by
    node._hash = hash((made_by, arguments))
    node.__class__ = Apply
    return cast("Apply", node)


def _refuse(operation: Operation, made_by: Production, arguments: tuple[Program, ...]) -> NoReturn:
    expected, given = (
        "; ".join(map(str, signatures))
        for signatures in (made_by.arguments, (each.signature for each in arguments))
    )
    raise ProgramError(
        f"{operation.name} of type {made_by.signature} takes arguments of the types "
        f"({expected}), not ({given})"
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


def applied(program: Program) -> list[Apply]:
    """The nodes that are no holes, in the order of the derivation."""
    found: list[Apply] = []
    _add_applied(program, found)
    return found


def _add_applied(program: Program, found: list[Apply]) -> None:
    if isinstance(program, Apply):
        found.append(program)
        for argument in program.arguments:
            _add_applied(argument, found)


def holes(program: Program) -> list[Hole]:
    """The holes, leftmost first."""
    if isinstance(program, Hole):
        return [program]
    return [hole for argument in program.arguments if argument.n_holes for hole in holes(argument)]


def open_places(program: Program, path: Path = ()) -> Iterator[tuple[Path, Hole]]:
    """The holes with their paths, leftmost first."""
    if isinstance(program, Hole):
        yield path, program
        return
    for index, argument in enumerate(program.arguments):
        if argument.n_holes:
            yield from open_places(argument, (*path, index))


def first_hole(program: Program) -> Path | None:
    """The hole that is expanded next: the leftmost one."""
    if is_complete(program):
        return None
    path: list[int] = []
    while isinstance(program, Apply):
        index = next(i for i, argument in enumerate(program.arguments) if argument.n_holes)
        path.append(index)
        program = program.arguments[index]
    return tuple(path)


def begun(program: Program, rules: int) -> Program:
    """What the program was in its derivation, after so many rules: the rest are holes."""
    if isinstance(program, Hole) or rules <= 0:
        return Hole(program.signature)
    arguments: list[Program] = []
    left = rules - 1
    for argument in program.arguments:
        arguments.append(argument if argument.size <= left else begun(argument, left))
        left = max(left - argument.size, 0)
    return program.on(tuple(arguments))


def is_begun(program: Program) -> bool:
    """Whether a program is the beginning of a derivation: nothing stands after its first hole."""
    are_holes = [isinstance(node, Hole) for _, node in walk(program)]
    return are_holes == sorted(are_holes)


def node_at(program: Program, path: Path) -> Program:
    """The node at a path."""
    for index in path:
        program = program.arguments[index]
    return program


def replace(program: Program, path: Path, new: Program) -> Program:
    """The program with another node at a path; the rest is shared, not copied."""
    return replace_by_each(program, path, (new,))[0]


def replace_by_each(
    program: Program,
    path: Path,
    news: Iterable[Program],
    apply: Callable[[Apply, tuple[Program, ...]], Program] = Apply.on,
) -> list[Program]:
    """The program with each of these in turn at a path.

    What is above it is made by ``apply``, from the innermost: a node's operation applied to others.
    """
    above: list[tuple[Apply, int]] = []
    for level, index in enumerate(path):
        if isinstance(program, Hole):
            raise ProgramError(f"there is nothing below a hole: path {path[level:]}")
        above.append((program, index))
        program = program.arguments[index]
    above.reverse()
    results: list[Program] = []
    for new in news:
        for node, index in above:
            arguments = list(node.arguments)
            arguments[index] = new
            new = apply(node, tuple(arguments))
        results.append(new)
    return results


@lru_cache(maxsize=4096)
def open_up(operation: Operation, signature: Signature) -> Apply:
    """The operation with a hole for each argument: the same object in all programs."""
    arguments = production(operation, signature).arguments
    return Apply(operation, signature, tuple(map(Hole, arguments)))


def columns_read(program: Program) -> tuple[int, ...]:
    """All columns that a program reads, in order; a hole's network reads every one."""
    columns: set[int] = set()
    for _, node in walk(program):
        if isinstance(node, Hole):
            return tuple(range(program.signature.input.size))
        columns.update(node.operation.columns(node.signature))
    return tuple(sorted(columns))


def rebuilt(program: Program, operation: Callable[[Operation], Operation]) -> Program:
    """The program with another operation of the same types for each of its own."""
    if isinstance(program, Hole):
        return program
    arguments = tuple(rebuilt(argument, operation) for argument in program.arguments)
    return Apply(operation(program.operation), program.signature, arguments)
