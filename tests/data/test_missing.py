"""Missing values: named with their place, or on the line between their neighbours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data.conversion import offsets_of
from nearstar.data.missing import check_float32, deal_with_missing
from nearstar.util.errors import DataError


def place(frame: int) -> str:
    return f"frame {frame}"


@given(
    seed=st.integers(0, 2**32 - 1),
    lengths=st.lists(st.integers(1, 8), min_size=1, max_size=4),
    share=st.floats(0, 0.8),
)
def test_interpolation_is_that_of_pandas(seed: int, lengths: list[int], share: float) -> None:
    rng = np.random.default_rng(seed)
    offsets = offsets_of(np.array(lengths))
    values = rng.normal(size=(offsets[-1], 3))
    values[rng.random(values.shape) < share] = np.nan
    for start, stop in pairwise(offsets.tolist()):
        empty = np.isnan(values[start:stop]).all(axis=0)
        values[start, empty] = 1.0
    expected = [
        pd.DataFrame(values[start:stop]).interpolate(limit_direction="both").to_numpy()
        for start, stop in pairwise(offsets.tolist())
    ]
    before = values.copy()
    filled = deal_with_missing(values, offsets, "abc", place, "interpolate")
    np.testing.assert_allclose(filled, np.concatenate(expected))
    np.testing.assert_array_equal(values, before)


def test_places_are_named() -> None:
    values = np.zeros((70_000, 2))
    offsets = np.array([0, 10, 70_000])
    assert deal_with_missing(values, offsets, "ab", place, "error") is values
    values[[66_000, 69_000], 1] = np.nan
    with pytest.raises(DataError, match=r"2 feature values are missing .*frame 66000, column 'b'"):
        deal_with_missing(values, offsets, "ab", place, "error")
    values[12, 0] = -np.inf
    with pytest.raises(DataError, match=r"1 feature value is infinite; .*-inf at frame 12, .*'a'"):
        deal_with_missing(values, offsets, "ab", place, "interpolate")


def test_a_column_that_is_missing_throughout() -> None:
    values = np.array([[1.0], [np.nan], [np.nan]])
    with pytest.raises(DataError, match=r"'a' is missing in all 2 frames .* frame 1"):
        deal_with_missing(values, np.array([0, 1, 3]), "a", place, "interpolate")


def test_values_beyond_32_bits() -> None:
    values = np.array([[1.0, 3.4e38], [0.0, -3.5e38]])
    with pytest.raises(
        DataError, match=r"1 feature value is beyond 32-bit .* -3.5e\+38 at frame 1"
    ):
        check_float32(values, "ab", place)
    check_float32(values[:1], "ab", place)


def test_padding_is_recognised() -> None:
    padded = np.ones((6, 2))
    padded[[2, 5]] = np.nan
    offsets = np.array([0, 3, 6])
    for values, words in (
        (padded, "an array of lengths"),
        (padded[::-1], "interpolate"),  # at the beginnings
        (np.where(np.arange(12).reshape(6, 2) == 4, np.nan, 1.0), "interpolate"),
    ):
        with pytest.raises(DataError, match=words):
            deal_with_missing(values, offsets, ("a", "b"), str, "error")
