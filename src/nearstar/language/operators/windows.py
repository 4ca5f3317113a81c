"""Windows: a summary of the elements around a position, given to a function of vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from nearstar.language.meaning import Occurrence, Site, value_of
from nearstar.language.operation import Operation
from nearstar.language.program import Apply
from nearstar.language.reductions import REDUCTIONS, Reduction
from nearstar.language.types import Signature
from nearstar.language.view import View
from nearstar.util.errors import DomainError

V = TypeVar("V")

MAX_SIZE = 1_000_000
_NAME = re.compile(rf"(Sliding|Centred)Window({'|'.join(REDUCTIONS)})([1-9][0-9]{{0,6}})")


@dataclass(frozen=True, slots=True)
class Window(Operation):
    """A reduction of the last ``size`` elements, or of those centred on the position.

    As a function of a whole sequence it is taken at the last element; under mapprefix, at each one.
    Only real elements count: a window is cut off at both ends of its sequence. A centred window
    under mapprefix looks ahead by size // 2 elements. For what each reduction is see
    ``reductions.py``.
    """

    reduction: str
    size: int
    centred: bool = False

    rules = ("summaries",)
    opens = 1
    noun = "window"

    def __post_init__(self) -> None:
        if self.reduction not in REDUCTIONS:
            known = tuple(REDUCTIONS)
            raise DomainError(f"a window's reduction is one of {known}, not {self.reduction}")
        if not 1 <= self.size <= MAX_SIZE:
            raise DomainError(f"a window's size is from 1 to {MAX_SIZE}, not {self.size}")
        if self.centred and self.size % 2 == 0:
            raise DomainError(f"a centred window has an odd size, not {self.size}")

    @classmethod
    def named(cls, name: str) -> Window | None:
        """The window that prints so; DomainError for one that cannot be."""
        if name == Last().name:
            return Last()
        match = _NAME.fullmatch(name)
        return match and cls(match[2], int(match[3]), match[1] == "Centred")

    @property
    def name(self) -> str:
        """As it prints: SlidingWindowAverage10, CentredWindowAverage11, …"""
        return f"{'Centred' if self.centred else 'Sliding'}Window{self.reduction}{self.size}"

    @property
    def prints(self) -> str:
        return f"{self.name}({{0}})"

    @property
    def reduces(self) -> Reduction:
        """What it makes of its elements."""
        return REDUCTIONS[self.reduction]

    @property
    def back(self) -> int:
        """Elements before the position that it reaches to."""
        return self.size // 2 if self.centred else self.size - 1

    @property
    def ahead(self) -> int:  # type: ignore[override]
        """Elements after the position that it reaches to."""
        return self.size // 2 if self.centred else 0

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        return (signature.per_element(),) if signature.summarises else None

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return value_of(here.argument(0), at.window(here, self))

    def sees(self, view: View, signature: Signature, argument: Signature) -> View:
        # At the end of a sequence nothing is ahead.
        return View(self.reduces, self.back, 0 if view.at_end else self.ahead, view.at_end)

    def words(self, node: Apply, features: str, view: View) -> str:
        return view.of_each

    def details(self, signature: Signature, features: Sequence[str]) -> dict[str, object]:
        return {
            "reduction": self.reduction.lower(),
            "before": self.back,
            "after": self.ahead,
        }


@dataclass(frozen=True, slots=True)
class Last(Window):
    """``last (fun x. α) x``: α of the last element; all there is to read where features are
    statistics of the whole sequence."""

    reduction: str = "Average"
    size: int = 1

    name = "last"
    prints = "last (fun {fun}. {0}) {x}"

    def words(self, node: Apply, features: str, view: View) -> str:
        return "at the end of the sequence"
