"""Models whose numbers are those that are printed: what is read is what runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nearstar.data.sequences import Sequences
from nearstar.language.parameters import MOST_DIGITS, Theta, layout
from nearstar.language.shortening import DIGITS, shortened
from nearstar.language.thresholds import thresholds_of, with_thresholds
from nearstar.model.model import Model
from nearstar.training.decision import best_offsets, decide
from nearstar.training.metrics import Metrics

TOLERATED = 0.001
"""What rounding may change of validation F1, up or down."""
_TIED = 4e-7
"""Single precision does not tell numbers apart that are closer than this share of them."""


def with_short_numbers(
    model: Model, theta: Theta, valid: Sequences, more: Sequence[Sequences] = ()
) -> tuple[Model, Metrics]:
    """The model with these parameters in short, and its scores on the validation data.

    It is of a complete program, and its numbers are printed as they are. They have 4 digits, or
    more where with 4 F1 on the validation data would change, or a threshold would be a value of
    these data, or of ``more``: then a reader and a machine might differ.
    """
    exact = with_thresholds(model.program, theta)
    scores, labels = model.scoring(valid), np.asarray(valid.labels)

    def reached(theta: Theta) -> Metrics:
        return Metrics.from_codes(labels, decide(scores(theta)), len(model.class_names))

    best = reached(exact)
    for digits in range(DIGITS, MOST_DIGITS + 1):
        short = shortened(model.program, exact, model.scale, digits)
        if any(_ties(model, short, data) for data in (valid, *more)):
            continue
        metrics = reached(short)
        if abs(metrics.f1 - best.f1) <= TOLERATED:
            return replace(model, theta=short), metrics
    return replace(model, theta=exact), best


def with_best_offsets(model: Model, valid: Sequences) -> tuple[Model, Metrics]:
    """The model with the offsets that are best in validation, and its scores with them; the offsets
    are short, too, where numbers are printed as they are."""
    labels, n_classes = np.asarray(valid.labels), len(model.class_names)
    outputs = model.outputs(valid)
    offsets, _, best = best_offsets(outputs, labels, n_classes)
    metrics = best
    for digits in range(DIGITS, MOST_DIGITS + 1) if model.prints_as_is else ():
        short = np.array([float(f"{each:.{digits}g}") for each in offsets])
        metrics = Metrics.from_codes(labels, decide(outputs, short), n_classes)
        if abs(metrics.f1 - best.f1) <= TOLERATED:
            offsets = short
            break
    return replace(model, offsets=offsets), metrics


def _ties(model: Model, theta: Theta, data: Sequences) -> bool:
    """Whether a threshold is a value of the data, as far as single precision tells."""
    columns = {block.path: block.columns for block in layout(model.program)}
    for path, threshold in thresholds_of(model.program, theta).items():
        (column,) = columns[path]
        values, mean = data.frames[:, column], float(model.scale.mean[column])
        near = _TIED * (abs(threshold.value) + abs(threshold.value - mean))
        if (np.abs(values - np.float64(threshold.value)) <= near).any():
            return True
    return False
