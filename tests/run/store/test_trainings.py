"""What stands in place of a training: whatever cutoffs it had, it went the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from run.driving import DOMAIN, small_task, trained

from nearstar import Budget, Trained, parse
from nearstar.run import Trainer
from nearstar.run.store.trainings import RunMemory, ended, in_place_of, key_of

PROGRAM = parse("map (fun x_t. AngleAffine(x_t)) x", DOMAIN, small_task().signature()).program
LEVELS = (0.2, 0.5, 0.8)
MOST = 3
"""Stages of a whole training."""
ALL_CUTOFFS = [each for n in range(MOST + 1) for each in product((0.1, 0.3, 0.6, 0.9), repeat=n)]


def went(errors: Sequence[float], cutoffs: Sequence[float]) -> Trained:
    """A training that would go through stages with these errors; fewer if it ends by itself."""
    stages: list[float] = []
    cut = False
    for error in errors:
        stages.append(error)
        over = len(stages) == len(errors)
        if not over and len(stages) <= len(cutoffs) and error > cutoffs[len(stages) - 1]:
            cut = True
            break
    return replace(trained(PROGRAM, stages[-1]), stages=tuple(stages), cut=cut)


def place(training: Trained) -> tuple[object, ...]:
    return training.stages, training.cut, training.error


def test_a_training_serves_where_one_with_other_cutoffs_would_have_ended() -> None:
    key, served = key_of(PROGRAM), 0
    for n in range(1, MOST + 1):
        for errors in product(LEVELS, repeat=n):
            ends = {cutoffs: went(errors, cutoffs) for cutoffs in ALL_CUTOFFS}
            for theirs in {place(each): each for each in ends.values()}.values():
                memory = RunMemory()
                memory.keep(ended(key, theirs), theirs, 0.0)
                for cutoffs, ours in ends.items():
                    found = in_place_of(memory, key, PROGRAM, cutoffs)
                    assert (found is not None) == (place(ours) == place(theirs))
                    served += found is not None
    assert served


@given(st.lists(st.sampled_from(ALL_CUTOFFS), max_size=4), st.sampled_from(ALL_CUTOFFS), st.data())
def test_of_several_trainings_the_right_one_serves(
    kept: list[tuple[float, ...]], asked: tuple[float, ...], data: st.DataObject
) -> None:
    errors = data.draw(st.tuples(*[st.sampled_from(LEVELS)] * MOST))
    memory, key = RunMemory(), key_of(PROGRAM, 0.5)
    for cutoffs in kept:
        memory.keep(ended(key, went(errors, cutoffs)), went(errors, cutoffs), 0.0)
    found, ours = in_place_of(memory, key, PROGRAM, asked), went(errors, asked)
    if found is not None:
        assert place(found.fetch()) == place(ours)
    else:
        assert all(place(went(errors, cutoffs)) != place(ours) for cutoffs in kept)


def test_keys_tell_apart_what_is_trained_otherwise() -> None:
    other = parse("map (fun x_t. ??) x", DOMAIN, small_task().signature()).program
    start = trained(other, 0.5)
    keys = {
        key_of(PROGRAM),
        key_of(other),
        key_of(PROGRAM, 0.5),
        key_of(PROGRAM, probe=True),
        key_of(PROGRAM, start=start),
        key_of(PROGRAM, start=replace(start, theta=start.theta + 1)),
        ended(key_of(PROGRAM), went((0.8, 0.5), (0.1,))),
    }
    assert len(keys) == 7
    assert key_of(PROGRAM, start=replace(start, diverged=True)) == key_of(PROGRAM)
    assert ended(key_of(PROGRAM), went((0.8, 0.5), ())) == key_of(PROGRAM)


@given(st.lists(st.sampled_from((0.0, 0.6, 0.75, 0.9, 1.0)), max_size=4), st.integers(1, 3))
def test_what_serves_is_what_training_gives(cutoffs: list[float], restarts: int) -> None:
    """With trainings as they are, also where starts diverge or lose patience."""
    budget = Budget(symbolic_steps=30, look_every=1, restarts=restarts, patience=3)
    trainer, key = Trainer(small_task(), budget, 1), key_of(PROGRAM)
    memory = RunMemory()
    for theirs in ((), (0.5,), (1.0, 0.5), (1.0, 1.0, 0.5)):
        training = trainer.train(PROGRAM, cutoffs=theirs)
        memory.keep(ended(key, training), training, 0.0)
    found = in_place_of(memory, key, PROGRAM, cutoffs)
    ours = trainer.train(PROGRAM, cutoffs=tuple(cutoffs))
    assert found is not None and place(found.fetch()) == place(ours)
    np.testing.assert_array_equal(found.fetch().theta, ours.theta)
