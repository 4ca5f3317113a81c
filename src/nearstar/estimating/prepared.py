"""All that a search needs, and the models of what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.domain import Domain
from nearstar.fitted import fitted
from nearstar.model import Model
from nearstar.run.result import Result
from nearstar.task import Task
from nearstar.train import Budget


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data, language and training of a fit."""

    task: Task
    domain: Domain
    budget: Budget
    labels: tuple[Label, ...]
    """The classes by code, as plain values."""
    by_code: NDArray[Any]
    """The same in the type of y."""
    format: DataFormat

    def models(self, result: Result, seed: int, *, tuned: bool) -> list[Model]:
        """The programs of the front as models."""
        source = {
            "seed": seed,
            "gap": result.gap,
            "ended": result.ended,
            "trained": result.trained,
        }
        return [
            fitted(
                each.trained,
                self.task,
                self.domain,
                self.labels,
                self.format,
                tuned=tuned,
                provenance={**source, "weight": each.evaluation.weight},
            )
            for each in result.front
        ]
