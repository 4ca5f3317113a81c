"""How programs are trained: epochs, rates, loss, and which parameters count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True)
class Budget:
    """How programs are trained: all that decides a training besides program, data and seed."""

    neural_epochs: int = 15
    """For programs with holes, relaxed to networks."""
    symbolic_epochs: int = 40
    """For complete programs."""
    learning_rate: float = field(default=0.02, metadata={"positive": True})
    fold_rate: float = field(default=0.5, metadata={"positive": True})
    """Learning rate of programs with a fold, as a share of that of others: a step of their
    parameters is taken again at every element."""
    fold_memory: float = field(default=0.9, metadata={"most": 1})
    """How much of its accumulator a fold keeps at each element where training starts; with 0 its
    weights are drawn like all others."""
    batch_size: int = 50
    units: Units = field(default_factory=Units)
    class_weights: tuple[float, ...] | None = None
    """A weight for each class in the loss; None: all 1."""
    loss: str = "cross-entropy"
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
    clip: float | None = field(default=1.0, metadata={"positive": True})
    """Longest gradient; longer ones, which folds over many elements may have, are shortened to it.
    None: no limit."""
    batch_seed: int = field(default=0, metadata={"least": 0})
    """Decides which sequences share a batch."""

    def __post_init__(self) -> None:
        check_settings(self)
        if self.select not in ("best", "last"):
            raise NearstarError(f"select must be 'best' or 'last', not {self.select!r}")
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
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
        folds = any(node.operation.recurs for node in applied(program))
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
        if LOSSES[self.loss].two_classes and n_classes != 2:
            raise NearstarError(
                f"the loss {self.loss!r} is for two classes, and there are {n_classes}; take "
                f"{next(iter(LOSSES))!r}"
            )


def _class_weights(weights: Any) -> tuple[float, ...]:
    if isinstance(weights, str | Mapping) or not isinstance(weights, Iterable):
        raise NearstarError(f"class_weights must be a number for each class, not {weights!r}")
    given = tuple(weights)
    if not all(is_number(weight) and weight >= 0 for weight in given):
        raise NearstarError(f"class weights must be numbers from 0, not {given}")
    return tuple(float(weight) for weight in given)
