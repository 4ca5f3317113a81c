"""The models of what was trained, with how good they are and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nearstar.data.format import DataFormat
from nearstar.data.labels import Label, class_names
from nearstar.language.domain import Domain
from nearstar.language.program import is_complete
from nearstar.model.explain.gates import GATES, gates_of
from nearstar.model.model import Model
from nearstar.model.reduced import reduced
from nearstar.model.short_numbers import with_best_offsets, with_short_numbers
from nearstar.training.sample import some_sequences
from nearstar.training.task import Task
from nearstar.training.train import Trained

_SEEN = 20_000
"""Labelled elements, about, that smooth choices are looked at on."""


def model_of(
    trained: Trained,
    task: Task,
    domain: Domain,
    labels: tuple[Label, ...],
    format: DataFormat | None = None,
    *,
    tuned: bool = False,
    provenance: Mapping[str, Any],
) -> Model:
    """The model of a program that was trained for a task, whose classes have these labels.

    ``tuned``: with the offsets that are best in validation. ``provenance`` is what the caller
    knows of where it comes from.
    """
    model = Model.of(trained, domain, class_names(labels), labels=labels, format=format)
    metrics, error = trained.metrics, trained.error
    # Where the training diverged there are none.
    if metrics is not None and model.prints_as_is and is_complete(model.program):
        model, metrics = with_short_numbers(model, trained.theta, task.valid, [task.train])
        error = metrics.error
    if tuned and metrics is not None:
        model, metrics = with_best_offsets(model, task.valid)
    gates = {} if metrics is None else gates_of(model, some_sequences(task.valid, _SEEN))
    reached = None if metrics is None else metrics.to_dict(model.class_names)
    source = {
        "structural_cost": round(domain.cost(trained.program), 12),
        "error": error,
        **({GATES: gates} if gates else {}),
        **provenance,
    }
    model = reduced(model) if domain.chooses_terms else model
    parts = {"train": task.train, "valid": task.valid}
    seen = {name: model.fingerprint_of(part) for name, part in parts.items()}
    facts = {"metrics": {"validation": reached}, "provenance": {"fingerprints": seen, **source}}
    return replace(model, facts=facts)
