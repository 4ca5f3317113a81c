"""Choices that choose nothing: one of their branches is never taken, so a smaller program does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearstar.language.operators import Affine, Last, Map
from nearstar.language.parameters import Block, layout
from nearstar.language.program import Apply, Path, Program
from nearstar.training.sample import SAMPLE
from nearstar.training.task import Task


def has_idle_branch(program: Program, parameters: NDArray[np.float32], task: Task) -> bool:
    """Whether a hard ``if`` by an affine leaf takes always the same branch, on training data."""
    inputs = task.sample(SAMPLE).inputs
    blocks = {block.path: block for block in layout(program)}

    def is_idle(node: Program, path: Path, seen: NDArray[np.float64]) -> bool:
        if not isinstance(node, Apply):
            return False
        if isinstance(node.operation, Map | Last):
            return is_idle(node.arguments[0], (*path, 0), seen)
        if not node.operation.is_hard:
            return False
        asked, block = node.arguments[0], blocks.get((*path, 0))
        if block is None or not isinstance(asked, Apply) or not isinstance(asked.operation, Affine):
            return False
        above = _values(block, parameters, seen) > 0
        return (
            len(set(above.tolist())) < 2
            or is_idle(node.arguments[1], (*path, 1), seen[above])
            or is_idle(node.arguments[2], (*path, 2), seen[~above])
        )

    return is_idle(program, (), inputs)


def _values(
    block: Block, parameters: NDArray[np.float32], seen: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = block.of(parameters)
    return np.asarray(seen[:, list(block.columns)] @ weights[:-1, 0] + weights[-1, 0])
