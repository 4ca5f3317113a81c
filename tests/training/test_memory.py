"""Memories are trained: how fast they forget is found, without the care that folds need."""

from __future__ import annotations

import numpy as np
import pytest

from nearstar import Budget, Domain, Sequences, Task, parse, train
from nearstar.language.parameters import layout, unscaled
from nearstar.language.program import Program

DOMAIN = Domain.of_size(3, summaries=("memory",))


def remembered(half_life: float, seed: int, outputs: int, n: int = 80) -> Sequences:
    """Labelled by what a memory of the first feature is, above 0 or in which third."""
    x = np.random.default_rng(seed).normal(size=(n, 120, 3))
    kept, mean, means = 0.5 ** (1 / half_life), x[:, 0, 0], []
    for frame in range(x.shape[1]):
        mean = kept * mean + (1 - kept) * x[:, frame, 0]
        means.append(mean)
    edges = [0.0] if outputs == 1 else [-0.05, 0.05]
    return Sequences.from_arrays(x, np.digitize(np.array(means).T, edges))


def program_for(outputs: int) -> Program:
    text = "mapprefix (fun x_t. memory (fun x_i. Affine(x_i)) x_t) x"
    return parse(text, DOMAIN, DOMAIN.signature(outputs, per_frame=True)).program


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("half_life", [4.0, 20.0])
def test_its_half_life_is_found(half_life: float, outputs: int) -> None:
    task = Task(remembered(half_life, 0, outputs), remembered(half_life, 1, outputs))
    found = train(program_for(outputs), task)
    assert found.metrics.error < 0.02 * max(outputs, 1)
    assert found.theta[0] == pytest.approx(half_life, rel=0.2)


def test_it_starts_at_about_ten_frames_and_differs_between_starts() -> None:
    program = program_for(1)
    starts = [
        unscaled(layout(program), Budget().initial(program, seed), Task(DATA, DATA).scale)[0]
        for seed in range(30)
    ]
    assert 5 <= min(starts) < 8 and 13 < max(starts) <= 20


def test_it_has_the_steps_and_rates_of_programs_without_a_fold() -> None:
    budget, memory = Budget(), program_for(1)
    plain = parse("map (fun x_t. Affine(x_t)) x", DOMAIN, memory.signature).program
    assert budget.stages_of(memory, probe=True) == budget.stages_of(plain, probe=True)
    assert budget.rates(memory, 300.0, 10).tolist() == budget.rates(plain, 300.0, 10).tolist()


DATA = remembered(10.0, 0, 1, n=4)
