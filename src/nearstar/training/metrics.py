"""How well predictions match labels: accuracy and the F1 scores, from a confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nearstar.util.errors import DataError


@dataclass(frozen=True, eq=False)
class Metrics:
    """Scores of one set of predictions. Where a score would be 0/0 it is 0, never NaN."""

    confusion: NDArray[np.int64]
    """How many examples of class [row] were predicted as class [column]."""
    accuracy: float
    f1: float
    """F1 of class 1 for two classes; else of all, weighted by how often each is the true one."""
    f1_paper: float
    """As f1, but weighted by how often each class is predicted; the same for two classes."""
    f1_macro: float
    """The plain mean of every class's F1."""

    @classmethod
    def from_confusion(cls, confusion: ArrayLike) -> Metrics:
        """Scores of a confusion matrix, counts of [true class, predicted class]."""
        counts = np.array(confusion)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
            raise DataError(
                f"the confusion matrix has shape {counts.shape}; expected one row and one column "
                "for each of two or more classes"
            )
        if counts.dtype.kind not in "iu" or counts.min() < 0:
            raise DataError("the confusion matrix must hold counts: integers of 0 or more")
        counts = counts.astype(np.int64)
        counts.flags.writeable = False
        right, true, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
        f1 = ratio(2 * right, true + predicted)
        if len(counts) == 2:
            weighted = paper = float(f1[1])
        else:
            weighted = float(ratio(f1 @ true, true.sum()))
            paper = float(ratio(f1 @ predicted, predicted.sum()))
        return cls(
            confusion=counts,
            accuracy=float(ratio(right.sum(), true.sum())),
            f1=weighted,
            f1_paper=paper,
            f1_macro=float(f1.mean()),
        )

    @classmethod
    def from_codes(cls, true: ArrayLike, predicted: ArrayLike, n_classes: int) -> Metrics:
        """Scores of predicted class codes; where the true one is negative, nothing counts."""
        labels, guesses = np.asarray(true, np.int64), np.asarray(predicted, np.int64)
        if labels.shape != guesses.shape or labels.ndim != 1:
            raise DataError(
                f"there are {labels.shape} true codes and {guesses.shape} predicted ones; "
                "expected one of each for every element"
            )
        if max(labels.max(initial=0), guesses.max(initial=0)) >= n_classes or (guesses < 0).any():
            raise DataError(f"class codes are whole numbers from 0 to {n_classes - 1}")
        known = labels >= 0
        cells = labels[known] * n_classes + guesses[known]
        counts = np.bincount(cells, minlength=n_classes**2)
        return cls.from_confusion(counts.reshape(n_classes, n_classes))

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.3f}, F1 {self.f1:.3f} (macro {self.f1_macro:.3f})"

    @property
    def error(self) -> float:
        """1 - f1: what architectures are compared by."""
        return 1.0 - self.f1

    def per_class(self, names: Sequence[str]) -> dict[str, dict[str, float]]:
        """Precision, recall and F1 of each class, and how often it is the true one."""
        true, predicted = self.confusion.sum(axis=1), self.confusion.sum(axis=0)
        return per_class(names, np.diag(self.confusion), true, predicted, {"support": true})

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Every score as plain JSON."""
        return {
            "accuracy": self.accuracy,
            "f1": self.f1,
            "f1_macro": self.f1_macro,
            "f1_paper": self.f1_paper,
            "per_class": self.per_class(names),
            "confusion": self.confusion.tolist(),
        }

    def __eq__(self, other: object) -> bool:
        # Every score follows from the counts.
        return isinstance(other, Metrics) and np.array_equal(self.confusion, other.confusion)

    def __hash__(self) -> int:
        return hash(self.confusion.tobytes())


def per_class(
    names: Sequence[str],
    right: NDArray[np.int64],
    true: NDArray[np.int64],
    predicted: NDArray[np.int64],
    shown: Mapping[str, NDArray[np.int64]],
) -> dict[str, dict[str, float]]:
    """Scores by class of how many are right, true and predicted, and the counts that are shown."""
    if len(names) != len(true):
        raise DataError(f"{len(names)} names were given for {len(true)} classes")
    scores = {
        "precision": ratio(right, predicted),
        "recall": ratio(right, true),
        "f1": ratio(2 * right, true + predicted),
        **shown,
    }
    return {
        name: {score: values[code].item() for score, values in scores.items()}
        for code, name in enumerate(names)
    }


def ratio(part: ArrayLike, whole: ArrayLike) -> NDArray[np.float64]:
    """part / whole, and 0 where the whole is 0."""
    numerator = np.asarray(part, dtype=np.float64)
    ratio = np.zeros_like(numerator)
    np.divide(numerator, whole, out=ratio, where=np.asarray(whole) != 0)
    return ratio
