"""Sequences: what goes in comes out, and what cannot go in is refused with its place."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearstar.data import Sequences
from nearstar.util.errors import DataError, NearstarError

SEEDS = st.integers(0, 2**32 - 1)


def ragged(
    seed: int, n: int = 7, longest: int = 9
) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Random sequences of three features with per-frame labels of three classes, some missing."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest, size=n, endpoint=True)
    X = [rng.normal(size=(length, 3)).astype(np.float32) for length in lengths]
    y = [rng.integers(-1, 3, size=length) for length in lengths]
    y[0][0] = 2
    return X, y


def padded(rows: list[NDArray[Any]], filler: float) -> NDArray[Any]:
    width = max(map(len, rows)) + 2
    shape = (len(rows), width, *rows[0].shape[1:])
    out = np.full(shape, filler, dtype=np.result_type(rows[0].dtype, np.float32))
    for target, row in zip(out, rows, strict=True):
        target[: len(row)] = row
    return out


def labels_of(data: Sequences, i: int) -> list[int]:
    assert data.labels is not None
    assert data.per_frame
    return list(data.labels[data.offsets[i] : data.offsets[i + 1]])


@given(seed=SEEDS, n=st.integers(1, 9))
def test_lists_and_padded_arrays_hold_the_same_sequences(seed: int, n: int) -> None:
    X, y = ragged(seed, n)
    listed = Sequences.from_arrays(X, y)
    # Padding is never read: NaN features and impossible labels in it do no harm.
    array = Sequences.from_arrays(padded(X, np.nan), padded(y, 1e9), lengths=[len(x) for x in X])
    assert listed.fingerprint() == array.fingerprint()
    assert len(listed) == listed.n_sequences == n
    for i, (frames, labels) in enumerate(zip(X, y, strict=True)):
        np.testing.assert_array_equal(listed.sequence(i), frames)
        assert labels_of(listed, i) == list(labels)


@given(seed=SEEDS, data=st.data())
def test_a_split_is_a_partition_that_respects_groups(seed: int, data: st.DataObject) -> None:
    n, parts = data.draw(st.integers(4, 30)), data.draw(st.integers(1, 3))
    weights = data.draw(st.lists(st.floats(0.01, 1), min_size=parts, max_size=parts))
    fractions = [w / sum(weights) for w in weights]
    # Every sequence carries its own number as its only value.
    whole = Sequences.from_arrays(np.arange(n).reshape(n, 1, 1))
    groups = data.draw(st.none() | st.lists(st.sampled_from("abcd"), min_size=n, max_size=n))
    if groups is not None and len(set(groups)) < parts:
        with pytest.raises(DataError, match="groups cannot fill"):
            whole.split(fractions, seed, groups)
        return
    split = [
        part.frames[:, 0].astype(int).tolist() for part in whole.split(fractions, seed, groups)
    ]
    assert sorted(chain(*split)) == list(range(n))
    assert all(part == sorted(part) and part for part in split)
    if groups is not None:
        seen = [{groups[i] for i in part} for part in split]
        assert sum(map(len, seen)) == len(set(groups))


def test_split_follows_the_fractions_and_the_seed() -> None:
    whole = Sequences.from_arrays(np.arange(100.0).reshape(100, 1, 1))
    first, again, other = (whole.split((0.6, 0.2, 0.2), seed) for seed in (1, 1, 2))
    assert [len(part) for part in first] == [60, 20, 20]
    assert [p.fingerprint() for p in first] == [p.fingerprint() for p in again]
    assert first[0].fingerprint() != other[0].fingerprint()


@given(seed=SEEDS, indices=st.lists(st.integers(0, 6), min_size=1))
def test_a_subset_holds_the_chosen_sequences_in_the_order_given(
    seed: int, indices: list[int]
) -> None:
    X, y = ragged(seed)
    chosen = Sequences.from_arrays(X, y).subset(indices)
    assert chosen.n_classes == 3
    assert len(chosen) == len(indices)
    for position, i in enumerate(indices):
        np.testing.assert_array_equal(chosen.sequence(position), X[i])
        assert labels_of(chosen, position) == list(y[i])


def test_consecutive_sequences_and_masks_make_subsets() -> None:
    X, y = ragged(0)
    whole = Sequences.from_arrays(X, y)
    middle = whole.subset([2, 3, 4])
    assert np.shares_memory(middle.frames, whole.frames)
    mask = np.isin(np.arange(7), [2, 3, 4])
    assert whole.subset(mask).fingerprint() == middle.fingerprint()


def test_listed_arrays_may_be_in_the_order_of_columns() -> None:
    turned = [np.arange(12.0).reshape(2, 6).T, np.arange(8.0).reshape(2, 4).T]
    data = Sequences.from_arrays(turned)
    np.testing.assert_array_equal(data.sequence(0), turned[0])
    np.testing.assert_array_equal(data.sequence(1), turned[1])


def test_a_float32_array_is_neither_copied_nor_frozen() -> None:
    X = np.random.default_rng(0).normal(size=(2000, 100, 19)).astype(np.float32)
    y = np.zeros((2000, 100), dtype=np.int64)
    tracemalloc.start()
    data = Sequences.from_arrays(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.shares_memory(data.frames, X)
    assert peak < X.nbytes / 8
    assert X.flags.writeable
    assert not data.frames.flags.writeable


def test_it_is_immutable() -> None:
    data = Sequences.from_arrays([[[1.0]]], [1])
    assert data.labels is not None
    for array in (data.frames, data.offsets, data.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(FrozenInstanceError):
        data.labels = None  # type: ignore[misc]


def test_plain_vectors_are_sequences_of_one_frame() -> None:
    data = Sequences.from_arrays(np.eye(3), [0, 1, 1])
    assert data.vectors
    assert not data.per_frame
    assert data.lengths.tolist() == [1, 1, 1]
    assert not Sequences.from_arrays(np.eye(3)[:, None]).vectors


def test_names_and_classes_have_defaults() -> None:
    X = np.zeros((3, 2, 2))
    assert Sequences.from_arrays(X).class_names == ()
    assert Sequences.from_arrays(X, [0, 0, 0]).class_names == ("0", "1")
    assert Sequences.from_arrays(X, [0, 0, 4]).n_classes == 5
    assert Sequences.from_arrays(X, [0, 1, 0], class_names=["a", "b", "c"]).n_classes == 3
    assert Sequences.from_arrays(X).feature_names == ("x0", "x1")
    assert repr(Sequences.from_arrays(X, [0, 1, 0])) == (
        "Sequences(3 sequences, 6 frames, 2 features, 2 classes, per-sequence labels)"
    )


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint64, np.int64, np.float32])
def test_labels_of_any_number_type_are_codes(dtype: type) -> None:
    y: NDArray[Any] = np.array([[0, 1], [1, 0]], dtype=dtype)
    data = Sequences.from_arrays(np.zeros((2, 2, 1)), y)
    assert data.labels is not None
    assert data.labels.dtype == np.int16
    assert data.labels.tolist() == [0, 1, 1, 0]


def test_nan_and_negative_labels_are_unlabelled() -> None:
    data = Sequences.from_arrays(np.zeros((2, 2, 1)), np.array([[np.nan, 1], [-7, 0]]))
    assert data.labels is not None
    assert data.labels.tolist() == [-1, 1, -1, 0]


def test_labels_can_be_replaced_and_joined() -> None:
    X, y = ragged(3)
    data = Sequences.from_arrays(X, y, class_names=["rest", "walk", "run"])
    binary = data.relabel({0: 0, 1: 1, 2: 1}, ["still", "moving"])
    assert binary.class_names == ("still", "moving")
    assert binary.labels is not None
    assert binary.labels.tolist() == [min(v, 1) for v in np.concatenate(y)]
    assert binary.with_labels(np.concatenate(y), data.class_names).fingerprint() == (
        data.fingerprint()
    )
    assert data.with_labels(y).fingerprint() == data.fingerprint()
    assert data.with_labels(None).labels is None
    per_sequence = data.with_labels(np.arange(7) % 3)
    assert not per_sequence.per_frame
    with pytest.raises(DataError, match=r"nothing about class 2 \('run'\)"):
        data.relabel({0: 0, 1: 1}, ["still", "moving"])


def test_the_fingerprint_tells_apart_whatever_decides_a_training() -> None:
    X, y = np.arange(8.0).reshape(4, 1, 2), np.array([0, 1, 0, 1])
    base = Sequences.from_arrays(X, y)
    others = [
        Sequences.from_arrays(X + 1, y),
        Sequences.from_arrays(X.reshape(2, 2, 2), y[:2]),
        Sequences.from_arrays(X, 1 - y),
        Sequences.from_arrays(X, y[:, None]),
        Sequences.from_arrays(X[:, 0], y),
        Sequences.from_arrays(X, y, class_names=["a", "b"]),
        Sequences.from_arrays(X, y, class_names=["0", "1", "2"]),
        Sequences.from_arrays(X, y, feature_names=["a", "b"]),
        Sequences.from_arrays(X),
    ]
    prints = {data.fingerprint() for data in [base, *others]}
    assert len(prints) == 1 + len(others)
    assert pickle.loads(pickle.dumps(base)).fingerprint() == base.fingerprint()
    assert Sequences.from_arrays(X.astype(np.float32), y.tolist()).fingerprint() in prints


X34 = np.zeros((3, 4, 2))
HOLES = np.zeros((3, 4, 2))
HOLES[1, 2, 1] = HOLES[2, 0, 0] = np.nan


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sequences.from_arrays([]), "empty list"),
        (lambda: Sequences.from_arrays(np.zeros((0, 4, 2))), "holds no values"),
        (lambda: Sequences.from_arrays(np.zeros(3)), r"shape \(3,\); expected \(sequences"),
        (lambda: Sequences.from_arrays([np.zeros(3)]), "sequence 0 of X has shape"),
        (lambda: Sequences.from_arrays([X34[0], np.zeros((0, 2))]), "sequence 1 of X has shape"),
        (lambda: Sequences.from_arrays([X34[0], X34[1, :, :1]]), "sequence 1 of X has 1 feat"),
        (lambda: Sequences.from_arrays([[[1.0], [1.0, 2.0]]]), "sequence 0 of X is not a rect"),
        (lambda: Sequences.from_arrays(X34.astype(str)), "expected real numbers"),
        (lambda: Sequences.from_arrays(X34.astype(complex)), "expected real numbers"),
        (
            lambda: Sequences.from_arrays(HOLES),
            r"2 of 24 .* nan at sequence 1, frame 2, feature 'x1'",
        ),
        (lambda: Sequences.from_arrays(X34 + 1e39), "24 of 24 .* inf at sequence 0, frame 0"),
        (lambda: Sequences.from_arrays(X34, lengths=[1, 0, 4]), "sequence 1 has length 0"),
        (lambda: Sequences.from_arrays(X34, lengths=[1, 4, 5]), "sequence 2 has length 5"),
        (lambda: Sequences.from_arrays(X34, lengths=[1, 4]), "expected 3 integers"),
        (lambda: Sequences.from_arrays(X34, lengths=[1.0, 4, 4]), "expected 3 integers"),
        (lambda: Sequences.from_arrays(X34[0], lengths=[1, 1, 1, 1]), "plain vectors"),
        (lambda: Sequences.from_arrays([X34[0]], lengths=[1]), "has its own"),
        (lambda: Sequences.from_arrays(X34, [0, 1]), "labels 2 sequences; X holds 3"),
        (lambda: Sequences.from_arrays(X34, ["a", "b", "a"]), "np.unique"),
        (lambda: Sequences.from_arrays(X34, [0, 0.5, 1]), "label of sequence 1 is 0.5"),
        (lambda: Sequences.from_arrays(X34, [-1, -1, np.nan]), "nothing is labelled"),
        (lambda: Sequences.from_arrays(X34, [0, 1, 40000]), "sequence 2 is 40000"),
        (lambda: Sequences.from_arrays(X34, np.zeros((3, 5))), "5 labels per sequence; expected 4"),
        (lambda: Sequences.from_arrays(X34, np.zeros((3, 4, 1))), r"y has shape \(3, 4, 1\)"),
        (lambda: Sequences.from_arrays(X34, [[0] * 4, [0] * 3, [0] * 4]), "labels of sequence 1"),
        (lambda: Sequences.from_arrays(X34[0], np.zeros((4, 1))), "one label per vector"),
        (
            lambda: Sequences.from_arrays(
                X34, [[0] * 4, [0, 0, 2, 0], [0] * 4], class_names=["a", "b"]
            ),
            "label of sequence 1, frame 2 is 2; .* 0 to 1",
        ),
        (lambda: Sequences.from_arrays(X34, feature_names=["a", "a"]), "'a' is given twice"),
        (lambda: Sequences.from_arrays(X34, feature_names=["a"]), "1 names; expected 2"),
        (lambda: Sequences.from_arrays(X34, feature_names="ab"), "list of strings"),
        (lambda: Sequences.from_arrays(X34, class_names=["a"]), "1 names; expected 2 to 32767"),
        (
            lambda: Sequences.from_arrays(X34, class_names=[str(i) for i in range(32768)]),
            "32768 names",
        ),
        (lambda: Sequences.from_arrays(X34).subset([]), "choose nothing"),
        (lambda: Sequences.from_arrays(X34).subset([3]), "from 0 to 2"),
        (lambda: Sequences.from_arrays(X34).subset([-1]), "from 0 to 2"),
        (lambda: Sequences.from_arrays(X34).sequence(3), "no sequence 3"),
        (lambda: Sequences.from_arrays(X34).split((0.5, 0.4), 0), "sum to 1"),
        (lambda: Sequences.from_arrays(X34).split((0.25,) * 4, 0), "3 sequences cannot fill 4"),
        (lambda: Sequences.from_arrays(X34).split((0.5, 0.5), 0, [1, 1]), "groups have shape"),
        (lambda: Sequences.from_arrays(X34).relabel({}, ["a", "b"]), "no labels to map"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        make()
    assert isinstance(caught.value, NearstarError)


@pytest.mark.parametrize(
    "change",
    [
        {"offsets": np.arange(6) * 100_000},
        {"offsets": np.array([0, 2, 2, 3, 4, 10])},
        {"labels": np.full(10, 30_000, np.int16)},
        {"labels": np.zeros(3, np.int16)},
        {"frames": np.zeros((10, 3))},
        {"frames": np.zeros((10, 4), np.float32)},
        {"vectors": True},
    ],
)
def test_parts_that_do_not_fit_never_reach_compiled_code(change: dict[str, object]) -> None:
    y = np.arange(10).reshape(5, 2) % 2
    data = Sequences.from_arrays(np.zeros((5, 2, 3), np.float32), y)
    with pytest.raises(DataError):
        replace(data, **change)
