"""Models whose numbers are those that are printed: what is read is what runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nearstar.data.sequences import Sequences
from nearstar.language.deciding import classes_named
from nearstar.language.parameters import MOST_DIGITS, Block, Theta, layout
from nearstar.language.shortening import DIGITS, as_printed, shortened
from nearstar.language.thresholds import thresholds_of
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
    more where with 4 F1 on the validation data would change. So has a threshold that would be a
    value of these data, or of ``more``: a reader and a machine might differ.
    """
    exact, data = as_printed(model.program, theta), (valid, *more)
    scores, labels = model.scoring(valid), np.asarray(valid.labels)

    def reached(theta: Theta) -> Metrics:
        return Metrics.from_codes(labels, decide(scores(theta)), len(model.class_names))

    best = reached(exact)
    for digits in range(DIGITS, MOST_DIGITS + 1):
        short = _untied(model, exact, digits, data)
        metrics = reached(short)
        if abs(metrics.f1 - best.f1) <= TOLERATED:
            return replace(model, theta=short), metrics
    return replace(model, theta=exact), best


def with_best_offsets(model: Model, valid: Sequences) -> tuple[Model, Metrics]:
    """The model with the offsets that are best in validation, and its scores with them; the offsets
    are short, too, where numbers are printed as they are. A leaf that names a class has none."""
    labels, n_classes = np.asarray(valid.labels), len(model.class_names)
    outputs = model.outputs(valid)
    if classes_named(model.program):
        return model, Metrics.from_codes(labels, decide(outputs), n_classes)
    offsets, _, best = best_offsets(outputs, labels, n_classes)
    metrics = best
    for digits in range(DIGITS, MOST_DIGITS + 1) if model.prints_as_is else ():
        short = np.array([float(f"{each:.{digits}g}") for each in offsets])
        metrics = Metrics.from_codes(labels, decide(outputs, short), n_classes)
        if abs(metrics.f1 - best.f1) <= TOLERATED:
            offsets = short
            break
    return replace(model, offsets=offsets), metrics


def _untied(model: Model, exact: Theta, digits: int, data: Sequence[Sequences]) -> Theta:
    """The parameters with so many digits; more where a threshold would be a value of the data, if
    there are so many that it is none."""
    short = shortened(model.program, exact, model.scale, digits)
    tied = _tied(model, short, data)
    for more in range(digits + 1, MOST_DIGITS + 1) if tied else ():
        longer = shortened(model.program, exact, model.scale, more)
        left = _tied(model, longer, data)
        for block in tied:
            if block not in left:
                block.of(short)[:] = block.of(longer)
        tied = [block for block in tied if block in left]
    return short


def _tied(model: Model, theta: Theta, data: Sequence[Sequences]) -> list[Block]:
    """The thresholds that are values of the data, as far as single precision tells."""
    found, thresholds = [], thresholds_of(model.program, theta)
    for block in layout(model.program):
        if block.path in thresholds:
            (column,), value = block.columns, thresholds[block.path].value
            near = _TIED * (abs(value) + abs(value - float(model.scale.mean[column])))
            if any((np.abs(each.frames[:, column] - value) <= near).any() for each in data):
                found.append(block)
    return found
