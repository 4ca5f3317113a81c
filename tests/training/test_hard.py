"""Hard ifs: what is printed, read by hand, is what is predicted, in every frame."""

from __future__ import annotations

import numpy as np
import pytest
from reading import Reader

import nearstar as ns
from nearstar.language.operators import HARD


@pytest.mark.parametrize("seed", range(4))
def test_the_printed_rule_gives_all_predictions(seed: int) -> None:
    train, valid, test = ns.two_animals_split(seed=seed)
    task = ns.Task(train, valid)
    domain = ns.Domain(
        "hard",
        train.feature_names,
        sequences=("map",),
        vectors=("if", "add", "multiply", "Affine{*}"),
        beta=HARD,
        price=0.0015,
    )
    budget = ns.Budget(symbolic_steps=90, choosing_steps=40, loss="f1")
    choice = "if Affine{*}(x_t) > 0 then Affine{*}(x_t) else "
    text = f"map (fun x_t. {choice}{choice}multiply(Affine{{*}}(x_t), Affine{{*}}(x_t))) x"
    found = ns.train(ns.parse(text, domain, task.signature()).program, task, budget, seed)
    columns = {
        name: test.frames[:, place].astype(np.float64)
        for place, name in enumerate(test.feature_names)
    }
    for each in found.chosen[:: max(len(found.chosen) // 4, 1)]:
        model = ns.Model.of(each, domain, test.class_names)
        by_hand = Reader(str(model), columns, test.offsets).codes()
        assert np.array_equal(model.predict(test), by_hand)
        assert 0 < by_hand.mean() < 1 or each.error > 0.5


def test_it_is_trained_smooth_and_judged_hard() -> None:
    """A rule with a jump: the hard if has it, and has no slope to learn it by."""
    random = np.random.default_rng(0)
    frames = random.uniform(-1, 1, (60, 20, 2))
    labels = np.where(frames[..., 0] > 0.3, frames[..., 1] > 0, frames[..., 1] < 0).astype(int)
    data = ns.Sequences.from_arrays(frames, labels, feature_names=("a", "b"))
    task = ns.Task(data.subset(range(40)), data.subset(range(40, 60)))
    domain = ns.Domain("d", ("a", "b"), vectors=("if", "Affine{a}", "Affine{b}"), beta=HARD)
    text = "map (fun x_t. if Affine{a}(x_t) > 0 then Affine{b}(x_t) else Affine{b}(x_t)) x"
    found = ns.train(ns.parse(text, domain, task.signature()).program, task, ns.Budget())
    assert found.error < 0.05
    model = ns.Model.of(found, domain, data.class_names)
    (weight, bias), *_ = found.theta.reshape(-1, 2)
    assert -bias / weight == pytest.approx(0.3, abs=0.03)
    assert model.numbers == 5  # a threshold, and two lines
