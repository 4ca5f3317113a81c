"""Each closure that the product finds has parameters that show it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from language.canonical.trees import (
    FOLDED,
    FRAMES,
    SCALAR,
    SUMMARY,
    VECTOR,
    Array,
    Matrices,
    grammar_of,
    random_matrices,
    theta,
)
from language.canonical.witnesses import Witness, closure, scaled, shifted, signed
from naive import run
from strategies import programs

from nearstar.language.program import Program
from nearstar.language.types import Signature


@settings(deadline=None, max_examples=60)
@given(
    data=st.data(),
    signature=st.sampled_from([SCALAR, VECTOR, FOLDED, SUMMARY, FRAMES]),
    seed=st.integers(0, 999),
)
def test_closures_have_witnesses(data: st.DataObject, signature: Signature, seed: int) -> None:
    program = data.draw(programs(grammar_of(signature), max_size=9))
    found, matrices = closure(program), random_matrices(program, seed)
    assume(np.abs(_all_values(program, matrices, seed)).max() < 1e4)
    before = _all_values(program, matrices, seed)

    def check(holds: bool, witness: Witness, expected: Array, flip: bool = False) -> None:
        if holds:
            assert witness is not None
            after = _all_values(program, witness, seed, flip)
            assert after == pytest.approx(expected, rel=1e-6, abs=1e-6)

    check(found.negate, signed(program, (), matrices, -1), -before)
    if not signature.maps_vectors:
        return
    flipped = signed(program, (), matrices, 1, -1)
    check(found.flip, flipped, before, flip=True)
    check(found.turn, signed(program, (), matrices, -1, -1), -before, flip=True)
    if found.scale:
        factor = np.array([-1.5, 0.0])[: signature.output.size]
        check(True, scaled(program, (), matrices, factor), before * np.resize(factor, before.shape))
    if found.stretch:
        check(True, scaled(program, (), matrices, np.array([2.5]), positive=True), 2.5 * before)
    if found.shift is not None:
        delta = np.random.default_rng(seed).normal(size=(signature.input_size + 1, 2))
        delta = delta[:, : signature.output.size]
        for column in range(signature.input.size):
            delta[column] *= found.shift >> column & 1
        delta[signature.input.size : -1] *= found.shift >> signature.input.size & 1
        inputs = np.random.default_rng(seed).normal(size=(6, signature.input_size))
        added = inputs @ delta[:-1] + delta[-1]
        check(True, shifted(program, (), matrices, delta), before + added.ravel())
    if found.constant:
        assert np.ptp(before.reshape(6, -1), axis=0).max() < 1e-9


def _all_values(program: Program, matrices: Matrices, seed: int, flip: bool = False) -> Array:
    """Values on random inputs; with ``flip`` on those with the accumulator's sign turned."""
    signature, flat = program.signature, theta(program, matrices)
    random = np.random.default_rng(seed)
    shape = (6, signature.input_size) if signature.maps_vectors else (3, 5, 4)
    inputs = random.normal(size=shape)
    if flip:
        inputs[:, signature.input.size :] *= -1
    return np.concatenate([run(program, flat, each).value.ravel() for each in inputs])
