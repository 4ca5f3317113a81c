"""Scores from counts agree with scikit-learn's from labels."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
)

from nearstar.training.metrics import Metrics
from nearstar.util.errors import DataError


@given(data=st.data(), n_classes=st.integers(2, 5))
def test_scores_agree_with_scikit_learn(data: st.DataObject, n_classes: int) -> None:
    code = st.integers(0, n_classes - 1)
    true, predicted = zip(*data.draw(st.lists(st.tuples(code, code), min_size=1)), strict=True)
    classes = list(range(n_classes))
    metrics = Metrics.from_confusion(confusion_matrix(true, predicted, labels=classes))

    def f1(truth: tuple[int, ...], guess: tuple[int, ...], average: str) -> float:
        labels = None if average == "binary" else classes
        return float(f1_score(truth, guess, labels=labels, average=average, zero_division=0))

    weighted = "binary" if n_classes == 2 else "weighted"
    assert metrics.accuracy == pytest.approx(accuracy_score(true, predicted))
    assert metrics.f1 == pytest.approx(f1(true, predicted, weighted))
    # Weighting by predicted support is what swapping the two arguments comes to.
    assert metrics.f1_paper == pytest.approx(f1(predicted, true, weighted))
    assert metrics.f1_macro == pytest.approx(f1(true, predicted, "macro"))
    assert metrics.error == 1 - metrics.f1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_to_score_is_zero_and_not_nan(n_classes: int) -> None:
    metrics = Metrics.from_confusion(np.zeros((n_classes, n_classes), dtype=np.int64))
    assert (metrics.accuracy, metrics.f1, metrics.f1_paper, metrics.f1_macro) == (0, 0, 0, 0)
    assert metrics.error == 1


def test_metrics_are_values_that_keep_the_counts() -> None:
    counts = np.array([[3, 1], [0, 2]])
    metrics = Metrics.from_confusion(counts)
    counts[0, 0] = 0
    assert metrics.confusion.tolist() == [[3, 1], [0, 2]]
    assert metrics == Metrics.from_confusion([[3, 1], [0, 2]])
    assert hash(metrics) == hash(Metrics.from_confusion([[3, 1], [0, 2]]))
    assert metrics != Metrics.from_confusion(counts)


@pytest.mark.parametrize(
    "wrong", [[[1, 2, 3], [4, 5, 6]], [[1]], [[1, -1], [0, 0]], [[0.5, 1], [1, 1]]]
)
def test_what_is_no_confusion_matrix_is_refused(wrong: list[list[float]]) -> None:
    with pytest.raises(DataError, match="confusion matrix"):
        Metrics.from_confusion(wrong)


@given(data=st.data(), n_classes=st.integers(2, 4))
def test_scores_of_each_class_agree_with_scikit_learn(data: st.DataObject, n_classes: int) -> None:
    codes = st.tuples(st.integers(-1, n_classes - 1), st.integers(0, n_classes - 1))
    true, predicted = np.array(data.draw(st.lists(codes, min_size=1))).T
    metrics = Metrics.from_codes(true, predicted, n_classes)
    known, classes = true >= 0, range(n_classes)
    names = [f"class {k}" for k in classes]
    assert metrics.confusion.sum() == known.sum()
    if known.any():
        expected = precision_recall_fscore_support(
            true[known], predicted[known], labels=classes, zero_division=0
        )
        for k, name in enumerate(names):
            scores = metrics.per_class(names)[name]
            assert list(scores) == ["precision", "recall", "f1", "support"]
            assert list(scores.values()) == pytest.approx([score[k] for score in expected])
    plain = metrics.to_dict(names)
    assert json.loads(json.dumps(plain)) == plain
    assert Metrics.from_confusion(plain["confusion"]) == metrics
    for score in ("accuracy", "f1", "f1_macro", "f1_paper"):
        assert plain[score] == getattr(metrics, score)


def test_codes_that_do_not_fit_are_refused() -> None:
    for true, predicted, problem in (
        ([0, 1], [0], "expected one of each for every element"),
        ([0, 2], [0, 1], "from 0 to 1"),
        ([0, 1], [0, 2], "from 0 to 1"),
        ([0, 1], [0, -1], "from 0 to 1"),
    ):
        with pytest.raises(DataError, match=problem):
            Metrics.from_codes(true, predicted, 2)
    with pytest.raises(DataError, match="1 names were given for 2 classes"):
        Metrics.from_codes([0, 1], [0, 1], 2).per_class(["a"])
