"""Labels as scikit-learn hands them over: y, one for each sequence or for each frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from nearstar.data.conversion import UNLABELLED, as_array, as_list, flatten_labels, join_labels
from nearstar.data.labels import as_labels, encode, find_label
from nearstar.util.errors import DataError


def flat_labels(y: Any, lengths: NDArray[np.int64], *, vectors: bool) -> tuple[NDArray[Any], bool]:
    """The labels in one row, each of its own type; and whether they are per frame."""
    if vectors:
        return flatten_labels(column_or_1d(as_labels(y), warn=True), lengths, 1)
    labels, width = _typed(y), int(lengths.max())
    if width > 1 and isinstance(labels, np.ndarray) and labels.shape[1:] == (1,):
        labels = column_or_1d(labels, warn=True)
    return flatten_labels(labels, lengths, width)


def typed_classes(labels: Iterable[Any], y: Any) -> NDArray[Any]:
    """The classes as an array, of the type of y where it has one; they must not be measurements."""
    classes = np.asarray(list(labels))
    if classes.dtype.kind == "f":
        broken = classes[classes != np.floor(classes)]
        if np.isinf(classes).any() or len(broken):
            what = f"continuous values such as {broken[0]}" if len(broken) else "infinity"
            raise DataError(f"y contains {what}; expected labels of classes, or NaN for none")
    given = getattr(y, "dtype", None)
    kind = given.kind if isinstance(given, np.dtype) else ""
    same = kind in ("O", classes.dtype.kind) or (kind == "u" and classes.dtype.kind == "i")
    return classes.astype(given) if same else classes


def accuracy(true: Any, predicted: Any, unlabelled: Iterable[Any] = ()) -> float:
    """The share of labels that were predicted, among all elements that have one."""
    labels, answers = _in_one_row(_typed(true)), _in_one_row(predicted)
    if labels.shape != answers.shape:
        raise DataError(
            f"y has {len(labels)} labels; expected {len(answers)}, one for each that is predicted"
        )
    codes, classes = encode(labels, unlabelled=unlabelled)
    labelled = codes != UNLABELLED
    if not labelled.any():
        raise DataError("y has no label at all, only None or NaN; there is nothing to score")
    # As everywhere, 1 and "1" are the same class.
    given, known = encode(answers)
    places = [find_label(label, known) for label in classes]
    expected = np.array([UNLABELLED if place is None else place for place in places])
    return float(np.mean(expected[codes[labelled]] == given[labelled]))


def _typed(y: Any) -> Any:
    """The labels with their types: NumPy alone would make texts of numbers that stand by texts."""
    listed = as_list(y)
    if listed and as_array(listed[0], "the labels of sequence 0").ndim:
        return [as_labels(row) for row in listed]
    array = as_labels(y)
    return array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array


def _in_one_row(labels: Any) -> NDArray[Any]:
    return join_labels(labels) if isinstance(labels, list) else np.reshape(labels, -1)
