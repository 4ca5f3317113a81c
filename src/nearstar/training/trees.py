"""Training trees of classes: hard ifs down to leaves that name one, with conditions of few terms.

A tree of a given shape starts at the splits that a learner of decision trees would take, one after
the other, and is judged so: it is never behind that tree. Then it is trained with smooth choices
that become hard, as all ifs are, and its conditions get further terms while these bring something,
which no decision tree has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearstar.language.grammar import Grammar
from nearstar.language.program import Program, replace
from nearstar.language.trees import choice, smallest_tree
from nearstar.training.choosing import Point, few_terms, with_more
from nearstar.training.course import Course, Plan, is_cut
from nearstar.training.sample import SAMPLE
from nearstar.training.splitting import LEAST_PURE
from nearstar.training.task import Task

_LEAVES = (*range(3, 17), 20, 24, 32)
"""Of the trees whose shapes are suggested."""


class TrainedTree(NamedTuple):
    """What a tree of one shape has come to."""

    start: NDArray[np.float32]
    """The parameters of its splits, with all terms that conditions may choose."""
    stages: tuple[float, ...]
    """The least error until the end of each stage that was gone through."""
    points: list[Point]
    cut: bool


def train_tree(plan: Plan, seed: int, cutoffs: tuple[float, ...]) -> TrainedTree | None:
    """Train a tree; None where there are no splits to start from.

    One whose splits are above the first of the cutoffs already is left at them.
    """
    few = few_terms(plan, seed)
    if few is None:
        return None
    first = Point(few.plan.program, few.choice, Course(few.plan, seed, few.start).judged())
    course = Course(few.plan, seed, few.start)
    course.reach(first.look.error)
    stages, points = [first.look.error], [first]
    while not (cut := is_cut(stages, cutoffs)) and len(course.stages) < len(few.plan.stages):
        if course.over:
            break
        course.go()
        if len(course.stages) > 1:  # what the first one is judged by are the splits
            stages.append(course.stages[-1])
    if not cut:
        course.look_at_all()
        if course.best is not None:
            points.append(first._replace(look=course.best))
        points += with_more(plan, seed, min(points, key=lambda each: each.look.error))
    return TrainedTree(few.whole, tuple(stages), points, cut)


def suggested_trees(task: Task, grammar: Grammar) -> list[Program]:
    """Trees of the shapes that a learner of decision trees grows on the training data, the smallest
    first; none where the grammar has no trees."""
    smallest = smallest_tree(grammar)
    if smallest is None:
        return []
    path: tuple[int, ...] = ()
    part = smallest
    while part.arguments:
        path, part = (*path, 0), part.arguments[0]
    one = choice(grammar, part.signature)
    if one is None:
        return []
    tree = _grown(task, max(_LEAVES))

    def shape(node: int, leaves: int) -> Program:
        left, right = tree.children_left[node], tree.children_right[node]
        # Nodes are numbered as they come, the best split first: the first few are a smaller tree.
        if left < 0 or right >= 2 * leaves - 1:
            return part
        condition = one.arguments[0]
        return one.on((condition, shape(right, leaves), shape(left, leaves)))

    sizes = [leaves for leaves in _LEAVES if leaves <= tree.n_leaves]
    return [replace(smallest, path, shape(0, leaves)) for leaves in sizes]


def _grown(task: Task, leaves: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    sample = task.sample(SAMPLE)
    learner = DecisionTreeClassifier(
        max_leaf_nodes=leaves, min_samples_leaf=LEAST_PURE, random_state=0
    )
    return learner.fit(sample.inputs, sample.codes).tree_
