"""Packing counts labels, and classes weigh as the definition of the loss says."""

from __future__ import annotations

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
from nearstar.language.text import parse


@given(
    lengths=st.lists(st.integers(1, 400), min_size=1, max_size=70),
    size=st.integers(1, 80),
    kind=st.sampled_from(("frames", "sequences", "vectors")),
    n_classes=st.integers(2, 4),
    seed=st.integers(0, 1000),
)
def test_labels_of_each_batch_are_counted(
    lengths: list[int], size: int, kind: str, n_classes: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    names = [str(k) for k in range(n_classes)]
    n = len(lengths)
    if kind == "vectors":
        X, y = random.normal(size=(n, 2)), random.integers(-1, n_classes, n)
        y[0] = 0  # at least one label
    else:
        X = [random.normal(size=(length, 2)) for length in lengths]
        per_frame = [random.integers(-1, n_classes, length) for length in lengths]
        per_frame[0][0] = 0
        y = per_frame if kind == "frames" else np.array([each[0] for each in per_frame])
    data = Sequences.from_arrays(X, y, class_names=names)
    blocks = pack(data, Scale.identity(2), size, seed)
    order = np.random.default_rng(seed).permutation(n)
    batches = [order[first : first + size] for first in range(0, n, size)]
    expected = [
        [sum(int(np.sum(np.atleast_1d(y[i]) == k)) for i in batch) for k in range(n_classes)]
        for batch in batches
    ]
    # Classes after the last that any label has are left out.
    found = blocks.counts
    assert found.shape[0] == blocks.n_batches == len(batches)
    np.testing.assert_array_equal(found, np.array(expected)[:, : found.shape[1]])
    assert not np.array(expected)[:, found.shape[1] :].any()


def test_data_without_labels_have_no_counts() -> None:
    data = Sequences.from_arrays(np.zeros((5, 3, 2)))
    assert pack(data, Scale.identity(2), 2).counts.shape == (3, 0)


@settings(max_examples=60)
@given(cases(holes=False), st.lists(st.sampled_from((0.0, 0.3, 1.0, 4.0)), min_size=4, max_size=4))
def test_the_loss_leaves_out_what_has_no_label_and_classes_of_weight_0(
    case: Case, weights: list[float]
) -> None:
    blocks = case.blocks()
    used = blocks.counts[0] @ np.array(weights[: blocks.counts.shape[1]])
    loss, gradient = case.session(blocks).gradient(blocks, weights)
    if used == 0:
        assert loss == 0 and not gradient.any()
        return
    in_frames = case.program.signature.maps_sequences
    vectors = case.program.signature.maps_vectors
    sequences = [each[0] if vectors else each for each in case.sequences]
    labels = case.labels if in_frames else [each[0] for each in case.labels]
    peak = max(naive.intermediate_peak(case.program, case.theta, x, UNITS) for x in sequences)
    assume(peak < 1e2)
    expected = naive.loss(case.program, case.theta, sequences, labels, weights, UNITS)
    assert loss == pytest.approx(expected, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_times_a_number_are_the_same_weights(n_classes: int) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(6, 9, 2)).astype(np.float32)
    y = random.integers(-1, n_classes, (6, 9))
    data = Sequences.from_arrays(X, y, class_names=[str(k) for k in range(n_classes)])
    domain, scale = Domain.of_size(2), Scale.identity(2)
    signature = domain.signature(n_classes if n_classes > 2 else 1, per_frame=True)
    code = lower(parse("map (fun x_t. Affine(x_t)) x", domain, signature).program, scale)
    blocks = pack(data, scale)
    start = random.normal(size=code.n_parameters).astype(np.float32)
    weights = np.array([0.5, 2.0, 1.0][:n_classes])
    (loss, gradient), (other_loss, other) = (
        Session(code, start, blocks).gradient(blocks, times * weights) for times in (1.0, 8.0)
    )
    assert loss == pytest.approx(other_loss, rel=1e-5)
    np.testing.assert_allclose(gradient, other, rtol=1e-4, atol=1e-6)
    # What stands where there is no label plays no part.
    changed = np.where((y < 0)[..., None], np.float32(50.0), X)
    again = pack(Sequences.from_arrays(changed, y, class_names=data.class_names), scale)
    same_loss, same = Session(code, start, again).gradient(again, weights)
    assert same_loss == pytest.approx(loss, rel=1e-6)
    np.testing.assert_allclose(same, gradient, rtol=1e-5, atol=1e-7)
