"""Training: (program, task, budget, seed) → parameters and validation error. Knows no search."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.engine.kernels import machine
from nearstar.engine.lowering import lower
from nearstar.engine.packing import Blocks
from nearstar.engine.session import Session
from nearstar.language.networks import Units
from nearstar.language.parameters import Theta, layout, scaled, unscaled, without_constant
from nearstar.language.program import Apply, Hole, Program, is_complete
from nearstar.training.budget import Budget
from nearstar.training.losses import LOSSES, f1_of_yes
from nearstar.training.metrics import Metrics
from nearstar.training.task import Task
from nearstar.util.checks import check_whole
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop, Stopped, interruptible
from nearstar.util.seeds import seed_for

TRAINING_VERSION = 3
"""Raised whenever the same training may give other parameters than before."""


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
    """Training loss of each epoch."""
    epoch: int
    """The epoch whose parameters these are, counted from 1; the last one if it diverged."""
    diverged: bool
    seconds: float
    """Processor time that it took: what else the machine does plays no part."""
    failure: str | None = None
    """Why no worker could train it; None if it was trained. It then counts as diverged."""


def train(
    program: Program,
    task: Task,
    budget: Budget | None = None,
    seed: int = 0,
    *,
    start: Theta | None = None,
    goal: float | None = None,
    stop: Stop | None = None,
) -> Trained:
    """Train a program's parameters; holes are filled with networks.

    The same arguments give the same bits, whatever runs beside it. ``start`` are parameters to
    start from, instead of random ones. With a ``goal`` it ends at the first epoch whose error is
    no higher, if the best epoch counts. A training that diverges gives error 1 and is marked.
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
    blocks = layout(program, budget.units)
    seeds = [seed]
    if is_complete(program):
        seeds += [seed_for(seed, "restart", str(n)) for n in range(1, budget.restarts)]
    begun = [(each, budget.initial(program, each)) for each in seeds]
    if start is not None:
        begun[0] = seed, scaled(blocks, np.asarray(start), task.scale)
    begun = [(each, without_constant(blocks, theta, task.scale)) for each, theta in begun]

    def trainings() -> list[Trained]:
        return [_train(program, task, budget, *each, goal, stop) for each in begun]

    trained = interruptible(trainings, stop)
    best = min(trained, key=lambda each: each.error)
    return replace(best, seconds=sum(each.seconds for each in trained))


def _train(
    program: Program,
    task: Task,
    budget: Budget,
    seed: int,
    theta: NDArray[np.float32],
    goal: float | None,
    stop: Stop,
) -> Trained:
    began = time.thread_time()
    batches = task.batches(budget.batch_size, budget.batch_seed)
    code = lower(program, task.scale, budget.units)
    # Without validation data of their own, the training data need not be packed twice.
    valid = batches if task.valid is task.train else task.valid_blocks()
    session = Session(code, theta, batches, valid, stop=stop.flag)
    given = budget.class_weights or (1.0,) * task.train.n_classes
    reweigh = LOSSES[budget.loss].reweigh
    # Any program reaches as much: less, as after an epoch that never says yes, tells nothing.
    least = f1_of_yes(task.train) if reweigh else 0.0
    weights, shares, used = _weights(batches, reweigh(given, least) if reweigh else given)
    random = np.random.default_rng([seed, 1])
    epochs, rate = budget.epochs(program), budget.rate(program)
    each_epoch = budget.select == "best" or reweigh is not None
    losses: list[float] = []
    best: tuple[float, int, NDArray[np.float32], Metrics] | None = None
    diverged = False
    for epoch in range(1, epochs + 1):
        order = random.permutation(used) if budget.reshuffle else used
        ended, loss = session.train(batches, weights, shares, order, rate, budget.clip or 0.0)
        _check_stopped(ended)
        losses.append(loss / max(float(weights.sum()), 1e-30))
        metrics: Metrics | None = None
        if ended == machine.DONE and (epoch == epochs or each_epoch):
            ended, confusion = session.judge(valid, task.valid.n_classes)
            _check_stopped(ended)
            metrics = Metrics.from_confusion(confusion)
            if reweigh:
                costs = reweigh(given, max(metrics.f1, least))
                weights, shares, used = _weights(batches, costs)
        if ended == machine.DIVERGED:
            diverged, best = True, None
            break
        if metrics and (budget.select == "last" or best is None or metrics.error < best[0]):
            best = metrics.error, epoch, session.parameters.copy(), metrics
        if best and budget.select == "best" and _is_enough(best, epoch, goal, budget.patience):
            break
    error, chosen, parameters, metrics = best or (1.0, len(losses), theta, None)
    return Trained(
        program=program,
        theta=unscaled(layout(program, budget.units), parameters, task.scale),
        scale=task.scale,
        units=budget.units,
        error=error,
        metrics=metrics,
        losses=tuple(losses),
        epoch=chosen,
        diverged=diverged,
        seconds=time.thread_time() - began,
    )


def _is_enough(
    best: tuple[float, int, NDArray[np.float32], Metrics],
    epoch: int,
    goal: float | None,
    patience: int | None,
) -> bool:
    """Whether a training may end: at its goal, or when the best epoch was long ago."""
    error, since = best[0], epoch - best[1]
    return (goal is not None and error <= goal) or (patience is not None and since >= patience)


def _weights(
    batches: Blocks, class_weights: tuple[float, ...]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Weight of each label; 1 / their sum in each batch; the batches that have any."""
    # The last entry is where the unlabelled ones, -1, look.
    table = np.array([*class_weights, 0.0], np.float32)
    weights = table[batches.labels]
    entry = batches.packed.blocks[batches.packed.batches[:-1]]
    firsts = entry[:, 3] if batches.in_frames else entry[:, 4]
    sums = np.add.reduceat(weights, firsts, dtype=np.float64)
    shares = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    return weights, shares.astype(np.float32), np.flatnonzero(sums > 0)


def _check_stopped(ended: int) -> None:
    if ended == machine.STOPPED:
        raise Stopped
