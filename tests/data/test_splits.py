"""What is held out is apart, of about the right size, and balanced."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearstar.data import Recordings, Sequences, hold_out, split_indices
from nearstar.util.errors import DataError

SEEDS = st.integers(0, 1000)
SHARES = st.floats(0.05, 0.9)


def labelled(labels: list[int], length: int = 2) -> Sequences:
    X = np.arange(len(labels) * length, dtype=float).reshape(-1, length, 1)
    return Sequences.from_arrays(X, np.array(labels), class_names=["a", "b", "c"])


@given(
    labels=st.lists(st.integers(-1, 2), min_size=2, max_size=30).filter(lambda x: max(x) >= 0),
    share=SHARES,
    seed=SEEDS,
    data=st.data(),
)
def test_every_sequence_is_on_one_side_and_so_is_its_group(
    labels: list[int], share: float, seed: int, data: st.DataObject
) -> None:
    names = st.sampled_from(["anna", "bob", 3, 4.5])
    groups = data.draw(st.lists(names, min_size=len(labels), max_size=len(labels)))
    groups[:2] = ["anna", "bob"]
    whole = labelled(labels)
    for given_ in (None, groups):
        train, valid = split_indices(whole, share, seed, given_)
        assert len(train) and len(valid)
        assert sorted([*train, *valid]) == list(range(len(labels)))
        if given_ is not None:
            assert not {groups[i] for i in train} & {groups[i] for i in valid}
        again = split_indices(whole, share, seed, given_)
        assert np.array_equal(train, again[0]) and np.array_equal(valid, again[1])


@given(seed=SEEDS, labels=st.permutations([0] * 12 + [1] * 8 + [2] * 4))
def test_classes_are_as_frequent_as_in_all_data(seed: int, labels: list[int]) -> None:
    train, valid = split_indices(labelled(labels), 0.25, seed)
    assert abs(len(valid) - 6) <= 1
    counts = np.bincount(np.array(labels)[valid], minlength=3)
    assert np.abs(counts - [3, 2, 1]).max() <= 1
    assert set(np.array(labels)[train]) == {0, 1, 2}


@given(seed=SEEDS)
def test_a_class_is_trained_on_wherever_that_is_possible(seed: int) -> None:
    """Class 2 has two groups of six: a split that takes both is never chosen."""
    labels = [0, 1, 0, 1, 0, 1, 0, 1, 0, 2, 2, 1]
    groups = np.repeat(np.arange(6), 2)
    train, _ = split_indices(labelled(labels), 0.5, seed, groups)
    assert 2 in np.array(labels)[train]


@given(seed=SEEDS, labels=st.permutations([0, 0, 0, 1, 1, 1, 2]))
def test_few_groups_are_split_about_as_well_as_can_be(seed: int, labels: list[int]) -> None:
    """Nearly all splits of seven are among a hundred random ones: compare with all."""
    known = np.array(labels)

    def imbalance(valid: list[int]) -> float:
        frequency = np.bincount(known[valid], minlength=3) / len(valid)
        return float(np.abs(frequency - np.array([3, 3, 1]) / 7).sum())

    train, valid = split_indices(labelled(labels), 0.3, seed)
    pairs = [p for p in map(list, combinations(range(7), 2)) if 2 not in known[p]]
    assert len(valid) == 2 and 2 in known[train]
    assert imbalance(valid.tolist()) == min(map(imbalance, pairs))


@given(n=st.integers(8, 40), share=st.floats(0.01, 0.75), per_frame=st.booleans())
def test_a_recording_alone_is_cut_in_time(n: int, share: float, per_frame: bool) -> None:
    X = [np.arange(n, dtype=float)[:, None]]
    y = [np.arange(n) % 2] if per_frame else np.array([1])
    whole = Sequences.from_arrays(X, y, class_names=["a", "b"])
    rows = np.arange(n)
    recordings = Recordings(whole, ("a", "b"), ("video",), None, rows + 100, rows)
    train, valid = hold_out(recordings, share, 0)
    both = np.concatenate([train.sequences.frames, valid.sequences.frames])
    np.testing.assert_array_equal(both, whole.frames)
    assert abs(len(valid.sequences.frames) - share * n) <= 1
    for part in (train, valid):
        assert part.ids == ("video",) and part.rows is not None and part.frames is not None
        np.testing.assert_array_equal(part.sequences.frames[:, 0], part.rows)
        np.testing.assert_array_equal(part.frames, part.rows + 100)
        assert part.sequences.labels is not None
        expected = part.rows % 2 if per_frame else [1]
        np.testing.assert_array_equal(part.sequences.labels, expected)


def test_a_recording_alone_is_cut_where_all_labels_are_trained() -> None:
    def cut(labels: list[int]) -> tuple[Recordings, Recordings]:
        X = [np.arange(8, dtype=float)[:, None]]
        whole = Sequences.from_arrays(X, [labels], class_names=["a", "b"])
        return hold_out(Recordings(whole, ("a", "b"), ("video",)), 0.25, 0)

    train, valid = cut([0, 0, 0, 1, 0, 0, 1, 1])
    assert valid.sequences.frames[0, 0] == 6
    train, valid = cut([0, 0, 0, 0, 0, 0, 1, 1])  # all of b is in the end
    assert valid.sequences.frames[:, 0].tolist() == [0, 1]
    assert train.sequences.frames[:, 0].tolist() == [2, 3, 4, 5, 6, 7]
    with pytest.raises(DataError, match=r"only recording.*label 'b'"):
        cut([0, 0, -1, -1, -1, -1, 1, 1])


def test_recordings_keep_what_is_known_of_them() -> None:
    whole = Recordings(labelled([0, 1, 0, 1]), ("a", "b"), tuple("pqrs"), (1, 1, 2, 2))
    train, valid = hold_out(whole, 0.5, 3)
    assert {train.ids, valid.ids} == {("p", "q"), ("r", "s")}
    assert {train.groups, valid.groups} == {(1, 1), (2, 2)}


def test_without_labels_and_one_sequence() -> None:
    plain = Sequences.from_arrays([np.zeros((n, 1)) for n in (1, 1, 1, 30)])
    train, valid = split_indices(plain, 0.1, 0)
    assert valid.tolist() == [i for i in range(4) if i not in train] and 3 in train
    both = split_indices(plain.subset([0]), 0.5, 0)
    assert [side.tolist() for side in both] == [[0], [0]]


def test_mistakes() -> None:
    data = labelled([0, 1])
    for share in (0, 1, -1, 2, float("nan")):
        with pytest.raises(DataError, match="between 0 and 1"):
            split_indices(data, share, 0)
    with pytest.raises(DataError, match="all sequences are of one group"):
        split_indices(data, 0.5, 0, ["a", "a"])
    alone = Recordings(labelled([0], length=1), ("a",), (0,))
    with pytest.raises(DataError, match="one recording of one frame"):
        hold_out(alone, 0.5, 0)
