"""Parameters to start from, where a program shares parts with one that is trained."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from nearstar.data.scale import Scale
from nearstar.language.parameters import Block, Theta, layout, unscaled
from nearstar.language.program import Apply, Path, Program, node_at
from nearstar.training.budget import Budget
from nearstar.training.train import Trained

_Key = tuple[object, ...]
_Part = tuple[Path, tuple[Block, ...]]


def starting_parameters(
    program: Program, budget: Budget, scale: Scale, parent: Trained, seed: int
) -> Theta:
    """The parent's parameters in the parts that the two share, fresh ones by the seed elsewhere.

    A part is a leaf, or the network of a hole. The parent has the same one if it reads and gives
    the same under the same operations: in the same place, or else in another one, in order. Each
    of the parent's parts is used once.
    """
    blocks = layout(program, budget.units)
    theta = unscaled(blocks, budget.initial(program, seed), scale)
    free: dict[_Key, dict[Path, tuple[Block, ...]]] = {}
    for path, part in _parts(layout(parent.program, parent.units)):
        free.setdefault(_key(parent.program, path, part), {})[path] = part
    moved: list[_Part] = []
    for path, part in _parts(blocks):
        same = free.get(_key(program, path, part), {}).pop(path, None)
        if same is None:
            moved.append((path, part))
        else:
            _copy(same, parent.theta, part, theta)
    # Only now: a part that stayed in its place must not lose its values to one that moved.
    for path, part in moved:
        others = free.get(_key(program, path, part))
        if others:
            _copy(others.pop(next(iter(others))), parent.theta, part, theta)
    return theta


def _parts(blocks: tuple[Block, ...]) -> list[_Part]:
    """The blocks of each leaf or hole, in the order of the derivation."""
    return [(path, tuple(part)) for path, part in groupby(blocks, key=lambda block: block.path)]


def _key(program: Program, path: Path, part: tuple[Block, ...]) -> _Key:
    above = (node_at(program, path[:end]) for end in range(len(path)))
    names = tuple(node.operation.name for node in above if isinstance(node, Apply))
    shapes = tuple((b.role, b.columns, b.others, b.bias, b.outputs) for b in part)
    return names, shapes


def _copy(
    source: tuple[Block, ...], values: Theta, target: tuple[Block, ...], theta: Theta
) -> None:
    for given, taken in zip(source, target, strict=True):
        np.copyto(taken.of(theta), given.of(values))
