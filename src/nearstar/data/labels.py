"""Labels of any type as class codes, and the classes they stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import MAX_CLASSES, UNLABELLED
from nearstar.util.errors import DataError
from nearstar.util.nearest import suggestion

Label = str | int | float | bool
"""What a class may be called in data."""


def encode(
    values: Any,
    *,
    classes: Sequence[Any] | NDArray[Any] | None = None,
    unlabelled: Iterable[Any] = (),
    where: Callable[[int], str] = lambda index: f"element {index}",
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Class codes of labels, in the shape of `values`, and the classes by code.

    The code is -1 where there is no label: None, NaN, NA, NaT, or one of `unlabelled`. The classes
    are the distinct labels in order, or `classes` as given; a label that is not among those is an
    error with its place. Labels of another type match where their texts do: 1 and "1".
    """
    array = as_labels(values)
    flat = array.reshape(-1)
    known = np.flatnonzero(~_is_missing(flat))
    distinct, inverse = _distinct(flat[known])
    none = set(map(_finder(distinct), unlabelled))
    kept = [i for i in range(len(distinct)) if i not in none]
    if classes is None:
        result = _plain(distinct[kept])
        targets: dict[int, int | None] = {old: new for new, old in enumerate(kept)}
        if len(result) > MAX_CLASSES:
            raise DataError(
                f"there are {len(result)} different labels, such as {shown(result[0])}; at most "
                f"{MAX_CLASSES} classes are learned: are these measurements rather than labels?"
            )
    else:
        result = as_labels(classes)
        find = _finder(result)
        targets = {i: find(distinct[i]) for i in kept}
        for i, target in targets.items():
            if target is None:
                first = int(known[np.argmax(inverse == i)])
                raise DataError(
                    f"the label {shown(distinct[i])} at {where(first)} is none of the classes; "
                    f"{suggestion(text_of(distinct[i]), class_names(result))}"
                )
    table = np.array([targets.get(i, UNLABELLED) for i in range(len(distinct))], dtype=np.int64)
    codes = np.full(len(flat), UNLABELLED, dtype=np.int64)
    if len(known):
        codes[known] = table[inverse]
    return codes.reshape(array.shape), result


def class_names(classes: Iterable[Any]) -> tuple[str, ...]:
    """The classes as texts, all different: as code would write them where plain texts clash."""
    plain = [as_python(label) for label in classes]
    counts = Counter(map(str, plain))
    return tuple(str(label) if counts[str(label)] == 1 else repr(label) for label in plain)


def find_label(label: Any, classes: Iterable[Any]) -> int | None:
    """The place of a label among classes: an equal one, or else one with the same text."""
    return _finder(classes)(label)


def whole_labels(values: NDArray[Any]) -> NDArray[Any]:
    """Floats that are all whole numbers as integers, with None for NaN; other labels as they are.

    Integers with gaps come as floats from tables.
    """
    if values.dtype.kind != "f":
        return values
    missing = np.isnan(values)
    known = values[~missing]
    if not np.all((known == np.floor(known)) & (np.abs(known) < 2**53)):
        return values
    if not missing.any():
        return values.astype(np.int64)
    result = np.full(values.shape, None, dtype=object)
    result[~missing] = known.astype(np.int64).astype(object)
    return result


def as_labels(values: Any) -> NDArray[Any]:
    """Labels as an array that keeps each one's type."""
    if hasattr(values, "to_numpy"):
        # Types of pandas's own would make floats of integers with gaps.
        own = hasattr(values, "dtype") and not isinstance(values.dtype, np.dtype)
        return np.asarray(values.to_numpy(dtype=object) if own else values.to_numpy())
    if isinstance(values, np.ndarray):
        return values
    if not hasattr(values, "__array__"):
        values = list(values)
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError("labels are lists of different lengths; expected one label each") from None
    if array.dtype.kind in "US" and isinstance(values, list) and array.ndim == 1:
        # NumPy makes text of numbers, None and NaN that stand beside text.
        texts = all(isinstance(value, str | bytes) for value in values)
        array = array if texts else np.array([*values, None], dtype=object)[:-1]
    return array


def text_of(label: Any) -> str:
    """The text of a label; a whole float is written as an integer is."""
    plain = as_python(label)
    whole = isinstance(plain, float) and plain.is_integer()
    return str(int(plain)) if whole else str(plain)


def _is_missing(flat: NDArray[Any]) -> NDArray[np.bool_]:
    if flat.dtype.kind == "O":
        import pandas as pd

        return np.asarray(pd.isna(flat))
    return np.isnan(flat) if flat.dtype.kind in "fcmM" else np.zeros(len(flat), dtype=bool)


def _distinct(known: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct labels in order, and which of them each label is."""
    if known.dtype.kind != "O":
        if known.dtype.kind not in "biufUS":
            raise DataError(f"labels have type {known.dtype}; expected numbers, texts or booleans")
        labels, inverse = np.unique(known, return_inverse=True)
        return labels, inverse.astype(np.int64)
    import pandas as pd

    for kind in {type(label) for label in known}:
        if not issubclass(kind, str | int | float | np.generic):
            label = next(each for each in known if type(each) is kind)
            raise DataError(
                f"the label {label!r} is a {kind.__name__}; expected a number, a text or a boolean"
            )
    found, labels = pd.factorize(known)
    try:
        order = np.argsort(labels, kind="stable")
    except TypeError:
        text = next(label for label in labels if isinstance(label, str))
        other = next(label for label in labels if not isinstance(label, str))
        raise DataError(
            f"labels mix texts such as {text!r} with numbers such as {shown(other)}, which have "
            "no common order; write all of them as texts or all as numbers"
        ) from None
    return labels[order], np.argsort(order)[found]


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Objects that are all numbers, or all booleans, as an array of those."""
    if labels.dtype.kind != "O" or any(isinstance(label, str | bytes) for label in labels):
        return labels
    return np.asarray(labels.tolist()) if len(labels) else labels


def _finder(classes: Iterable[Any]) -> Callable[[Any], int | None]:
    """What finds the place of a label among classes: by value, or else by text."""
    numbered = list(enumerate(classes))
    values = {label: i for i, label in reversed(numbered)}
    texts = {text_of(label): i for i, label in reversed(numbered)}
    return lambda label: values.get(label, texts.get(text_of(label)))


def as_python(label: Any) -> Any:
    """A label without a type of NumPy's."""
    return label.item() if isinstance(label, np.generic) else label


def shown(label: Any) -> str:
    """A label as messages show it."""
    return repr(as_python(label))
