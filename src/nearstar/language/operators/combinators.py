"""Combinators: functions of sequences made from functions of elements or of prefixes."""

from __future__ import annotations

from dataclasses import dataclass

from nearstar.language.types import Signature, Vector


@dataclass(frozen=True, slots=True)
class Map:
    """``map (fun x. α) x``: α on every element."""

    name = "map"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        return (signature.per_element(),) if signature.maps_sequences else None


@dataclass(frozen=True, slots=True)
class MapPrefix:
    """``mapprefix (fun x. α) x``: element i is α on the first i elements."""

    name = "mapprefix"

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        if not signature.maps_sequences:
            return None
        return (signature.giving(Vector(signature.output.size)),)


@dataclass(frozen=True, slots=True)
class Fold:
    """``fold (fun x. α) c x``: an accumulator, zeros at first, that α updates at every element.

    The accumulator has as many components as the output, or ``accumulator`` if that is more: the
    first ones are then the result, the others memory.
    """

    accumulator: int = 0

    name = "fold"

    def carried(self, signature: Signature) -> int:
        """Components of the accumulator."""
        return max(self.accumulator, signature.output.size)

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        if not signature.summarises:
            return None
        size = self.carried(signature)
        return (signature.giving(Vector(size)).per_element(carried=size),)
