"""How programs are trained: steps, rates, loss, and which parameters count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nearstar.language.domain import Domain
from nearstar.language.networks import Units
from nearstar.language.parameters import layout
from nearstar.language.program import Program, applied, is_complete
from nearstar.training.losses import LOSSES
from nearstar.training.starting import initial, kept_by
from nearstar.util.checks import check_settings, is_number
from nearstar.util.errors import NearstarError
from nearstar.util.nearest import suggestion

_MOST_FOLD_RATE = 0.25
"""Of the learning rate of other programs, for those that fold."""
_CROWDED = 7.5
"""Where weights are as many as labels, they are drawn to 0 so many times as much."""
_PROBED, _PROBED_FOLD = 2, 1
"""Stages of a probe, and of one with a fold: its steps are more, and each takes longer."""


@dataclass(frozen=True)
class Budget:
    """How programs are trained: all that decides a training besides program, data and seed."""

    symbolic_steps: int = 750
    """Steps that complete programs are trained for; each takes one batch."""
    neural_steps: int = 450
    """The same for programs with holes, relaxed to networks."""
    stages: int = 4
    """Stages in which a complete program is trained, each twice as long as the one before: after
    each its training may end, where its error is above what the search asks for."""
    learning_rate: float = field(default=0.16, metadata={"positive": True})
    """That at the beginning of each stage."""
    schedule: Literal["cosine", "constant"] = "cosine"
    """How the rate falls in a stage: along a cosine to 0, or not at all."""
    neural_rate: float = field(default=0.25, metadata={"positive": True})
    """Learning rate of programs with holes, as a share of that of others."""
    fold_steps: int = 2
    """So many times the steps are for programs with a fold: they learn more slowly."""
    fold_rate: float | None = field(default=10.0, metadata={"positive": True})
    """Learning rate of programs with a fold, as a share of that of others: this by the mean length
    of the sequences, 1/4 at most, since a step of their parameters is taken again at every element.
    None: the same as that of others."""
    fold_memory: float = field(default=0.9, metadata={"most": 1})
    """How much of its accumulator a fold keeps at each element where training starts; with 0 its
    weights are drawn like all others."""
    batch_size: int = 48
    units: Units = field(default_factory=Units)
    class_weights: tuple[float, ...] | None = None
    """A weight for each class in the loss; None: all 1."""
    loss: str = "cross-entropy"
    """What training lowers. "f1", of two classes: cross-entropy in which an example of the second
    class weighs 1 − F/2 and one of the first F/2, F the validation F1 of the look before. Of all
    classifiers, that of the best F1 is the one of least cost, if misses and false alarms cost so
    much by its own F1 (Parambath et al. 2014). Class weights multiply them."""
    select: Literal["best", "last"] = "best"
    """Which parameters count: those of the least validation error of all looks, or the last."""
    look_every: int = 50
    """Steps from one look at the validation data to the next."""
    quick_look: int | None = 50_000
    """Labelled elements of the validation data, at most, that stages before the last look at: so
    many tell what is hopeless. None: all of them."""
    patience: int | None = None
    """Looks without a lower validation error after which a training ends; None: it goes on to its
    end. Only where the best of them counts."""
    reshuffle: bool = True
    """Whether batches come in another order each time that all were taken; they are drawn once in
    any case."""
    restarts: int = 3
    """Starting parameters of a complete program: what is worth more than its first two stages
    begins again from each of them, and the best one goes on."""
    clip: float | None = field(default=1.0, metadata={"positive": True})
    """Longest gradient; longer ones, which folds over many elements may have, are shortened to it.
    None: no limit."""
    decay: float = field(default=0.02, metadata={"least": 0})
    """How much weights of terms are drawn to 0, for of many terms some fit by chance: by this share
    for each unit of learning rate, and more where there are many weights for few labels."""
    batch_seed: int = field(default=0, metadata={"least": 0})
    """Decides which sequences share a batch."""
    choosing_steps: int = 150
    """Steps that a program is trained on each time that leaves have given up terms."""
    choosing_rate: float = field(default=0.25, metadata={"positive": True})
    """Its learning rate then, as a share of what it was."""

    def __post_init__(self) -> None:
        check_settings(self)
        for name, known in (("select", ("best", "last")), ("schedule", ("cosine", "constant"))):
            if getattr(self, name) not in known:
                given = getattr(self, name)
                raise NearstarError(f"{name} must be {known[0]!r} or {known[1]!r}, not {given!r}")
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise NearstarError(f"no loss {self.loss!r}; {suggestion(str(self.loss), LOSSES)}")
        if not isinstance(self.units, Units):
            raise NearstarError(f"units must be Units(most, least), not {self.units!r}")
        if self.class_weights is not None:
            object.__setattr__(self, "class_weights", _class_weights(self.class_weights))

    @classmethod
    def paper(cls, domain: Domain, n_sequences: int, **changes: Any) -> Budget:
        """The published settings for one of the paper's domains, with so many sequences to train
        on: its epochs are so many steps."""
        values = domain.published("learning_rate", "batch_size", "units")
        values |= {"units": Units(*values["units"]), "select": "last", "reshuffle": False}
        values |= {"stages": 1, "schedule": "constant", "neural_rate": 1.0, "restarts": 1}
        values |= {"fold_steps": 1, "fold_rate": None, "fold_memory": 0.0, "clip": None}
        values |= {"decay": 0.0, **changes}
        for kind, epochs in domain.published("neural_epochs", "symbolic_epochs").items():
            steps = in_steps(epochs, n_sequences, values["batch_size"])
            values.setdefault(kind.replace("epochs", "steps"), steps)
        return cls(**values)

    @classmethod
    def for_size(cls, n_sequences: int, **changes: Any) -> Budget:
        """A budget for so many training sequences: there are at least 8 batches, as far as there
        are 8 sequences for each."""
        whole = cls(**changes)
        batch_size = min(max(n_sequences // 8, 8), whole.batch_size)
        return replace(whole, **{"batch_size": batch_size, **changes})

    @property
    def choosing(self) -> Budget:
        """That for training on, where leaves have given up terms."""
        return replace(
            self,
            symbolic_steps=self.choosing_steps,
            learning_rate=self.choosing_rate * self.learning_rate,
            stages=1,
            restarts=1,
        )

    def stages_of(self, program: Program, probe: bool = False) -> tuple[int, ...]:
        """The steps of each stage in which a program is trained; a ``probe`` has but the first."""
        folds = _folds(program)
        times = self.fold_steps if folds else 1
        if not is_complete(program):
            return (times * self.neural_steps,)
        steps, parts = times * self.symbolic_steps, 2**self.stages - 1
        ends = [round(steps * (2**n - 1) / parts) for n in range(self.stages + 1)]
        stages = tuple(end - begin for begin, end in pairwise(ends) if end > begin)
        return stages[: _PROBED_FOLD if folds else _PROBED] if probe else stages

    def rates(
        self, program: Program, length: float, steps: int, first: int = 0, end: int | None = None
    ) -> NDArray[np.float64]:
        """The learning rate of each step of a stage, or of some of them, for sequences of a mean
        length."""
        share = 1.0 if is_complete(program) else self.neural_rate
        if self.fold_rate is not None and _folds(program):
            share = min(share, _MOST_FOLD_RATE, self.fold_rate / length)
        at = np.arange(first, steps if end is None else end)
        peak = np.full(len(at), self.learning_rate * share)
        if self.schedule == "constant":
            return peak
        falling: NDArray[np.float64] = (1 + np.cos(np.pi * at / steps)) / 2
        return peak * falling

    def decay_of(self, weights: int, labels: int) -> float:
        """How much so many weights of terms are drawn to 0, trained with so many labels."""
        return self.decay * max(_CROWDED * math.sqrt(min(weights / labels, 1.0)), 1.0)

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
        if LOSSES[self.loss].two_classes and n_classes != 2:
            raise NearstarError(
                f"the loss {self.loss!r} is for two classes, and there are {n_classes}; take "
                f"{next(iter(LOSSES))!r}"
            )


def _folds(program: Program) -> bool:
    return any(node.operation.recurs for node in applied(program))


def in_steps(epochs: int, n_sequences: int, batch_size: int) -> int:
    """So many passes over all sequences, in batches."""
    return epochs * math.ceil(n_sequences / batch_size)


def _class_weights(weights: Any) -> tuple[float, ...]:
    if isinstance(weights, str | Mapping) or not isinstance(weights, Iterable):
        raise NearstarError(f"class_weights must be a number for each class, not {weights!r}")
    given = tuple(weights)
    if not all(is_number(weight) and weight >= 0 for weight in given):
        raise NearstarError(f"class weights must be numbers from 0, not {given}")
    return tuple(float(weight) for weight in given)
