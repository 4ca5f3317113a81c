"""Leaves: where an expression meets its input, or a learned constant."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nearstar.language.feature_names import written_name
from nearstar.language.meaning import Occurrence, Site
from nearstar.language.operation import Matrix, Operation, count
from nearstar.language.program import Apply
from nearstar.language.template import Piece, pieces
from nearstar.language.types import Sequence, Signature
from nearstar.language.view import View
from nearstar.util.errors import ProgramError

V = TypeVar("V")

NEW = 0.3
"""Where a fold remembers from the beginning, what an element adds is smaller by this than
elsewhere, for it adds up."""


@dataclass(frozen=True, slots=True)
class Group:
    """A named set of features."""

    name: str
    columns: tuple[int, ...]

    @property
    def title(self) -> str:
        """As in affine leaves: distance_change gives DistanceChange."""
        return "".join(part[:1].upper() + part[1:] for part in self.name.split("_"))


@dataclass(frozen=True, slots=True)
class Terms:
    """Features chosen one by one, in the order of their columns."""

    names: tuple[str, ...]
    columns: tuple[int, ...]
    each: tuple[tuple[int, ...], ...] = ()
    """For each output the places, among these, of those that it reads; if empty, all read all."""

    def __post_init__(self) -> None:
        if not self.columns or len(self.names) != len(self.columns):
            raise ProgramError("terms are features by their names and columns, one at least")
        if any(column >= after for column, after in pairwise(self.columns)):
            raise ProgramError(f"terms are in the order of their columns, not {self.columns}")

    @classmethod
    def of(cls, lists: abc.Sequence[abc.Iterable[str]], features: abc.Sequence[str]) -> Terms:
        """Terms of these names, of all features of the data: a list for all outputs, or for each
        of them its own."""
        columns = [[features.index(name) for name in names] for names in lists]
        return cls.of_columns(columns, dict(enumerate(features)))

    @classmethod
    def of_columns(
        cls, lists: abc.Sequence[abc.Iterable[int]], names: abc.Mapping[int, str]
    ) -> Terms:
        """Terms of these columns, with the names of columns."""
        wanted = [set(own) for own in lists]
        columns = sorted(set().union(*wanted))
        each = tuple(
            tuple(place for place, column in enumerate(columns) if column in own) for own in wanted
        )
        same = all(len(own) == len(columns) for own in each)
        return cls(tuple(names[c] for c in columns), tuple(columns), () if same else each)

    def read_by(self, output: int) -> tuple[int, ...]:
        """The places of the terms that an output reads."""
        return self.each[output] if self.each else tuple(range(len(self.columns)))

    @property
    def absent(self) -> tuple[tuple[int, int], ...]:
        """The places of terms, and the outputs that do not read them."""
        places = range(len(self.columns))
        return tuple(
            (place, output)
            for output, own in enumerate(self.each)
            for place in places
            if place not in own
        )

    @property
    def text(self) -> str:
        """The terms in braces; where outputs read different ones, those of each."""
        lists = [self.read_by(output) for output in range(max(len(self.each), 1))]
        written = (", ".join(written_name(self.names[place]) for place in own) for own in lists)
        return f"{{{' | '.join(written)}}}"


@dataclass(frozen=True, slots=True)
class Few:
    """Features, all or those of a group, of which training chooses a few; until it has, it is all
    of them."""

    names: tuple[str, ...]
    columns: tuple[int, ...]
    """In order."""
    title: str = ""
    """That of the group."""
    most: int | None = None
    """How many each output may choose; None: any number."""

    @classmethod
    def of(
        cls, features: abc.Sequence[str], group: Group | None = None, most: int | None = None
    ) -> Few:
        """Some of all features of the data, or of those of a group."""
        columns = tuple(sorted(group.columns) if group else range(len(features)))
        names = tuple(features[column] for column in columns)
        return cls(names, columns, group.title if group else "", most)

    @property
    def text(self) -> str:
        """A star in braces, with the most that it may choose."""
        return "{*}" if self.most is None else f"{{*{self.most}}}"

    def chosen(self, columns: abc.Sequence[abc.Iterable[int]]) -> Terms:
        """Those of these columns, for each output."""
        names = dict(zip(self.columns, self.names, strict=True))
        return Terms.of_columns(columns, names)


@dataclass(frozen=True, slots=True)
class Affine(Operation):
    """``PositionAffine[w; b](x)``: an affine map of a feature group, learned.

    Inside a fold it sees the accumulator too. ``group`` None: the full input, printed ``Affine``.
    A few ``Terms`` print as ``Affine{gap, speed}(x)`` or, with numbers, as a sum:
    ``(.64·gap - .31·speed - 5.6)``. Where several outputs read different ones they are listed for
    each, ``Affine{gap | speed | }(x)``, and so are the sums, ``(.64·gap - 1 | .3·speed | .5)``.
    Where terms are still to be chosen it is ``Affine{*}(x)``, or ``PositionAffine{*3}(x)`` for at
    most three of a group, for each output.
    """

    group: Group | Terms | Few | None = None

    family = "affine"
    latex = "{symbol}{inputs}"

    @property
    def name(self) -> str:
        """As it prints."""
        terms = self.group.text if isinstance(self.group, Terms | Few) else ""
        return f"{self.word}{terms}"

    @property
    def word(self) -> str:
        """What its name begins with, before the terms."""
        return f"{self.group.title}Affine" if isinstance(self.group, Group | Few) else "Affine"

    @property
    def prints(self) -> str:
        return f"{self.word}{{w}}({{x}})"

    @property
    def form(self) -> tuple[Piece, ...]:
        first, *rest = pieces(self.prints)
        if isinstance(self.group, Terms | Few):
            rest.insert(0, Piece("terms", self.group.text, False))
        return first, *rest

    @property
    def noun(self) -> str:
        return f"{self.group.name}_affine".lower() if isinstance(self.group, Group) else "affine"

    def refines(self, other: Operation, signature: Signature) -> bool:
        if not isinstance(other, Affine) or isinstance(self.group, Few):
            return False
        few = isinstance(self.group, Terms) or isinstance(other.group, Few)
        own, most = self.columns(signature), other.most_terms
        sums = self.group.each if isinstance(self.group, Terms) and self.group.each else (own,)
        within = most is None or max(map(len, sums)) <= most
        return few and within and set(own) <= set(other.columns(signature))

    def formula(self, signature: Signature) -> abc.Sequence[abc.Sequence[str]] | None:
        if not isinstance(self.group, Terms) or signature.carried:
            return None
        names, outputs = self.group.names, range(signature.output.size)
        return [[names[place] for place in self.group.read_by(output)] for output in outputs]

    def choosing(self, features: abc.Sequence[str], most: int | None) -> Affine:
        """The leaf that chooses some of what this one reads, a group or all features."""
        group = self.group if isinstance(self.group, Group) else None
        return Affine(Few.of(features, group, most))

    @property
    def chooses_terms(self) -> bool:
        return isinstance(self.group, Few)

    @property
    def most_terms(self) -> int | None:
        return self.group.most if isinstance(self.group, Few) else None

    def with_terms(self, columns: abc.Sequence[abc.Iterable[int]]) -> Affine:
        assert isinstance(self.group, Few)
        return Affine(self.group.chosen(columns))

    def columns(self, signature: Signature) -> tuple[int, ...]:
        return self.group.columns if self.group else tuple(range(signature.input.size))

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        fits = signature.maps_vectors and max(self.columns(signature)) < signature.input.size
        if isinstance(self.group, Terms) and self.group.each:
            fits = fits and len(self.group.each) == signature.output.size
        return () if fits else None

    def misfit(self, signature: Signature) -> str:
        own = self.group.each if isinstance(self.group, Terms) else ()
        wrong = signature.maps_vectors and own and len(own) != signature.output.size
        return f"gives {count(len(own))}" if wrong else Operation.misfit(self, signature)

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return at.affine(here)

    def matrices(self, signature: Signature) -> tuple[Matrix, ...]:
        columns, carried = self.columns(signature), signature.carried
        size, fan_in = signature.output.size, len(columns) + carried
        absent = self.group.absent if isinstance(self.group, Terms) else ()
        fades = isinstance(self.group, Terms | Few)
        return (
            Matrix(
                "affine", columns, carried, size, fan_in, True, _remember,
                fades=fades, absent=absent,
            ),
        )  # fmt: skip


def _remember(matrix: NDArray[np.float32], features: int, share: float) -> None:
    """Each output keeps a share of its own component."""
    matrix *= NEW
    matrix[features:-1] = share * np.eye(matrix.shape[1], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Select(Operation):
    """``sel_position x``: the features of a group as they are, where their number fits."""

    group: Group

    family = "sel"
    latex = "{symbol}({x})"

    @property
    def name(self) -> str:
        """As it prints."""
        return f"sel_{self.group.name}"

    @property
    def prints(self) -> str:
        return f"{self.name} {{x}}"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        columns = self.group.columns
        fits = (
            signature.maps_vectors
            and len(columns) == signature.output.size
            and max(columns) < signature.input.size
        )
        return () if fits else None

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return at.features(here, self.group.columns)

    def columns(self, signature: Signature) -> tuple[int, ...]:
        return self.group.columns

    def picks(self, signature: Signature) -> tuple[int, ...]:
        return self.group.columns

    def words(self, node: Apply, features: str, view: View) -> str:
        return f"{features}, unchanged"

    def details(self, signature: Signature, features: abc.Sequence[str]) -> dict[str, object]:
        return {"features": [features[column] for column in self.group.columns]}


@dataclass(frozen=True, slots=True)
class Constant(Operation):
    """``const[v]``: a learned constant vector.

    With the names of classes it is ``class``: training chooses the one that it names, that of its
    largest component, and with parameters it prints as that name.
    """

    classes: tuple[str, ...] = ()

    latex = "{symbol}"

    @property
    def name(self) -> str:
        """As it prints."""
        return "class" if self.classes else "const"

    @property
    def noun(self) -> str:
        return "answer" if self.classes else "constant"

    @property
    def prints(self) -> str:
        return f"{self.name}{{w}}"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        fits = not self.classes or self._tells(signature.output.size)
        return () if signature.maps_vectors and fits else None

    def _tells(self, outputs: int) -> bool:
        """Whether so many outputs tell the classes: one tells two, by its sign."""
        return outputs == len(self.classes) or (outputs, len(self.classes)) == (1, 2)

    def named(self, values: NDArray[np.floating]) -> str:
        """The class that values for the outputs name, as they are in single precision."""
        with np.errstate(over="ignore"):
            single = values.astype(np.float32)
        place = int(single[0] > 0) if len(single) == 1 else int(np.argmax(single))
        return self.classes[place]

    def numbers_of(self, name: str, outputs: int) -> NDArray[np.float64]:
        """Values for the outputs that name a class."""
        place = self.classes.index(name)
        return np.array([2.0 * place - 1]) if outputs == 1 else np.eye(outputs)[place]

    def misfit(self, signature: Signature) -> str:
        if not signature.maps_vectors:
            return Operation.misfit(self, signature)
        return f"tells {len(self.classes)} classes"

    def numbers(self, signature: Signature) -> int:
        return 1 if self.classes else Operation.numbers(self, signature)

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return at.constant(here)

    def matrices(self, signature: Signature) -> tuple[Matrix, ...]:
        return (Matrix("constant", (), 0, signature.output.size, 1),)


@dataclass(frozen=True, slots=True)
class Input(Operation):
    """``x``: the variable itself, where its type fits; inside a fold with the accumulator."""

    name = "x"
    prints = "{x}"
    latex = "{variable}"
    rules = ("sequences", "vectors")

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        same_kind = type(signature.input) is type(signature.output)
        return () if same_kind and signature.input_size == signature.output.size else None

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return at.variable(here)

    def columns(self, signature: Signature) -> tuple[int, ...]:
        return tuple(range(signature.input.size))

    def picks(self, signature: Signature) -> tuple[int, ...]:
        return tuple(range(signature.input_size))

    def misfit(self, signature: Signature) -> str:
        if isinstance(signature.input, Sequence) and signature.summarises:
            return "is a sequence"
        return f"has {count(signature.input_size)}"

    def words(self, node: Apply, features: str, view: View) -> str:
        carried = " and the accumulator" if node.signature.carried else ""
        return f"{features}{carried}, unchanged"
