"""Arrays in NumPy's files: .npz archives, and .npy files with data and labels side by side."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.arrays import raw_arrays
from nearstar.data.raw import PARTS, Raw
from nearstar.data.readers.reader import Reader
from nearstar.util.errors import DataError
from nearstar.util.nearest import nearest, suggestion

_HELPERS = ("lengths", "groups", "feature_names", "class_names")
_DATA = "_data.npy"
_LABELS = "_labels.npy"


def read_npz(path: Path, label: str | None = None, group: str | None = None) -> dict[str, Raw]:
    """The parts of an archive.

    It has X_train, y_train, X_valid, …, X_test, …; or X and y. Also, where they are needed,
    lengths_train and groups_train, …, and for all parts feature_names and class_names. Class names
    make the labels class codes, of which negative ones mean unlabelled. `label` and `group` are
    other names for y and groups; arrays of still other names are not read.
    """
    arrays = _load_npz(path)
    _check_spelling(arrays, path)
    present = [part for part in PARTS if f"X_{part}" in arrays]
    if ("X" in arrays) == bool(present):
        raise DataError(
            f"{path} has the arrays {', '.join(arrays) or 'none'}; expected X_train, y_train, "
            "X_valid, … for parts, or X and y for all in one"
        )
    names, classes = (_names(arrays, f"{what}_names", path) for what in ("feature", "class"))
    parts = {}
    for part in present or ["all"]:
        end = "" if part == "all" else f"_{part}"
        for name in (label, group):
            if name is not None and f"{name}{end}" not in arrays:
                raise DataError(
                    f"{path} has no array {f'{name}{end}'!r}; {suggestion(f'{name}{end}', arrays)}"
                )
        y = arrays.get(f"{label or 'y'}{end}")
        if y is not None and classes is not None:
            y = _named_labels(y, classes, f"{path}: {label or 'y'}{end}")
        lengths, groups = arrays.get(f"lengths{end}"), arrays.get(f"{group or 'groups'}{end}")
        raw = raw_arrays(arrays[f"X{end}"], y, lengths, groups, what=f"{path}: X{end}")
        parts[part] = replace(raw, names=names or (), classes=classes)
    return parts


def read_npy(path: Path) -> dict[str, Raw]:
    """Parts from ``train_mice_data.npy``, its labels ``train_mice_labels.npy``, and valid and test
    files beside them; or from one file of data, with its labels if there are any.
    """
    if path.name.endswith(_LABELS):
        data = path.name.removesuffix(_LABELS) + _DATA
        raise DataError(f"{path} holds labels; give the file with the data, {data}")
    if path.name.startswith("train_") and path.name.endswith(_DATA) and path.is_file():
        files = {part: path.with_name(part + path.name.removeprefix("train")) for part in PARTS}
        return {part: _read_pair(file) for part, file in files.items() if file.is_file()}
    return {"all": _read_pair(path)}


def find_npy(folder: Path) -> Path:
    """The training data in a folder of .npy files."""
    found = sorted(folder.glob(f"*{_DATA}"))
    train = [path for path in found if path.name.startswith("train_")]
    chosen = train or found
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise DataError(
            f"{folder} is a directory; expected a file, or a directory with train_NAME{_DATA} and "
            f"train_NAME{_LABELS} in it"
        )
    names = ", ".join(path.name for path in chosen)
    raise DataError(f"{folder} is a directory with several data sets; give one of {names}")


def _read_pair(path: Path) -> Raw:
    labels = path.with_name(path.name.removesuffix(_DATA) + _LABELS)
    paired = path.name.endswith(_DATA) and labels.is_file()
    return raw_arrays(_load_npy(path), _load_npy(labels) if paired else None, what=str(path))


def _load_npy(path: Path) -> NDArray[Any]:
    try:
        with open(path, "rb") as file:
            array = np.load(file, allow_pickle=False)
    except (ValueError, EOFError) as problem:
        raise _not_arrays(path, problem) from None
    if not isinstance(array, np.ndarray):
        raise DataError(f"{path} is an archive of arrays; name it .npz")
    return array


def _load_npz(path: Path) -> dict[str, NDArray[Any]]:
    try:
        # Opened here, the file is closed even if NumPy cannot make anything of it.
        with open(path, "rb") as file:
            archive = np.load(file, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                raise DataError(f"{path} holds one array; name it .npy")
            return {key: archive[key] for key in archive.files}
    except DataError:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as problem:
        raise _not_arrays(path, problem) from None


def _not_arrays(path: Path, problem: Exception) -> DataError:
    if re.search("pickle", str(problem), re.IGNORECASE):
        return DataError(
            f"{path} holds pickled objects or no arrays at all, and is not read, for pickles can "
            "run code; save plain arrays of numbers or fixed-length texts"
        )
    return DataError(f"{path} cannot be read as NumPy arrays: {problem}")


def _check_spelling(arrays: Iterable[str], path: Path) -> None:
    """Raise for a name that is nearly one of ours: without it the data would mean another thing."""
    for key in arrays:
        kind = re.sub(f"_({'|'.join(PARTS)})$", "", key)
        meant = nearest(kind, _HELPERS)
        if meant is not None and kind != meant:
            raise DataError(
                f"{path} has an array {key!r}; did you mean {key.replace(kind, meant)!r}?"
            )


def _names(arrays: dict[str, NDArray[Any]], key: str, path: Path) -> tuple[str, ...] | None:
    names = arrays.get(key)
    if names is None:
        return None
    if names.ndim != 1 or names.dtype.kind != "U":
        raise DataError(f"{path}: {key} has type {names.dtype}; expected a list of texts")
    return tuple(names.tolist())


def _named_labels(y: NDArray[Any], classes: tuple[str, ...], what: str) -> NDArray[Any]:
    """Texts for class codes; None where a code is negative or NaN."""
    if y.dtype.kind not in "biuf":
        return y
    known = y >= 0
    wrong = known & ((y >= len(classes)) | (y != np.floor(y)))
    if wrong.any():
        raise DataError(
            f"{what} has the label {y[wrong].flat[0]}; with class_names, expected whole numbers "
            f"from 0 to {len(classes) - 1}, or negative ones for unlabelled"
        )
    codes = np.where(known, y, len(classes)).astype(np.int64)
    return np.array([*classes, None], dtype=object)[codes]


READERS = (
    Reader("NumPy archive", (".npz",), "arrays", read_npz, options=("label", "group")),
    Reader("NumPy arrays", (".npy",), "arrays", read_npy, find_in=find_npy),
)
