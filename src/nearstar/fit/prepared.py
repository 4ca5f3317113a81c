"""All that a fit needs before its search, and the models of what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.data.recordings import Recordings
from nearstar.data.windows import in_windows
from nearstar.fit.fitting import DomainSource, read_budget, read_domain, usual_window
from nearstar.language.domain import Domain
from nearstar.model.model import Model
from nearstar.run.results.models import model_of
from nearstar.training.budget import Budget
from nearstar.training.task import Task
from nearstar.training.train import Trained


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data, language and training of a fit."""

    task: Task
    domain: Domain
    budget: Budget
    labels: tuple[Label, ...]
    """The classes as they stand in the data, by code."""
    format: DataFormat
    """How data are read, with what the training data have decided."""

    def model(self, trained: Trained, *, tuned: bool, provenance: Mapping[str, Any]) -> Model:
        """The model of a trained program, with how good it is and where it comes from.

        ``tuned``: with the offsets that are best in validation. ``provenance`` is what the caller
        knows.
        """
        return model_of(
            trained,
            self.task,
            self.domain,
            self.labels,
            self.format,
            tuned=tuned,
            provenance=provenance,
        )


def prepare(
    train: Recordings,
    valid: Recordings,
    format: DataFormat,
    *,
    domain: DomainSource | None = None,
    groups: Mapping[str, Any] | None = None,
    derived: Mapping[str, str] | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    budget: Budget | None = None,
    loss: str | None = None,
    **changes: Any,
) -> Prepared:
    """Cut the data as the format says, or as is usual, and find language and training for them.

    For the arguments see `read_domain` and `read_budget`.
    """
    window = format.window or usual_window(train.sequences)
    per = "frame" if train.sequences.per_frame else "sequence"
    format = replace(format, window=window, per=per)
    parts = [in_windows(part.sequences, format) for part in (train, valid)]
    task = Task(*parts)
    found = read_domain(domain, task.train, groups, derived)
    found.grammar(task.signature())  # a language without programs is found out now
    return Prepared(
        task=task,
        domain=found,
        budget=read_budget(task.train, train.labels, class_weight, budget, loss, **changes),
        labels=train.labels,
        format=format,
    )
