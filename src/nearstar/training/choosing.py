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

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearstar.language.choosing import (
    Choice,
    everything,
    most_terms,
    places,
    with_terms,
)
from nearstar.language.program import Program
from nearstar.training.course import Course, Look, Plan
from nearstar.training.splitting import split_start
from nearstar.training.worth import WORTH, Leaves, above

_MANY, _SOME = 64, 24
"""Above so many terms a third is given up before training on, above so many a fifth, else one.
While leaves have more than they may, it is half of these, since nothing there is an answer."""

_EXCHANGED = 3
"""Times, at most, that programs of as many terms exchange one for another that they had not."""
_MORE = 4
"""Terms, at most, that conditions get beside those that they start with."""


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
    if not above(choice, most):
        yield Point(whole.program, choice, first)
    now = Leaves(whole, first.parameters)
    while (weights := n_weights(choice)) > len(choice):
        if surplus := above(choice, most):
            left = now.without((surplus + 1) // 2, 1 - error, most)
        else:
            share = weights // 3 if weights > _MANY else weights // 5 if weights > _SOME else 1
            left = now.without(min(share, weights - len(choice)), 1 - error)
        if left is None:
            return
        choice, start = left
        if (point := _trained_on(plan, choice, start, seed)) is None:
            now = Leaves(_plan(plan, choice), start)
            continue
        if above(choice, most):
            now, error = _leaves_of(plan, point), point.look.error
            continue
        yield point
        before, f1, now = now, 1 - error, _leaves_of(plan, point)
        if n_weights(choice) <= _SOME and now.loss(f1) > (1 + WORTH) * before.loss(f1):
            for other in _exchanged(plan, seed, point):  # it is missed
                yield other
                point, now = other, _leaves_of(plan, other)
        choice, error = point.choice, point.look.error


def _leaves_of(plan: Plan, point: Point) -> Leaves:
    return Leaves(_plan(plan, point.choice), point.look.parameters)


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
        if _leaves_of(plan, other).loss(f1) > (1 - WORTH) * now.loss(f1):
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
        if _leaves_of(plan, other).loss(f1) > (1 - WORTH) * now.loss(f1):
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


def _plan(plan: Plan, choice: Choice) -> Plan:
    """How a program is trained on, once a few of its terms were given up."""
    return replace(
        plan,
        program=with_terms(plan.program, choice),
        budget=plan.budget.choosing,
        goal=None,
        terms_at=places(plan.program),
    )
