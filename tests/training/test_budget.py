"""Budgets: stages that double, rates that fall, and the published settings in steps."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar import Budget, Domain, NearstarError, Units, parse

CRIM13 = Domain.built_in("crim13")
SIGNATURE = CRIM13.signature(1, per_frame=True)
LEAF, FOLD, PARTIAL, PARTIAL_FOLD = (
    parse(text, CRIM13, SIGNATURE).program
    for text in (
        "map (fun x_t. AngleAffine(x_t)) x",
        "mapprefix (fun x_t. fold (fun x_i. AngleAffine(x_i)) c x_t) x",
        "map (fun x_t. ??) x",
        "mapprefix (fun x_t. fold (fun x_i. ??) c x_t) x",
    )
)


@given(steps=st.integers(1, 5000), stages=st.integers(1, 7), times=st.integers(1, 3))
def test_stages_double_and_add_up(steps: int, stages: int, times: int) -> None:
    budget = Budget(symbolic_steps=steps, neural_steps=steps, stages=stages, fold_steps=times)
    for program, total in ((LEAF, steps), (FOLD, times * steps)):
        found = budget.stages_of(program)
        assert sum(found) == total and min(found) > 0 and len(found) <= stages
        if total >= 2**stages - 1:
            assert len(found) == stages
            # But for rounding of both ends of each.
            pairs = pairwise(found)
            assert all(abs(after - 2 * before) <= 3 for before, after in pairs)
    exact = Budget(symbolic_steps=5 * (2**stages - 1), stages=stages)
    assert exact.stages_of(LEAF) == tuple(5 * 2**n for n in range(stages))
    # Programs with holes are trained in one go.
    assert budget.stages_of(PARTIAL) == (steps,)
    assert budget.stages_of(PARTIAL_FOLD) == (times * steps,)


@given(
    steps=st.integers(1, 300),
    rate=st.floats(1e-4, 1),
    neural=st.floats(0.01, 1),
    fold=st.floats(0.1, 50) | st.none(),
    length=st.floats(1, 1000),
)
def test_rates_fall_along_a_cosine_from_shares_of_the_rate(
    steps: int, rate: float, neural: float, fold: float | None, length: float
) -> None:
    budget = Budget(learning_rate=rate, neural_rate=neural, fold_rate=fold)
    by_length = 1.0 if fold is None else min(0.25, fold / length)
    shares = {
        LEAF: 1.0,
        PARTIAL: neural,
        FOLD: by_length,
        PARTIAL_FOLD: min(neural, by_length),
    }
    for program, share in shares.items():
        rates = budget.rates(program, length, steps)
        expected = [rate * share * (1 + math.cos(math.pi * n / steps)) / 2 for n in range(steps)]
        np.testing.assert_allclose(rates, expected, rtol=1e-9)
        assert (np.diff(rates) < 0).all() and (rates > 0).all()
    constant = Budget(learning_rate=rate, schedule="constant").rates(LEAF, length, steps)
    assert (constant == rate).all() and len(constant) == steps


@pytest.mark.parametrize("name", ["crim13", "fly", "basketball"])
@given(n=st.integers(1, 30_000))
def test_the_papers_epochs_in_steps(name: str, n: int) -> None:
    domain = Domain.built_in(name)
    paper, budget = domain.paper, Budget.paper(domain, n)
    batches = math.ceil(n / paper["batch_size"])
    assert budget.symbolic_steps == paper["symbolic_epochs"] * batches
    assert budget.neural_steps == paper["neural_epochs"] * batches
    assert (budget.stages, budget.schedule, budget.restarts) == (1, "constant", 1)
    assert (budget.reshuffle, budget.select) == (False, "last")
    assert (budget.clip, budget.fold_rate, budget.fold_memory) == (None, None, 0.0)
    assert budget.units == Units(*paper["units"])
    # Folds and networks are trained like all others.
    for program in (LEAF, FOLD):
        assert budget.stages_of(program) == (budget.symbolic_steps,)
    for program in (LEAF, FOLD, PARTIAL, PARTIAL_FOLD):
        assert (budget.rates(program, 100.0, 3) == paper["learning_rate"]).all()
    changed = Budget.paper(domain, n, symbolic_steps=7, batch_size=1)
    assert changed.symbolic_steps == 7
    assert changed.neural_steps == paper["neural_epochs"] * n


@pytest.mark.parametrize(
    "bad",
    [
        {"stages": 0},
        {"schedule": "linear"},
        {"neural_rate": 0.0},
        {"fold_steps": 0},
        {"look_every": 0},
        {"quick_look": 0},
        {"restarts": 0},
    ],
)
def test_what_is_no_budget(bad: dict) -> None:
    with pytest.raises(NearstarError, match=next(iter(bad))):
        Budget(**bad)


@given(weights=st.integers(0, 10**5), labels=st.integers(1, 10**6))
def test_weights_fade_more_where_they_are_many_for_few_labels(weights: int, labels: int) -> None:
    budget = Budget(decay=0.02)
    decay = budget.decay_of(weights, labels)
    assert 0.02 <= decay <= budget.decay_of(weights + 1, labels) <= 0.15
    assert budget.decay_of(weights, labels + 1) <= decay
    assert budget.decay_of(16, 10**5) == 0.02 and Budget(decay=0).decay_of(weights, labels) == 0
