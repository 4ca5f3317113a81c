"""Warm starts: values land in the parts that a child shares with its parent, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from run.driving import DOMAIN, QUICK, small_task
from strategies import domains, programs, signatures

from nearstar import Budget, Scale, Task, Trained, Units, parse, train
from nearstar.language.grammar import Grammar
from nearstar.language.parameters import Block, layout, size_of, unscaled
from nearstar.language.program import Apply, Program, node_at
from nearstar.language.text import to_text
from nearstar.run import Trainer
from nearstar.run.warm_start import starting_parameters
from nearstar.util.seeds import seed_for

UNITS = Units(5, 2)
BUDGET = Budget(units=UNITS)
SEED = 3


def numbered(program: Program) -> Trained:
    """A trained program with a different value for every parameter, none of which is drawn."""
    n_features = program.signature.input.size
    return Trained(
        program=program,
        theta=1000.0 + np.arange(size_of(layout(program, UNITS))),
        scale=Scale(np.arange(n_features) * 0.5, 1.0 + np.arange(n_features)),
        units=UNITS,
        error=0.5,
        metrics=None,
        losses=(),
        stages=(),
        cut=False,
        step=1,
        diverged=False,
        seconds=0.0,
    )


def started(program: Program, parent: Trained) -> np.ndarray:
    return starting_parameters(program, BUDGET, parent.scale, parent, SEED)


@st.composite
def sketches(draw: st.DrawFn) -> tuple[Grammar, Program]:
    domain = draw(domains())
    grammar = domain.grammar(draw(signatures(domain)))
    return grammar, draw(programs(grammar, holes=True))


@settings(max_examples=50)
@given(sketches())
def test_a_program_like_its_parent_starts_exactly_where_that_one_is(
    sketch: tuple[Grammar, Program],
) -> None:
    parent = numbered(sketch[1])
    np.testing.assert_array_equal(started(parent.program, parent), parent.theta)


def described(program: Program, block: Block) -> tuple[object, ...]:
    above = [node_at(program, block.path[:end]) for end in range(len(block.path))]
    names = [node.operation.name for node in above if isinstance(node, Apply)]
    return names, block.role, block.columns, block.others, block.bias, block.outputs


@settings(max_examples=50)
@given(sketches(), st.integers(0, 100))
def test_a_child_keeps_what_it_shares_and_draws_the_rest(
    sketch: tuple[Grammar, Program], which: int
) -> None:
    grammar, program = sketch
    children = grammar.expansions(program)
    assume(children)
    child, parent = children[which % len(children)], numbered(program)
    theta = started(child, parent)
    blocks = layout(child, UNITS)
    fresh = unscaled(blocks, BUDGET.initial(child, SEED), parent.scale)
    sources = {block.offset: block for block in layout(program, UNITS)}
    at_path = {(block.path, block.role): block for block in sources.values()}
    used: list[int] = []
    for block in blocks:
        values = block.of(theta)
        same = at_path.get((block.path, block.role))
        if values[0, 0] < 1000:
            np.testing.assert_array_equal(values, block.of(fresh))
            # A part of the parent in the same place would have been taken, unless it differs.
            assert same is None or _network(child, same.path) != _network(program, same.path)
        else:
            source = sources[int(values[0, 0]) - 1000]
            np.testing.assert_array_equal(values, source.of(parent.theta))
            assert described(child, block) == described(program, source)
            used.append(source.offset)
    assert len(set(used)) == len(used)


def _network(program: Program, path: tuple[int, ...]) -> list[tuple[object, ...]]:
    """All blocks of one leaf or hole."""
    return [described(program, b) for b in layout(program, UNITS) if b.path == path]


def crim13(text: str) -> Program:
    return parse(text, DOMAIN, DOMAIN.signature(1, per_frame=True)).program


def test_a_part_that_moved_takes_its_values_along() -> None:
    parent = numbered(crim13("map (fun x_t. add(PositionAffine(x_t), DistanceAffine(x_t))) x"))
    child = crim13("map (fun x_t. add(DistanceAffine(x_t), PositionAffine(x_t))) x")
    expected = np.concatenate([parent.theta[5:], parent.theta[:5]])
    np.testing.assert_array_equal(started(child, parent), expected)


def test_the_network_of_a_branch_is_not_taken_for_the_condition() -> None:
    parent = numbered(crim13("map (fun x_t. if ?? > 0 then ?? else ??) x"))
    child = crim13("map (fun x_t. if DistanceAffine(x_t) > 0 then ?? else ??) x")
    theta = started(child, parent)
    n = len(parent.theta) // 3
    np.testing.assert_array_equal(theta[2:], parent.theta[n:])
    assert (theta[:2] < 1000).all()


@pytest.fixture(scope="module")
def task() -> Task:
    return small_task()


def test_a_trainer_starts_from_what_it_is_given(task: Task) -> None:
    # With no weight on any class nothing is learned: what comes out is what it started from.
    still = replace(QUICK, class_weights=(0.0, 0.0), restarts=1)
    parent = Trainer(task, QUICK).train(crim13("map (fun x_t. add(AngleAffine(x_t), ??)) x"))
    child = crim13("map (fun x_t. add(AngleAffine(x_t), DistanceAffine(x_t))) x")
    theta = Trainer(task, still).train(child, parent).theta
    np.testing.assert_allclose(theta[:4], parent.theta[:4], rtol=1e-5)
    cold = Trainer(task, still).train(child).theta
    assert np.abs(cold[:4] - parent.theta[:4]).max() > 0.01
    np.testing.assert_allclose(theta[4:], cold[4:], rtol=1e-5)
    failed = replace(parent, diverged=True)
    np.testing.assert_array_equal(Trainer(task, still).train(child, failed).theta, cold)


def test_the_seed_of_a_training_is_of_the_run_and_the_text_alone(task: Task) -> None:
    program = crim13("map (fun x_t. DistanceAffine(x_t)) x")
    for seed in (0, 1):
        there = Trainer(task, QUICK, seed).train(program)
        here = train(program, task, QUICK, seed_for(seed, "train", to_text(program)))
        np.testing.assert_array_equal(there.theta, here.theta)


def test_class_weights_are_checked_before_any_training(task: Task) -> None:
    with pytest.raises(ValueError, match="3 class weights were given for 2 classes"):
        Trainer(task, Budget(class_weights=(1.0, 1.0, 1.0)))
