"""The programs of a result's front as models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nearstar.data.format import DataFormat
from nearstar.data.labels import Label
from nearstar.domain import Domain
from nearstar.model import Model
from nearstar.run.evaluation import Candidate
from nearstar.run.result import Result
from nearstar.task import Task
from nearstar.threshold import best_offsets


def front_models(
    result: Result,
    task: Task,
    domain: Domain,
    labels: tuple[Label, ...],
    format: DataFormat | None,
    *,
    seed: int,
    tuned: bool,
) -> list[Model]:
    """A model of each program; ``tuned``: with the offsets that are best in validation."""
    source = {
        "fingerprints": {"train": task.train.fingerprint(), "valid": task.valid.fingerprint()},
        "seed": seed,
        "gap": result.gap,
        "ended": result.ended,
        "trained": result.trained,
        "seconds": round(result.seconds, 3),
    }
    models = []
    for candidate in result.front:
        model = Model.of(
            candidate.trained, domain, task.train.class_names, labels=labels, format=format
        )
        models.append(_with_facts(model, candidate, task, tuned, source))
    return models


def _with_facts(
    model: Model, candidate: Candidate, task: Task, tuned: bool, source: dict[str, Any]
) -> Model:
    metrics = candidate.trained.metrics
    if tuned and metrics is not None:
        codes = np.asarray(task.valid.labels)
        offsets, _, metrics = best_offsets(model.outputs(task.valid), codes, len(model.class_names))
        model = replace(model, offsets=offsets)
    own = candidate.evaluation
    facts = {
        # There are no metrics where the training diverged.
        "metrics": {"validation": None if metrics is None else metrics.to_dict(model.class_names)},
        "provenance": {
            **source,
            "weight": own.weight,
            "structural_cost": own.structural_cost,
            "error": own.error,
        },
    }
    return replace(model, facts=facts)
