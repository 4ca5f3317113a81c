"""Choosing terms: from leaves that read everything to such as read a few.

One leaf after the other gives up the term without which least is lost. How much that would be is
told by the curvature of the loss in a leaf's weights, given what the rest of the program does, and
the weights that stay make up for it (optimal brain surgeon: Hassibi & Stork 1992). What is left is
trained on, and so the next programs are come to, each with fewer terms, down to one a leaf. Where
a term is missed, another that was given up before may come in again, in exchange for one.

Terms are chosen on training data: validation data tell what each program reaches, and whether an
exchange was no gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger
from scipy.special import log_softmax, softmax

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
from nearstar.language.program import Path, Program
from nearstar.training.course import Course, Look, Plan
from nearstar.training.sample import SAMPLE, Inputs
from nearstar.training.splitting import split_start

_STEP = 0.05
"""By how much a leaf's bias is moved to see what comes of it."""
_SOFT = 1.0
"""β of hard choices meanwhile: the harder, the fewer elements tell what a condition is worth."""
_RIDGE = 1e-4
"""Of the mean curvature, added to that of each weight: terms may be sums of others."""
_MANY, _SOME = 64, 24
"""Above so many terms a third is given up before training on, above so many a fifth, else one.
While leaves have more than they may, it is half of these, since nothing there is an answer."""

_EXCHANGED = 3
"""Times, at most, that programs of as many terms exchange one for another that they had not."""
_MORE = 4
"""Terms, at most, that conditions get beside those that they start with."""
_WORTH = 0.005
"""Share of the loss that a term is missed for, and that an exchange must bring, at least."""

Array = NDArray[np.float64]
_Key = tuple[int, int]
"""A weight of a leaf: its output and its column."""


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
        if (point := _trained_on(plan, choice, start, seed)) is None:
            now = _Leaves(_plan(plan, choice), start)
            continue
        if _above(choice, most):
            now, error = _leaves_of(plan, point), point.look.error
            continue
        yield point
        before, f1, now = now, 1 - error, _leaves_of(plan, point)
        if n_weights(choice) <= _SOME and now.loss(f1) > (1 + _WORTH) * before.loss(f1):
            for other in _exchanged(plan, seed, point):  # it is missed
                yield other
                point, now = other, _leaves_of(plan, other)
        choice, error = point.choice, point.look.error


def _leaves_of(plan: Plan, point: Point) -> _Leaves:
    return _Leaves(_plan(plan, point.choice), point.look.parameters)


def _trained_on(plan: Plan, choice: Choice, start: NDArray[np.float32], seed: int) -> Point | None:
    """What a program with these terms comes to from there; None if it diverges."""
    smaller = _plan(plan, choice)
    course = Course(smaller, seed, start)
    course.go()
    return None if course.best is None else Point(smaller.program, choice, course.best)


def _trained_whole(
    plan: Plan, choice: Choice, start: NDArray[np.float32], seed: int
) -> Point | None:
    """The same through all stages, in which what is smooth at first becomes hard."""
    few = replace(plan, program=with_terms(plan.program, choice), goal=None)
    course = Course(few, seed, start)
    while not course.over and len(course.stages) < len(few.stages):
        course.go()
    course.look_at_all()
    return None if course.best is None else Point(few.program, choice, course.best)


def _exchanged(plan: Plan, seed: int, point: Point) -> Iterator[Point]:
    """Programs of as many terms, each better than the one before: a term has come in again, and
    another is gone. What is better on training data alone may fit them by chance."""
    for _ in range(_EXCHANGED):
        now, f1 = _leaves_of(plan, point), 1 - point.look.error
        found = now.exchanged(everything(plan.program), most_terms(plan.program), f1)
        other = None if found is None else _trained_on(plan, *found, seed)
        if other is None or other.look.error > point.look.error:
            return
        if _leaves_of(plan, other).loss(f1) > (1 - _WORTH) * now.loss(f1):
            return
        point = other
        yield point


def with_more(plan: Plan, seed: int, point: Point) -> Iterator[Point]:
    """Programs with ever more terms, one at a time, while these bring something."""
    for _ in range(_MORE):
        now, f1 = _leaves_of(plan, point), 1 - point.look.error
        found = now.with_one_more(everything(plan.program), most_terms(plan.program), f1)
        other = None if found is None else _trained_whole(plan, *found, seed)
        if other is None:
            return
        yield other
        if _leaves_of(plan, other).loss(f1) > (1 - _WORTH) * now.loss(f1):
            return
        point = other


def split_points(plan: Plan, seed: int) -> Iterator[Point]:
    """The same as `points`, from the terms alone that hard choices start with, at splits of the
    data; none for a program without such choices, or whose leaves have no terms to choose."""
    few = few_terms(plan, seed)
    if few is None:
        return
    point = _trained_whole(plan, few.choice, few.start, seed)
    if point is not None:
        yield from points(plan, seed, point.look, few.choice)


class FewTerms(NamedTuple):
    """A program with those terms alone that its choices start with, at splits of the data."""

    plan: Plan
    choice: Choice
    start: NDArray[np.float32]
    """Its parameters."""
    whole: NDArray[np.float32]
    """The same with all terms."""


def few_terms(plan: Plan, seed: int) -> FewTerms | None:
    """None for a program without hard choices, or whose leaves have no terms to choose."""
    at = places(plan.program)
    start = split_start(plan, plan.budget.initial(plan.program, seed), 0) if at else None
    if start is None:
        return None
    choice = tuple(
        tuple(
            tuple(column for column, weight in zip(block.columns, weights, strict=False) if weight)
            for weights in block.of(start).T
        )
        for block in plan.layout
        if block.path in at
    )
    if not all(any(leaf) for leaf in choice):
        return None
    few = replace(plan, program=with_terms(plan.program, choice), goal=None)
    return FewTerms(few, choice, _without(plan, choice, start), start)


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


def _single(values: Array) -> NDArray[np.float32]:
    """In single precision, which is quicker to sum up."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


class _Leaf:
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

    def most_gained(self, columns: Columns) -> tuple[float, _Key | None]:
        """What is gained at most by one more term of these for each output, and that."""
        best: tuple[float, _Key | None] = (0.0, None)
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

    def add(self, key: _Key) -> None:
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


def _drop_least(leaves: Sequence[_Leaf], most: Sequence[int] | None) -> float:
    """Give up the term of all leaves without which least is lost; gives how much that is."""
    limits = (None,) * len(leaves) if most is None else most
    least = [leaf.least(limit) for leaf, limit in zip(leaves, limits, strict=True)]
    index = min(range(len(leaves)), key=lambda index: least[index][0])
    lost, place = least[index]
    leaves[index].drop(place)
    return lost


class _Leaves:
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
        above = _above(tuple(leaf.columns for leaf in leaves), most)
        lost = _drop_least(leaves, most if above else None)
        if gained - lost < _WORTH * self.loss(f1):
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

    def _with_one_more(self, columns: Choice, f1: float) -> tuple[list[_Leaf], float]:
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
        sample = plan.task.sample(SAMPLE)
        # Of a hard choice, nothing would come of moving its condition a little.
        session = Session(plan.softened(_SOFT), self._parameters, sample.blocks)
        scores = self._scores(session)
        shares = np.asarray(softmax(scores, axis=1), np.float64)
        weights = np.asarray(plan.weights_at(f1))[sample.codes]
        wrong = (shares - np.eye(shares.shape[1])[sample.codes]) * weights[:, None]
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
            rising = np.einsum("nc,nkc->nk", wrong, slopes)
            inputs = sample.remembered(tuple(self._half_lives(block.path)))
            leaves.append(_Leaf(block, self._parameters, inputs, rising, bent))
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
