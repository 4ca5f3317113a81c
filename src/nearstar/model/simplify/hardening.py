"""The smooth ``if`` made hard: β raised until one branch counts alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nearstar.data.sequences import Sequences
from nearstar.language.operation import Operation
from nearstar.language.operators import HARD, if_then_else
from nearstar.language.program import Program, applied, is_complete, rebuilt
from nearstar.model.model import Model
from nearstar.model.short_numbers import with_short_numbers
from nearstar.model.simplify.judging import HARDENED, noted
from nearstar.training.metrics import Metrics
from nearstar.util.checks import check_positive
from nearstar.util.errors import NearstarError, ProgramError


@dataclass(frozen=True, eq=False)
class Hardened:
    """A model with a hard ``if``, and what that has cost."""

    model: Model
    before: Metrics
    after: Metrics
    beta: float
    """β of its ``if``: the gate is 1 / (1 + exp(−β · condition))."""

    def __str__(self) -> str:
        return (
            f"β {self.beta:g}; F1 {self.before.f1:.3f} before, {self.after.f1:.3f} after\n"
            f"{self.model}"
        )


def harden(model: Model, valid: Sequences, beta: float | None = None) -> Hardened:
    """The same program and parameters with a larger β, and its scores on the validation data.

    Without a ``beta`` it is doubled until the decisions on these data are those of a hard ``if``,
    which takes "then" where its condition is above 0, and "else" where it is below. The model is
    the same wherever it is saved, printed or exported: β belongs to its domain.
    """
    if not isinstance(model, Model):
        raise NearstarError(f"a Model is hardened, not a {type(model).__name__}")
    if not chooses(model.program):
        raise ProgramError("the program has no if that could be hardened")
    if beta is not None:
        check_positive("beta", beta)
        if not model.domain.beta <= beta <= HARD:
            raise NearstarError(
                f"beta must be from {model.domain.beta:g}, which the model has, to {HARD:g}, "
                f"not {beta!r}"
            )
    before = model.evaluate(valid)
    hard = _as_if_hard(model, valid) if beta is None else with_beta(model, float(beta))
    if hard.prints_as_is and not model.prints_as_is and is_complete(hard.program):
        hard, _ = with_short_numbers(hard, hard.theta, valid)
    after, beta = hard.evaluate(valid), hard.domain.beta
    how = {"beta": beta, "beta_before": model.domain.beta, "f1_before": before.f1}
    return Hardened(noted(hard, HARDENED, how, after, valid), before, after, beta)


def chooses(program: Program) -> bool:
    """Whether it has an ``if``."""
    return any(each.operation.beta is not None for each in applied(program))


def with_beta(model: Model, beta: float) -> Model:
    """The model with another β in its domain, and so in its program."""

    def changed(operation: Operation) -> Operation:
        return operation if operation.beta is None else if_then_else(beta)

    domain = replace(model.domain, beta=beta)
    return replace(model, domain=domain, program=rebuilt(model.program, changed))


def _as_if_hard(model: Model, valid: Sequences) -> Model:
    """The model with the first β, of those doubled, that decides as the hardest does."""
    beta = model.domain.beta
    hardest = with_beta(model, max(HARD, beta))
    wanted = hardest.predict(valid)
    while beta < HARD:
        tried = with_beta(model, beta)
        try:
            if np.array_equal(tried.predict(valid), wanted):
                return tried
        except NearstarError:  # not finite on the way
            pass
        beta *= 2
    return hardest
