"""The checks that aeon applies to its classifiers: three dimensions, and unequal lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from numpy.typing import NDArray

from nearstar.estimator import ProgramClassifier

pytest.importorskip("aeon")

from aeon.classification import BaseClassifier
from aeon.testing.estimator_checking import parametrize_with_checks
from aeon.utils.validation import check_n_jobs


class AeonProgramClassifier(BaseClassifier):  # type: ignore[misc]
    """The classifier as one of aeon's: arrays with features before frames, and lists of them."""

    _tags: ClassVar[dict[str, Any]] = {
        "X_inner_type": ["np-list", "numpy3D"],
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:multithreading": True,
    }

    def __init__(
        self, trainings: int = 200, n_jobs: int = 1, random_state: int | None = None
    ) -> None:
        self.trainings = trainings
        self.n_jobs = n_jobs
        self.random_state = random_state
        super().__init__()

    def _fit(self, X: Any, y: NDArray[Any]) -> AeonProgramClassifier:
        self._n_jobs = check_n_jobs(self.n_jobs)
        self.classifier_ = ProgramClassifier(
            trainings=self.trainings,
            finalists=0,
            n_jobs=self._n_jobs,
            random_state=self.random_state,
            layout="features_frames",
        ).fit(X, y)
        return self

    def _predict(self, X: Any) -> NDArray[Any]:
        labels: NDArray[Any] = self.classifier_.predict(X)
        return labels

    def _predict_proba(self, X: Any) -> NDArray[Any]:
        shares: NDArray[Any] = self.classifier_.predict_proba(X)
        return shares

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> dict[str, Any]:
        return {"trainings": 8}


@parametrize_with_checks([AeonProgramClassifier])
def test_aeon_check(check: Callable[[], object]) -> None:
    check()
