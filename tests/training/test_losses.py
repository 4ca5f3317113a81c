"""A loss is one value: settings, the loop and the command line take it from one table."""

from __future__ import annotations

import numpy as np
import pytest

from nearstar import Budget, Domain, NearstarError, Sequences, Task, parse, train
from nearstar.training import budget as budget_module
from nearstar.training import course as course_module
from nearstar.training.losses import LOSSES, Loss, f1_of_yes


def test_one_more_loss_is_trained_with(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def as_given(given: tuple[float, ...], f1: float) -> tuple[float, ...]:
        seen.append(f1)
        return given

    losses = {**LOSSES, "ours": Loss("ours", as_given)}
    for module in (budget_module, course_module):
        monkeypatch.setattr(module, "LOSSES", losses)
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3)).astype(np.float32)
    task = Task(Sequences.from_arrays(X, (X[:, 0] > 0.5).astype(int)))
    program = parse("Affine(x)", Domain.of_size(3), task.signature()).program
    ours, usual = (
        train(
            program,
            task,
            Budget(symbolic_steps=32, look_every=8, stages=1, restarts=1, loss=loss),
        )
        for loss in ("ours", "cross-entropy")
    )
    assert ours.theta.tobytes() == usual.theta.tobytes()
    # What any program reaches comes first, then what was reached at each look, if it is more.
    assert len(seen) == 5 and min(seen) == seen[0] == f1_of_yes(task.train)


def test_losses_that_are_not_there() -> None:
    with pytest.raises(NearstarError, match="no loss 'f2'; there are cross-entropy, f1"):
        Budget(loss="f2")
    with pytest.raises(NearstarError, match="'f1' is for two classes, and there are 3; take 'cr"):
        Budget(loss="f1").check_classes(3)
    assert all(name == loss.name for name, loss in LOSSES.items())
    assert not next(iter(LOSSES.values())).two_classes
