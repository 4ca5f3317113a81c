"""X and y of any kind, read as recordings, and answers that go back into the same form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from nearstar.data.conversion import check_finite, read_frames, read_names
from nearstar.data.format import DataFormat
from nearstar.data.labels import Label, as_labels
from nearstar.data.raw import Raw, Wanted, make_recordings
from nearstar.data.recordings import Recordings
from nearstar.data.sequences import Sequences
from nearstar.data.tables import read_table
from nearstar.fit.layouts import Form, arranged, check_layout
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


@dataclass(frozen=True)
class ExampleReader:
    """How an estimator reads its data."""

    layout: str
    format: DataFormat
    features: tuple[str, ...] | None = None
    """The features to read, by name; None: all that there are."""
    derived: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_layout(self.layout)

    def is_table(self, X: Any) -> bool:
        """Whether X has a row for each frame; a table whose columns have no roles holds vectors."""
        return bool(self.format.roles) and hasattr(X, "columns") and hasattr(X, "iloc")

    def read(
        self,
        estimator: BaseEstimator,
        X: Any,
        y: Any = None,
        groups: Any = None,
        *,
        classes: NDArray[Any] | None = None,
        first: bool = False,
        labelled: bool = True,
    ) -> Examples:
        """Labelled examples; ``classes`` are those that may occur, None: all that do.

        If they are the ``first``, their features are those that later ones must have. Unless they
        are ``labelled``, the columns of labels and groups are not looked at.
        """
        labels = None if classes is None else classes.tolist()
        form: Form = "table"
        if self.is_table(X):
            format = self.format if labelled else replace(self.format, label=None, group=None)
            recordings = self._from_table(X, format, y, groups, labels)
        else:
            data, form, names = self._arrays(estimator, X, first)
            # What learned from a table takes its features in the same order.
            names = names if first or names is not None else self.features
            if not first and form != "vectors":
                _check_n_features(estimator, read_frames(data, None)[0].shape[1])
            recordings = self._from_arrays(data, names, y, groups, labels)
        if recordings.sequences.labels is None:
            return Examples(recordings, form)
        found = typed_classes(recordings.labels, y) if classes is None else classes
        return Examples(recordings, form, found)

    def read_first(
        self, estimator: BaseEstimator, X: Any, y: Any = None, groups: Any = None
    ) -> Examples:
        """Labelled examples, whose features are those of the estimator from now on."""
        if y is None and (self.format.label is None or not self.is_table(X)):
            raise DataError(
                f"{type(estimator).__name__} requires y to be passed, but the target y is None"
            )
        self._check_kind(X)
        examples = self.read(estimator, X, y, groups, first=True)
        if examples.form != "vectors":
            estimator.n_features_in_ = examples.sequences.n_features
            estimator.__dict__.pop("feature_names_in_", None)
        if examples.form == "table":
            names = examples.sequences.feature_names
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return examples

    def read_unlabelled(self, estimator: BaseEstimator, X: Any) -> Examples:
        """Examples to predict; a table needs no columns of labels and groups."""
        return self.read(estimator, X, labelled=False)

    def labels_in(self, X: Any) -> Any:
        """The column of labels, if X is a table that has one."""
        if not self.is_table(X):
            return None
        return next((X[name] for name in X.columns if str(name) == self.format.label), None)

    def after(self, examples: Examples) -> ExampleReader:
        """The reader of further data: the same features of a table, labels of the same kind."""
        if examples.form != "table":
            return self
        per = "frame" if examples.sequences.per_frame else "sequence"
        names = examples.sequences.feature_names
        return replace(self, features=names, format=replace(self.format, per=per))

    def _arrays(
        self, estimator: BaseEstimator, X: Any, first: bool
    ) -> tuple[Any, Form, tuple[str, ...] | None]:
        """X with frames before features, its form, and the names of features that it has."""
        if getattr(getattr(X, "index", None), "nlevels", 1) > 1:
            raise DataError(
                "X is a table whose index has several levels; write them into columns with "
                "X.reset_index(), and name these as sequence= and frame="
            )
        data, form = arranged(X, self.layout)
        if form != "vectors":
            return data, form, None
        data = validate_data(estimator, X, reset=first, dtype="numeric", ensure_all_finite=False)
        named = getattr(estimator, "feature_names_in_", None)
        return data, form, None if named is None else tuple(named.tolist())

    def _from_arrays(
        self,
        data: Any,
        names: tuple[str, ...] | None,
        y: Any,
        groups: Any,
        labels: list[Label] | None,
    ) -> Recordings:
        """Recordings of arrays with frames before features."""
        frames, offsets, vectors, _ = read_frames(data, None)
        columns = read_names(names, "feature", frames.shape[1])
        if np.isinf(frames).any():  # given as such, or too large for 32 bits
            check_finite(frames, offsets, columns)
        owners = None if groups is None else tuple(_entries(groups, len(offsets) - 1, "groups"))
        flat, per_frame, format = None, False, self.format
        if y is not None:
            flat, per_frame = flat_labels(y, np.diff(offsets), vectors=vectors)
            format = replace(format, per="frame" if per_frame else "sequence")
        what = "vector" if vectors else "sequence"
        raw = Raw(frames, offsets, flat, per_frame, owners, vectors, columns, what=what)
        return make_recordings(raw, Wanted(format, labels=labels), columns)

    def _from_table(
        self,
        table: pd.DataFrame,
        format: DataFormat,
        y: Any,
        groups: Any,
        labels: list[Label] | None,
    ) -> Recordings:
        """Recordings of a table; y and groups, if given, have an entry for each row."""
        if y is not None:
            table, column = _with_column(table, y, "y", format, format.label)
            format = replace(format, label=column)
        if groups is not None:
            table, column = _with_column(table, groups, "groups", format, format.group)
            format = replace(format, group=column)
        return read_table(
            table, format, features=self.features, derived=self.derived, labels=labels
        )

    def _check_kind(self, X: Any) -> None:
        """Raise if settings are for tables and X is none."""
        given = {
            **self.format.roles,
            "features": self.format.features,
            "derived features": self.derived,
        }
        for name, value in given.items():
            if value and not self.is_table(X):
                kind = "its columns have no roles: name one as sequence=, frame= or label="
                if not hasattr(X, "columns"):
                    kind = f"X is a {type(X).__name__}"
                raise DataError(
                    f"{name} given: this needs a table with a row for each frame, but {kind}"
                )


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


def _check_n_features(estimator: BaseEstimator, given: int) -> None:
    if given != estimator.n_features_in_:
        raise DataError(
            f"X has {given} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input, those that it was fitted with"
        )
