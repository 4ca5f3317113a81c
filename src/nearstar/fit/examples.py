"""What a classifier is given, as recordings, and how its answers go back into the same form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.conversion import check_finite, read_frames, read_names
from nearstar.data.format import DataFormat
from nearstar.data.labels import as_labels
from nearstar.data.raw import Raw, Wanted, make_recordings
from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences
from nearstar.data.tables import read_table
from nearstar.fit.layouts import Form
from nearstar.fit.targets import flat_labels, typed_classes
from nearstar.util.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Examples:
    """Recordings, and the form in which they were given."""

    recordings: Recordings
    form: Form
    classes: NDArray[Any] | None = None
    """The classes by code, in the type of y; None without labels."""

    @property
    def sequences(self) -> Sequences:
        return self.recordings.sequences

    def restored(self, values: NDArray[Any], per_frame: bool) -> Any:
        """Values of each frame or of each sequence in the form of the data.

        A table has a value for each of its rows in any case.
        """
        if self.form == "table":
            spread = values if per_frame else np.repeat(values, self.sequences.lengths, axis=0)
            rows = np.empty_like(spread)
            rows[self.recordings.rows] = spread
            return rows
        if not per_frame:
            return values
        if self.form == "list":
            return np.split(values, self.sequences.offsets[1:-1])
        return values.reshape(len(self.sequences), -1, *values.shape[1:])


def from_arrays(
    data: Any,
    form: Form,
    names: tuple[str, ...] | None,
    format: DataFormat,
    y: Any = None,
    groups: Any = None,
    classes: NDArray[Any] | None = None,
) -> Examples:
    """Examples of arrays with frames before features; ``classes``: those that may occur in y."""
    frames, offsets, vectors, _ = read_frames(data, None)
    columns = read_names(names, "feature", frames.shape[1])
    if np.isinf(frames).any():  # given as such, or too large for 32 bits
        check_finite(frames, offsets, columns)
    raw = Raw(
        names=columns,
        values=frames,
        offsets=offsets,
        vectors=vectors,
        groups=None if groups is None else tuple(_entries(groups, len(offsets) - 1, "groups")),
        what="vector" if vectors else "sequence",
    )
    if y is not None:
        flat, per_frame = flat_labels(y, np.diff(offsets), vectors=vectors)
        raw = replace(raw, labels=flat, per_frame=per_frame)
        format = replace(format, per="frame" if per_frame else "sequence")
    given = None if classes is None else classes.tolist()
    recordings = make_recordings(raw, Wanted(format, labels=given), raw.names)
    return _examples(recordings, form, y, classes)


def from_table(
    table: pd.DataFrame,
    format: DataFormat,
    features: tuple[str, ...] | None,
    derived: Mapping[str, str],
    y: Any = None,
    groups: Any = None,
    classes: NDArray[Any] | None = None,
) -> Examples:
    """Examples of a table; y and groups, if given, have an entry for each row."""
    if y is not None:
        table, column = _with_column(table, y, "y", format, format.label)
        format = replace(format, label=column)
    if groups is not None:
        table, column = _with_column(table, groups, "groups", format, format.group)
        format = replace(format, group=column)
    given = None if classes is None else classes.tolist()
    recordings = read_table(table, format, features=features, derived=derived, labels=given)
    return _examples(recordings, "table", y, classes)


def _examples(recordings: Recordings, form: Form, y: Any, classes: NDArray[Any] | None) -> Examples:
    if recordings.sequences.labels is None:
        return Examples(recordings, form)
    found = typed_classes(recordings.labels, y) if classes is None else classes
    return Examples(recordings, form, found)


def _entries(values: Any, n: int, what: str) -> NDArray[Any]:
    array = as_labels(values)
    if array.shape not in ((n,), (n, 1)):
        raise DataError(f"{what} has the shape {array.shape}; expected {n} entries, one for each")
    return array.reshape(-1)


def _with_column(
    table: pd.DataFrame, values: Any, what: str, format: DataFormat, given: str | None
) -> tuple[pd.DataFrame, str]:
    """The table with these values as a column, and its name.

    If they are a column of the table, that one is taken for them: it must not be a feature. One
    that has another role keeps it: groups may be the sequences.
    """
    own = getattr(values, "name", None)
    own = given or (None if own in format.roles.values() else own)
    name = own if isinstance(own, str) and own in table.columns else what
    while name != own and name in table.columns:
        name += "_"
    return table.assign(**{name: _entries(values, len(table), what)}), name
