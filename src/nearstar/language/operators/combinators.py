"""Combinators: functions of sequences made from functions of elements or of prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from nearstar.language.meaning import Occurrence, Site, value_of
from nearstar.language.operation import Operation
from nearstar.language.program import Apply, applied
from nearstar.language.types import Signature, Vector
from nearstar.language.view import View

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Map(Operation):
    """``map (fun x. α) x``: α on every element."""

    name = "map"
    prints = "map (fun {fun}. {0}) {x}"
    latex = r"{symbol}\left({bound} \mapsto {0}\right)({x})"
    rules = ("sequences",)
    opens = 1

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        return (signature.per_element(),) if signature.maps_sequences else None

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return value_of(here.argument(0), at)

    def words(self, node: Apply, features: str, view: View) -> str:
        return "at every frame"


@dataclass(frozen=True, slots=True)
class MapPrefix(Operation):
    """``mapprefix (fun x. α) x``: element i is α on the first i elements."""

    name = "mapprefix"
    prints = "mapprefix (fun {fun}. {0}) {x}"
    latex = Map.latex
    rules = ("sequences",)
    opens = 1

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        if not signature.maps_sequences:
            return None
        return (signature.giving(Vector(signature.output.size)),)

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return value_of(here.argument(0), at)

    def sees(self, view: View, signature: Signature, argument: Signature) -> View:
        return View()

    def words(self, node: Apply, features: str, view: View) -> str:
        ahead = any(each.operation.ahead for each in applied(node))
        return f"at every frame, from the frames {'around' if ahead else 'up to'} it"


@dataclass(frozen=True, slots=True)
class Fold(Operation):
    """``fold (fun x. α) c x``: an accumulator, zeros at first, that α updates at every element.

    The accumulator has as many components as the output, or ``accumulator`` if that is more: the
    first ones are then the result, the others memory.
    """

    accumulator: int = 0

    name = "fold"
    prints = "fold (fun {fun}. {0}) {c} {x}"
    latex = r"{symbol}\left(({bound}, c) \mapsto {0}\right)({x})"
    noun = "states"
    rules = ("summaries",)
    opens = 1
    recurs = True

    def carried(self, signature: Signature) -> int:
        """Components of the accumulator."""
        return max(self.accumulator, signature.output.size)

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        if not signature.summarises:
            return None
        size = self.carried(signature)
        return (signature.giving(Vector(size)).per_element(carried=size),)

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return at.scan(here, lambda step: value_of(here.argument(0), step))

    def sees(self, view: View, signature: Signature, argument: Signature) -> View:
        return View()

    def words(self, node: Apply, features: str, view: View) -> str:
        return "frame by frame, with an accumulator that is 0 at first"

    def details(self, signature: Signature, features: Sequence[str]) -> dict[str, object]:
        return {"accumulator_size": self.carried(signature)}

    def shares(self, share: float, memory: float, able: Sequence[bool]) -> tuple[float, ...]:
        return (memory,)
