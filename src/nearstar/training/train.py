"""Training: (program, task, budget, seed) → parameters and validation error. Knows no search."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.language.choosing import Choice, chooses_terms, opened, with_terms
from nearstar.language.convex import is_convex
from nearstar.language.networks import Units
from nearstar.language.parameters import Theta, layout, scaled, unscaled
from nearstar.language.program import Apply, Hole, Program, is_complete
from nearstar.language.trees import is_tree
from nearstar.training.budget import Budget
from nearstar.training.choosing import Point, n_weights, points, split_points
from nearstar.training.course import Course, Plan, is_cut
from nearstar.training.idle import has_idle_branch
from nearstar.training.metrics import Metrics
from nearstar.training.splitting import split_start
from nearstar.training.task import Task
from nearstar.training.trees import TrainedTree, train_tree
from nearstar.util.checks import check_whole
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop, interruptible
from nearstar.util.linear_algebra import on_one_thread
from nearstar.util.seeds import seed_for

TRAINING_VERSION = 7
"""Raised whenever the same training may give other parameters than before."""


_SCREENED = 2
"""Stages after which a program that is not hopeless begins again from its other starts."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A program with its parameters and what they reach on the validation data."""

    program: Program
    theta: Theta
    """Parameters in the data's own units (see ``parameters.layout``); the first ones if the
    training diverged."""
    scale: Scale
    units: Units
    error: float
    """Validation error ζ = 1 − F1; 1 if the training diverged."""
    metrics: Metrics | None
    """On the validation data; None if the training diverged."""
    losses: tuple[float, ...]
    """Mean training loss of the steps before each look at the validation data."""
    stages: tuple[float, ...]
    """The least error until the end of each stage that was gone through; of the first two, those
    of the first start that did not diverge."""
    cut: bool
    """Whether it was ended by a cutoff."""
    step: int
    """The step whose parameters these are, counted from 1; the last one if it diverged."""
    diverged: bool
    seconds: float
    """Processor time that it took: what else the machine does plays no part."""
    failure: str | None = None
    """Why no worker could train it; None if it was trained. It then counts as diverged."""
    chosen: tuple[Trained, ...] = ()
    """Where leaves have terms to choose: the programs that came of it, those with the most terms
    first. None if it was cut off, unless it is a tree of classes, or but a probe."""
    choice: Choice = ()
    """Of such a program: the columns that each of these leaves reads."""


def train(
    program: Program,
    task: Task,
    budget: Budget | None = None,
    seed: int = 0,
    *,
    start: Theta | None = None,
    goal: float | None = None,
    cutoffs: tuple[float, ...] = (),
    probe: bool = False,
    stop: Stop | None = None,
) -> Trained:
    """Train a program's parameters; holes are filled with networks.

    The same arguments give the same bits, whatever runs beside it. ``start`` are parameters to
    start from, instead of random ones. With a ``goal`` it ends at the first look at which its error
    is no higher, if the best one counts. ``cutoffs`` are errors for the first stages: it ends after
    a stage that it leaves with a higher one. A ``probe`` has one start and two stages at most, with
    a fold one. A training that diverges from all its starts gives error 1 and is marked; one that
    diverges in a later stage has what it reached before.
    """
    budget = Budget() if budget is None else budget
    stop = Stop() if stop is None else stop
    for name, given, kind in (
        ("program", program, (Apply, Hole)),
        ("task", task, Task),
        ("budget", budget, Budget),
        ("stop", stop, Stop),
    ):
        if not isinstance(given, kind):
            hint = "; parse(text, domain, signature).program is one" if name == "program" else ""
            raise NearstarError(f"{name} cannot be a {type(given).__name__}{hint}")
    check_whole("seed", seed, least=0)
    task.check(program)
    budget.check_classes(task.train.n_classes)
    first = None if start is None else scaled(layout(program, budget.units), start, task.scale)
    plan = Plan(program, task, budget, goal, probe, stop)
    with on_one_thread():
        return interruptible(lambda: _train(plan, seed, first, cutoffs), stop)


def train_on(
    program: Program,
    theta: Theta,
    features: Sequence[str],
    task: Task,
    budget: Budget | None = None,
    seed: int = 0,
    *,
    stop: Stop | None = None,
) -> tuple[Trained, ...]:
    """Give up the terms of a trained program's leaves, ever more of them, and train on each time.

    ``features`` are the names of the data's. The first is the program itself, with leaves that say
    what they read one by one; the last has one term in each leaf.
    """
    budget, stop = Budget() if budget is None else budget, Stop() if stop is None else stop
    choosing, choice = opened(program, features)
    if not choice:
        return ()
    plan = Plan(choosing, task, budget, None, False, stop)

    def go() -> tuple[Trained, ...]:
        same = with_terms(choosing, choice)
        start = scaled(layout(same), _in_order(program, theta), task.scale)
        first = Course(replace(plan, program=same), seed, start).judged()
        return tuple(_chosen(plan, each) for each in points(plan, seed, first, choice))

    with on_one_thread():
        return interruptible(go, stop)


def _in_order(program: Program, theta: Theta) -> Theta:
    """θ with the rows of leaves in the order of their columns, as leaves of terms have them."""
    result = np.array(theta, np.float64)
    for block in layout(program):
        rows = np.argsort(block.columns, kind="stable")
        block.of(result)[: len(rows)] = block.of(theta)[rows]
    return result


def _train(
    plan: Plan, seed: int, start: NDArray[np.float32] | None, cutoffs: tuple[float, ...]
) -> Trained:
    began = time.thread_time()
    if start is None and not plan.probe and is_tree(plan.program):
        tree = train_tree(plan, seed, cutoffs)
        if tree is not None:
            return _of_tree(plan, tree, began)
    # Before leaves over everything, which may fit by chance: few terms, from splits of the data.
    found = [] if start is not None or plan.probe else list(split_points(plan, seed))
    courses = _courses(plan, seed, start)
    course = next(courses)
    while course.best is None and (other := next(courses, None)):
        course = other  # one that diverged says nothing about the others
    reached = min((each.look.error for each in found), default=1.0)
    course.reach(reached)
    cut = _go_on(course, cutoffs, _SCREENED)
    if not cut:
        others = (each for each in courses if not _go_on(each, (), _SCREENED))
        first = course.stages
        course = min([course, *others], key=lambda each: each.error)
        course.stages[: len(first)] = first
        course.reach(reached)
        cut = _go_on(course, cutoffs, len(plan.stages))
    if not (cut or plan.probe):
        course.look_at_all()
    if not (cut or plan.probe) and course.best is not None and chooses_terms(plan.program):
        found += points(plan, seed, course.best)
    scale, best = plan.task.scale, course.best
    parameters = course.start if best is None else best.parameters
    return Trained(
        program=plan.program,
        theta=unscaled(plan.layout, parameters, scale),
        scale=scale,
        units=plan.budget.units,
        error=course.error,
        metrics=None if best is None else best.metrics,
        losses=tuple(course.losses),
        stages=tuple(course.stages),
        cut=cut,
        step=course.step if best is None else best.step,
        diverged=best is None,
        seconds=time.thread_time() - began,
        chosen=() if cut or best is None else _chosen_of(plan, found),
    )


def _of_tree(plan: Plan, tree: TrainedTree, began: float) -> Trained:
    best = min(tree.points, key=lambda each: each.look.error)
    return Trained(
        program=plan.program,
        theta=unscaled(plan.layout, tree.start, plan.task.scale),
        scale=plan.task.scale,
        units=plan.budget.units,
        error=best.look.error,
        metrics=best.look.metrics,
        losses=(),
        stages=tree.stages,
        cut=tree.cut,
        step=best.look.step,
        diverged=False,
        seconds=time.thread_time() - began,
        chosen=_chosen_of(plan, tree.points),
    )


def _chosen_of(plan: Plan, found: Sequence[Point]) -> tuple[Trained, ...]:
    """Of the same terms that were come to on two ways, the better; those with the most first."""
    best: dict[Choice, Point] = {}
    for each in found:
        if has_idle_branch(each.program, each.look.parameters, plan.task):
            continue  # what is left of it is another program, which has fewer numbers
        known = best.get(each.choice)
        if known is None or each.look.error < known.look.error:
            best[each.choice] = each
    ordered = sorted(best.values(), key=lambda each: -n_weights(each.choice))
    return tuple(_chosen(plan, each) for each in ordered)


def _chosen(plan: Plan, point: Point) -> Trained:
    """A program whose terms were chosen on the way; its time is counted where it began."""
    scale, look = plan.task.scale, point.look
    return Trained(
        program=point.program,
        theta=unscaled(layout(point.program), look.parameters, scale),
        scale=scale,
        units=plan.budget.units,
        error=look.error,
        metrics=look.metrics,
        losses=(),
        stages=(look.error,),
        cut=False,
        step=look.step,
        diverged=False,
        seconds=0.0,
        choice=point.choice,
    )


def _courses(plan: Plan, seed: int, start: NDArray[np.float32] | None) -> Iterator[Course]:
    """A training from each start that a program has, gone through its first stage."""
    seeds = [seed]
    # From wherever it starts, what is convex comes to the same.
    if is_complete(plan.program) and not plan.probe and not is_convex(plan.program):
        seeds += [seed_for(seed, "restart", str(n)) for n in range(1, plan.budget.restarts)]
    for n, each in enumerate(seeds):
        first = start if n == 0 else None
        if start is None and n < max(len(seeds) - 1, 1):  # the last one is left to chance
            first = split_start(plan, plan.budget.initial(plan.program, each), n)
        course = Course(plan, each, first)
        course.go()
        yield course


def _go_on(course: Course, cutoffs: Sequence[float], most: int) -> bool:
    """Go through stages, until there are so many, it is over, or it is cut off, which is True."""
    n_stages = len(course.plan.stages)
    while True:
        last = len(course.stages) == n_stages
        # At its end only what comes then can be cut off: the choice of terms.
        if course.over or (last and not chooses_terms(course.plan.program)):
            return False
        if is_cut(course.stages, cutoffs):
            return True
        if last:
            return False
        if len(course.stages) >= most:
            return False
        course.go()
