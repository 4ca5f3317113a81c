"""Leaves: where an expression meets its input, or a learned constant."""

from __future__ import annotations

from dataclasses import dataclass

from nearstar.language.types import Signature


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
class Affine:
    """``PositionAffine[w; b](x)``: an affine map of a feature group, learned.

    Inside a fold it sees the accumulator too. ``group`` None: the full input, printed ``Affine``.
    """

    group: Group | None = None

    @property
    def name(self) -> str:
        """As it prints."""
        return f"{self.group.title}Affine" if self.group else "Affine"

    def columns(self, signature: Signature) -> tuple[int, ...]:
        """Features it reads."""
        return self.group.columns if self.group else tuple(range(signature.input.size))

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        fits = signature.maps_vectors and max(self.columns(signature)) < signature.input.size
        return () if fits else None


@dataclass(frozen=True, slots=True)
class Select:
    """``sel_position x``: the features of a group as they are, where their number fits."""

    group: Group

    @property
    def name(self) -> str:
        """As it prints."""
        return f"sel_{self.group.name}"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        columns = self.group.columns
        fits = (
            signature.maps_vectors
            and len(columns) == signature.output.size
            and max(columns) < signature.input.size
        )
        return () if fits else None


@dataclass(frozen=True, slots=True)
class Constant:
    """``const[v]``: a learned constant vector."""

    name = "const"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        return () if signature.maps_vectors else None


@dataclass(frozen=True, slots=True)
class Input:
    """``x``: the variable itself, where its type fits; inside a fold with the accumulator."""

    name = "x"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        same_kind = type(signature.input) is type(signature.output)
        return () if same_kind and signature.input_size == signature.output.size else None
