"""Where parameters are, and what they mean in other units."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from engine.cases import UNITS, Case, cases
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from strategies import SUMMARIES, domains, programs, signatures

from nearstar.data import Scale
from nearstar.engine.lowering import lower
from nearstar.engine.packing import pack
from nearstar.engine.session import Session
from nearstar.language.domain import Domain
from nearstar.language.networks import Units, hidden_units
from nearstar.language.operators import Affine, Constant, Group, Memory
from nearstar.language.parameters import layout, rounded, scaled, size_of, unscaled
from nearstar.language.program import Apply, Hole, Program, walk
from nearstar.language.text import parse
from nearstar.language.types import Signature, Vector
from nearstar.util.errors import ProgramError


@st.composite
def sketches(draw: st.DrawFn) -> Program:
    domain = draw(domains())
    return draw(programs(domain.grammar(draw(signatures(domain))), holes=True))


def needed(node: Program, hidden: int | None) -> int:
    """How many parameters a node has, from the definitions of affine maps and networks."""
    signature, out = node.signature, node.signature.output.size
    if isinstance(node, Hole):
        if hidden is None:
            return 0
        output = (hidden + 1) * out
        if signature.maps_vectors:
            return (signature.input_size + 1) * hidden + output
        return 4 * hidden * (signature.input.size + 1 + hidden) + output
    if isinstance(node.operation, Affine):
        group = node.operation.group
        features = len(group.columns) if group else signature.input.size
        return (features + signature.carried + 1) * out
    if isinstance(node.operation, Memory):
        return 1
    return out if isinstance(node.operation, Constant) else 0


@given(sketches(), st.sampled_from((None, UNITS, Units(7, 1))))
def test_the_layout_covers_theta_exactly_once(program: Program, units: Units | None) -> None:
    blocks = layout(program, units)
    hidden = hidden_units(program, units) if units else {}
    assert size_of(blocks) == sum(needed(node, hidden.get(path)) for path, node in walk(program))
    theta = np.arange(size_of(blocks), dtype=np.float64)
    matrices = [block.of(theta).ravel() for block in blocks]
    np.testing.assert_array_equal(np.concatenate([np.empty(0), *matrices]), theta)
    paths = [block.path for block in blocks]
    assert paths == sorted(paths)
    assert len({(block.path, block.role) for block in blocks}) == len(blocks)


SCALES = {"mean": st.floats(-1e4, 1e4), "std": st.floats(1e-3, 1e4)}


def scales(n: int) -> st.SearchStrategy[Scale]:
    arrays = {name: npst.arrays(np.float64, n, elements=each) for name, each in SCALES.items()}
    return st.builds(Scale, **arrays)


@given(sketches(), st.data())
def test_units_there_and_back(program: Program, data: st.DataObject) -> None:
    scale = data.draw(scales(program.signature.input.size))
    blocks = layout(program, UNITS)
    elements = st.floats(-1e6, 1e6, width=32)
    theta = data.draw(npst.arrays(np.float32, size_of(blocks), elements=elements))
    own = unscaled(blocks, theta, scale)
    back = scaled(blocks, own, scale)
    for block in blocks:
        columns = list(block.columns)
        before, after = block.of(theta), block.of(back)
        if block.is_half_life:  # the logarithm of one that can be told from 0, and from infinity
            assert (block.of(own) > 0).all() and np.isfinite(block.of(own)).all()
            np.testing.assert_allclose(after, np.clip(before, -40, 40), rtol=2.0**-24, atol=1e-14)
            continue
        if not columns:
            assert after.tobytes() == before.tobytes()
            continue
        assert after[:-1].tobytes() == before[:-1].tobytes()
        shift = abs(scale.mean[columns]) @ abs(block.of(own)[: len(columns)])
        error = abs(after[-1].astype(np.float64) - before[-1])
        assert (error <= 2.0**-24 * abs(before[-1]) + 1e-14 * shift + 1e-40).all()


# Nothing here reads raw features, so that standardising them beforehand is the same.
BLIND = Domain.of_size(
    3,
    groups=(Group("left", (0,)), Group("right", (2, 1))),
    summaries=SUMMARIES,
    vectors=("if", "add", "multiply", "difference", "min", "max", "affine", "Affine", "const"),
)


@st.composite
def blind_programs(draw: st.DrawFn) -> Program:
    return draw(programs(BLIND.grammar(draw(signatures(BLIND))), 10, holes=True))


@given(blind_programs(), st.integers(0, 2**32 - 1))
def test_own_units_on_raw_features_are_standard_units_on_standardised_ones(
    program: Program, seed: int
) -> None:
    random = np.random.default_rng(seed)
    scale = Scale(random.normal(0, 5, 3), np.exp(random.normal(size=3)))
    standard = random.normal(size=(6, 3))
    raw = scale.mean + scale.std * standard
    if program.signature.maps_vectors:
        standard, raw = standard[0], raw[0]
    blocks = layout(program, UNITS)
    theta = random.normal(size=size_of(blocks)).astype(np.float32)
    same = Scale.identity(3)
    expected = naive.run(program, unscaled(blocks, theta, same), standard, UNITS)
    assume(expected.comparable)
    value = naive.evaluate(program, unscaled(blocks, theta, scale), raw, UNITS)
    np.testing.assert_allclose(value, expected.value, rtol=1e-9, atol=1e-9 * max(expected.peak, 1))


def test_a_change_has_no_mean() -> None:
    text = "mapprefix (fun x_t. SlidingWindowChange5(LeftAffine[3; 1](x_t))) x"
    parsed = parse(text, BLIND, BLIND.signature(1, per_frame=True))
    (block,) = layout(parsed.program)
    scale = Scale(np.array([10.0, 0.0, 0.0]), np.array([2.0, 1.0, 1.0]))
    assert scaled((block,), parsed.theta, scale).tolist() == [6.0, 1.0]
    plain = parse("LeftAffine[3; 1](x)", BLIND, Signature(Vector(3), Vector(1)))
    assert scaled(layout(plain.program), plain.theta, scale).tolist() == [6.0, 31.0]


@settings(max_examples=60)
@given(cases())
def test_a_program_means_the_same_under_any_scale(case: Case) -> None:
    """The engine with the data's scale, and with none at all."""
    data, blocks = case.data(), layout(case.program, UNITS)
    identity = Scale.identity(data.n_features)
    packed = pack(data, identity)
    theta = scaled(blocks, case.theta, identity)
    outputs = Session(lower(case.program, identity, UNITS), theta, packed).predict(packed)
    expected = [
        naive.run(case.program, case.theta, s[0] if data.vectors else s, UNITS)
        for s in case.sequences
    ]
    peak = max(result.peak for result in expected)
    assume(peak < 1e4)
    np.testing.assert_allclose(outputs, case.outputs(), rtol=1e-4, atol=1e-5 * max(peak, 1.0))


def test_parameters_that_do_not_fit() -> None:
    blocks = layout(Apply(Affine(), Signature(Vector(2), Vector(1))))
    scale = Scale(np.zeros(2), np.array([1.0, 1e10]))
    for theta, problem in (
        (np.zeros(2), "has 3 parameters"),
        (np.zeros((3, 1)), "has 3 parameters"),
        (np.array([0, np.nan, 0]), "finite"),
        (np.array([0, 1e30, 0]), "too large"),
    ):
        with pytest.raises(ProgramError, match=problem):
            scaled(blocks, theta, scale)


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_rounded_parameters_still_decide_the_same(digits: int) -> None:
    """Far from 0 a bias is large, but what matters is its place among the data."""
    random = np.random.default_rng(0)
    for offset, spread in ((0.0, 1.0), (1e3, 1.0), (1e5, 1.0), (-50.0, 0.01)):
        X = (offset + spread * random.normal(size=(40, 50, 2))).astype(np.float32)
        scale = Scale(X.mean(axis=(0, 1)), X.std(axis=(0, 1)))
        domain = Domain.of_size(2)
        program = parse("map (fun x_t. Affine(x_t)) x", domain, domain.signature(1, per_frame=True))
        blocks = layout(program.program)
        theta = unscaled(blocks, np.array([2.0, -0.5, 0.3], np.float32), scale)
        values = [
            block.of(each)[:2].T @ X.reshape(-1, 2).T.astype(np.float64) + block.of(each)[2]
            for each in (theta, rounded(blocks, theta, scale, digits))
            for block in blocks
        ]
        agree = np.mean((values[0] > 0) == (values[1] > 0))
        assert agree > 1 - 10.0 ** (1 - digits)
