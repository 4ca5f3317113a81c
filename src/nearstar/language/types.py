"""Types of the language: vectors, sequences of vectors, and functions between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from nearstar.util.errors import ProgramError


@dataclass(frozen=True, slots=True)
class Vector:
    """A real vector of a known size."""

    size: int

    def __str__(self) -> str:
        return f"Vector({self.size})"


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence, of any length from 1, of vectors of a known size."""

    size: int

    def __str__(self) -> str:
        return f"Sequence({self.size})"


@dataclass(frozen=True, slots=True)
class Signature:
    """The type of a program: from a vector or a sequence to a vector or a sequence.

    Inside a fold the input of an expression is an element with the accumulator appended;
    ``carried`` is the number of the accumulator's components (0 outside of folds).
    """

    input: Vector | Sequence
    output: Vector | Sequence
    carried: int = 0
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for end in (self.input, self.output):
            if not isinstance(end, Vector | Sequence):
                raise ProgramError(f"a signature is of Vector(n) and Sequence(n), not {end!r}")
            if type(end.size) is not int or end.size < 1:
                raise ProgramError(f"sizes are whole numbers from 1, not {end.size!r}")
        if isinstance(self.input, Vector) and isinstance(self.output, Sequence):
            raise ProgramError(f"a vector cannot become a sequence: {self}")
        if self.carried and isinstance(self.input, Sequence):
            raise ProgramError(f"only vectors carry an accumulator: {self}")
        kinds = self.maps_vectors, self.maps_sequences
        found = hash((*kinds, self.input.size, self.output.size, self.carried))
        object.__setattr__(self, "_hash", found)

    def __hash__(self) -> int:
        return self._hash  # found once: signatures are what most tables are looked up by

    def __reduce__(self) -> tuple[object, ...]:
        return Signature, (self.input, self.output, self.carried)

    @property
    def maps_vectors(self) -> bool:
        """vector → vector."""
        return isinstance(self.input, Vector)

    @property
    def maps_sequences(self) -> bool:
        """sequence → sequence."""
        return isinstance(self.output, Sequence)

    @property
    def summarises(self) -> bool:
        """sequence → vector."""
        return isinstance(self.input, Sequence) and isinstance(self.output, Vector)

    @property
    def kind(self) -> Literal["sequences", "summaries", "vectors"]:
        """Which of the three it is, as rules are listed by it."""
        if self.maps_vectors:
            return "vectors"
        return "summaries" if self.summarises else "sequences"

    @property
    def input_size(self) -> int:
        """Components that the variable has here, the accumulator included."""
        return self.input.size + self.carried

    def per_element(self, carried: int = 0) -> Signature:
        """The type of a body that is applied to single elements of this input."""
        return Signature(Vector(self.input.size), Vector(self.output.size), carried)

    def giving(self, output: Vector | Sequence) -> Signature:
        """The same input, another output."""
        return Signature(self.input, output, self.carried)

    @classmethod
    def from_dict(cls, ends: Mapping[str, Any]) -> Signature:
        """The type of this plain JSON, as ``to_dict`` gives it."""
        kinds = {each.__name__: each for each in (Vector, Sequence)}
        source, target = (kinds[kind](size) for kind, size in (ends["input"], ends["output"]))
        return cls(source, target)

    def to_dict(self) -> dict[str, list[str | int]]:
        """Both ends as plain JSON: ``["Sequence", 19]``."""
        ends = {"input": self.input, "output": self.output}
        return {name: [type(end).__name__, end.size] for name, end in ends.items()}

    def __str__(self) -> str:
        carried = f" + {self.carried} carried" if self.carried else ""
        return f"{self.input}{carried} → {self.output}"
