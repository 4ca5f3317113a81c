"""Weights without which a program does as well: they become 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.language.parameters import Block, Theta

Keeps = Callable[[Theta], bool]
"""Whether a program is still good enough with these parameters."""
Places = NDArray[np.int64]
Zeroed = Callable[[Theta, Places], Theta]
"""Parameters with zeros in some places."""


def pruned(blocks: Sequence[Block], theta: Theta, scale: Scale, keeps: Keeps) -> Theta:
    """θ with zeros, greedily: what has the least influence goes first.

    Features count by their weight times their deviation, so that units do not matter. First as
    many as can go together, then all weights of one output of a leaf, then one by one until none
    can go; biases last. What is in none of the blocks stays. ``scale`` is that of the data that
    ``keeps`` judges by.
    """
    strength, biases = _influence(blocks, theta, scale), _biases(blocks)
    places = [place for block in blocks for place in range(block.offset, block.end)]
    given = np.array([place for place in places if theta[place] != 0], np.int64)
    weights = _sorted(np.setdiff1d(given, biases), strength)

    def zeroed(theta: Theta, places: Places) -> Theta:
        return without(blocks, theta, scale, places)

    def left(places: Places) -> Places:
        return np.asarray(places[theta[places] != 0])

    theta = _most_together(theta, weights, zeroed, keeps)
    columns = [left(column) for column in _columns(blocks)]
    columns.sort(key=lambda column: float(np.square(strength[column]).sum()))
    theta = _each(theta, filter(len, columns), zeroed, keeps)
    before = None
    while before is not theta:  # what goes may make room for others
        before = theta
        theta = _each(theta, left(weights).reshape(-1, 1), zeroed, keeps)
    # A half-life of 0 is none.
    biases = np.setdiff1d(biases, [block.offset for block in blocks if block.is_half_life])
    return _each(theta, _sorted(left(biases), strength).reshape(-1, 1), zeroed, keeps)


def _most_together(theta: Theta, weights: Places, zeroed: Zeroed, keeps: Keeps) -> Theta:
    """Without the first weights: as many as bisection finds."""
    best, fewest, most = theta, 0, len(weights)
    while fewest < most:
        middle = (fewest + most + 1) // 2
        tried = zeroed(theta, weights[:middle])
        if keeps(tried):
            best, fewest = tried, middle
        else:
            most = middle - 1
    return best


def _each(theta: Theta, sets: Iterable[Places], zeroed: Zeroed, keeps: Keeps) -> Theta:
    """Without each of these in turn, where that will do."""
    for places in sets:
        tried = zeroed(theta, places)
        if keeps(tried):
            theta = tried
    return theta


def without(blocks: Sequence[Block], theta: Theta, scale: Scale, places: Places) -> Theta:
    """θ with zeros in some places; a bias takes up what the weights gave at the data's mean.

    Not one that is 0 already: a number less must not be a number more elsewhere.
    """
    gone = np.zeros(len(theta), bool)
    gone[places] = True
    result = theta.copy()
    for block in blocks:
        matrix, columns = block.of(result), list(block.columns)
        removed = gone[block.offset : block.end].reshape(matrix.shape)
        if columns and block.centred:
            lost = np.where(removed, matrix, 0.0)[: len(columns)]
            shift = (scale.mean[columns, None] * lost).sum(axis=0)
            matrix[-1] += np.where(matrix[-1] != 0, shift, 0.0)
        matrix[removed] = 0.0
    return result


def _influence(blocks: Sequence[Block], theta: Theta, scale: Scale) -> Theta:
    """How much each parameter matters, to be compared with the others of its kind."""
    strength = np.abs(theta)
    for block in blocks:
        block.of(strength)[: len(block.columns)] *= scale.std[list(block.columns), None]
    return strength


def _sorted(places: Places, strength: Theta) -> Places:
    return places[np.argsort(strength[places], kind="stable")]


def _biases(blocks: Sequence[Block]) -> Places:
    last = [np.arange(block.end - block.outputs, block.end) for block in blocks if block.bias]
    return np.concatenate([np.empty(0, np.int64), *last])


def _columns(blocks: Sequence[Block]) -> list[Places]:
    """The weights of each output of each leaf."""
    matrices = [
        np.arange(block.offset, block.end - block.bias * block.outputs).reshape(-1, block.outputs)
        for block in blocks
    ]
    return [column for matrix in matrices for column in matrix.T]
