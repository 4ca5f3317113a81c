"""Neural relaxation: which network stands in a hole.

sequence → sequence and sequence → vector: a one-layer LSTM, then a linear layer;
vector → vector: one hidden ReLU layer. The root hole alone is the RNN baseline.
"""

from __future__ import annotations

from dataclasses import dataclass

from nearstar.language.program import Hole, Path, Program, walk
from nearstar.util.errors import ProgramError


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
