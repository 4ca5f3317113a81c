"""From outputs to classes, and the offsets with which classes are told best."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from nearstar.training.metrics import Metrics, ratio
from nearstar.util.errors import DataError

_MOST_ROUNDS = 20
"""Times that every class gets its turn; a few are enough for offsets that nothing improves."""


def decide(
    outputs: NDArray[np.floating], offsets: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Class codes: the largest output decides; a single one is of class 1 if it is above 0.

    ``offsets`` are added to the outputs first.
    """
    scores = outputs if offsets is None else outputs + offsets
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.int64)
    return np.asarray(np.argmax(scores, axis=1), np.int64)


def probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of each class by scores that are decided by; of two classes one will do."""
    if scores.shape[1] == 1:
        return np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])])
    return np.asarray(softmax(scores, axis=1), np.float64)


def best_offsets(
    outputs: ArrayLike, codes: ArrayLike, n_classes: int
) -> tuple[NDArray[np.float64], Metrics, Metrics]:
    """Offsets for outputs on labelled validation data, and the scores without and with them.

    They aim at the F1 that is reported. For two classes they give the best F1 of class 1 that any
    threshold gives. For more, in which classes weigh as often as they are the true one, each class
    in turn gets its best offset until none can be bettered alone. F1 never becomes worse, and
    offsets stay 0 where others are no better.
    """
    given, labels = _checked(outputs, codes, n_classes)
    # A single output decides as a second one beside 0 does.
    n_outputs = given.shape[1]
    scores = np.column_stack([np.zeros(len(given)), given]) if n_outputs == 1 else given
    turns = [1] if n_classes == 2 else range(n_classes)  # of two, only the difference decides
    offsets = np.zeros(n_classes)
    before = after = Metrics.from_codes(labels, decide(scores), n_classes)
    for _ in range(_MOST_ROUNDS):
        improved = False
        for turn in turns:
            changed = _with_best(scores, labels, offsets, turn)
            metrics = Metrics.from_codes(labels, decide(scores, changed), n_classes)
            if metrics.f1 > after.f1:
                offsets, after, improved = changed, metrics, True
        if not improved:
            break
    return offsets[-n_outputs:], before, after


def _checked(
    outputs: ArrayLike, codes: ArrayLike, n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The labelled elements' outputs and codes."""
    scores, labels = np.asarray(outputs, np.float64), np.asarray(codes, np.int64)
    fitting = scores.ndim == 2 and (
        scores.shape[1] == n_classes or (scores.shape[1], n_classes) == (1, 2)
    )
    if not fitting or labels.shape != scores.shape[:1]:
        raise DataError(
            f"outputs have shape {scores.shape} and codes {labels.shape}; expected a row of "
            f"outputs, and a code, for each element, to tell {n_classes} classes"
        )
    if not np.isfinite(scores).all():
        raise DataError("outputs that are not finite have no best offsets; expected finite numbers")
    known = labels >= 0
    if not known.any():
        raise DataError("offsets are chosen on labelled data; none of these is labelled")
    return scores[known], labels[known]


def _with_best(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    offsets: NDArray[np.float64],
    own: int,
) -> NDArray[np.float64]:
    """The offsets with the best one for a class while the others stay."""
    n_classes = scores.shape[1]
    others = np.delete(scores + offsets, own, axis=1)
    rivals = others.argmax(axis=1)
    rivals += rivals >= own  # the class of each rival, past the own one that is not among them
    # An element is taken from its rival by offsets above this.
    needed = others.max(axis=1) - scores[:, own]
    order = np.argsort(needed, kind="stable")
    needed, labels, rivals = needed[order], labels[order], rivals[order]
    # After taking the first 0, 1, … elements: what is right, and what is predicted, of each class.
    classes = np.arange(n_classes)
    left = rivals[:, None] == classes
    taken = np.broadcast_to(classes == own, left.shape)
    predicted = _totals(left, taken)
    right = _totals(left & (labels == rivals)[:, None], taken & (labels == own)[:, None])
    true = np.bincount(labels, minlength=n_classes)
    f1 = ratio(2 * right, true + predicted)
    # Not by BLAS: what is equal has to come out equal.
    aims = f1[:, 1] if n_classes == 2 else (f1 * true).sum(axis=1)
    between = _between(needed)
    aims[1:-1][needed[1:] == needed[:-1]] = -1  # equal ones are taken together
    best = np.flatnonzero(aims == aims.max())
    changed = offsets.copy()
    changed[own] = between[best[np.argmin(np.abs(between[best]))]]
    return changed


def _totals(left: NDArray[np.bool_], taken: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Counts when the first 0, 1, … elements count as in ``taken``, and the rest as in ``left``."""
    changes = np.zeros((len(left) + 1, left.shape[1]), np.int64)
    changes[0] = left.sum(axis=0)
    changes[1:] = taken
    changes[1:] -= left
    return np.cumsum(changes, axis=0)


def _between(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers below all, between each two, and above all sorted values."""
    lower, upper = values[:-1], values[1:]
    middle = lower / 2 + upper / 2
    # Neighbouring doubles have none between them: the upper one does not take itself.
    middle = np.where(middle > lower, middle, upper)
    first, last = values[0], values[-1]
    return np.concatenate([[first - 1 - abs(first)], middle, [last + 1 + abs(last)]])
