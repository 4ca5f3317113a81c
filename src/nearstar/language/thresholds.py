"""Thresholds: what a hard ``if`` asks of one term is whether that is above or below a number.

Such a condition is an affine leaf of one term. Its weight means nothing but its sign, so it is kept
as 1 or -1, and the bias is the number itself; then it prints as ``gap > 3`` or ``gap < 3``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nearstar.language.operators import Affine, Terms
from nearstar.language.parameters import Block, Theta, layout
from nearstar.language.program import Apply, Path, Program, node_at


class Threshold(NamedTuple):
    """Whether a feature is above a number, or below it."""

    name: str
    above: bool
    value: float

    @property
    def sign(self) -> str:
        return ">" if self.above else "<"

    @classmethod
    def of(cls, name: str, weight: float, bias: float) -> Threshold | None:
        """What a leaf of one term asks, if its weight is 1 or -1."""
        if abs(weight) != 1:
            return None
        return cls(name, weight > 0, -bias if weight > 0 else bias)

    @property
    def numbers(self) -> tuple[float, float]:
        """The weight and the bias of the leaf."""
        return (1.0, -self.value) if self.above else (-1.0, self.value)


def asked_of_one(program: Program, path: Path) -> str | None:
    """The term, if what stands there is a leaf of one that a hard ``if`` asks, outside of folds."""
    if not path or path[-1] != 0:
        return None
    leaf, choice = node_at(program, path), node_at(program, path[:-1])
    if not isinstance(leaf, Apply) or not isinstance(choice, Apply) or not choice.operation.is_hard:
        return None
    operation = leaf.operation
    if not isinstance(operation, Affine) or not isinstance(operation.group, Terms):
        return None
    sums = operation.formula(leaf.signature)
    return sums[0][0] if sums is not None and len(sums[0]) == 1 else None


def thresholds_of(program: Program, theta: Theta) -> dict[Path, Threshold]:
    """The conditions that are thresholds, by path."""
    found = {}
    for block, name in _of_one(program):
        weight, bias = block.of(theta).ravel().tolist()
        threshold = Threshold.of(name, weight, bias)
        if threshold is not None:
            found[block.path] = threshold
    return found


def with_thresholds(program: Program, theta: Theta) -> Theta:
    """The same parameters with weights of 1 or -1 where only the sign of a weight counts."""
    result = np.array(theta, np.float64)
    for block, _ in _of_one(program):
        weight, bias = block.of(result).ravel().tolist()
        with np.errstate(all="ignore"):
            value = -np.float64(bias) / np.float64(weight)
            fits = np.isfinite(np.float32(value))  # a weight of nearly 0 is no threshold
        if fits:
            # Never -0: it would be printed.
            threshold = Threshold("", weight > 0, float(value) + 0.0)
            block.of(result)[:, 0] = threshold.numbers
    return result


def _of_one(program: Program) -> Iterator[tuple[Block, str]]:
    for block in layout(program):
        if (name := asked_of_one(program, block.path)) is not None:
            yield block, name
