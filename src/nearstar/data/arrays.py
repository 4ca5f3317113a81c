"""Sequences from arrays in files: parts, labels and features joined and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import (
    check_numeric,
    join_labels,
    offsets_of,
    read_names,
    without_padding,
)
from nearstar.data.derived import needed_columns
from nearstar.data.labels import whole_labels
from nearstar.data.raw import Raw, Wanted, by_part, make_recordings
from nearstar.data.recordings import Recordings
from nearstar.data.selecting import check_known, select
from nearstar.util.errors import DataError, Setting


def raw_arrays(
    X: NDArray[Any],
    y: NDArray[Any] | None,
    lengths: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
    *,
    what: str,
) -> Raw:
    """A part from (sequences, frames, features) or (vectors, features), and labels of any type.

    Labels are (sequences,), (sequences, frames) or (sequences, frames, 1). Padding is not read.
    """
    if X.ndim not in (2, 3) or 0 in X.shape:
        raise DataError(
            f"{what} has shape {X.shape}; expected (sequences, frames, features) or "
            "(vectors, features), with at least one of each"
        )
    check_numeric(X, what)
    values, real = without_padding(X, lengths)
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    if groups is not None and groups.shape != (len(X),):
        raise DataError(f"groups of {what} have shape {groups.shape}; expected ({len(X)},)")
    owners = None if groups is None else tuple(groups.tolist())
    vectors = X.ndim == 2
    labels, per_frame = (None, False) if y is None else _labels(y, real, vectors, what)
    return Raw(values, offsets_of(real.sum(axis=1)), labels, per_frame, owners, vectors)


def _labels(
    y: NDArray[Any], real: NDArray[np.bool_], vectors: bool, what: str
) -> tuple[NDArray[Any], bool]:
    """Labels in a row, and whether they are per frame; `real` says which frames are no padding."""
    n, width = real.shape
    shape = y.shape[:-1] if y.ndim == 3 and y.shape[2] == 1 else y.shape
    if shape == (n,) or (shape == (n, 1) and (vectors or width > 1)):
        return whole_labels(y.reshape(n)), False
    if shape == (n, width):
        return whole_labels(y.reshape(n, width)[real]), True
    raise DataError(
        f"the labels of {what} have shape {y.shape}; expected ({n},), one for each sequence, or "
        f"({n}, {width}), one for each frame"
    )


def read_arrays(parts: Mapping[str, Raw], wanted: Wanted) -> dict[str, Recordings]:
    """Recordings of each part, with the same features and classes in all of them.

    Columns without names are x0, x1, …; features that are wanted, if as many, are then the names
    of the columns that the format chooses.
    """
    first = next(iter(parts.values()))
    _check_alike(parts)
    features, format, formulas = wanted.features, wanted.format, wanted.formulas
    known = read_names(first.names or None, "feature", first.values.shape[1])
    chosen = select([*known, *formulas], format.features, places=True)
    source = {name: i for i, name in enumerate(known)}
    if features is None:
        features = (*chosen, *(name for name in formulas if name not in chosen))
    elif not first.names:
        own = [name for name in features if name not in formulas]
        columns = [known.index(name) for name in chosen if name not in formulas]
        if len(columns) != len(own):
            raise DataError(
                f"the data have {len(columns)} features, the domain {len(own)}; choose as "
                "many columns of the data, such as ",
                Setting("features", ["0-18"]),
            )
        source = dict(zip(own, columns, strict=True))
    check_known(features, [*source, *formulas], "the file")
    raw = _joined(parts, source, needed_columns(features, formulas, source))
    if wanted.labels is None and format.positive is None:
        wanted = replace(wanted, labels=first.classes)
    if format.per is None:  # the shape of the labels has said it
        per = "frame" if first.per_frame else "sequence"
        wanted = replace(wanted, format=replace(format, per=per))
    return by_part(make_recordings(raw, wanted, features), raw.parts)


def _joined(parts: Mapping[str, Raw], source: Mapping[str, int], names: tuple[str, ...]) -> Raw:
    """All parts in one, with these columns only."""
    columns, arrays = [source[name] for name in names], list(parts.values())
    first = arrays[0]
    whole = columns == list(range(first.values.shape[1]))
    values = [part.values if whole else part.values[:, columns] for part in arrays]
    labels = [part.labels for part in arrays if part.labels is not None]
    owners = [name for name, part in parts.items() for _ in part.ids]
    return replace(
        first,
        names=names,
        values=values[0] if len(values) == 1 else np.concatenate(values),
        offsets=offsets_of(np.concatenate([part.lengths for part in arrays])),
        ids=tuple(i for part in arrays for i in part.ids),
        labels=join_labels(labels) if labels else None,
        groups=first.groups and tuple(g for part in arrays for g in part.groups or ()),
        parts=None if "all" in parts else tuple(owners),
    )


def _check_alike(parts: Mapping[str, Raw]) -> None:
    """Raise unless the parts have the same features and the same kind of labels."""
    (first, one), *others = parts.items()
    for name, other in others:
        for what, a, b in (
            ("features", one.values.shape[1], other.values.shape[1]),
            ("labels", one.labels is not None, other.labels is not None),
            ("labels for each frame", one.per_frame, other.per_frame),
            ("groups", one.groups is not None, other.groups is not None),
            ("plain vectors", one.vectors, other.vectors),
        ):
            if a != b:
                said = [
                    f"the {part} part has {_amount(v, what)}" for part, v in ((first, a), (name, b))
                ]
                raise DataError(f"{said[0]}, {said[1]}; expected the same in every part")


def _amount(value: int | bool, what: str) -> str:
    return (what if value else f"no {what}") if isinstance(value, bool) else f"{value} {what}"
