"""F1 of a program with other parameters, on all of the data and in each of several parts.

Of many removals that are tried, some seem harmless by chance. Few seem so in every part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearstar.data.sequences import Sequences
from nearstar.language.parameters import Theta
from nearstar.model.explain.gates import GATES, gates_of
from nearstar.model.model import Model
from nearstar.training.decision import decide
from nearstar.training.metrics import Metrics
from nearstar.util.errors import DataError, NearstarError

PARTS = 8
"""Parts of the data, each of about as many sequences that follow each other."""


def judging(model: Model, data: Sequences) -> Callable[[Theta], NDArray[np.float64]]:
    """A function of θ: F1 on all labelled data, then in each part; -1 where nothing is decided.

    The data are those that the model can be evaluated on.
    """
    n, scores = data.n_classes, model.scoring(data)
    labels = np.asarray(data.labels, np.int64)
    known = np.flatnonzero(labels >= 0)
    if not len(known):
        raise DataError("programs are simplified on labelled data; none of these is labelled")
    cells = (_parts(data) * n + labels)[known] * n

    def f1(theta: Theta) -> NDArray[np.float64]:
        try:
            decided = decide(scores(theta))[known]
        except NearstarError:  # outputs or parameters that are not finite
            return np.full(1 + PARTS, -1.0)
        counts = np.bincount(cells + decided, minlength=PARTS * n * n).reshape(PARTS, n, n)
        return np.array([Metrics.from_confusion(each).f1 for each in (counts.sum(axis=0), *counts)])

    return f1


def _parts(data: Sequences) -> NDArray[np.int64]:
    """The part that each label belongs to."""
    parts = np.arange(len(data), dtype=np.int64) * PARTS // len(data)
    return np.repeat(parts, data.lengths) if data.per_frame else parts


SIMPLIFIED, HARDENED = "simplified", "hardened"
"""Keys of a model's provenance: what was done to it."""


def noted(
    model: Model, key: str, how: Mapping[str, Any], metrics: Metrics, valid: Sequences
) -> Model:
    """The model with what was done to it, and with what it has now: scores, ranges of gates.

    Scores on other data are those of the model that it was, and are left out.
    """
    source = {**model.facts.get("provenance", {}), key: dict(how)}
    if source.pop(GATES, None) is not None and (gates := gates_of(model, valid)):
        source[GATES] = gates
    scores = {"validation": metrics.to_dict(model.class_names)}
    return replace(model, facts={**model.facts, "metrics": scores, "provenance": source})
