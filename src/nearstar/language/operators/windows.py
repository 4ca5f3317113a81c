"""Windows: a summary of the elements around a position, given to a function of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nearstar.language.types import Signature
from nearstar.util.errors import DomainError

Reduction = Literal["Average", "Max", "Min", "Change"]
REDUCTIONS: tuple[Reduction, ...] = ("Average", "Max", "Min", "Change")
MAX_SIZE = 1_000_000


@dataclass(frozen=True, slots=True)
class Window:
    """A reduction of the last ``size`` elements, or of those centred on the position.

    As a function of a whole sequence it is taken at the last element; under mapprefix, at each one.
    Only real elements count: a window is cut off at both ends of its sequence. A centred window
    under mapprefix looks ahead by size // 2 elements. Change is the last element of the window
    minus its first.
    """

    reduction: Reduction
    size: int
    centred: bool = False

    def __post_init__(self) -> None:
        if self.reduction not in REDUCTIONS:
            raise DomainError(f"a window's reduction is one of {REDUCTIONS}, not {self.reduction}")
        if not 1 <= self.size <= MAX_SIZE:
            raise DomainError(f"a window's size is from 1 to {MAX_SIZE}, not {self.size}")
        if self.centred and self.size % 2 == 0:
            raise DomainError(f"a centred window has an odd size, not {self.size}")

    @property
    def name(self) -> str:
        """As it prints: SlidingWindowAverage10, CentredWindowAverage11, …"""
        return f"{'Centred' if self.centred else 'Sliding'}Window{self.reduction}{self.size}"

    @property
    def back(self) -> int:
        """Elements before the position that it reaches to."""
        return self.size // 2 if self.centred else self.size - 1

    @property
    def ahead(self) -> int:
        """Elements after the position that it reaches to."""
        return self.size // 2 if self.centred else 0

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        return (signature.per_element(),) if signature.summarises else None
