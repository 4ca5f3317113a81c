"""Where an ``if`` starts: at splits of the data, since from chance it ends in poor optima.

Of all splits by one feature the best is that after which two affine maps, one for each side, tell
the classes best, by least squares: a model tree's (Quinlan 1992). A condition starts at it, and the
branches as these maps; an ``if`` in a branch, in the same way on that branch's data.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nearstar.language.operators import ADD, Affine, Constant, Map, Window
from nearstar.language.parameters import Block
from nearstar.language.program import Apply, Path, Program, applied
from nearstar.training.course import Plan
from nearstar.training.sample import SAMPLE, Split

_TELLING = 16
"""Features, at most, that the affine maps read by which splits are compared."""
_BINS, _FINE_BINS = 8, 32
"""Of a feature, by its quantiles: between them it may be split, at first and once it is chosen."""
_LEAST, LEAST_PURE = 40, 5
"""Elements on a side, at least; and where each side has but one answer."""
_RARE = 1e-3
"""Added to the share of each class before its logarithm."""
_SLOPE = 2.0
"""Of a condition at its threshold, where features have deviation 1."""
_SCORE = 2.0
"""What scores are to be at first: so much above 0 for what is, and below for what is not."""
_RIDGE = 1e-3

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Sides = tuple[tuple[Split, bool], ...]
"""Splits, and whether elements are above them."""


def split_start(plan: Plan, drawn: NDArray[np.float32], rank: int) -> NDArray[np.float32] | None:
    """Parameters to start from, with what is not of an ``if`` as drawn; None if none is hard.

    ``rank`` 0 takes the best split for the first condition, 1 the best by another feature, …
    """
    if not plan.is_hard:
        return None
    start = _Start(plan, drawn, rank)
    # What weighs nothing tells nothing.
    start.fill(plan.program, (), np.flatnonzero(start.weights > 0), ())
    return start.parameters if start.found else None


class _Start:
    """Parameters that become those of splits, from the root on."""

    def __init__(self, plan: Plan, drawn: NDArray[np.float32], rank: int) -> None:
        sample = plan.task.sample(SAMPLE)
        outputs = plan.program.signature.output.size
        self.inputs, self.codes = sample.inputs, sample.codes
        self.n_classes = plan.task.train.n_classes
        kinds = np.arange(self.n_classes) if outputs > 1 else np.ones(1, int)
        self.targets = np.where(sample.codes[:, None] == kinds, _SCORE, -_SCORE)
        self.class_weights = tuple(plan.weights_at(0.0))
        self.weights = np.asarray(self.class_weights)[sample.codes]
        self.known = sample.splits
        self.blocks = {block.path: block for block in plan.layout}
        self.parameters = drawn.copy()
        self.rank = rank
        self.found = False
        """Whether there is a split."""

    def fill(self, node: Program, path: Path, rows: Rows, sides: Sides) -> None:
        """Start a part that sees these elements, which are on these sides of splits."""
        if not isinstance(node, Apply) or node.signature.carried:
            return
        operation = node.operation
        if isinstance(operation, Map) or (isinstance(operation, Window) and operation.size == 1):
            self.fill(node.arguments[0], (*path, 0), rows, sides)
        elif operation.is_hard:
            self._choice(node, path, rows, sides)
        elif operation == ADD:
            # One of them: two that start alike would stay so.
            for index, argument in enumerate(node.arguments):
                if isinstance(argument, Apply) and argument.operation.is_hard:
                    return self.fill(argument, (*path, index), rows, sides)
        elif isinstance(operation, Affine) and sides and len(rows) >= _LEAST:
            self._leaf(self.blocks[path], rows)
        elif isinstance(operation, Constant) and len(rows):
            self._constant(self.blocks[path], rows)

    def _choice(self, node: Apply, path: Path, rows: Rows, sides: Sides) -> None:
        condition, block = node.arguments[0], self.blocks.get((*path, 0))
        if not isinstance(condition, Apply) or not isinstance(condition.operation, Affine):
            return
        assert block is not None
        plain = not any(map(_has_terms, node.arguments[1:]))
        split = self._split(block.columns, rows, sides, plain)
        if split is None:
            return
        self.found = True
        matrix = block.of(self.parameters)
        matrix[:] = 0.0
        above = self.inputs[rows, split.column] > split.threshold
        parts = [(rows[above], (*sides, (split, True))), (rows[~above], (*sides, (split, False)))]
        # Of trees that are alike but for this, only one is tried: it has to do for both.
        turned = plain and self._is_turned(node, block.columns, parts)
        slope = -_SLOPE if turned else _SLOPE
        matrix[block.columns.index(split.column)] = slope
        matrix[-1] = -slope * split.threshold
        for place, part in enumerate(reversed(parts) if turned else parts, 1):
            self.fill(node.arguments[place], (*path, place), *part)

    def _is_turned(
        self, node: Apply, columns: Sequence[int], parts: Sequence[tuple[Rows, Sides]]
    ) -> bool:
        """Whether what is below the threshold belongs into the first branch: most is to be gained
        by choices where there are more of them."""
        more = _choices(node.arguments[1]) - _choices(node.arguments[2])
        if not more:
            return False
        above, below = (self._gain(columns, *part) for part in parts)
        return below > above if more > 0 else above > below

    def _gain(self, columns: Sequence[int], rows: Rows, sides: Sides) -> float:
        """How much purer classes are after one more split of these elements."""
        split = self._split(columns, rows, sides, plain=True) if len(rows) else None
        if split is None:
            return 0.0
        above = self.inputs[rows, split.column] > split.threshold
        after = self._impurity(rows[above]) + self._impurity(rows[~above])
        return self._impurity(rows) - after

    def _impurity(self, rows: Rows) -> float:
        """Gini's, of as many elements as these weigh."""
        shares = np.bincount(self.codes[rows], self.weights[rows], self.n_classes)
        total = float(shares.sum())
        return total - float(shares @ shares) / total if total else 0.0

    def _split(self, columns: Sequence[int], rows: Rows, sides: Sides, plain: bool) -> Split | None:
        """The best split of these elements; if ``plain``, where each side has one answer."""
        rank = 0 if sides else self.rank
        key = (tuple(columns), sides, rank, self.targets.shape[1], self.class_weights, plain)
        if key not in self.known:
            inputs, weights = self.inputs[rows], self.weights[rows]
            if plain:
                found = purest_split(inputs, self.codes[rows], weights, columns, rank)
                if found is None and sides:  # one class is left: any will do
                    found = self._split(columns, np.arange(len(self.codes)), (), plain)
            else:
                found = best_split(inputs, self.targets[rows], weights, columns, rank)
            self.known[key] = found
        return self.known[key]

    def _constant(self, block: Block, rows: Rows) -> None:
        """The logarithms of how often classes are there."""
        shares = np.bincount(self.codes[rows], self.weights[rows], self.n_classes)
        logs = np.log(shares / shares.sum() + _RARE)
        values = logs[1:] - logs[0] if block.outputs == 1 else logs - logs.mean()
        block.of(self.parameters)[:] = values

    def _leaf(self, block: Block, rows: Rows) -> None:
        """An affine map of what tells most, by least squares."""
        inputs, targets, weights = self.inputs[rows], self.targets[rows], self.weights[rows]
        if block.outputs != targets.shape[1]:
            return
        told = telling(inputs, targets, weights, block.columns)
        found = _solved(*_sums(_with_bias(inputs[:, told]), targets, weights))
        matrix = block.of(self.parameters)
        matrix[:] = 0.0
        matrix[[block.columns.index(column) for column in told]] = found[:-1]
        matrix[-1] = found[-1]
        self.parameters[block.held] = 0.0


def best_split(
    inputs: Array, targets: Array, weights: Array, columns: Sequence[int], rank: int = 0
) -> Split | None:
    """The split by one of these columns that leaves least to two affine maps; of the columns that
    are ``rank`` behind the best, if there are. None where no side would have enough elements."""
    told = telling(inputs, targets, weights, range(inputs.shape[1]))
    read = _with_bias(inputs[:, told])
    gains = {}
    for column in columns:
        found = _best_threshold(inputs[:, column], read, targets, weights, _BINS)
        if found is not None:
            gains[column] = found[0]
    order = sorted(gains, key=lambda column: (-gains[column], column))
    if not order:
        return None
    column = order[min(rank, len(order) - 1)]
    found = _best_threshold(inputs[:, column], read, targets, weights, _FINE_BINS)
    assert found is not None
    return Split(column, found[1])


def purest_split(
    inputs: Array,
    codes: NDArray[np.int64],
    weights: Array,
    columns: Sequence[int],
    rank: int = 0,
) -> Split | None:
    """The split by one of these columns after which classes are purest on both sides, as a decision
    tree has it; of the columns that are ``rank`` behind the best, if there are."""
    from sklearn.tree import DecisionTreeClassifier

    left, found = list(columns), None
    for _ in range(min(rank + 1, len(left)) if len(codes) > 1 else 0):
        tree = DecisionTreeClassifier(max_depth=1, min_samples_leaf=LEAST_PURE, random_state=0)
        tree.fit(inputs[:, left], codes, weights)
        place, threshold = int(tree.tree_.feature[0]), float(tree.tree_.threshold[0])
        if place < 0:
            break
        found = Split(left[place], threshold)
        del left[place]
    return found


def telling(inputs: Array, targets: Array, weights: Array, columns: Sequence[int]) -> list[int]:
    """A few of the columns that together tell the targets best, taken one by one."""
    left = list(columns)
    chosen: list[int] = []
    scale = np.sqrt((weights[:, None] * inputs[:, left] ** 2).sum(axis=0)) + 1e-9
    residual = targets - np.average(targets, axis=0, weights=weights)
    for _ in range(min(_TELLING, len(left))):
        related = np.abs(inputs[:, left].T @ (residual * weights[:, None])).sum(axis=1) / scale
        related[[left.index(column) for column in chosen]] = -1.0
        chosen.append(left[int(related.argmax())])
        read = _with_bias(inputs[:, chosen])
        residual = targets - read @ _solved(*_sums(read, targets, weights))
    return sorted(chosen)


def _best_threshold(
    values: Array, read: Array, targets: Array, weights: Array, bins: int
) -> tuple[float, float] | None:
    """What two maps tell, at most, on the sides of a threshold, and that."""
    edges = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="lower"))
    kinds = np.searchsorted(edges, values)  # up to an edge is below it
    counts = np.bincount(kinds, minlength=len(edges) + 1)
    below = np.cumsum(counts)[:-1]
    allowed = (below >= _LEAST) & (len(values) - below >= _LEAST)
    if not allowed.any():
        return None
    sums = [_sums(read[own], targets[own], weights[own]) for own in _members(kinds, len(counts))]
    squares, products = (np.cumsum(np.array(each), axis=0) for each in zip(*sums, strict=True))
    told = _told(squares[:-1], products[:-1])
    told += _told(squares[-1] - squares[:-1], products[-1] - products[:-1])
    best = int(np.where(allowed, told, -np.inf).argmax())
    above = values[kinds > best].min()
    return float(told[best]), float((edges[best] + above) / 2)


def _members(kinds: NDArray[np.intp], count: int) -> list[Rows]:
    order = np.argsort(kinds, kind="stable")
    return np.split(order, np.cumsum(np.bincount(kinds, minlength=count))[:-1])


def _with_bias(inputs: Array) -> Array:
    return np.column_stack([inputs, np.ones(len(inputs))])


def _sums(read: Array, targets: Array, weights: Array) -> tuple[Array, Array]:
    weighed = read * weights[:, None]
    return read.T @ weighed, weighed.T @ targets


def _solved(squares: Array, products: Array) -> Array:
    ridge = _RIDGE * np.trace(squares, axis1=-2, axis2=-1)[..., None, None] / squares.shape[-1]
    return np.asarray(
        np.linalg.solve(squares + (ridge + 1e-9) * np.eye(squares.shape[-1]), products)
    )


def _told(squares: Array, products: Array) -> Array:
    """How much of the targets' squares the maps by least squares tell, for each of several."""
    return np.asarray((products * _solved(squares, products)).sum(axis=(-2, -1)))


def _has_terms(program: Program) -> bool:
    """Whether answers, not conditions alone, are by what is read: it has other leaves than
    constants outside of conditions."""
    if not isinstance(program, Apply):
        return False
    if program.operation.is_hard:
        return any(map(_has_terms, program.arguments[1:]))
    return any(not isinstance(node.operation, Constant) for node in applied(program))


def _choices(program: Program) -> int:
    """How many hard ifs are in it."""
    return sum(node.operation.is_hard for node in applied(program))
