"""Offsets: as good as trying all of them, and never worse than none."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from nearstar.training.decision import best_offsets, decide
from nearstar.training.metrics import Metrics
from nearstar.util.errors import NearstarError

Outputs = NDArray[np.float64]


@st.composite
def judged(draw: st.DrawFn, n_outputs: int) -> tuple[Outputs, NDArray[np.int64]]:
    """Outputs with many ties, exact in every sum, and codes, some unlabelled."""
    n = draw(st.integers(1, 12))
    eighths = st.integers(-12, 12).map(lambda k: k / 8)
    outputs = draw(npst.arrays(np.float64, (n, n_outputs), elements=eighths))
    codes = draw(npst.arrays(np.int64, n, elements=st.integers(-1, max(n_outputs, 2) - 1)))
    codes[0] = max(codes[0], 0)
    return outputs, codes


def scored(outputs: Outputs, codes: NDArray[np.int64], offsets: Outputs, n: int) -> Metrics:
    return Metrics.from_codes(codes, decide(outputs, offsets), n)


@pytest.mark.parametrize("n_outputs", [1, 2])
@given(data=st.data())
def test_two_classes_get_the_best_of_all_thresholds(n_outputs: int, data: st.DataObject) -> None:
    outputs, codes = data.draw(judged(n_outputs))
    offsets, before, after = best_offsets(outputs, codes, 2)
    assert offsets.shape == (n_outputs,)
    assert before == scored(outputs, codes, np.zeros(n_outputs), 2)
    assert after == scored(outputs, codes, offsets, 2)
    tries = [np.array([k / 16] if n_outputs == 1 else [0, k / 16]) for k in range(-64, 65)]
    assert after.f1 == max(scored(outputs, codes, each, 2).f1 for each in tries)
    if before.f1 == after.f1:
        assert not offsets.any()


@settings(max_examples=50)
@given(judged(3))
def test_no_offset_of_one_class_alone_would_be_better(
    given_data: tuple[Outputs, NDArray[np.int64]],
) -> None:
    outputs, codes = given_data
    offsets, before, after = best_offsets(outputs, codes, 3)
    assert before == scored(outputs, codes, np.zeros(3), 3)
    assert after == scored(outputs, codes, offsets, 3)
    assert after.f1 >= before.f1
    if after.f1 == before.f1:
        assert not offsets.any()
    for k in range(3):
        # Every way to divide the elements: around each offset at which one is decided anew.
        others = np.delete(outputs + offsets, k, axis=1).max(axis=1)
        turning = np.unique(others - outputs[:, k])
        for each in (*(turning - 1e-3), *(turning + 1e-3)):
            tried = offsets.copy()
            tried[k] = each
            assert scored(outputs, codes, tried, 3).f1 <= after.f1 + 1e-9


@given(judged(3), st.integers(0, 2**32 - 1))
def test_the_order_of_elements_does_not_matter(
    given_data: tuple[Outputs, NDArray[np.int64]], seed: int
) -> None:
    outputs, codes = given_data
    order = np.random.default_rng(seed).permutation(len(codes))
    offsets, _, _ = best_offsets(outputs, codes, 3)
    again, _, _ = best_offsets(outputs[order], codes[order], 3)
    assert offsets.tolist() == again.tolist()


def test_the_f1_that_is_reported_is_what_much_data_gain() -> None:
    random = np.random.default_rng(0)
    shares = np.array([0.9, 0.05, 0.02, 0.01, 0.01, 0.005, 0.005])
    codes = random.choice(7, 50_000, p=shares)
    noise = random.normal(size=(len(codes), 7))
    outputs = (noise + 2 * np.eye(7)[codes] + 3 * np.log(shares)).astype(np.float32)
    began = time.process_time()
    _, before, after = best_offsets(outputs, codes, 7)
    assert time.process_time() - began < 10
    assert after.f1 > before.f1 + 0.01


@given(npst.arrays(np.float32, 5, elements=st.floats(-(2.0**100), 2.0**100, width=32)))
def test_outputs_of_any_size_can_all_be_told(values: NDArray[np.float32]) -> None:
    # All are of class 1: the best threshold lies below every output, however large they are.
    _, _, after = best_offsets(values[:, None], np.ones(5, int), 2)
    assert after.f1 == 1


def test_bad_input_is_refused() -> None:
    outputs, codes = np.zeros((3, 2)), np.array([0, 1, -1])
    for wrong in (outputs[:, 0], np.zeros((2, 2)), np.zeros((3, 3))):
        with pytest.raises(NearstarError, match="expected a row of outputs, and a code"):
            best_offsets(wrong, codes, 2)
    with pytest.raises(NearstarError, match="not finite"):
        best_offsets(outputs + np.nan, codes, 2)
    with pytest.raises(NearstarError, match="none of these is labelled"):
        best_offsets(outputs, [-1, -1, -1], 2)
    with pytest.raises(NearstarError, match="from 0 to 1"):
        best_offsets(outputs, [0, 1, 2], 2)
