"""All of scikit-learn's checks of an estimator, on plain vectors; none is declared to fail."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearstar.estimator import ProgramClassifier

Check = Callable[[ProgramClassifier], None]


@parametrize_with_checks(
    [
        ProgramClassifier(trainings=20, finalists=0),
        ProgramClassifier(trainings=10, finalists=1, search="idsbb", class_weight="balanced"),
    ]
)
def test_scikit_learn_check(estimator: ProgramClassifier, check: Check) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([ProgramClassifier()])
def test_scikit_learn_check_as_it_comes(estimator: ProgramClassifier, check: Check) -> None:
    check(estimator)
