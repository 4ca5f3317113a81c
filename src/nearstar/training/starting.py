"""Parameters that a training starts from: random, but folds remember from the beginning.

Drawn like all others, the weights of an accumulator forget it within a few elements, and training
seldom finds out that to remember pays. So a fold may start with an accumulator of which each step
keeps a share, and to which it adds a little. How, is said by operations and networks themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nearstar.language.parameters import Block, size_of
from nearstar.language.program import Apply, Hole, Path, Program


def initial(
    blocks: tuple[Block, ...], seed: int, kept: Mapping[Path, float] = MappingProxyType({})
) -> NDArray[np.float32]:
    """Starting parameters for standardised features; ``kept`` is what folds remember at first."""
    random = np.random.default_rng(seed)
    theta = np.empty(size_of(blocks), np.float32)
    for block in blocks:
        matrix = block.of(theta)
        matrix[:] = block.start + random.uniform(-block.bound, block.bound, matrix.shape)
        if block.path in kept and block.remember is not None:
            block.remember(matrix, len(block.columns), kept[block.path])
        theta[block.held] = 0.0
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
    if share and _remembers(node):
        yield path, share
    if isinstance(node, Apply):
        able = [_can_remember(argument) for argument in node.arguments]
        shares = node.operation.shares(share, memory, able)
        for index, (argument, part) in enumerate(zip(node.arguments, shares, strict=True)):
            yield from _kept(argument, (*path, index), part, memory)


def _remembers(node: Program) -> bool:
    """Whether a node reads the accumulator and can give it back: a hole, or an affine leaf."""
    if isinstance(node, Hole):
        return True
    return any(each.remember for each in node.operation.matrices(node.signature))


def _can_remember(node: Program) -> bool:
    """Whether a part of a fold's body can give back a share of the accumulator."""
    if isinstance(node, Apply) and node.arguments:
        able = [_can_remember(argument) for argument in node.arguments]
        return any(
            share and each
            for share, each in zip(node.operation.shares(1.0, 0.0, able), able, strict=True)
        )
    return _remembers(node)
