"""The watch recordings, and the reader that lets a pickle build arrays and nothing else."""

from __future__ import annotations

import importlib.util
import io
import os
import pickle

import numpy as np
import pytest

from nearstar.data import watch_exercises
from nearstar.data.examples import exercises
from nearstar.util.errors import DataError


def test_the_recordings_become_windows_split_by_person() -> None:
    try:
        parts = watch_exercises()
    except DataError as error:
        pytest.skip(str(error))
    assert [len(part) for part in parts] == [1058, 402, 769]
    for part in parts:
        assert (part.lengths == 100).all()
        assert part.feature_names == ("acc_x", "acc_y", "acc_z", "gyr_x", "gyr_y", "gyr_z")
        assert not part.per_frame
        assert part.labels is not None
        assert set(part.labels) == set(range(7)) == set(range(part.n_classes))


def test_windows_average_pairs_of_frames_and_overlap_by_half() -> None:
    signal = np.arange(2 * 201 + 1, dtype=np.float64)[:, None]
    windows = exercises._windows(signal)
    assert [window[0, 0] for window in windows] == [0.5, 100.5, 200.5]
    assert all(window.shape == (100, 1) for window in windows)
    assert exercises._windows(signal[:199]) == []


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"pip install nearstar\[demo\]"):
        watch_exercises()


@pytest.mark.parametrize("protocol", [2, 4])
def test_arrays_survive_the_restricted_reader(protocol: int) -> None:
    content = {"a": np.arange(6.0).reshape(2, 3), "b": [np.array([1, 2])], "c": ["text"]}
    array = np.empty((), dtype=object)
    array[()] = content
    read = exercises._ArrayUnpickler(io.BytesIO(pickle.dumps(array, protocol))).load().item()
    np.testing.assert_array_equal(read["a"], content["a"])
    np.testing.assert_array_equal(read["b"][0], [1, 2])
    assert read["c"] == ["text"]


class Call:
    """Pickles as a call of a function with arguments."""

    def __init__(self, function: object, *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call


@pytest.mark.parametrize(
    "payload",
    [
        Call(os.getcwd),
        Call(eval, "1"),
        Call(np.load, "x"),
        Call(np.ndarray, (3,)),
        np.float16(1),
    ],
)
def test_anything_else_is_refused(payload: object) -> None:
    for protocol in (2, 4):
        file = io.BytesIO(pickle.dumps(payload, protocol))
        with pytest.raises(pickle.UnpicklingError):
            exercises._ArrayUnpickler(file).load()
