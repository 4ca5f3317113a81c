"""Training: (program, task, budget, seed) → parameters and validation error. Knows no search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.engine.kernels import machine
from nearstar.engine.lowering import lower
from nearstar.engine.packing import Blocks
from nearstar.engine.session import Session
from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.operators import Fold
from nearstar.language.parameters import Theta, layout, scaled, unscaled
from nearstar.language.program import Apply, Hole, Program, applied, is_complete
from nearstar.training.metrics import Metrics
from nearstar.training.starting import initial, kept_by
from nearstar.training.task import Task
from nearstar.util.checks import check_number, check_positive, check_whole, is_number
from nearstar.util.errors import NearstarError
from nearstar.util.interrupt import Stop, Stopped, interruptible
from nearstar.util.nearest import suggestion
from nearstar.util.seeds import seed_for

TRAINING_VERSION = 2
"""Raised whenever the same training may give other parameters than before."""

LOSSES = ("cross-entropy", "f1")
_F1_RANGE = 0.05, 0.95
"""An F1 outside of it would leave one of the two classes next to no weight."""


@dataclass(frozen=True)
class Budget:
    """How programs are trained: all that decides a training besides program, data and seed."""

    neural_epochs: int = 15
    """For programs with holes, relaxed to networks."""
    symbolic_epochs: int = 40
    """For complete programs."""
    learning_rate: float = 0.02
    fold_rate: float = 0.5
    """Learning rate of programs with a fold, as a share of that of others: a step of their
    parameters is taken again at every element."""
    fold_memory: float = 0.9
    """How much of its accumulator a fold keeps at each element where training starts; with 0 its
    weights are drawn like all others."""
    batch_size: int = 50
    units: Units = field(default_factory=Units)
    class_weights: tuple[float, ...] | None = None
    """A weight for each class in the loss; None: all 1."""
    loss: Literal["cross-entropy", "f1"] = "cross-entropy"
    """What training lowers. "f1", of two classes: cross-entropy in which an example of the second
    class weighs 1 − F/2 and one of the first F/2, F the validation F1 of the epoch before. Of all
    classifiers, that of the best F1 is the one of least cost, if misses and false alarms cost so
    much by its own F1 (Parambath et al. 2014). Class weights multiply them."""
    select: Literal["best", "last"] = "best"
    """Which epoch's parameters count: that of the least validation error, or the last."""
    patience: int | None = None
    """Epochs without a lower validation error after which a training ends; None: it goes on to its
    last epoch. Only where the best epoch counts."""
    reshuffle: bool = True
    """Whether batches come in another order in every epoch; they are drawn once in any case."""
    restarts: int = 1
    """Trainings of a complete program, from different starting parameters; the best one counts."""
    clip: float | None = 1.0
    """Longest gradient; longer ones, which folds over many elements may have, are shortened to it.
    None: no limit."""
    batch_seed: int = 0
    """Decides which sequences share a batch."""

    def __post_init__(self) -> None:
        for name in ("neural_epochs", "symbolic_epochs", "batch_size", "restarts"):
            check_whole(name, getattr(self, name), least=1)
        check_whole("batch_seed", self.batch_seed, least=0)
        check_positive("learning_rate", self.learning_rate)
        check_positive("fold_rate", self.fold_rate)
        check_number("fold_memory", self.fold_memory, least=0)
        if self.fold_memory > 1:
            raise NearstarError(
                f"fold_memory must be a number from 0 to 1, not {self.fold_memory!r}: above 1 an "
                "accumulator grows at every element"
            )
        if self.clip is not None and not (is_number(self.clip) and self.clip > 0):
            raise NearstarError(f"clip must be above 0 or None, not {self.clip!r}")
        if self.patience is not None:
            check_whole("patience", self.patience, least=1)
        if self.select not in ("best", "last"):
            raise NearstarError(f"select must be 'best' or 'last', not {self.select!r}")
        if self.loss not in LOSSES:
            raise NearstarError(f"no loss {self.loss!r}; {suggestion(str(self.loss), LOSSES)}")
        if not isinstance(self.units, Units):
            raise NearstarError(f"units must be Units(most, least), not {self.units!r}")
        if self.class_weights is not None:
            object.__setattr__(self, "class_weights", _class_weights(self.class_weights))

    @classmethod
    def paper(cls, domain: Domain, **changes: Any) -> Budget:
        """The published settings for one of the paper's domains."""
        values = domain.published(
            "neural_epochs", "symbolic_epochs", "learning_rate", "batch_size", "units"
        )
        values |= {"units": Units(*values["units"]), "select": "last", "reshuffle": False}
        values |= {"fold_rate": 1.0, "fold_memory": 0.0, "clip": None}
        return cls(**{**values, **changes})

    @classmethod
    def for_size(cls, n_sequences: int, **changes: Any) -> Budget:
        """A budget for so many training sequences: few of them are gone through more often.

        At least 8 batches make an epoch, as far as there are 8 sequences for each; programs are
        trained for at least 400 steps, networks for 150; and with less than 500 sequences, where
        it costs little, programs are trained three times, of which the best counts.
        """
        whole = cls(**changes)
        batch_size = changes.get("batch_size") or min(max(n_sequences // 8, 8), whole.batch_size)
        steps = math.ceil(n_sequences / batch_size)
        sized = {
            "batch_size": batch_size,
            "symbolic_epochs": max(whole.symbolic_epochs, math.ceil(400 / steps)),
            "neural_epochs": max(whole.neural_epochs, math.ceil(150 / steps)),
            "restarts": 3 if n_sequences < 500 else whole.restarts,
        }
        return replace(whole, **{**sized, **changes})

    def epochs(self, program: Program) -> int:
        """Epochs that a program is trained for."""
        return self.symbolic_epochs if is_complete(program) else self.neural_epochs

    def rate(self, program: Program) -> float:
        """Learning rate that a program is trained with."""
        folds = any(isinstance(node.operation, Fold) for node in applied(program))
        return self.learning_rate * (self.fold_rate if folds else 1.0)

    def initial(self, program: Program, seed: int) -> NDArray[np.float32]:
        """Parameters that the training of a program starts from, for standardised features."""
        blocks = layout(program, self.units)
        return initial(blocks, seed, kept_by(program, self.fold_memory))

    def check_classes(self, n_classes: int) -> None:
        """Raise unless so many classes can be trained with these settings."""
        if self.class_weights is not None and len(self.class_weights) != n_classes:
            raise NearstarError(
                f"{len(self.class_weights)} class weights were given for {n_classes} classes; give "
                "one each"
            )
        if self.loss == "f1" and n_classes != 2:
            raise NearstarError(
                f"the loss 'f1' is for two classes, and there are {n_classes}; take 'cross-entropy'"
            )


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
    # Any program reaches as much: less, as after an epoch that never says yes, tells nothing.
    least = _f1_of_yes(task) if budget.loss == "f1" else None
    weights, shares, used = _weights(batches, given if least is None else _f1_costs(given, least))
    random = np.random.default_rng([seed, 1])
    epochs, rate = budget.epochs(program), budget.rate(program)
    each_epoch = budget.select == "best" or least is not None
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
            if least is not None:
                costs = _f1_costs(given, max(metrics.f1, least))
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


def _f1_of_yes(task: Task) -> float:
    """The F1 of always giving the second class, on the training data."""
    codes = np.asarray(task.train.labels)
    positive, negative = int(np.sum(codes == 1)), int(np.sum(codes == 0))
    return 2 * positive / max(2 * positive + negative, 1)


def _f1_costs(given: tuple[float, ...], f1: float) -> tuple[float, ...]:
    """What an example of each class weighs where so much F1 was reached: their ratio counts."""
    reached = min(max(f1, _F1_RANGE[0]), _F1_RANGE[1])
    return given[0] * reached / 2, given[1] * (1 - reached / 2)


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


def _class_weights(weights: Any) -> tuple[float, ...]:
    if isinstance(weights, str | Mapping) or not isinstance(weights, Iterable):
        raise NearstarError(f"class_weights must be a number for each class, not {weights!r}")
    given = tuple(weights)
    if not all(is_number(weight) and weight >= 0 for weight in given):
        raise NearstarError(f"class weights must be numbers from 0, not {given}")
    return tuple(float(weight) for weight in given)
