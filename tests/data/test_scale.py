"""The scale is the plain mean and deviation, computed in pieces."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data import Scale, Sequences
from nearstar.util.errors import DataError


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), offset=st.sampled_from([0.0, 1e4]))
def test_it_is_the_mean_and_deviation_of_all_frames(seed: int, n: int, offset: float) -> None:
    rng = np.random.default_rng(seed)
    frames = offset + rng.normal(size=(n, 3)) * [1.0, 1e-3, 1e3]
    data = Sequences.from_arrays([frames])
    exact = data.frames.astype(np.float64)
    scale = Scale.of(data)
    std = exact.std(axis=0)
    np.testing.assert_allclose(scale.mean, exact.mean(axis=0), rtol=1e-12, atol=1e-12)
    varies = std > np.finfo(np.float32).eps * np.abs(exact.mean(axis=0))
    np.testing.assert_allclose(scale.std, np.where(varies, std, 1), rtol=1e-9)


def test_a_constant_feature_has_deviation_one_whatever_its_rounding() -> None:
    frames = np.full((1000, 2), 0.1, dtype=np.float32)
    frames[:, 1] = np.arange(1000)
    scale = Scale.of(Sequences.from_arrays([frames]))
    assert scale.mean[0] == frames[0, 0]
    assert scale.std[0] == 1.0


@pytest.mark.parametrize(
    ("values", "constant"),
    [
        ([0.0, 0.0, 0.0], True),
        ([0.1, 0.1, 0.1], True),
        ([1.7e18, 1.7e18, 1.7e18], True),
        ([1.7e18, 1.7e18 + 1.4e11, 1.7e18], True),  # neighbours in single precision
        ([1e-30, -1e-30, 1e-30], False),
        ([5e6, 5e6 + 1, 5e6 + 3], False),
        ([1.7e18, 1.7e18 + 1e12, 1.7e18 - 1e12], False),
    ],
)
def test_a_feature_is_constant_where_single_precision_tells_no_more(
    values: list[float], constant: bool
) -> None:
    scale = Scale.of(Sequences.from_arrays([np.array(values)[:, None]]))
    assert scale.constant == ((0,) if constant else ())
    assert (scale.std[0] == 1.0) == constant
    assert Scale.from_dict(scale.to_dict()) == scale, "what is read has been used already"


def test_it_does_not_widen_the_data_at_once() -> None:
    data = Sequences.from_arrays(np.ones((1000, 100, 19), dtype=np.float32))
    tracemalloc.start()
    Scale.of(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < data.frames.nbytes / 2


def test_it_is_a_value() -> None:
    scale = Scale(np.array([0.1, -0.0]), np.array([2.0, 3.0]))
    same = Scale.from_dict(json.loads(json.dumps(scale.to_dict())))
    assert same == scale
    assert hash(same) == hash(scale)
    assert hash(Scale(np.array([0.1, 0.0]), np.array([2.0, 3.0]))) == hash(scale)
    assert scale != Scale.identity(2)
    assert Scale.identity(2) == Scale(np.zeros(2), np.ones(2))
    with pytest.raises(ValueError, match="read-only"):
        scale.mean[0] = 1


@pytest.mark.parametrize("std", [[0.0, 1.0], [-1.0, 1.0], [np.nan, 1.0], [1.0]])
def test_impossible_scales_are_refused(std: list[float]) -> None:
    with pytest.raises(DataError, match=r"expected two lists|above 0"):
        Scale.from_dict({"mean": [0.0, 0.0], "std": std})
    with pytest.raises(DataError, match="mean and std"):
        Scale.from_dict({"std": std})
