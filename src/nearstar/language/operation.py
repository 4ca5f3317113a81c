"""Operations: what a node of a program does, all in one declaration.

A declaration has the operation's form in text (printed and parsed by the same template), its words,
its types, its cost, its parameters and where they start, and its meaning over any backend
(``meaning.py``). The built-in ones are in ``operators/``, library functions in ``function.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from nearstar.language.template import Piece, pieces
from nearstar.language.types import Signature

if TYPE_CHECKING:
    from nearstar.language.meaning import Occurrence, Site
    from nearstar.language.program import Apply
    from nearstar.language.view import View

V = TypeVar("V")

Remember = Callable[[NDArray[np.float32], int, float], None]
"""Makes a starting matrix, of so many features, give back a share of the accumulator it reads."""


HALF_LIFE = "half-life"
"""The role of a memory's one number, a positive one, in frames."""


@dataclass(frozen=True)
class Matrix:
    """The shape of a learned linear map: a row for each input, a column for each output."""

    role: str
    """What tells it from others of the same node: affine, constant; hidden, gates, ….
    """
    columns: tuple[int, ...]
    """Features that it reads."""
    others: int
    """Further inputs: an accumulator, hidden units."""
    outputs: int
    fan_in: int
    """What decides how large its values are where training starts."""
    bias: bool = True
    remember: Remember | None = None
    fades: bool = False
    """Whether its weights are drawn to 0 while they are trained: there may be many of them."""
    absent: tuple[tuple[int, int], ...] = ()
    """Weights that are 0 for good, by row and output: the output does not read the feature."""
    start: float = 0.0
    """What its values are drawn around where training starts."""

    @property
    def rows(self) -> int:
        return len(self.columns) + self.others + self.bias

    @property
    def is_half_life(self) -> bool:
        """Whether it is one positive number, whose logarithm, of base 2, is what is trained."""
        return self.role == HALF_LIFE


class Operation(ABC):
    """What a node does. Operations are immutable, hashable values."""

    __slots__ = ()

    if TYPE_CHECKING:  # fields, class variables or properties of those who inherit this

        @property
        def name(self) -> str:
            """The name that grammars, constraints and cost tables use."""

        @property
        def prints(self) -> str:
            """Its template: words, ``{0}``, ``{1}``, … for the arguments, ``{x}`` for the variable,
            ``{fun}`` for what a lambda binds, ``{w}`` for parameters."""

    rules: tuple[str, ...] = ("vectors",)
    """Kinds of holes that it may be a rule for: sequences, summaries, vectors."""
    family = ""
    """The name in grammars and constraints of all that are alike, such as ``affine``."""
    opens = 0
    """Holes that it opens as a rule: the number of its arguments."""
    cost: float | None = None
    """Structural cost; None: the grammar's penalty for each hole that it opens."""
    recurs = False
    """Whether it applies its argument again and again, to what that gave before."""
    ahead = 0
    """Elements after the position that it sees."""
    beta: float | None = None
    """Temperature of a smooth choice; None: it makes none."""
    latex = r"{symbol}\left({0}\right)"
    """Its form in equations: {symbol} is its name, {x} the variable, {bound} what a lambda binds,
    {inputs} and {variable} what it reads, with the accumulator."""

    @abstractmethod
    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        """Types of the arguments where the operation has this type; None if it cannot have it."""

    @abstractmethod
    def value(self, here: Occurrence, at: Site[V]) -> V:
        """What it means: its value at a site, by the methods of the backend."""

    def misfit(self, signature: Signature) -> str:
        """What it is, that makes it unfit for a place of this type."""
        if not signature.maps_vectors or "vectors" not in self.rules:
            return _MISFITS[self.rules[0]]
        columns = self.columns(signature)
        if columns and max(columns) >= signature.input.size:
            return f"reads feature {max(columns)}, counted from 0, of only {signature.input.size}"
        return f"gives {count(len(columns))}"

    @property
    def form(self) -> tuple[Piece, ...]:
        """The pieces that its text is made of; the first one tells which operation it is."""
        return pieces(self.prints)

    def refines(self, other: Operation, signature: Signature) -> bool:
        """Whether it is a leaf that another one can be, with weights of 0: wherever a grammar has
        that, this may stand."""
        return False

    def formula(self, signature: Signature) -> Sequence[Sequence[str]] | None:
        """The names that its weights are of, for each output, where it prints with them as sums;
        else None."""
        return None

    @property
    def noun(self) -> str:
        """What a person would call its value."""
        return self.name.lower()

    def words(self, node: Apply, features: str, view: View) -> str:
        """What it does in words; ``features`` it reads, ``view`` is what its arguments see."""
        return ""

    def sees(self, view: View, signature: Signature, argument: Signature) -> View:
        """What an argument of this type sees, where the operation itself, of this type, sees so."""
        # What is no sequence, in a sequence, is of the whole of it.
        return view.end() if signature.maps_sequences and argument.summarises else view

    def details(self, signature: Signature, features: Sequence[str]) -> dict[str, object]:
        """What else decides its meaning, as plain JSON; ``features`` are the names of all."""
        return {}

    def columns(self, signature: Signature) -> tuple[int, ...]:
        """The columns of the data that it reads by itself, without its arguments."""
        return ()

    def picks(self, signature: Signature) -> tuple[int, ...] | None:
        """The components of the input that are its value, if it does nothing but choose them."""
        return None

    def matrices(self, signature: Signature) -> tuple[Matrix, ...]:
        """Its parameters."""
        return ()

    @property
    def is_hard(self) -> bool:
        """Whether it takes one of its arguments alone, by a condition, its first one."""
        return False

    def softened(self, beta: float) -> Operation:
        """What it is trained as, if it is hard: the smooth one of a temperature. Else itself."""
        return self

    @property
    def chooses_terms(self) -> bool:
        """Whether it reads features of which training chooses a few."""
        return False

    @property
    def most_terms(self) -> int | None:
        """How many each output may choose; None: any number."""
        return None

    def with_terms(self, columns: Sequence[Iterable[int]]) -> Operation:
        """What it is once these are chosen, for each output."""
        raise TypeError(f"{self.name} has no terms to choose")

    def numbers(self, signature: Signature) -> int:
        """Numbers to read: where terms are to be chosen, the fewest that there can be."""
        if self.chooses_terms:  # a term at least for all outputs together, and what else there is
            return sum(
                (matrix.rows - len(matrix.columns)) * matrix.outputs + 1
                for matrix in self.matrices(signature)
            )
        return sum(
            matrix.rows * matrix.outputs - len(matrix.absent) for matrix in self.matrices(signature)
        )

    def shares(self, share: float, memory: float, able: Sequence[bool]) -> tuple[float, ...]:
        """What each argument gives back of a fold's accumulator where training starts, for this
        one to give back a share; ``able`` are the arguments that can."""
        return (0.0,) * len(able)


_MISFITS = {
    "sequences": "gives a sequence",
    "summaries": "makes one vector of a sequence",
    "vectors": "is a function of vectors",
}


def count(numbers: int | str) -> str:
    """So many numbers, in words."""
    return f"{numbers} number{'' if numbers == 1 else 's'}"
