"""What terms are worth: of all leaves of a program together, which one to give up or to take in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from nearstar.engine.session import Session
from nearstar.language.choosing import Choice
from nearstar.language.program import Path
from nearstar.training.course import Plan
from nearstar.training.curvature import Array, Leaf
from nearstar.training.sample import SAMPLE

_STEP = 0.05
"""By how much a leaf's bias is moved to see what comes of it."""
_SOFT = 1.0
"""β of hard choices meanwhile: the harder, the fewer elements tell what a condition is worth."""
WORTH = 0.005
"""Share of the loss that a term is missed for, and that an exchange must bring, at least."""


class Leaves:
    """The leaves of a program that have terms, with what these are worth by its parameters."""

    def __init__(self, plan: Plan, parameters: NDArray[np.float32]) -> None:
        self._plan = plan
        self._parameters = parameters

    def without(
        self, count: int, f1: float, most: Sequence[int] | None = None
    ) -> tuple[Choice, NDArray[np.float32]] | None:
        """What is left to read when so many terms are given up, and parameters to begin with; None
        if numbers become too large to tell. With ``most`` for each leaf, they are given up where
        there are more."""
        with np.errstate(all="ignore"):
            leaves = self._leaves(f1)
        if not all(leaf.is_known for leaf in leaves):
            return None
        for _ in range(count):
            _drop_least(leaves, most)
        return tuple(leaf.columns for leaf in leaves), self._starting(leaves)

    def exchanged(
        self, columns: Choice, most: Sequence[int], f1: float
    ) -> tuple[Choice, NDArray[np.float32]] | None:
        """The same for one term that comes in, of these, and one that goes; None where that would
        bring next to nothing."""
        leaves, gained = self._with_one_more(columns, f1)
        if not leaves:
            return None
        full = above(tuple(leaf.columns for leaf in leaves), most) > 0
        lost = _drop_least(leaves, most if full else None)
        if gained - lost < WORTH * self.loss(f1):
            return None
        return tuple(leaf.columns for leaf in leaves), self._starting(leaves)

    def with_one_more(
        self, columns: Choice, most: Sequence[int], f1: float
    ) -> tuple[Choice, NDArray[np.float32]] | None:
        """The same with one more term, of these, where there may be more; None if none brings
        anything."""
        have = zip(columns, self._columns, most, strict=True)
        room = tuple(
            tuple(
                allowed if len(read) < n else () for allowed, read in zip(leaf, reads, strict=True)
            )
            for leaf, reads, n in have
        )
        leaves, _ = self._with_one_more(room, f1)
        if not leaves:
            return None
        return tuple(leaf.columns for leaf in leaves), self._starting(leaves)

    @property
    def _columns(self) -> Choice:
        """What is read now."""
        return tuple(
            tuple(
                tuple(
                    column
                    for place, column in enumerate(block.columns)
                    if (place, output) not in block.absent
                )
                for output in range(block.outputs)
            )
            for block in self._plan.layout
            if block.path in self._plan.terms_at
        )

    def _with_one_more(self, columns: Choice, f1: float) -> tuple[list[Leaf], float]:
        """The leaves with the term, of these, that brings most, and how much; none if none does."""
        with np.errstate(all="ignore"):
            leaves = self._leaves(f1)
            if not all(leaf.is_known for leaf in leaves):
                return [], 0.0
            pairs = zip(leaves, columns, strict=True)
            gains = [leaf.most_gained(allowed) for leaf, allowed in pairs]
        index = max(range(len(leaves)), key=lambda index: gains[index][0])
        gained, key = gains[index]
        if key is None:
            return [], 0.0
        leaves[index].add(key)
        return leaves, gained

    def loss(self, f1: float) -> float:
        """That on training data, of the program as it is, with its hard choices."""
        plan = self._plan
        sample = plan.task.sample(SAMPLE)
        session = Session(plan.code, self._parameters, sample.blocks)
        logs = log_softmax(self._scores(session), axis=1)[
            np.arange(len(sample.codes)), sample.codes
        ]
        weights = np.asarray(plan.weights_at(f1))[sample.codes]
        return float(-(weights * logs).mean())

    def _starting(self, leaves: list[Leaf]) -> NDArray[np.float32]:
        """The parameters with those of the leaves in their places."""
        given = {leaf.block.offset: leaf for leaf in leaves}
        parts: list[NDArray[np.float32]] = []
        for block in self._plan.layout:
            matrix = block.of(self._parameters)
            if leaf := given.get(block.offset):
                matrix = leaf.matrix(matrix[len(block.columns) : -1])
            parts.append(matrix.ravel())
        return np.concatenate(parts)

    def _leaves(self, f1: float) -> list[Leaf]:
        plan = self._plan
        sample = plan.task.sample(SAMPLE)
        # Of a hard choice, nothing would come of moving its condition a little.
        session = Session(plan.softened(_SOFT), self._parameters, sample.blocks)
        scores = self._scores(session)
        shares = np.asarray(softmax(scores, axis=1), np.float64)
        weights = np.asarray(plan.weights_at(f1))[sample.codes]
        wrong = (shares - np.eye(shares.shape[1])[sample.codes]) * weights[:, None]
        leaves: list[Leaf] = []
        for block in plan.layout:
            if block.path not in plan.terms_at:
                continue
            slopes = np.empty((len(scores), block.outputs, scores.shape[1]))
            for output in range(block.outputs):
                session.parameters[:] = self._parameters
                session.parameters[block.end - block.outputs + output] += _STEP
                slopes[:, output] = (self._scores(session) - scores) / _STEP
            # How outputs vary together, by the probabilities of the classes whose scores they move.
            means = np.einsum("nc,nkc->nk", shares, slopes)
            bent = np.einsum("nc,nkc,nlc->nkl", shares, slopes, slopes, optimize=True)
            bent = (bent - means[:, :, None] * means[:, None]) * weights[:, None, None]
            rising = np.einsum("nc,nkc->nk", wrong, slopes)
            inputs = sample.remembered(tuple(self._half_lives(block.path)))
            leaves.append(Leaf(block, self._parameters, inputs, rising, bent))
        return leaves

    def _half_lives(self, path: Path) -> list[float]:
        """Of the memories that a leaf stands in, the outer one first."""
        around = (block for block in self._plan.layout if block.is_half_life)
        return [
            float(np.exp2(block.of(self._parameters)[0, 0]))
            for block in around
            if block.path == path[: len(block.path)]
        ]

    def _scores(self, session: Session) -> Array:
        """Those of the classes for each element that has a label; of two classes, one has 0."""
        sample = self._plan.task.sample(SAMPLE)
        found = session.predict(sample.blocks).astype(np.float64)[sample.labelled]
        return np.column_stack([np.zeros(len(found)), found]) if found.shape[1] == 1 else found


def _drop_least(leaves: Sequence[Leaf], most: Sequence[int] | None) -> float:
    """Give up the term of all leaves without which least is lost; gives how much that is."""
    limits = (None,) * len(leaves) if most is None else most
    least = [leaf.least(limit) for leaf, limit in zip(leaves, limits, strict=True)]
    index = min(range(len(leaves)), key=lambda index: least[index][0])
    lost, place = least[index]
    leaves[index].drop(place)
    return lost


def above(choice: Choice, most: Sequence[int]) -> int:
    """Weights that are more than outputs may have."""
    pairs = zip(choice, most, strict=True)
    return sum(max(len(output) - n, 0) for leaf, n in pairs for output in leaf)
