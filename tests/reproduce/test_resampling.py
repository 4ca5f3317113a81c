"""The bootstrap over units against plain loops with the same draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from nearstar import Sequences
from nearstar.reproduce.resampling import (
    DRAWS,
    LEVEL,
    confusions_by_unit,
    f1_of,
    interval_of_mean,
    resampled,
)
from nearstar.reproduce.study import Trial
from nearstar.training.metrics import Metrics
from nearstar.util.errors import DataError


def matrices(fewest: int = 1) -> st.SearchStrategy[NDArray[np.int64]]:
    """Confusion matrices of units, with empty units and classes among them."""
    sizes = st.tuples(st.integers(fewest, 6), st.integers(2, 4))
    shapes = sizes.map(lambda each: (each[0], each[1], each[1]))
    return shapes.flatmap(lambda shape: npst.arrays(np.int64, shape, elements=st.integers(0, 5)))


def naive_draws(by_unit: NDArray[np.int64], draws: int) -> list[Metrics]:
    """The metrics of drawn units, one draw after another."""
    taken = np.random.default_rng(0).integers(len(by_unit), size=(draws, len(by_unit)))
    return [Metrics.from_confusion(sum(by_unit[unit] for unit in row)) for row in taken.tolist()]


def naive_interval(values: list[float]) -> tuple[float, float]:
    return tuple(np.percentile(values, [2.5, 97.5]).tolist())


def trial(by_unit: NDArray[np.int64], *, found: bool = True) -> Trial:
    metrics = Metrics.from_confusion(by_unit.sum(axis=0)) if found else None
    return Trial(algorithm="astar", seed=0, valid=None, test=metrics, by_unit=by_unit, seconds=1)


def interval(by_unit: NDArray[np.int64], draws: int = DRAWS) -> tuple[float, float] | None:
    """That of a single trial."""
    return interval_of_mean([trial(by_unit)], draws)


def good_by_unit(units: int, seed: int = 0, right: float = 0.8) -> NDArray[np.int64]:
    """Units of 200 elements of two classes, of which about a share is told rightly."""
    rng = np.random.default_rng(seed)
    shares = np.clip(rng.normal(right, 0.05, (units, 2)), 0.05, 0.95)
    hits = rng.binomial(100, shares)
    return np.array([[[a, 100 - a], [100 - b, b]] for a, b in hits.tolist()])


@pytest.mark.parametrize("per_frame", [True, False])
@settings(max_examples=50)
@given(data=st.data())
def test_confusions_by_unit_are_those_of_plain_loops(data: st.DataObject, per_frame: bool) -> None:
    lengths = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    n_labels = sum(lengths) if per_frame else len(lengths)
    codes = st.lists(st.integers(-1, 2), min_size=n_labels, max_size=n_labels)
    true = data.draw(codes.filter(lambda each: max(each) >= 0))
    predicted = [max(code, 0) for code in data.draw(codes)]
    units = data.draw(
        st.lists(st.sampled_from("cab"), min_size=len(lengths), max_size=len(lengths))
    )
    sequences = Sequences.from_arrays(
        [np.zeros((n, 1)) for n in lengths],
        np.split(true, np.cumsum(lengths)[:-1]) if per_frame else true,
        class_names=("0", "1", "2"),
    )
    found = confusions_by_unit(true, predicted, sequences, units)

    names = sorted(set(units))
    expected = np.zeros((len(names), 3, 3), int)
    place = 0
    for length, unit in zip(lengths, units, strict=True):
        for _ in range(length if per_frame else 1):
            if true[place] >= 0:
                expected[names.index(unit), true[place], predicted[place]] += 1
            place += 1
    assert np.array_equal(found, expected)
    whole = Metrics.from_codes(true, predicted, 3)
    assert np.array_equal(found.sum(axis=0), whole.confusion)


@given(confusions=matrices())
def test_f1_is_that_of_metrics(confusions: NDArray[np.int64]) -> None:
    expected = [Metrics.from_confusion(each).f1 for each in confusions]
    np.testing.assert_allclose(f1_of(confusions), expected, rtol=1e-13)


@settings(max_examples=30)
@given(by_unit=matrices())
def test_draws_are_sums_of_whole_units(by_unit: NDArray[np.int64]) -> None:
    expected = [metrics.confusion for metrics in naive_draws(by_unit, 20)]
    assert np.array_equal(resampled(by_unit, 20), expected)


def test_many_units_are_drawn_like_few() -> None:
    """More than are held in memory at a time."""
    by_unit = np.random.default_rng(1).integers(9, size=(30_000, 2, 2))
    taken = np.random.default_rng(0).integers(30_000, size=(100, 30_000))
    expected = [by_unit[row].sum(axis=0) for row in taken]
    assert np.array_equal(resampled(by_unit, 100), expected)


@settings(max_examples=20)
@given(by_unit=matrices(2))
def test_an_interval_is_of_the_percentiles_of_draws(by_unit: NDArray[np.int64]) -> None:
    values = [metrics.f1 for metrics in naive_draws(by_unit, 60)]
    assert interval(by_unit, draws=60) == pytest.approx(naive_interval(values))


@settings(max_examples=20)
@given(data=st.data())
def test_means_draw_the_same_units(data: st.DataObject) -> None:
    first = data.draw(matrices(2))
    # Other predictions for the same labels: every row's counts in another order.
    others = [np.flip(first, axis=2), np.roll(first, 1, axis=2)]
    draws = [[metrics.f1 for metrics in naive_draws(each, 50)] for each in (first, *others)]
    means = np.mean(draws, axis=0).tolist()
    trials = [trial(each) for each in (first, *others)]
    # A trial without a program has no score, and changes nothing.
    trials.insert(1, trial(np.zeros((0, 2, 2), np.int64), found=False))
    assert interval_of_mean(trials, draws=50) == pytest.approx(naive_interval(means))


def test_an_interval_holds_the_score_and_shrinks_with_more_units() -> None:
    widths = []
    for units in (5, 20, 80, 320):
        by_unit = good_by_unit(units)
        low, high = interval(by_unit) or (1.0, 0.0)
        assert low < Metrics.from_confusion(by_unit.sum(axis=0)).f1 < high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < widths[0] / 4


def test_what_is_hard_for_all_trials_moves_their_mean_alike() -> None:
    """Three trials that are the same are as uncertain as one of them."""
    one = trial(good_by_unit(20, seed=2))
    assert interval_of_mean([one] * 3) == pytest.approx(interval_of_mean([one]))


def test_about_as_many_intervals_hold_the_truth_as_they_claim() -> None:
    truth = f1_of(good_by_unit(20_000, seed=99).sum(axis=0))
    held = 0
    for seed in range(200):
        low, high = interval(good_by_unit(40, seed), draws=300) or (1.0, 0.0)
        held += low <= truth <= high
    assert LEVEL - 0.1 < held / 200 < LEVEL + 0.04


def test_one_unit_has_no_interval() -> None:
    alone = good_by_unit(1)
    assert interval(alone) is None
    assert interval_of_mean([trial(alone)]) is None
    assert interval_of_mean([]) is None
    assert interval_of_mean([trial(good_by_unit(5), found=False)]) is None


def test_trials_must_be_of_the_same_data() -> None:
    by_unit = good_by_unit(5)
    for other in (good_by_unit(4), by_unit[:, ::-1] + 1):
        with pytest.raises(DataError, match="different labels"):
            interval_of_mean([trial(by_unit), trial(other)])
