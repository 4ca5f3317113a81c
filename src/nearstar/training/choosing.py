"""Choosing terms: from leaves that read everything to such as read a few.

One leaf after the other gives up the term without which least is lost. How much that would be is
told by the curvature of the loss in a leaf's weights, given what the rest of the program does, and
the weights that stay make up for it (optimal brain surgeon: Hassibi & Stork 1992). What is left is
trained on, and so the next programs are come to, each with fewer terms, down to one a leaf.

Terms are chosen on training data alone: validation data only tell what each program reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from nearstar.engine.session import Session
from nearstar.language.choosing import (
    Choice,
    Columns,
    everything,
    most_terms,
    places,
    with_terms,
)
from nearstar.language.parameters import Block
from nearstar.language.program import Program
from nearstar.training.course import Course, Look, Plan
from nearstar.training.splitting import split_start

_SAMPLE = 8000
"""Labelled elements of the training data, about, that tell what terms are worth."""
_STEP = 0.05
"""By how much a leaf's bias is moved to see what comes of it."""
_SOFT = 1.0
"""β of hard choices meanwhile: the harder, the fewer elements tell what a condition is worth."""
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


def points(plan: Plan, seed: int, first: Look, choice: Choice | None = None) -> Iterator[Point]:
    """Programs with ever fewer terms, the first of which has reached that: it reads everything, or
    what was chosen before.

    Where leaves may choose so many terms at most, those with more are only passed on the way.
    """
    choice, error = choice or everything(plan.program), first.error
    whole = _plan(plan, choice)
    most = most_terms(plan.program)
    if not _above(choice, most):
        yield Point(whole.program, choice, first)
    now = _Leaves(whole, first.parameters)
    while (weights := n_weights(choice)) > len(choice):
        if above := _above(choice, most):
            left = now.without((above + 1) // 2, 1 - error, most)
        else:
            share = weights // 3 if weights > _MANY else weights // 5 if weights > _SOME else 1
            left = now.without(min(share, weights - len(choice)), 1 - error)
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


def split_points(plan: Plan, seed: int) -> Iterator[Point]:
    """The same from the terms alone that hard choices start with, at splits of the data; none for a
    program without such choices, or whose leaves have no terms to choose."""
    at = places(plan.program)
    if not at:
        return
    start = split_start(plan, plan.budget.initial(plan.program, seed), 0)
    if start is None:
        return
    choice = tuple(
        tuple(
            tuple(column for column, weight in zip(block.columns, weights, strict=False) if weight)
            for weights in block.of(start).T
        )
        for block in plan.layout
        if block.path in at
    )
    if not all(any(leaf) for leaf in choice):
        return
    few = replace(plan, program=with_terms(plan.program, choice), goal=None)
    course = Course(few, seed, _without(plan, choice, start))
    while not course.over and len(course.stages) < len(few.stages):
        course.go()
    course.look_at_all()
    if course.best is not None:
        yield from points(plan, seed, course.best, choice)


def _without(plan: Plan, choice: Choice, parameters: NDArray[np.float32]) -> NDArray[np.float32]:
    """Parameters of a program without the rows of what its leaves do not read."""
    at, parts = places(plan.program), []
    for block in plan.layout:
        matrix = block.of(parameters)
        if block.path in at:
            read = set().union(*choice[at.index(block.path)])
            rows = [row for row, column in enumerate(block.columns) if column in read]
            matrix = matrix[[*rows, *range(len(block.columns), block.rows)]]
        parts.append(matrix.ravel())
    return np.concatenate(parts)


def n_weights(choice: Choice) -> int:
    """How many terms are read, for all outputs of all leaves."""
    return sum(len(output) for leaf in choice for output in leaf)


def _above(choice: Choice, most: Sequence[int]) -> int:
    """Weights that are more than outputs may have."""
    pairs = zip(choice, most, strict=True)
    return sum(max(len(output) - n, 0) for leaf, n in pairs for output in leaf)


def _plan(plan: Plan, choice: Choice) -> Plan:
    """How a program is trained on, once a few of its terms were given up."""
    return replace(
        plan,
        program=with_terms(plan.program, choice),
        budget=plan.budget.choosing,
        goal=None,
        terms_at=places(plan.program),
    )


class _Leaf:
    """A leaf with terms: its weights, and what the loss is in them, near where they are."""

    def __init__(self, block: Block, parameters: NDArray[np.float32], inputs: Array, bent: Array):
        """``inputs`` are the features of each element, and ``bent`` is how much it bends the loss
        when it moves two outputs, for each pair of them."""
        self.block = block
        absent, self._outputs = set(block.absent), block.outputs
        places = [
            (output, place)
            for output in range(block.outputs)
            for place in range(len(block.columns))
            if (place, output) not in absent
        ]
        self._columns = [(output, block.columns[place]) for output, place in places]
        """For each weight its output and column; after them there are the biases."""
        matrix = block.of(parameters).astype(np.float64)
        of = [output for output, _ in places]
        self._of = np.array([*of, *range(block.outputs)])
        self._weights = np.concatenate([matrix[[place for _, place in places], of], matrix[-1]])
        self._inverse = _inverse(places, inputs[:, block.columns], bent)
        """Of the curvature. Outputs are not apart in it: what one gives up others may make up for,
        as where adding the same to all of them changes nothing."""
        self._left = np.arange(len(places) + block.outputs) < len(places)

    @property
    def is_known(self) -> bool:
        """Whether its numbers are finite."""
        return bool(np.isfinite(self._inverse).all())

    def least(self, most: int | None = None) -> tuple[float, int]:
        """What is lost at least without a term, and its place; one term stays. With ``most``, of
        those outputs alone that have more terms."""
        allowed = self._left & (self._left.sum() > 1)
        if most is not None:
            counts = np.bincount(self._of[allowed], minlength=self._outputs)
            allowed &= counts[self._of] > most
        diagonal = np.where(allowed, np.diagonal(self._inverse), 1.0)
        lost = np.where(allowed, self._weights**2 / (2 * diagonal), np.inf)
        place = int(lost.argmin())
        return float(lost[place]), place

    def drop(self, place: int) -> None:
        """Give up a term; the other weights make up for it."""
        column = self._inverse[:, place] / self._inverse[place, place]
        self._weights -= column * self._weights[place]
        self._inverse -= np.outer(column, self._inverse[place])
        self._left[place] = False

    @property
    def columns(self) -> Columns:
        """Those that are left, for each output."""
        left = [self._columns[place] for place in np.flatnonzero(self._left)]
        return tuple(
            tuple(column for of, column in left if of == output) for output in range(self._outputs)
        )

    def matrix(self, others: NDArray[np.floating]) -> NDArray[np.float32]:
        """The weights, with those of an accumulator among them, as they stand in a block."""
        columns = sorted(set().union(*self.columns))
        matrix = np.zeros((len(columns) + len(others) + 1, self._outputs), np.float32)
        matrix[len(columns) : -1] = others
        for place in np.flatnonzero(self._left):
            output, column = self._columns[place]
            matrix[columns.index(column), output] = self._weights[place]
        matrix[-1] = self._weights[len(self._columns) :]
        return matrix


def _inverse(places: list[tuple[int, int]], inputs: Array, bent: Array) -> Array:
    """The inverse of the curvature of the loss in weights, given by output and place, and in the
    biases of all outputs."""
    outputs, size = bent.shape[1], len(places) + bent.shape[1]
    own, read = [], []
    for output in range(outputs):
        at = [index for index, (of, _) in enumerate(places) if of == output]
        own.append([*at, len(places) + output])
        columns = inputs[:, [places[index][1] for index in at]]
        read.append(np.column_stack([columns, np.ones(len(inputs))]))
    curvature = np.empty((size, size))
    for one in range(outputs):
        for other in range(one + 1):
            part = read[one].T @ (read[other] * bent[:, one, other, None]) / len(inputs)
            curvature[np.ix_(own[one], own[other])] = part
            curvature[np.ix_(own[other], own[one])] = part.T
    ridge = _RIDGE * max(np.trace(curvature) / size, 1e-12)
    if not np.isfinite(ridge):
        return np.full_like(curvature, np.nan)
    return np.asarray(np.linalg.inv(curvature + ridge * np.eye(size)))


class _Leaves:
    """The leaves of a program that have terms, with what these are worth by its parameters."""

    def __init__(self, plan: Plan, parameters: NDArray[np.float32]) -> None:
        self._plan = plan
        self._parameters = parameters

    def without(
        self, count: int, f1: float, most: Sequence[int | None] | None = None
    ) -> tuple[Choice, NDArray[np.float32]] | None:
        """What is left to read when so many terms are given up, and parameters to begin with; None
        if numbers become too large to tell. With ``most`` for each leaf, they are given up where
        there are more."""
        with np.errstate(all="ignore"):
            leaves = self._leaves(f1)
        if not all(leaf.is_known for leaf in leaves):
            return None
        limits = (None,) * len(leaves) if most is None else most
        for _ in range(count):
            least = [leaf.least(limit) for leaf, limit in zip(leaves, limits, strict=True)]
            index = min(range(len(leaves)), key=lambda index: least[index][0])
            leaves[index].drop(least[index][1])
        return tuple(leaf.columns for leaf in leaves), self._starting(leaves)

    def _starting(self, leaves: list[_Leaf]) -> NDArray[np.float32]:
        """The parameters with those of the leaves in their places."""
        given = {leaf.block.offset: leaf for leaf in leaves}
        parts: list[NDArray[np.float32]] = []
        for block in self._plan.layout:
            matrix = block.of(self._parameters)
            if leaf := given.get(block.offset):
                matrix = leaf.matrix(matrix[len(block.columns) : -1])
            parts.append(matrix.ravel())
        return np.concatenate(parts)

    def _leaves(self, f1: float) -> list[_Leaf]:
        plan = self._plan
        sample = plan.task.sample(_SAMPLE)
        # Of a hard choice, nothing would come of moving its condition a little.
        session = Session(plan.softened(_SOFT), self._parameters, sample.blocks)
        scores = self._scores(session)
        shares = np.asarray(softmax(scores, axis=1), np.float64)
        weights = np.asarray(plan.weights_at(f1))[sample.codes]
        leaves: list[_Leaf] = []
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
            leaves.append(_Leaf(block, self._parameters, sample.inputs, bent))
        return leaves

    def _scores(self, session: Session) -> Array:
        """Those of the classes for each element that has a label; of two classes, one has 0."""
        sample = self._plan.task.sample(_SAMPLE)
        found = session.predict(sample.blocks).astype(np.float64)[sample.labelled]
        return np.column_stack([np.zeros(len(found)), found]) if found.shape[1] == 1 else found
