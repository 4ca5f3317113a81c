"""What a changed model says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nearstar.model.model import Model
from nearstar.training.metrics import Metrics

SIMPLIFIED, HARDENED = "simplified", "hardened"
"""Keys of a model's provenance: what was done to it."""


def noted(model: Model, key: str, how: Mapping[str, Any], metrics: Metrics) -> Model:
    """The model with what was done to it, and with the scores that it has now.

    Scores on other data are those of the model that it was, and are left out.
    """
    source = {**model.facts.get("provenance", {}), key: dict(how)}
    scores = {"validation": metrics.to_dict(model.class_names)}
    return replace(model, facts={**model.facts, "metrics": scores, "provenance": source})
