"""Models of what was learned, with what is worth knowing of how good they are and where from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nearstar.data.format import DataFormat
from nearstar.data.labels import Label, class_names
from nearstar.domain import Domain
from nearstar.model import Model
from nearstar.task import Task
from nearstar.threshold import best_offsets
from nearstar.train import Trained


def fitted(
    trained: Trained,
    task: Task,
    domain: Domain,
    labels: tuple[Label, ...],
    format: DataFormat | None,
    *,
    tuned: bool,
    provenance: Mapping[str, Any],
) -> Model:
    """The model of a trained program; ``tuned``: with the offsets that are best in validation.

    ``provenance`` is what the caller knows of where it comes from.
    """
    model = Model.of(trained, domain, class_names(labels), labels=labels, format=format)
    metrics = trained.metrics  # there are none where the training diverged
    if tuned and metrics is not None:
        codes = np.asarray(task.valid.labels)
        offsets, _, metrics = best_offsets(model.outputs(task.valid), codes, len(labels))
        model = replace(model, offsets=offsets)
    facts = {
        "metrics": {"validation": None if metrics is None else metrics.to_dict(model.class_names)},
        "provenance": {
            "fingerprints": {"train": task.train.fingerprint(), "valid": task.valid.fingerprint()},
            "structural_cost": round(domain.cost(trained.program), 12),
            "error": trained.error,
            **provenance,
        },
    }
    return replace(model, facts=facts)
