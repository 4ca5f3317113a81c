"""A trial: what one algorithm found on one task with one seed, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.training.metrics import Metrics


@dataclass(frozen=True, eq=False)
class Trial:
    """What an algorithm found, and how it went. Of a classifier without a program most is None."""

    algorithm: str
    """Its key in `algorithms.NAMES`, or in `classic.NAMES`."""
    seed: int
    valid: Metrics | None
    """Scores on the validation data; None if nothing was found."""
    test: Metrics | None
    by_unit: NDArray[np.int64]
    """The confusion matrix of each unit of the test data that is resampled whole: (units, n, n)."""
    seconds: float
    """Processor time of its trainings."""
    weight: float = 1.0
    """λ."""
    program: str | None = None
    """The text of the program."""
    learned: str | None = None
    """The same with its parameters, rounded for reading."""
    canonical: str | None = None
    """The text of its canonical form: the same for programs that are equal."""
    features: tuple[str, ...] = ()
    """The features that it reads."""
    depth: int | None = None
    """Rules applied."""
    height: int | None = None
    structural_cost: float | None = None
    path_cost: float | None = None
    curve: tuple[tuple[float, float], ...] = ()
    """Processor seconds and path cost at each new best."""
    trained: int = 0
    ended: str = ""
    gap: float | None = None
    epsilon: float | None = None
    """The largest excess of f over the path cost that was reached below a node."""
    violations: float | None = None
    """The share of nodes with any excess."""
    correlation: float | None = None
    """Spearman's, of f with what was reached."""

    @property
    def found(self) -> bool:
        """Whether there is anything to score."""
        return self.test is not None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; `from_dict` makes the same trial of it."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        for part in ("valid", "test"):
            metrics = plain[part]
            plain[part] = None if metrics is None else metrics.confusion.tolist()
        plain["by_unit"] = self.by_unit.tolist()
        plain["features"] = list(self.features)
        plain["curve"] = [list(point) for point in self.curve]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Trial:
        values = dict(plain)
        for part in ("valid", "test"):
            if values[part] is not None:
                values[part] = Metrics.from_confusion(values[part])
        values["by_unit"] = np.array(values["by_unit"], np.int64)
        values["features"] = tuple(values["features"])
        values["curve"] = tuple((float(x), float(y)) for x, y in values["curve"])
        return cls(**values)
