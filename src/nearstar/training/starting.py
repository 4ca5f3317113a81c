"""Parameters that a training starts from: random, but folds remember from the beginning.

Drawn like all others, the weights of an accumulator forget it within a few elements, and training
seldom finds out that to remember pays. So a fold may start with an accumulator of which each step
keeps a share, and to which it adds a little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nearstar.language.function import Function
from nearstar.language.operators import ADD, Affine, Fold
from nearstar.language.parameters import Block, size_of
from nearstar.language.program import Apply, Hole, Path, Program

_NEW = 0.3
"""What an element adds is smaller by this than elsewhere, for it adds up."""


def initial(
    blocks: tuple[Block, ...], seed: int, kept: Mapping[Path, float] = MappingProxyType({})
) -> NDArray[np.float32]:
    """Starting parameters for standardised features; ``kept`` is what folds remember at first."""
    random = np.random.default_rng(seed)
    theta = np.empty(size_of(blocks), np.float32)
    for block in blocks:
        matrix = block.of(theta)
        matrix[:] = random.uniform(-block.bound, block.bound, matrix.shape)
        if block.path in kept and block.role in _REMEMBERING:
            _REMEMBERING[block.role](matrix, len(block.columns), kept[block.path])
    return theta


def kept_by(program: Program, memory: float) -> dict[Path, float]:
    """The share of the accumulator that leaves and holes in a fold give back at first, by path.

    Together they give back ``memory`` of it: the terms of a sum in equal parts, both branches of an
    if the same. Constants and selections cannot, and what conditions and arguments of other
    functions begin with is left to chance.
    """
    return dict(_kept(program, (), 0.0, memory))


def _kept(node: Program, path: Path, share: float, memory: float) -> Iterator[tuple[Path, float]]:
    """What is kept below a node, which itself gives back this share."""
    if share and _is_leaf(node):
        yield path, share
    shares = _shares(node, share, memory) if isinstance(node, Apply) else ()
    for index, (argument, part) in enumerate(zip(node.arguments, shares, strict=True)):
        yield from _kept(argument, (*path, index), part, memory)


def _shares(node: Apply, share: float, memory: float) -> tuple[float, ...]:
    """What each argument gives back, for the node to give back this share."""
    operation = node.operation
    if isinstance(operation, Fold):
        return (memory,)
    if operation == ADD:
        able = [_can_remember(argument) for argument in node.arguments]
        return tuple(share / max(sum(able), 1) * each for each in able)
    if _is_if(node):
        return (0.0, share, share)
    return (0.0,) * len(node.arguments)


def _is_if(node: Apply) -> bool:
    return isinstance(node.operation, Function) and node.operation.name == "if"


def _is_leaf(node: Program) -> bool:
    """Whether a node reads the accumulator and can give it back: a hole, or an affine leaf."""
    return isinstance(node, Hole) or isinstance(node.operation, Affine)


def _can_remember(node: Program) -> bool:
    """Whether a part of a fold's body can give back a share of the accumulator."""
    if isinstance(node, Apply) and (node.operation == ADD or _is_if(node)):
        return any(map(_can_remember, node.arguments[-2:]))
    return _is_leaf(node)


def _leaf(matrix: NDArray[np.float32], features: int, share: float) -> None:
    """An affine leaf: each output keeps a share of its own component."""
    matrix *= _NEW
    matrix[features:-1] = share * np.eye(matrix.shape[1], dtype=np.float32)


def _hidden(matrix: NDArray[np.float32], features: int, share: float) -> None:
    """A hidden layer: units max(a, 0) and max(−a, 0) for each component a, as far as they go."""
    accumulator = matrix[features:-1]
    for component in range(min(len(accumulator), matrix.shape[1] // 2)):
        pair = slice(2 * component, 2 * component + 2)
        matrix[:, pair] *= _NEW
        accumulator[:, pair] = 0.0
        accumulator[component, pair] = 1.0, -1.0


def _output(matrix: NDArray[np.float32], features: int, share: float) -> None:
    """The layer after it: a = max(a, 0) − max(−a, 0)."""
    matrix *= _NEW
    components = min(matrix.shape[1], (len(matrix) - 1) // 2)
    for component in range(components):
        pair = slice(2 * component, 2 * component + 2)
        matrix[pair, :components] = 0.0
        matrix[pair, component] = share, -share


_REMEMBERING = {"affine": _leaf, "hidden": _hidden, "output": _output}
"""How the blocks of a leaf and of a network in a hole begin."""
