"""All of scikit-learn's checks of an estimator, on plain vectors; none is declared to fail."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.utils.estimator_checks import parametrize_with_checks

from nearstar.estimator import ProgramClassifier


@parametrize_with_checks(
    [
        ProgramClassifier(),
        ProgramClassifier(trainings=10, search="idsbb", n_jobs=1, class_weight="balanced"),
    ]
)
def test_scikit_learn_check(
    estimator: ProgramClassifier, check: Callable[[ProgramClassifier], None]
) -> None:
    check(estimator)
