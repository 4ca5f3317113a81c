"""What programs mean, once for all who compute with them, or write them down as something else.

``value_of`` walks a program; each operation says what it means by the methods of a *site*: where a
part is computed, and on what. Backends are sites: the engine's instructions, arrays for
explanations, Python source, ONNX graphs. The oracle of the tests shares none of this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from nearstar.language.expression import Expression
from nearstar.language.primitives import PRIMITIVES, Primitive
from nearstar.language.program import Hole, Path, Program
from nearstar.language.types import Signature
from nearstar.util.errors import ProgramError

if TYPE_CHECKING:
    from nearstar.language.function import Function
    from nearstar.language.operators import Window

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A part of a program, and where it stands."""

    path: Path
    node: Program

    @property
    def signature(self) -> Signature:
        return self.node.signature

    @property
    def arguments(self) -> list[Occurrence]:
        return [self.argument(index) for index in range(len(self.node.arguments))]

    def argument(self, index: int) -> Occurrence:
        """One of its arguments."""
        return Occurrence((*self.path, index), self.node.arguments[index])


@dataclass(frozen=True)
class Site(ABC, Generic[V]):
    """Where a part of a program is computed, and on what.

    Its input is a sequence, or the vectors that are its elements, or those that ``window`` and
    ``scan`` make of it, with an accumulator in a scan.
    """

    each: bool = field(default=True, kw_only=True)
    """Of what is seen of a sequence: whether up to each element in turn, or all of it."""

    def whole(self) -> Self:
        """The whole sequence."""
        return replace(self, each=False)

    def everywhere(self) -> Self:
        """Each element in turn."""
        return replace(self, each=True)

    @abstractmethod
    def window(self, here: Occurrence, window: Window) -> Self:
        """What a window shows of each feature, at the end of what has been seen."""

    @abstractmethod
    def scan(self, here: Occurrence, body: Callable[[Self], V]) -> V:
        """An accumulator, zeros at first, that the body makes anew of each element and itself."""

    @abstractmethod
    def fade(self, here: Occurrence, value: V) -> V:
        """The mean, by a memory's half-life, of a value that there is at each element: what it was
        at the first one, of which each element then keeps a share and takes the rest anew."""

    @abstractmethod
    def broadcast(self, here: Occurrence, value: V) -> V:
        """A value of the whole sequence, at each element."""

    @abstractmethod
    def affine(self, here: Occurrence, role: str = "affine") -> V:
        """A learned affine map of features and, in a scan, of the accumulator."""

    @abstractmethod
    def constant(self, here: Occurrence) -> V:
        """A learned vector."""

    @abstractmethod
    def features(self, here: Occurrence, columns: tuple[int, ...]) -> V:
        """Features in the data's own units."""

    @abstractmethod
    def variable(self, here: Occurrence) -> V:
        """The input as it is: all features and, in a scan, the accumulator."""

    @abstractmethod
    def function(self, here: Occurrence, function: Function, arguments: Sequence[V]) -> V:
        """A library function of values and features; backends may ``trace`` it."""

    def noted(self, here: Occurrence, value: V) -> V:
        """Take note of what a part gave."""
        return value

    def hole(self, here: Occurrence) -> V:
        """The network of a hole."""
        raise ProgramError("the program has holes, with networks in them that nobody can read")


class Algebra(Protocol[V]):
    """What the meaning of a library function is traced with."""

    def feature(self, column: int) -> V:
        """A feature in the data's own units."""

    def literal(self, number: float) -> V:
        """A number."""

    def component(self, value: V, index: int) -> V:
        """One component of a value."""

    def pointwise(self, primitive: Primitive, operands: Sequence[V]) -> V:
        """A primitive, applied to each component."""


def value_of(here: Occurrence, at: Site[V]) -> V:
    """The value of a part of a program at a site."""
    if isinstance(here.node, Hole):
        return at.hole(here)
    return at.noted(here, here.node.operation.value(here, at))


def evaluate(program: Program, at: Site[V]) -> V:
    """The value of a program, on the sequences or the vectors of a site."""
    return value_of(Occurrence((), program), at.whole() if program.signature.summarises else at)


def trace(expression: Expression, algebra: Algebra[V], arguments: Sequence[V]) -> V:
    """The value of a library function's meaning; what stands in it twice is computed once."""
    known: dict[Expression, V] = {}

    def of(part: Expression) -> V:
        match part:
            case Expression(kind="argument", value=int(index)):
                return arguments[index]
            case Expression(kind="feature", value=int(column)):
                return algebra.feature(column)
            case Expression(kind="literal", value=float(number)):
                return algebra.literal(number)
        value = known.get(part)
        if value is None:
            operands = [of(each) for each in part.operands]
            if part.kind == "component":
                assert isinstance(part.value, int)
                value = algebra.component(operands[0], part.value)
            else:
                value = algebra.pointwise(PRIMITIVES[part.kind], operands)
            known[part] = value
        return value

    return of(expression)
