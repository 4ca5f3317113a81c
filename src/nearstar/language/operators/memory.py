"""Memory with one number: a mean that fades."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nearstar.language.meaning import Occurrence, Site, value_of
from nearstar.language.operation import HALF_LIFE, Matrix, Operation
from nearstar.language.program import Apply
from nearstar.language.types import Signature
from nearstar.language.view import View

V = TypeVar("V")

START = 10.0
"""The half-life, in frames, that training starts from, about: from half to twice as much."""


@dataclass(frozen=True, slots=True)
class Memory(Operation):
    """``memory[12.5] (fun x. α) x``: the mean of α so far, half of which is gone 12.5 frames later.

    At each element it keeps the share r = 2^(−1 / half-life) of what it was, and takes 1 − r of
    what α is there. It starts as α of the first element: a constant stays what it is, and the
    beginning of a sequence is not drawn to 0. α sees the element alone.
    """

    name = "memory"
    prints = "memory{w} (fun {fun}. {0}) {x}"
    latex = r"{symbol}\left({bound} \mapsto {0}\right)({x})"
    rules = ("summaries",)
    opens = 1

    def arguments(self, signature: Signature) -> tuple[Signature, ...] | None:
        return (signature.per_element(),) if signature.summarises else None

    def value(self, here: Occurrence, at: Site[V]) -> V:
        return at.fade(here, value_of(here.argument(0), at.everywhere()))

    def sees(self, view: View, signature: Signature, argument: Signature) -> View:
        return View()

    def words(self, node: Apply, features: str, view: View) -> str:
        return "the mean of all frames so far, in which older ones fade"

    def matrices(self, signature: Signature) -> tuple[Matrix, ...]:
        return (Matrix(HALF_LIFE, (), 0, 1, 1, start=math.log2(START)),)


def share_kept(half_life: float) -> float:
    """What a memory of a half-life keeps of itself at each element."""
    return float(0.5 ** (1.0 / half_life))


def faded(
    values: NDArray[np.float64], offsets: NDArray[np.int64], half_life: float
) -> NDArray[np.float64]:
    """The memory of values with this half-life, of sequences that begin and end at the offsets."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    kept, means = share_kept(half_life), np.array(values)
    for step in range(1, int(lengths.max())):  # all sequences go step by step together
        rows = starts[lengths > step] + step
        means[rows] = kept * means[rows - 1] + (1 - kept) * values[rows]
    return means
