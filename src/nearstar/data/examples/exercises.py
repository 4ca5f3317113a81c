"""Smart-watch recordings of shoulder exercises, from the files of the seglearn package."""

from __future__ import annotations

import importlib.util
import pickle
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.sequences import Sequences
from nearstar.util.errors import DataError

_CHANNELS = ("acc_x", "acc_y", "acc_z", "gyr_x", "gyr_y", "gyr_z")
_EXERCISES = {
    "PEN": "pendulum",
    "ABD": "abduction",
    "FEL": "forward elevation",
    "IR": "internal rotation",
    "ER": "external rotation",
    "TRAP": "trapezius extension",
    "ROW": "upright row",
}
# Nobody is in two parts, so that the scores are those of new people.
_TRAIN, _VALID, _TEST = (4, 5, 6, 8, 9), (2, 3), (1, 7, 10)
_WINDOW, _HOP = 100, 50


def watch_exercises() -> tuple[Sequences, Sequences, Sequences]:
    """Seven shoulder exercises seen by a watch on the wrist: training, validation, test.

    Ten people, 25 frames a second of acceleration and angular velocity, in windows of 4 seconds
    that overlap by half; one label per window. Needs `pip install nearstar[demo]`.
    """
    (train, _), (valid, _), (test, _) = _parts()
    return train, valid, test


def watch_subjects() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Who performs the exercise in each window of `watch_exercises`, by number."""
    (_, train), (_, valid), (_, test) = _parts()
    return train, valid, test


def _parts() -> list[tuple[Sequences, NDArray[np.int64]]]:
    """The windows of the people of each part, and whose each window is."""
    recordings = _load(_locate())
    if tuple(recordings["y_labels"]) != tuple(_EXERCISES):
        raise DataError(
            f"the watch recordings have the exercises {recordings['y_labels']}; expected "
            f"{list(_EXERCISES)}: install the version of seglearn that nearstar[demo] names"
        )
    windows = [_windows(signal) for signal in recordings["X"]]
    counts = [len(cut) for cut in windows]
    exercises, subjects = (
        np.repeat(np.asarray(recordings[what], np.int64), counts) for what in ("y", "subject")
    )
    whole = Sequences.from_arrays(
        list(chain.from_iterable(windows)),
        exercises,
        feature_names=_CHANNELS,
        class_names=tuple(_EXERCISES.values()),
    )
    chosen = [np.isin(subjects, people) for people in (_TRAIN, _VALID, _TEST)]
    return [(whole.subset(own), subjects[own]) for own in chosen]


def _windows(signal: NDArray[np.float64]) -> list[NDArray[np.float32]]:
    """Average pairs of frames (50 to 25 per second) and cut into overlapping windows."""
    pairs = len(signal) // 2
    slow = signal[: 2 * pairs].reshape(pairs, 2, -1).mean(axis=1).astype(np.float32)
    return [slow[i : i + _WINDOW] for i in range(0, len(slow) - _WINDOW + 1, _HOP)]


def _locate() -> Path:
    # find_spec does not import the package, which would need libraries that we do not.
    spec = importlib.util.find_spec("seglearn")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "data" / "watch_dataset.npy"
        if path.is_file():
            return path
    raise DataError(
        "the watch recordings are not installed; they come with the seglearn package: "
        "pip install nearstar[demo]"
    )


def _load(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        np.lib.format.read_array_header_1_0(file)
        try:
            content = _ArrayUnpickler(file).load()
        except pickle.UnpicklingError as error:
            raise DataError(
                f"the watch recordings hold more than arrays: {error}. They were not read; "
                "install seglearn afresh with pip install nearstar[demo]"
            ) from error
    loaded: dict[str, Any] = content.item()
    return loaded


class _ArrayUnpickler(pickle.Unpickler):
    """Reads arrays, lists, dicts, numbers and text, and refuses everything else.

    A pickle may call any function that it can name; here it can name only those below, which
    are what arrays are rebuilt from.
    """

    def find_class(self, module: str, name: str) -> Any:
        # NumPy 2 writes numpy._core for what NumPy 1 wrote as numpy.core.
        allowed = _ALLOWED.get(f"{module.replace('numpy._core', 'numpy.core')}.{name}")
        if allowed is None:
            raise pickle.UnpicklingError(f"{module}.{name} has no place among arrays")
        return allowed


def _reconstruct(kind: object, shape: object, code: object) -> NDArray[Any]:
    """An empty array, which the state that follows in the pickle fills."""
    return np.ndarray((0,), dtype=np.int8)


def _ndarray(*arguments: object) -> None:
    """Stands for the type where a pickle names it as an argument; calling it is no use of it."""
    raise pickle.UnpicklingError("arrays are rebuilt from their state, not called for")


def _dtype(code: str, *flags: object) -> np.dtype[Any]:
    if code not in ("f8", "i8", "O8"):
        raise pickle.UnpicklingError(f"arrays of type {code!r} are not expected")
    return np.dtype(code, copy=True)


def _encode(text: str, encoding: str) -> bytes:
    """Bytes, which old pickles write as Latin-1 text."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"text in {encoding!r} is not expected")
    return text.encode("latin1")


_ALLOWED: dict[str, Any] = {
    "numpy.core.multiarray._reconstruct": _reconstruct,
    "numpy.dtype": _dtype,
    "_codecs.encode": _encode,
    "numpy.ndarray": _ndarray,
}
