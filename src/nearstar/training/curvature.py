"""What the loss is in the weights of one leaf, near where they are: a bowl, by its curvature.

It tells what is lost without a term once the other weights make up for it (optimal brain surgeon:
Hassibi & Stork 1992), and what a further one would bring.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger

from nearstar.language.choosing import Columns
from nearstar.language.parameters import Block
from nearstar.training.sample import Inputs

_RIDGE = 1e-4
"""Of the mean curvature, added to that of each weight: terms may be sums of others."""

Array = NDArray[np.float64]
Key = tuple[int, int]
"""A weight of a leaf: its output and its column."""


def _single(values: Array) -> NDArray[np.float32]:
    """In single precision, which is quicker to sum up."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


class Leaf:
    """A leaf with terms: its weights, and what the loss is in them, near where they are."""

    def __init__(
        self,
        block: Block,
        parameters: NDArray[np.float32],
        inputs: Inputs,
        slopes: Array,
        bent: Array,
    ) -> None:
        """``inputs`` are what there is to read at each element; ``slopes`` is how the loss rises
        with each output there, and ``bent`` how much it bends when two outputs move, for each
        pair."""
        self.block = block
        self._inputs, self._slopes, self._bent = inputs, _single(slopes), _single(bent)
        absent, outputs = set(block.absent), range(block.outputs)
        read = [
            (output, place)
            for output in outputs
            for place in range(len(block.columns))
            if (place, output) not in absent
        ]
        # Weights by their output and their column: first the biases, whose column is that of ones.
        self._outputs = np.array([*outputs, *(output for output, _ in read)])
        biases = [inputs.ones] * block.outputs
        self._columns = np.array([*biases, *(block.columns[place] for _, place in read)])
        matrix = block.of(parameters).astype(np.float64)
        self._weights = np.array([*matrix[-1], *(matrix[place, output] for output, place in read)])
        self._left = self._columns != inputs.ones
        """Terms that were not given up. Biases are none."""
        self._inverse = self._inverted()
        """Of the curvature. Outputs are not apart in it: what one gives up others may make up for,
        as where adding the same to all of them changes nothing."""

    def _inverted(self) -> Array:
        size, outputs = len(self._columns), range(self.block.outputs)
        curvature = np.empty((size, size))
        own = [np.flatnonzero(self._outputs == output) for output in outputs]
        read = [self._inputs.values[:, self._columns[places]] for places in own]
        for one in outputs:
            for other in range(one + 1):
                part = read[one].T @ (read[other] * self._bent[:, one, other, None]) / len(read[0])
                curvature[np.ix_(own[one], own[other])] = part
                curvature[np.ix_(own[other], own[one])] = part.T
        self._ridge = _RIDGE * max(np.trace(curvature) / size, 1e-12)
        if not np.isfinite(self._ridge):
            return np.full_like(curvature, np.nan)
        curvature[np.diag_indices(size)] += self._ridge
        return np.asfortranarray(np.linalg.inv(curvature))  # which BLAS can change in its place

    @property
    def is_known(self) -> bool:
        """Whether its numbers are finite."""
        return bool(np.isfinite(self._inverse).all())

    def least(self, most: int | None = None) -> tuple[float, int]:
        """What is lost at least without a term, and its place; one term stays. With ``most``, of
        those outputs alone that have more terms."""
        allowed = self._left & (self._left.sum() > 1)
        if most is not None:
            counts = np.bincount(self._outputs[allowed], minlength=self.block.outputs)
            allowed &= counts[self._outputs] > most
        diagonal = np.where(allowed, np.diagonal(self._inverse), 1.0)
        lost = np.where(allowed, self._weights**2 / (2 * diagonal), np.inf)
        place = int(lost.argmin())
        return float(lost[place]), place

    def drop(self, place: int) -> None:
        """Give up a term; the other weights make up for it."""
        row = self._inverse[place].copy()
        self._weights -= row * (self._weights[place] / row[place])
        self._inverse = dger(-1 / row[place], row, row, a=self._inverse, overwrite_a=1)
        self._left[place] = False

    def most_gained(self, columns: Columns) -> tuple[float, Key | None]:
        """What is gained at most by one more term of these for each output, and that."""
        best: tuple[float, Key | None] = (0.0, None)
        for output, allowed in enumerate(columns):
            read = self._columns[self._outputs == output]
            new = np.setdiff1d(np.array(allowed, int), read)
            if not len(new):
                continue
            rises, bends, _ = self._along(output)
            gains = (rises**2 / (2 * bends))[new]
            place = int(gains.argmax())
            if gains[place] > best[0]:
                best = float(gains[place]), (output, int(new[place]))
        return best

    def _along(self, output: int) -> tuple[Array, Array, Array]:
        """Of a weight of this output, for each column: how the loss rises with it, how much it
        bends in it once the others make up for it, and how much when it moves and they do."""
        values, n = self._inputs.values, len(self._slopes)
        read = values[:, self._columns] * self._bent[:, output, self._outputs]
        across = (values.T @ read).astype(np.float64) / n
        bends = self._bent[:, output, output] @ self._inputs.squares / n
        bends = bends.astype(np.float64) + self._ridge
        bends -= ((across @ self._inverse) * across).sum(axis=1)
        rises = self._slopes[:, output] @ values / n
        return rises.astype(np.float64), np.maximum(bends, self._ridge), across

    def add(self, key: Key) -> None:
        """Take in a term, with the weight that is best for it."""
        output, column = key
        rises, bends, across = (each[column] for each in self._along(output))
        made_up = self._inverse @ across
        weight = -float(rises) / float(bends)
        self._weights = np.append(self._weights - made_up * weight, weight)
        own = np.append(-made_up, 1.0)
        self._inverse = np.pad(self._inverse, (0, 1)) + np.outer(own, own) / bends
        self._inverse = np.asfortranarray(self._inverse)
        self._outputs = np.append(self._outputs, output)
        self._columns = np.append(self._columns, column)
        self._left = np.append(self._left, True)

    @property
    def columns(self) -> Columns:
        """Those that are left, for each output."""
        left = self._left
        return tuple(
            tuple(sorted(self._columns[left & (self._outputs == output)].tolist()))
            for output in range(self.block.outputs)
        )

    def matrix(self, others: NDArray[np.floating]) -> NDArray[np.float32]:
        """The weights, with those of an accumulator among them, as they stand in a block."""
        outputs = self.block.outputs
        columns = sorted(set().union(*self.columns))
        matrix = np.zeros((len(columns) + len(others) + 1, outputs), np.float32)
        matrix[len(columns) : -1] = others
        for place in np.flatnonzero(self._left):
            row = columns.index(self._columns[place])
            matrix[row, self._outputs[place]] = self._weights[place]
        matrix[-1] = self._weights[:outputs]
        return matrix
