"""Reading X and y of any kind, in fit and ever after in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from nearstar.data.format import DataFormat
from nearstar.fit.examples import Examples, from_arrays, from_table
from nearstar.fit.layouts import arranged
from nearstar.util.errors import DataError


@dataclass(frozen=True)
class Reader:
    """How an estimator reads its data."""

    layout: str
    format: DataFormat
    features: tuple[str, ...] | None = None
    """The features to read, by name; None: all that there are."""
    derived: Mapping[str, str] = field(default_factory=dict)

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
    ) -> Examples:
        """Labelled examples; ``classes`` are those that may occur, None: all that do."""
        return self._read(estimator, X, self.format, y, groups, classes)

    def read_first(
        self, estimator: BaseEstimator, X: Any, y: Any = None, groups: Any = None
    ) -> Examples:
        """Labelled examples, whose features are those of the estimator from now on."""
        if y is None and (self.format.label is None or not self.is_table(X)):
            raise DataError(
                f"{type(estimator).__name__} requires y to be passed, but the target y is None"
            )
        self._check_kind(X)
        examples = self._read(estimator, X, self.format, y, groups, None, first=True)
        if examples.form != "vectors":
            estimator.n_features_in_ = examples.sequences.n_features
            estimator.__dict__.pop("feature_names_in_", None)
        if examples.form == "table":
            names = examples.sequences.feature_names
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return examples

    def read_unlabelled(self, estimator: BaseEstimator, X: Any) -> Examples:
        """Examples to predict; a table needs no columns of labels and groups."""
        return self._read(estimator, X, replace(self.format, label=None, group=None))

    def labels_in(self, X: Any) -> Any:
        """The column of labels, if X is a table that has one."""
        if not self.is_table(X):
            return None
        return next((X[name] for name in X.columns if str(name) == self.format.label), None)

    def after(self, examples: Examples) -> Reader:
        """The reader of further data: the same features of a table, labels of the same kind."""
        if examples.form != "table":
            return self
        per = "frame" if examples.sequences.per_frame else "sequence"
        names = examples.sequences.feature_names
        return replace(self, features=names, format=replace(self.format, per=per))

    def _read(
        self,
        estimator: BaseEstimator,
        X: Any,
        format: DataFormat,
        y: Any = None,
        groups: Any = None,
        classes: NDArray[Any] | None = None,
        first: bool = False,
    ) -> Examples:
        if self.is_table(X):
            return from_table(X, format, self.features, self.derived, y, groups, classes)
        if getattr(getattr(X, "index", None), "nlevels", 1) > 1:
            raise DataError(
                "X is a table whose index has several levels; write them into columns with "
                "X.reset_index(), and name these as sequence= and frame="
            )
        data, form = arranged(X, self.layout)
        if form == "vectors":
            data = validate_data(
                estimator, X, reset=first, dtype="numeric", ensure_all_finite=False
            )
        named = getattr(estimator, "feature_names_in_", None) if form == "vectors" else None
        names = None if named is None else tuple(named.tolist())
        examples = from_arrays(data, form, names, format, y, groups, classes)
        if not first and form != "vectors":
            _check_n_features(estimator, examples.sequences.n_features)
        return examples

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


def _check_n_features(estimator: BaseEstimator, given: int) -> None:
    if given != estimator.n_features_in_:
        raise DataError(
            f"X has {given} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input, those that it was fitted with"
        )
