"""The engine computes what the definitions say."""

from __future__ import annotations

from random import Random

import naive
import numpy as np
import pytest
from engine.cases import UNITS, Case, cases
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nearstar.data import Scale, Sequences
from nearstar.engine.lowering import lower
from nearstar.engine.packing import pack
from nearstar.engine.session import Session
from nearstar.language.domain import Domain
from nearstar.language.expression import primitive
from nearstar.language.function import record
from nearstar.language.operators import Affine, Constant, Group, Map, MapPrefix, Select, Window
from nearstar.language.parameters import layout, size_of, unscaled
from nearstar.language.primitives import PRIMITIVES
from nearstar.language.program import Apply, walk
from nearstar.language.reductions import REDUCTIONS
from nearstar.language.text import parse
from nearstar.language.types import Sequence, Signature, Vector
from nearstar.model.model import Model


def expected(case: Case) -> tuple[np.ndarray, float]:
    """Values of the naive interpreter, in the order of the data, and the peak on the way."""
    results = []
    for sequence in case.sequences:
        vectors = case.program.signature.maps_vectors
        results.append(
            naive.run(case.program, case.theta, sequence[0] if vectors else sequence, UNITS)
        )
    peak = max(result.peak for result in results)
    return np.concatenate([np.atleast_2d(result.value) for result in results]), peak


def check_values(case: Case) -> None:
    values, peak = expected(case)
    assume(peak < 1e4)
    # Rounding of the largest intermediate value is the least error that float32 allows.
    np.testing.assert_allclose(case.outputs(), values, rtol=1e-4, atol=3e-6 * max(peak, 1.0))


def check_gradients(case: Case, class_weights: list[float], random: Random) -> None:
    _, peak = expected(case)
    assume(peak < 1e2)
    blocks = case.blocks()
    table = np.array(class_weights[: case.n_classes], np.float32)
    loss, gradient = case.session(blocks).gradient(blocks, table)

    per_frame = case.program.signature.maps_sequences
    labels = case.labels if per_frame else [labels[0] for labels in case.labels]
    vectors = case.program.signature.maps_vectors
    sequences = [sequence[0] if vectors else sequence for sequence in case.sequences]
    where = layout(case.program, UNITS)

    def naive_loss(theta: np.ndarray) -> float:
        raw = unscaled(where, theta, case.scale)
        return naive.loss(case.program, raw, sequences, labels, table, UNITS)

    start = case.trained.astype(np.float64)
    assert loss == pytest.approx(naive_loss(start), rel=1e-3, abs=1e-4)
    for index in random.sample(range(len(start)), min(len(start), 8)):
        step = np.zeros_like(start)
        step[index] = 1e-5
        slope = (naive_loss(start + step) - naive_loss(start - step)) / 2e-5
        assert gradient[index] == pytest.approx(slope, rel=1e-2, abs=1e-3 * max(peak, 1.0))


WEIGHTS = st.lists(st.floats(0.1, 3), min_size=4, max_size=4)


@settings(max_examples=150)
@given(cases())
def test_values_are_those_of_the_naive_interpreter(case: Case) -> None:
    check_values(case)


@settings(max_examples=60)
@given(cases(most_length=8), WEIGHTS, st.randoms(use_true_random=False))
def test_gradients_are_finite_differences_of_the_naive_loss(
    case: Case, class_weights: list[float], random: Random
) -> None:
    check_gradients(case, class_weights, random)


@pytest.mark.slow
@settings(max_examples=6000)
@given(cases(most_length=40))
def test_values_of_many_programs(case: Case) -> None:
    check_values(case)


@pytest.mark.slow
@settings(max_examples=2000)
@given(cases(most_length=8), WEIGHTS, st.randoms(use_true_random=False))
def test_gradients_of_many_programs(case: Case, class_weights: list[float], random: Random) -> None:
    check_gradients(case, class_weights, random)


@settings(max_examples=80)
@given(cases(), st.randoms())
def test_a_sequence_is_on_its_own(case: Case, random) -> None:
    """Outputs are the same, to the bit, alone and in any order; there is no padding to leak."""
    together = case.outputs()
    order = random.sample(range(len(case.sequences)), len(case.sequences))
    ends = np.cumsum([len(s) for s in case.sequences])
    per_frame = case.program.signature.maps_sequences
    parts = np.split(together, ends[:-1]) if per_frame else [row[None] for row in together]
    shuffled = case.outputs(order)
    np.testing.assert_array_equal(shuffled, np.concatenate([parts[i] for i in order]))
    np.testing.assert_array_equal(case.outputs([order[0]]), parts[order[0]])


def test_padding_is_never_read() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(5, 9, 2)).astype(np.float32)
    lengths = [9, 1, 4, 7, 3]
    root = Signature(Sequence(2), Sequence(2))
    program = Apply(
        MapPrefix(),
        root,
        (Apply(Window("Average", 5, True), root.giving(Vector(2)), (leaf(root),)),),
    )
    padded = X.copy()
    for sequence, length in zip(padded, lengths, strict=True):
        sequence[length:] = np.nan
    outputs = [
        predict(program, Sequences.from_arrays(data, lengths=lengths)) for data in (X, padded)
    ]
    np.testing.assert_array_equal(*outputs)


def leaf(root: Signature) -> Apply:
    return Apply(Affine(), root.per_element())


def predict(program, data: Sequences, seed: int = 0) -> np.ndarray:
    scale = Scale.identity(data.n_features)
    blocks = pack(data, scale)
    code = lower(program, scale)
    theta = np.random.default_rng(seed).normal(size=code.n_parameters).astype(np.float32)
    return Session(code, theta, blocks).predict(blocks)


@settings(max_examples=60)
@given(cases(most_length=15, holes=True), st.data())
def test_the_future_is_not_seen(case: Case, data) -> None:
    """Under map and mapprefix nothing depends on later elements, centred windows aside."""
    assume(case.program.signature.maps_sequences)
    nodes = [node for _, node in walk(case.program) if isinstance(node, Apply)]
    whole = [n for n in nodes if n.signature.maps_sequences and n.operation.name == "if"]
    ahead = max(
        (n.operation.size // 2 for n in nodes if getattr(n.operation, "centred", False)), default=0
    )
    assume(not whole)
    sequence = case.sequences[0]
    t = data.draw(st.integers(0, len(sequence) - 1))
    changed = sequence.copy()
    changed[t + ahead + 1 :] = 7.0
    before = Case(case.program, case.scale, case.trained, [sequence], case.labels[:1]).outputs()
    after = Case(case.program, case.scale, case.trained, [changed], case.labels[:1]).outputs()
    np.testing.assert_array_equal(before[: t + 1], after[: t + 1])


@pytest.mark.parametrize("window", ["SlidingWindow{}4", "CentredWindow{}5"])
@pytest.mark.parametrize("reduction", sorted(REDUCTIONS))
@pytest.mark.parametrize("everywhere", [True, False])
@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_gradients_of_what_reads_a_window(window, reduction, everywhere, seed) -> None:
    body = f"{window.format(reduction)}(multiply(Affine(x), Affine(x)))"
    text = f"mapprefix (fun x. {body}) x" if everywhere else body
    domain, random = Domain.of_size(2), np.random.default_rng(seed)
    program = parse(text, domain, domain.signature(2, per_frame=everywhere)).program
    lengths = (1, 2, 9, 5)
    case = Case(
        program,
        Scale(np.array([1.0, -2.0]), np.array([2.0, 0.5])),
        random.uniform(-1, 1, size_of(layout(program))).astype(np.float32),
        [random.normal(1, 2, (length, 2)).astype(np.float32) for length in lengths],
        [random.integers(0, 2, length) for length in lengths],
    )
    check_values(case)
    check_gradients(case, [1.0, 1.0], Random(seed))


@pytest.mark.parametrize("everywhere", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.parametrize("half_life", [0.1, 1.0, 30.0, 1e4])
@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_gradients_of_memories(half_life: float, everywhere: bool, seed: int) -> None:
    body = "memory (fun y. multiply(Affine(y), Affine(y))) x"
    text = f"mapprefix (fun x. {body}) x" if everywhere else body
    domain, random = Domain.of_size(2), np.random.default_rng(seed)
    program = parse(text, domain, domain.signature(2, per_frame=everywhere)).program
    lengths = (1, 2, 40, 9, 40)
    parameters = random.uniform(-1, 1, size_of(layout(program))).astype(np.float32)
    parameters[0] = np.log2(half_life)
    case = Case(
        program,
        Scale(np.array([1.0, -2.0]), np.array([2.0, 0.5])),
        parameters,
        [random.normal(1, 2, (length, 2)).astype(np.float32) for length in lengths],
        [random.integers(0, 2, length) for length in lengths],
    )
    check_values(case)
    for index in range(3):  # half-lives come first
        check_gradients(case, [1.0, 1.0], Random(seed + index))


@pytest.mark.parametrize("window", ["SlidingWindowSpread5", "CentredWindowSpread11"])
@pytest.mark.parametrize("everywhere", [True, False])
def test_spread_is_exact_far_from_zero_and_0_of_one_element(window, everywhere) -> None:
    """Also where a sequence is far from the mean of all: its squares would lose every digit."""
    random = np.random.default_rng(3)
    sequences = [
        (offset + random.integers(-3, 4, size=(length, 1)) / 4).astype(np.float32)
        for length, offset in ((1, 5e5), (7, -1e6), (40, 1e6), (2, 0.0), (1, 0.0))
    ]
    back, ahead = (5, 5) if "Centred" in window else (4, 0)
    body = f"{window}(Affine[1; 0](x))"
    text = f"mapprefix (fun x. {body}) x" if everywhere else body
    domain = Domain.of_size(1)
    model = Model.from_text(text, domain, domain.signature(1, per_frame=everywhere), ("a", "b"))
    data = Sequences.from_arrays(sequences)
    expected = [
        float(np.std(sequence[max(t - back, 0) : t + ahead + 1].astype(np.float64)))
        for sequence in sequences
        for t in (range(len(sequence)) if everywhere else [len(sequence) - 1])
    ]
    outputs = model.outputs(data)[:, 0]
    np.testing.assert_allclose(outputs, expected, rtol=1e-6, atol=1e-9)
    assert outputs[0] == 0.0


@pytest.mark.parametrize("reduction", sorted(REDUCTIONS))
@pytest.mark.parametrize("size", [1, 5, 11])
def test_a_centred_window_looks_ahead_by_half_its_size(reduction, size) -> None:
    random = np.random.default_rng(1)
    X = np.sort(random.normal(size=(1, 40, 3)), axis=1).astype(np.float32)
    root = Signature(Sequence(3), Sequence(1))
    window = Apply(Window(reduction, size, True), root.giving(Vector(1)), (leaf(root),))
    program = Apply(MapPrefix(), root, (window,))
    before = predict(program, Sequences.from_arrays(X))
    for t in range(30):
        changed = X.copy()
        changed[0, t] += 100.0
        after = predict(program, Sequences.from_arrays(changed))
        seen = np.flatnonzero((before != after).any(axis=1))
        if reduction in ("Average", "Max"):
            assert seen.min() == max(t - size // 2, 0)
        assert len(seen) == 0 or seen.min() >= t - size // 2


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_primitives(name: str) -> None:
    """Each primitive and its gradient, over ordinary and large arguments."""
    arity = PRIMITIVES[name].arity
    names = "abc"[:arity]
    meaning = {
        1: lambda a: primitive(name, a),
        2: lambda a, b: primitive(name, a, b),
        3: lambda a, b, c: primitive(name, a, b, c),
    }[arity]
    function = record(meaning, f"the_{name}", takes=("out",) * arity)
    signature = Signature(Vector(1), Vector(2))
    program = Apply(function, signature, (Apply(Constant(), signature),) * arity)
    random = np.random.default_rng(0)
    data = Sequences.from_arrays(np.zeros((1, 1)), np.array([1]))
    scale = Scale.identity(1)
    blocks = pack(data, scale)
    for size in (0.1, 1.0, 10.0):
        for _ in range(10):
            theta = random.normal(scale=size, size=2 * len(names))
            if name == "log":
                theta = np.abs(theta) + 0.01
            if name == "divide":
                theta[2:] += np.sign(theta[2:])
            session = Session(lower(program, scale), theta.astype(np.float32), blocks)
            rounded = session.parameters.astype(np.float64)
            value = naive.evaluate(program, rounded, np.zeros(1))
            np.testing.assert_allclose(session.predict(blocks)[0], value, rtol=2e-6, atol=1e-6)
            _, gradient = session.gradient(blocks, (1.0, 1.0))
            for index in range(len(rounded)):
                step = np.zeros_like(rounded)
                step[index] = 1e-6 * size
                up, down = (
                    naive.loss(program, rounded + sign * step, [np.zeros(1)], [1])
                    for sign in (1, -1)
                )
                slope = (up - down) / (2e-6 * size)
                assert gradient[index] == pytest.approx(slope, rel=1e-3, abs=1e-5)


def test_raw_units_reach_functions_whatever_the_scale() -> None:
    """sel, x and features are in the data's units; leaves mean the same under every scale."""
    random = np.random.default_rng(3)
    X = random.normal(5.0, 3.0, size=(4, 6, 2)).astype(np.float32)
    data = Sequences.from_arrays(X)
    root = Signature(Sequence(2), Sequence(2))
    program = Apply(Map(), root, (Apply(Select(Group("both", (1, 0))), root.per_element()),))
    for scale in (Scale.identity(2), Scale(np.array([5.0, -1.0]), np.array([3.0, 0.1]))):
        blocks = pack(data, scale)
        outputs = Session(lower(program, scale), np.zeros(0, np.float32), blocks).predict(blocks)
        np.testing.assert_allclose(outputs, X.reshape(-1, 2)[:, ::-1], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("window", [Window("Average", 5), Window("Average", 5, True)])
@pytest.mark.parametrize("outputs", [1, 2])
def test_a_huge_element_is_forgotten_when_it_leaves_the_window(window, outputs) -> None:
    X = np.full((1, 2000, 1), 3.0, np.float32)
    X[0, 100] = 1e20
    root = Signature(Sequence(1), Sequence(outputs))
    average = Apply(window, root.giving(Vector(outputs)), (leaf(root),))
    huge = predict(Apply(MapPrefix(), root, (average,)), Sequences.from_arrays(X))
    X[0, 100] = 3.0
    plain = predict(Apply(MapPrefix(), root, (average,)), Sequences.from_arrays(X))
    np.testing.assert_array_equal(huge[110:], plain[110:])
    np.testing.assert_array_equal(huge[:95], plain[:95])


def test_lengths_from_1_to_100_000_in_one_data_set() -> None:
    random = np.random.default_rng(0)
    lengths = [1, 100_000, 3, 2, 999]
    data = Sequences.from_arrays([random.normal(size=(n, 2)) for n in lengths])
    root = Signature(Sequence(2), Sequence(1))
    window = Apply(Window("Average", 10), root.giving(Vector(1)), (leaf(root),))
    outputs = predict(Apply(MapPrefix(), root, (window,)), data)
    one = predict(Apply(MapPrefix(), root, (window,)), data.subset([1]))
    np.testing.assert_array_equal(outputs[1 : 1 + 100_000], one)
    last = data.sequence(1)[-10:].astype(np.float64).mean(axis=0)
    theta = np.random.default_rng(0).normal(size=3).astype(np.float32)
    assert one[-1, 0] == pytest.approx(last @ theta[:2] + theta[2], rel=1e-4)


def test_more_parameters_than_any_other_number_in_a_table() -> None:
    """No number of a row can be mistaken for the place of a parameter, of 34 million."""
    domain = Domain.of_size(4200)
    root = domain.signature(4000, per_frame=False, vectors=True)
    code = lower(parse("add(Affine(x), Affine(x))", domain, root).program, Scale.identity(4200))
    assert code.code[:2, 5].tolist() == [0, 4201 * 4000]  # where the weights of each begin
