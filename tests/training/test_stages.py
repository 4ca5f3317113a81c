"""Stages: trainings that are cut off go the way of whole ones, probes are short, and looks at a
part of the validation data never decide what a whole training is said to reach."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearstar import Budget, Domain, Hole, Model, Sequences, Task, Trained, parse, train
from nearstar.data import two_animals
from nearstar.data.examples.synthetic import HIDDEN_RULE
from nearstar.training import course as course_module
from nearstar.training.course import Course
from nearstar.util.seeds import seed_for

CRIM13 = Domain.built_in("crim13")
DATA = two_animals(60, 0, length=(10, 30))
TASK = Task(DATA.subset(np.arange(20)), DATA.subset(np.arange(20, 60)))
N_VALID = len(TASK.valid.frames)
PROGRAM = parse(HIDDEN_RULE, CRIM13, TASK.signature()).program
BUDGET = Budget(symbolic_steps=60, stages=4, look_every=4, batch_size=5, restarts=1)


@cache
def whole(budget: Budget = BUDGET, seed: int = 0) -> Trained:
    return train(PROGRAM, TASK, budget, seed)


def same(one: Trained, other: Trained) -> bool:
    """Whether two trainings went the same way, to the bit."""
    kept = ("error", "metrics", "losses", "stages", "cut", "step", "diverged")
    return one.theta.tobytes() == other.theta.tobytes() and all(
        getattr(one, name) == getattr(other, name) for name in kept
    )


def model_error(trained: Trained, data: Sequences = TASK.valid) -> float:
    return Model.of(trained, CRIM13, DATA.class_names).evaluate(data).error


@pytest.mark.parametrize("select", ["best", "last"])
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_training_that_is_cut_is_the_beginning_of_the_whole(stage: int, select: str) -> None:
    budget = replace(BUDGET, select=select, quick_look=None)
    all_of_it = whole(budget)
    assert not all_of_it.cut and len(all_of_it.stages) == 4
    cutoffs = (*all_of_it.stages[: stage - 1], all_of_it.stages[stage - 1] - 1e-9)
    cut = train(PROGRAM, TASK, budget, cutoffs=cutoffs)
    assert cut.cut and not cut.diverged
    assert cut.stages == all_of_it.stages[:stage] and cut.error == cut.stages[-1]
    assert cut.losses == all_of_it.losses[: len(cut.losses)]
    assert cut.step <= sum(budget.stages_of(PROGRAM)[:stage])
    assert model_error(cut) == pytest.approx(cut.error)
    # Whatever comes later plays no part.
    assert same(cut, train(PROGRAM, TASK, budget, cutoffs=(*cutoffs, 0.0)))


@settings(max_examples=15)
@given(st.lists(st.floats(0, 1), max_size=6), st.integers(0, 3), st.sampled_from((1, 3)))
def test_cutoffs_end_a_training_where_they_say_and_change_nothing_else(
    cutoffs: list[float], seed: int, restarts: int
) -> None:
    budget = replace(BUDGET, restarts=restarts)
    all_of_it = whole(budget, seed)
    found = train(PROGRAM, TASK, budget, seed, cutoffs=tuple(cutoffs))
    ends = [
        n
        for n, (error, most) in enumerate(zip(all_of_it.stages, cutoffs, strict=False), 1)
        if error > most and n < 4  # after the last stage there is nothing to be saved
    ]
    assert found.cut == bool(ends)
    if ends:
        assert found.stages == all_of_it.stages[: ends[0]]
    else:
        assert same(found, all_of_it)


def test_programs_with_holes_have_one_stage_and_are_never_cut() -> None:
    budget = Budget(neural_steps=20, look_every=5)
    hole = Hole(TASK.signature())
    found, usual = (
        train(hole, TASK, budget, cutoffs=each, probe=probe)
        for each, probe in (((0.0, 0.0), True), ((), False))
    )
    assert len(usual.stages) == 1 and same(found, usual)


def test_a_probe_is_one_start_of_two_stages() -> None:
    several = replace(BUDGET, restarts=3, quick_look=None)
    probe = train(PROGRAM, TASK, several, probe=True)
    assert not probe.cut and probe.stages == whole(several).stages[:2]
    assert probe.step <= sum(several.stages_of(PROGRAM)[:2])
    # One start, of which the first two stages are those of the whole training.
    alone = whole(replace(several, restarts=1))
    assert probe.stages == alone.stages[:2]
    assert probe.losses == alone.losses[: len(probe.losses)]
    for stages in (1, 2):
        fewer = replace(several, stages=stages)
        assert len(train(PROGRAM, TASK, fewer, probe=True).stages) == stages
    first = probe.stages[0]
    assert train(PROGRAM, TASK, several, probe=True, cutoffs=(first - 1e-9,)).stages == (first,)


class Looks:
    """Every look at data: how many labels they have."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        judge = course_module.Session.judge

        def judged(session, blocks, n_classes):
            self.sizes.append(int((blocks.labels >= 0).sum()))
            return judge(session, blocks, n_classes)

        patch.setattr(course_module.Session, "judge", judged)


@pytest.mark.parametrize("most", [100, N_VALID - 1])
def test_early_stages_look_at_a_part(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    budget = replace(BUDGET, quick_look=most)
    found = train(PROGRAM, TASK, budget)
    first = looks.sizes
    before_last = sum(max(round(n / 4), 1) for n in budget.stages_of(PROGRAM)[:-1])
    assert len(set(first[:before_last])) == 1 and set(first[before_last:]) == {N_VALID}
    # Whole sequences, as many as it takes: the longest has 30 frames.
    assert min(most, N_VALID) <= first[0] < most + 30
    assert found.error == pytest.approx(model_error(found))
    assert found.metrics is not None and found.metrics.confusion.sum() == N_VALID
    assert found.stages[-1] == found.error and found.step > sum(budget.stages_of(PROGRAM)[:-1])
    # The part is the same for another task of the same data.
    assert same(found, train(PROGRAM, Task(TASK.train, TASK.valid), budget))
    looks.sizes = []
    probe = train(PROGRAM, TASK, budget, probe=True)
    assert set(looks.sizes) == {first[0]} and probe.stages == found.stages[:2]


@pytest.mark.parametrize("quick_look", [None, N_VALID, N_VALID + 1])
def test_where_the_part_is_all_nothing_changes(quick_look: int | None) -> None:
    assert same(whole(replace(BUDGET, quick_look=quick_look)), whole())


def test_one_stage_alone_looks_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Looks(monkeypatch)
    train(PROGRAM, TASK, replace(BUDGET, stages=1, quick_look=50))
    train(Hole(TASK.signature()), TASK, Budget(neural_steps=8, quick_look=50))
    assert set(looks.sizes) == {N_VALID}


def diverge(patch: pytest.MonkeyPatch, stage: int, seeds: tuple[int, ...] | None = None) -> None:
    """Have trainings from some starts, or from all, give NaN at a stage, counted from 0."""
    usual, init = Course._go, Course.__init__

    def begun(self, plan, seed, start) -> None:
        init(self, plan, seed, start)
        self.fails = seeds is None or seed in seeds

    def go(self, index: int) -> None:
        if index == stage and self.fails:
            self._session.parameters[:] = np.nan
        usual(self, index)

    patch.setattr(Course, "__init__", begun)
    patch.setattr(Course, "_go", go)


def starts(n: int) -> list[int]:
    return [0, *(seed_for(0, "restart", str(k)) for k in range(1, n))]


def test_a_start_that_diverges_at_once_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = replace(BUDGET, restarts=3)
    seeds = starts(3)
    others = [whole(seed=seed) for seed in seeds]
    diverge(monkeypatch, 0, (seeds[0],))
    found = train(PROGRAM, TASK, budget)
    assert not found.diverged and found.stages[:2] == others[1].stages[:2]
    best = min(others[1:], key=lambda each: each.stages[1])
    assert found.theta.tobytes() == best.theta.tobytes() and found.error == best.error
    # It is cut off by what the second start reaches.
    cutoffs = (others[1].stages[0] - 1e-9,)
    cut = train(PROGRAM, TASK, budget, cutoffs=cutoffs)
    assert cut.cut and cut.stages == others[1].stages[:1]
    # Of one start alone nothing is left.
    alone = train(PROGRAM, TASK, BUDGET)
    assert alone.diverged and alone.error == 1.0 and alone.stages == (1.0,)


def test_all_starts_may_diverge_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    diverge(monkeypatch, 0)
    for cutoffs in ((), (0.5,)):
        found = train(PROGRAM, TASK, replace(BUDGET, restarts=3), cutoffs=cutoffs)
        assert found.diverged and found.error == 1.0 and found.metrics is None
        assert found.stages == (1.0,) and np.isfinite(found.theta).all()


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize("quick_look", [None, 100])
def test_a_later_stage_that_diverges_keeps_what_was_reached(
    stage: int, quick_look: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = replace(BUDGET, quick_look=quick_look)
    before = whole(budget).stages[:stage]
    diverge(monkeypatch, stage)
    found = train(PROGRAM, TASK, budget)
    assert not found.diverged and not found.cut
    assert found.stages == (*before, before[-1])
    assert found.step <= sum(budget.stages_of(PROGRAM)[:stage])
    # Though it never came to a look at all validation data.
    assert found.error == pytest.approx(model_error(found))
    if quick_look is None:
        assert found.error == before[-1]


def test_another_start_goes_on_where_the_first_one_was_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No stage is gone through twice, however few the first start came to."""
    seeds = starts(2)
    gone: dict[int, list[int]] = {}
    usual = Course._go
    order = iter(seeds)
    init = Course.__init__

    def begun(self, plan, seed, start) -> None:
        init(self, plan, seed, start)
        self.number = gone.setdefault(next(order), [])

    def go(self, index: int) -> None:
        self.number.append(index)
        usual(self, index)
        if self.number is gone[seeds[0]]:
            self.over = True  # such as by its patience
            self.best = self.best._replace(error=0.9)

    monkeypatch.setattr(Course, "__init__", begun)
    monkeypatch.setattr(Course, "_go", go)
    found = train(PROGRAM, TASK, replace(BUDGET, restarts=2))
    assert gone == {seeds[0]: [0], seeds[1]: [0, 1, 2, 3]}
    assert found.stages[0] == 0.9 and len(found.stages) == 4
