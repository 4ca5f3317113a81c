"""Neural relaxation: the networks that stand in holes, one declaration each.

sequence → sequence and sequence → vector: a one-layer LSTM, then a linear layer;
vector → vector: one hidden ReLU layer. The root hole alone is the RNN baseline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nearstar.language.meaning import Occurrence
from nearstar.language.operation import Matrix
from nearstar.language.operators.leaves import NEW
from nearstar.language.primitives import PRIMITIVES, Primitive
from nearstar.language.program import Hole, Path, Program, walk
from nearstar.language.types import Signature
from nearstar.util.errors import ProgramError

V = TypeVar("V")


class NetworkSite(Protocol[V]):
    """What networks are made with, at a site whose backend can train them."""

    def affine(self, here: Occurrence, role: str) -> V:
        """A learned affine map of features and, in a scan, of the accumulator."""

    def layer(self, here: Occurrence, role: str, value: V) -> V:
        """A learned affine map of a value."""

    def recurrent(self, here: Occurrence, gates: str, recurrent: str) -> V:
        """The hidden units of an LSTM over the sequence."""

    def pointwise(self, primitive: Primitive, operands: Sequence[V]) -> V:
        """A primitive, applied to each component."""


class Network(ABC):
    """What may stand in a hole: its parameters, where they start, and its meaning."""

    @abstractmethod
    def matrices(self, signature: Signature, units: int) -> tuple[Matrix, ...]:
        """Its parameters, with so many hidden units."""

    @abstractmethod
    def value(self, here: Occurrence, at: NetworkSite[V]) -> V:
        """What it gives in a hole."""


class HiddenLayer(Network):
    """A vector → vector network: one hidden ReLU layer."""

    def matrices(self, signature: Signature, units: int) -> tuple[Matrix, ...]:
        everything, carried = tuple(range(signature.input.size)), signature.carried
        size, fan_in = signature.output.size, signature.input_size
        return (
            Matrix("hidden", everything, carried, units, fan_in, remember=_remember_in_pairs),
            Matrix("output", (), units, size, units, remember=_remember_of_pairs),
        )

    def value(self, here: Occurrence, at: NetworkSite[V]) -> V:
        hidden = at.pointwise(PRIMITIVES["relu"], [at.affine(here, "hidden")])
        return at.layer(here, "output", hidden)


class Lstm(Network):
    """A network of sequences: one LSTM layer, then a linear one."""

    def matrices(self, signature: Signature, units: int) -> tuple[Matrix, ...]:
        everything = tuple(range(signature.input.size))
        return (
            Matrix("gates", everything, 0, 4 * units, units),
            Matrix("recurrent", (), units, 4 * units, units, bias=False),
            Matrix("output", (), units, signature.output.size, units),
        )

    def value(self, here: Occurrence, at: NetworkSite[V]) -> V:
        return at.layer(here, "output", at.recurrent(here, "gates", "recurrent"))


def network_for(signature: Signature) -> Network:
    """The network of holes of a type."""
    return _HIDDEN_LAYER if signature.maps_vectors else _LSTM


_HIDDEN_LAYER, _LSTM = HiddenLayer(), Lstm()


def _remember_in_pairs(matrix: NDArray[np.float32], features: int, share: float) -> None:
    """A hidden layer: units max(a, 0) and max(−a, 0) for each component a, as far as they go."""
    accumulator = matrix[features:-1]
    for component in range(min(len(accumulator), matrix.shape[1] // 2)):
        pair = slice(2 * component, 2 * component + 2)
        matrix[:, pair] *= NEW
        accumulator[:, pair] = 0.0
        accumulator[component, pair] = 1.0, -1.0


def _remember_of_pairs(matrix: NDArray[np.float32], features: int, share: float) -> None:
    """The layer after it: a = max(a, 0) − max(−a, 0)."""
    matrix *= NEW
    components = min(matrix.shape[1], (len(matrix) - 1) // 2)
    for component in range(components):
        pair = slice(2 * component, 2 * component + 2)
        matrix[pair, :components] = 0.0
        matrix[pair, component] = share, -share


@dataclass(frozen=True, slots=True)
class Units:
    """Hidden units of the networks: halved with each level of the derivation, between bounds."""

    most: int = 16
    least: int = 6

    def __post_init__(self) -> None:
        whole = isinstance(self.least, int) and isinstance(self.most, int)
        if not (whole and 1 <= self.least <= self.most):
            raise ProgramError(
                f"units must be whole numbers, 1 ≤ least ≤ most, not {self.least} and {self.most}"
            )

    def at(self, depth: int) -> int:
        """Units of a hole that the rule number ``depth`` of the derivation opened; 0: the root."""
        return max(self.most >> max(depth - 1, 0), self.least)


def hidden_units(program: Program, units: Units) -> dict[Path, int]:
    """Hidden units of each hole: a function of the program alone."""
    place: dict[Path, int] = {}
    sizes: dict[Path, int] = {}
    for path, node in walk(program):
        if isinstance(node, Hole):
            sizes[path] = units.at(place[path[:-1]] if path else 0)
        else:
            place[path] = len(place) + 1
    return sizes
