"""Choosing terms: from leaves that read everything to such as read a few.

One leaf after the other gives up the term without which least is lost. How much that would be is
told by the curvature of the loss in a leaf's weights, given what the rest of the program does, and
the weights that stay make up for it (optimal brain surgeon: Hassibi & Stork 1992). What is left is
trained on, and so the next programs are come to, each with fewer terms, down to one a leaf.

Terms are chosen on training data alone: validation data only tell what each program reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from nearstar.engine.session import Session
from nearstar.language.choosing import Choice, everything, most_terms, places, with_terms
from nearstar.language.parameters import Block
from nearstar.language.program import Program
from nearstar.training.course import Course, Look, Plan

_SAMPLE = 8000
"""Labelled elements of the training data, about, that tell what terms are worth."""
_STEP = 0.05
"""By how much a leaf's bias is moved to see what comes of it."""
_RIDGE = 1e-4
"""Of the mean curvature, added to that of each weight: terms may be sums of others."""
_MANY, _SOME = 64, 24
"""Above so many terms a third is given up before training on, above so many a fifth, else one.
While leaves have more than they may, it is half of these, since nothing there is an answer."""

Array = NDArray[np.float64]


class Point(NamedTuple):
    """A program on the way from all terms to few, and what it reaches."""

    program: Program
    choice: Choice
    look: Look


def points(plan: Plan, seed: int, first: Look) -> Iterator[Point]:
    """Programs with ever fewer terms, the first of which reads everything and has reached that.

    Where leaves may choose so many terms at most, those with more are only passed on the way.
    """
    choice, error = everything(plan.program), first.error
    whole = _plan(plan, choice)
    most, one = most_terms(plan.program), (1,) * len(choice)
    if not _above(choice, most):
        yield Point(whole.program, choice, first)
    now = _Leaves(whole, first.parameters)
    while (terms := sum(map(len, choice))) > len(choice):
        if above := _above(choice, most):
            left = now.without((above + 1) // 2, 1 - error, most)
        else:
            dropped = max(terms // 3 if terms > _MANY else terms // 5 if terms > _SOME else 1, 1)
            left = now.without(min(dropped, terms - len(choice)), 1 - error, one)
        if left is None:
            return
        choice, start = left
        smaller = _plan(plan, choice)
        course = Course(smaller, seed, start)
        course.go()
        if course.best is not None:
            start, error = course.best.parameters, course.best.error
            if not _above(choice, most):
                yield Point(smaller.program, choice, course.best)
        now = _Leaves(smaller, start)


def _above(choice: Choice, most: Sequence[int]) -> int:
    """Terms that are more than leaves may have."""
    return sum(max(len(columns) - n, 0) for columns, n in zip(choice, most, strict=True))


def _plan(plan: Plan, choice: Choice) -> Plan:
    """How a program is trained on, once a few of its terms were given up."""
    return replace(
        plan,
        program=with_terms(plan.program, choice),
        budget=plan.budget.choosing,
        goal=None,
        terms_at=places(plan.program),
    )


@dataclass
class _Leaf:
    """A leaf with terms: its weights, and the curvature of the loss in them, for each output."""

    block: Block
    columns: list[int]
    weights: Array
    """(terms and bias, outputs)."""
    inverse: Array
    """The inverse of the curvature: (outputs, terms and bias, terms and bias)."""

    fewest: int
    """Terms that stay in any case."""

    def losses(self) -> Array:
        """What would be lost without each term."""
        if len(self.columns) <= self.fewest:
            return np.full(len(self.columns), np.inf)
        diagonal = np.diagonal(self.inverse, axis1=1, axis2=2)
        lost: Array = (self.weights**2 / (2 * diagonal.T)).sum(axis=1)
        return lost[:-1]

    def drop(self, place: int) -> None:
        """Give up a term; the other weights make up for it."""
        pivots = self.inverse[:, place, place].copy()
        column = self.inverse[:, :, place] / pivots[:, None]
        self.weights -= column.T * self.weights[place]
        self.inverse -= column[:, :, None] * self.inverse[:, None, place, :]
        kept = np.delete(np.arange(len(self.weights)), place)
        self.weights = self.weights[kept]
        self.inverse = self.inverse[:, kept][:, :, kept]
        del self.columns[place]


class _Leaves:
    """The leaves of a program that have terms, with what these are worth by its parameters."""

    def __init__(self, plan: Plan, parameters: NDArray[np.float32]) -> None:
        self._plan = plan
        self._parameters = parameters

    def without(
        self, count: int, f1: float, fewest: Sequence[int]
    ) -> tuple[Choice, NDArray[np.float32]] | None:
        """What is left to read when so many terms are given up by leaves that have more than the
        ``fewest``, and parameters to begin with; None if numbers become too large to tell."""
        with np.errstate(all="ignore"):
            leaves = self._leaves(f1, fewest)
        if not all(np.isfinite(leaf.inverse).all() for leaf in leaves):
            return None
        for _ in range(count):
            losses = [leaf.losses() for leaf in leaves]
            least = min(range(len(leaves)), key=lambda index: losses[index].min())
            leaves[least].drop(int(losses[least].argmin()))
        choice = tuple(tuple(leaf.columns) for leaf in leaves)
        return choice, self._starting(leaves)

    def _starting(self, leaves: list[_Leaf]) -> NDArray[np.float32]:
        """The parameters with those of the leaves in their places."""
        given = {leaf.block.offset: leaf for leaf in leaves}
        parts: list[NDArray[np.float32]] = []
        for block in self._plan.layout:
            matrix = block.of(self._parameters)
            if leaf := given.get(block.offset):
                own = leaf.weights.astype(np.float32)
                matrix = np.concatenate([own[:-1], matrix[len(block.columns) : -1], own[-1:]])
            parts.append(matrix.ravel())
        return np.concatenate(parts)

    def _leaves(self, f1: float, fewest: Sequence[int]) -> list[_Leaf]:
        plan = self._plan
        sample = plan.task.sample(_SAMPLE)
        # Of a hard choice, nothing would come of moving its condition a little.
        code = plan.trained_code(len(plan.stages) - 1)
        session = Session(code, self._parameters, sample.blocks)
        outputs = self._outputs(session)[sample.labelled]
        shares = _probabilities(outputs)
        weights = np.asarray(plan.weights_at(f1))[sample.codes]
        leaves: list[_Leaf] = []
        for block in plan.layout:
            if block.path not in plan.terms_at:
                continue
            columns = list(block.columns)
            inputs = np.column_stack([sample.inputs[:, columns], np.ones(len(weights))])
            inverse = np.empty((block.outputs, len(columns) + 1, len(columns) + 1))
            for output in range(block.outputs):
                session.parameters[:] = self._parameters
                session.parameters[block.end - block.outputs + output] += _STEP
                slopes = (self._outputs(session)[sample.labelled] - outputs) / _STEP
                # The variance, by the probabilities of the classes, of what moves their scores.
                curved = (shares * slopes**2).sum(axis=1) - (shares * slopes).sum(axis=1) ** 2
                curvature = inputs.T @ (inputs * (weights * curved)[:, None]) / len(weights)
                ridge = _RIDGE * max(np.trace(curvature) / len(curvature), 1e-12)
                if not np.isfinite(ridge):
                    inverse[output] = np.nan
                    continue
                inverse[output] = np.linalg.inv(curvature + ridge * np.eye(len(curvature)))
            matrix = block.of(self._parameters).astype(np.float64)
            own = np.concatenate([matrix[: len(columns)], matrix[-1:]])
            leaves.append(_Leaf(block, columns, own, inverse, fewest[len(leaves)]))
        return leaves

    def _outputs(self, session: Session) -> Array:
        """The scores of the classes for each element of the sample; of two classes, one is 0."""
        found = session.predict(self._plan.task.sample(_SAMPLE).blocks).astype(np.float64)
        return np.column_stack([np.zeros(len(found)), found]) if found.shape[1] == 1 else found


def _probabilities(outputs: Array) -> Array:
    return np.asarray(softmax(outputs, axis=1), np.float64)
