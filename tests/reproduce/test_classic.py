"""Statistics of windows against plain loops, and the classifiers that are fitted on them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearstar import Sequences
from nearstar.reproduce import classic
from nearstar.reproduce.algorithms import CLASSIC
from nearstar.reproduce.classic import WINDOWS, classic_trial, fit_classic, window_statistics
from nearstar.reproduce.study import Trial
from nearstar.training.metrics import Metrics


def four(frames: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [frames.mean(axis=0), frames.std(axis=0), frames.min(axis=0), frames.max(axis=0)]


def naive_row(sequence: NDArray[np.float64], place: int) -> NDArray[np.float64]:
    """The statistics of a frame, by cutting out its windows."""
    parts = [sequence[place]]
    for size in WINDOWS:
        parts += four(sequence[max(place - size // 2, 0) : place + size // 2 + 1])
    return np.concatenate(parts)


def naive_summary(sequence: NDArray[np.float64]) -> NDArray[np.float64]:
    steps = [np.abs(b - a) for a, b in pairwise(sequence)]
    change = np.mean(steps, axis=0) if steps else np.zeros(sequence.shape[1])
    return np.concatenate([*four(sequence), sequence[0], sequence[-1], change])


@st.composite
def ragged(draw: st.DrawFn, *, per_frame: bool) -> Sequences:
    """Sequences shorter and longer than the windows, some features the same for long."""
    lengths = draw(st.lists(st.integers(1, 80), min_size=1, max_size=8))
    n_features, seed = draw(st.integers(1, 3)), draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    offset = draw(st.sampled_from([0.0, 1000.0]))
    arrays = [rng.normal(offset, 10, (n, n_features)).astype(np.float32) for n in lengths]
    for array in arrays:
        array[: rng.integers(len(array) + 1)] = array[0]
    if per_frame:
        return Sequences.from_arrays(arrays, [np.zeros(n, int) for n in lengths])
    return Sequences.from_arrays(arrays, np.zeros(len(lengths), int))


def naive_statistics(data: Sequences) -> NDArray[np.float64]:
    rows = []
    for i in range(len(data)):
        sequence = data.sequence(i).astype(np.float64)
        if data.per_frame:
            rows += [naive_row(sequence, place) for place in range(len(sequence))]
        else:
            rows.append(naive_summary(sequence))
    return np.array(rows)


@pytest.mark.parametrize("per_frame", [True, False])
@settings(max_examples=30)
@given(data=st.data())
def test_statistics_are_those_of_plain_loops(data: st.DataObject, per_frame: bool) -> None:
    sequences = data.draw(ragged(per_frame=per_frame))
    found = window_statistics(sequences)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, naive_statistics(sequences), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("per_frame", [True, False])
@settings(max_examples=30)
@given(data=st.data())
def test_statistics_are_the_same_alone_and_in_any_company(
    data: st.DataObject, per_frame: bool
) -> None:
    sequences = data.draw(ragged(per_frame=per_frame))
    order = data.draw(st.permutations(range(len(sequences))))
    alone = [window_statistics(sequences.subset([i])) for i in order]
    together = window_statistics(sequences.subset(order))
    assert np.array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("per_frame", [True, False])
def test_long_data_are_worked_on_in_pieces(per_frame: bool) -> None:
    rng = np.random.default_rng(0)
    lengths = [1500, 2000, 1, 4500, 40, 900]
    arrays = [rng.normal(size=(n, 1)) for n in lengths]
    y = [np.zeros(n, int) for n in lengths] if per_frame else np.zeros(len(lengths), int)
    data = Sequences.from_arrays(arrays, y)
    found = window_statistics(data)
    np.testing.assert_allclose(found, naive_statistics(data), rtol=1e-6, atol=1e-5)
    chosen = np.sort(rng.choice(len(found), len(found) // 3, replace=False))
    assert np.array_equal(window_statistics(data, chosen), found[chosen])


def test_what_stays_the_same_does_not_deviate() -> None:
    data = Sequences.from_arrays(np.full((2, 50, 1), 0.1), np.zeros((2, 50), int))
    found = window_statistics(data)
    assert np.all(found[:, [2, 6]] == 0)
    assert np.all(found[:, [0, 1, 3, 4, 5, 7, 8]] == np.float32(0.1))


@dataclass(frozen=True, eq=False)
class Data:
    train: Sequences
    valid: Sequences
    test: Sequences
    units: NDArray[np.int64]


def lasting(seed: int, n: int = 12, classes: int = 2) -> Sequences:
    """Behaviours that last, of which a single frame tells little: its neighbours must be seen."""
    rng = np.random.default_rng(seed)
    y = np.repeat(rng.integers(classes, size=(n, 3)), 20, axis=1)
    X = rng.normal(size=(n, 60, 1)) + y[:, :, None]
    return Sequences.from_arrays(X, y, class_names=[str(k) for k in range(classes)])


def split(classes: int = 2) -> Data:
    parts = (lasting(seed, classes=classes) for seed in range(3))
    return Data(*parts, units=np.arange(12) // 3)


@pytest.fixture(scope="module")
def trials() -> dict[tuple[str, int], Trial]:
    """Of both classifiers, for two and for three classes."""
    return {
        (name, classes): classic_trial(name, split(classes), seed=4)
        for name in CLASSIC
        for classes in (2, 3)
    }


def test_neighbours_tell_more_than_a_frame(trials: dict[tuple[str, int], Trial]) -> None:
    data = split().test
    assert data.labels is not None
    by_frame = (data.frames[:, 0] > 0.5).astype(int)
    alone = Metrics.from_codes(data.labels, by_frame, 2)
    for name in CLASSIC:
        reached = trials[name, 2].test
        assert reached is not None and reached.f1 > alone.f1 + 0.1


def test_a_trial_has_what_trials_of_programs_have(trials: dict[tuple[str, int], Trial]) -> None:
    for (name, classes), trial in trials.items():
        assert (trial.algorithm, trial.seed, trial.program) == (name, 4, None)
        assert trial.test is not None and trial.valid is not None
        assert trial.by_unit.shape == (4, classes, classes)
        assert np.array_equal(trial.by_unit.sum(axis=0), trial.test.confusion)
        assert trial.valid.confusion.sum() == 720
        assert trial.seconds > 0
        again = Trial.from_dict(trial.to_dict())
        assert again.test == trial.test


@pytest.mark.parametrize("name", CLASSIC)
def test_the_same_seed_tells_the_same(name: str, trials: dict[tuple[str, int], Trial]) -> None:
    again = classic_trial(name, split(), seed=4)
    assert np.array_equal(again.by_unit, trials[name, 2].by_unit)


@pytest.mark.parametrize("name", CLASSIC)
def test_unlabelled_frames_are_left_out(name: str) -> None:
    """Wrong values of frames without a label change nothing that is learned from other ones."""
    data = lasting(0)
    assert data.labels is not None
    hidden = data.labels.copy()
    hidden[: len(hidden) // 2] = -1  # whole sequences: no window reaches across
    labelled = data.subset(range(6, 12))
    valid, test = lasting(1), lasting(2)
    some = fit_classic(name, data.with_labels(hidden), valid, test)
    only = fit_classic(name, labelled, valid, test)
    assert np.array_equal(some[0], only[0]) and np.array_equal(some[1], only[1])
    assert len(some[0]) == len(valid.frames)


@pytest.mark.parametrize("name", CLASSIC)
def test_a_heavier_class_is_told_more_often(name: str) -> None:
    data = split()
    counts = [
        int(fit_classic(name, data.train, data.valid, data.test, 0, weights)[1].sum())
        for weights in ((5.0, 1.0), (1.0, 5.0))
    ]
    assert counts[0] < counts[1]


def test_a_class_of_no_weight_is_never_told() -> None:
    data = split(3)
    told = fit_classic("logistic", data.train, data.valid, data.test, 0, (1.0, 0.0, 1.0))[1]
    assert set(told.tolist()) == {0, 2}


def test_of_many_rows_some_are_drawn_by_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = split()
    monkeypatch.setattr(classic, "MOST_ROWS", 40)

    def told(seed: int) -> NDArray[np.int64]:
        return fit_classic("logistic", data.train, data.valid, data.test, seed)[1]

    assert np.array_equal(told(0), told(0))
    assert not np.array_equal(told(0), told(1))


@pytest.mark.parametrize("name", CLASSIC)
def test_labels_of_whole_sequences(name: str) -> None:
    rng = np.random.default_rng(5)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 9, 2)) + y[:, None, None]
    data = Sequences.from_arrays(X, y)
    valid, test, _ = fit_classic(name, data, data, data)
    assert np.array_equal(valid, test) and np.mean(test == y) > 0.7


def test_steps_that_end_early_are_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    fit, warned = LogisticRegression.fit, []

    @wraps(fit)
    def ended(*arguments: Any, **named: Any) -> Any:
        warned.append(True)
        warnings.warn("it ended early", ConvergenceWarning, stacklevel=1)
        return fit(*arguments, **named)

    monkeypatch.setattr(LogisticRegression, "fit", ended)
    data = split()
    fit_classic("logistic", data.train, data.valid, data.test)
    assert warned
