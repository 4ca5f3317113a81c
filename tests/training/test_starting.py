"""Starting parameters: decided by the seed, within their bounds, and folds that remember."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import domains, programs, signatures

from nearstar import Budget, Domain, Scale, Sequences, Task, Units, parse, train
from nearstar.engine.lowering import lower
from nearstar.engine.packing import pack
from nearstar.engine.session import Session
from nearstar.language.parameters import layout
from nearstar.language.program import Program
from nearstar.training.starting import initial, kept_by

UNITS = Units(6, 6)
"""Two for each component of an accumulator of three."""
DOMAIN = Domain.of_size(2, vectors=("if", "add", "multiply", "affine", "const"))


@st.composite
def sketches(draw: st.DrawFn) -> Program:
    domain = draw(domains())
    return draw(programs(domain.grammar(draw(signatures(domain))), holes=True))


@given(sketches(), st.integers(0, 2**32), st.sampled_from((0.0, 0.9)))
def test_they_are_decided_by_the_seed(program: Program, seed: int, memory: float) -> None:
    blocks, kept = layout(program, UNITS), kept_by(program, memory)
    theta = initial(blocks, seed, kept)
    assert theta.tobytes() == initial(blocks, seed, kept).tobytes()
    assert len(theta) == 0 or theta.tobytes() != initial(blocks, seed + 1, kept).tobytes()
    plain = initial(blocks, seed)
    for block in blocks:
        drawn = block.of(theta)
        if block.path in kept:
            assert np.isfinite(drawn).all()
        else:
            np.testing.assert_array_equal(drawn, block.of(plain))
            assert (abs(drawn - block.start) <= block.bound + 1e-6).all()


def test_without_memory_all_is_drawn_alike() -> None:
    text = "mapprefix (fun x_t. fold (fun x_i. add(Affine(x_i), ??)) c x_t) x"
    program = parse(text, DOMAIN, DOMAIN.signature(3, per_frame=True)).program
    drawn = Budget(units=UNITS, fold_memory=0.0).initial(program, 0)
    np.testing.assert_array_equal(drawn, initial(layout(program, UNITS), 0))
    assert drawn.tobytes() != Budget(units=UNITS).initial(program, 0).tobytes()


LEAVES = st.sampled_from(("Affine(x_i)", "??"))
BODIES = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds("add({}, {})".format, inner, inner)
        | st.builds("add({}, const)".format, inner)
        | st.builds("if {} > 0 then {} else {}".format, LEAVES, inner, inner)
    ),
    max_leaves=6,
)


@settings(max_examples=50)
@given(BODIES, st.integers(0, 1000), st.sampled_from((0.5, 0.9)), st.sampled_from((1, 3)))
def test_a_fold_forgets_at_the_same_pace_whatever_its_body(
    body: str, seed: int, memory: float, outputs: int
) -> None:
    """What the first element left is a power of the memory, where nothing is added to it."""
    text = f"mapprefix (fun x_t. fold (fun x_i. {body}) c x_t) x"
    program = parse(text, DOMAIN, DOMAIN.signature(outputs, per_frame=True)).program
    # As many units as it takes: others than these begin with something of their own.
    units = Units(2 * outputs, 2 * outputs)
    blocks = layout(program, units)
    theta = initial(blocks, seed, kept_by(program, memory))
    for block in blocks:
        if block.bias:  # a constant is nothing else
            block.of(theta)[-1] = 0.0
    elements = np.zeros((1, 8, 2), np.float32)
    elements[0, 0] = 1.0, -2.0
    scale = Scale(np.zeros(2), np.ones(2))
    data = Sequences.from_arrays(elements, np.zeros((1, 8), int), class_names=list("abc"))
    packed = pack(data, scale)
    found = Session(lower(program, scale, units), theta, packed).predict(packed)
    expected = found[0] * memory ** np.arange(8)[:, None]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_folds_learn_what_lies_far_back(seed: int) -> None:
    """On which side a walk ended: each of a hundred steps counts as much as the last."""
    random = np.random.default_rng(seed)
    steps = random.normal(size=(400, 100, 2)).astype(np.float32)
    side = (steps[..., 0].sum(1) > 0).astype(int)
    data = Sequences.from_arrays(steps, side)
    task = Task(data.subset(range(300)), data.subset(range(300, 400)))
    program = parse("fold (fun x_t. Affine(x_t)) c x", DOMAIN, task.signature()).program
    assert train(program, task, seed=seed).error < 0.05
