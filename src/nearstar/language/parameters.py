"""Where a program's parameters are in its flat vector θ.

θ is a sequence of blocks, one matrix for each learned linear map, in the order of the derivation.
A block has a row for each feature it reads, for each further input (an accumulator, hidden units)
and for the bias, and a column for each output. The half-life of a memory is a block of one number.
θ is in the data's own units; ``scaled`` and ``unscaled`` take it to the standardised features that
training sees, and back: half-lives to their logarithms, of base 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nearstar.data.scale import Scale
from nearstar.language.networks import Units, hidden_units, network_for
from nearstar.language.operation import Matrix
from nearstar.language.program import Apply, Path, Production, Program
from nearstar.language.view import walk_with_views
from nearstar.util.errors import ProgramError

Theta = NDArray[np.float64]
MOST_DIGITS = 17
"""More carry nothing in double precision."""
_MOST_DOUBLINGS = 40.0
"""Half-lives that training finds are from 2^−40 to 2^40 frames: no memory at all, and all of it."""


@dataclass(frozen=True, kw_only=True)
class Block(Matrix):
    """One matrix of parameters, and where it is."""

    path: Path
    offset: int
    """Where it begins in θ."""
    centred: bool = True
    """Whether the features it reads have the data's mean (a window's change has mean 0)."""

    @property
    def end(self) -> int:
        return self.offset + self.rows * self.outputs

    @property
    def bound(self) -> float:
        """Initial values are drawn uniformly from −bound to bound."""
        return 1 / math.sqrt(max(self.fan_in, 1))

    def of(self, theta: NDArray[np.floating]) -> NDArray[np.floating]:
        """This block of θ as a matrix (a view)."""
        return theta[self.offset : self.end].reshape(self.rows, self.outputs)

    @property
    def fading(self) -> range:
        """Places in θ of what is drawn to 0 by training: weights of features."""
        return range(self.offset, self.offset + self.fades * len(self.columns) * self.outputs)

    @property
    def held(self) -> list[int]:
        """Places in θ of what is 0 for good."""
        return [self.offset + row * self.outputs + output for row, output in self.absent]


def layout(program: Program, units: Units | None = None) -> tuple[Block, ...]:
    """The blocks of θ; ``units`` sizes the networks of holes, which have none without it."""
    sizes = hidden_units(program, units) if units else {}
    blocks: list[Block] = []
    for path, node, view in walk_with_views(program):
        matrices: tuple[Matrix, ...] = ()
        if isinstance(node, Apply):
            matrices = _matrices(node.production)
        elif path in sizes:
            signature = node.signature
            matrices = network_for(signature).matrices(signature, sizes[path])
        for matrix in matrices:
            offset = blocks[-1].end if blocks else 0
            blocks.append(Block(**vars(matrix), path=path, offset=offset, centred=view.moves))
    return tuple(blocks)


@lru_cache(maxsize=4096)
def _matrices(made_by: Production) -> tuple[Matrix, ...]:
    return made_by.operation.matrices(made_by.signature)


def size_of(blocks: tuple[Block, ...]) -> int:
    """The length of θ."""
    return blocks[-1].end if blocks else 0


def scaled(blocks: tuple[Block, ...], theta: Theta, scale: Scale) -> NDArray[np.float32]:
    """Parameters for standardised features, from those for the data's own units."""
    check(blocks, theta)
    result = np.array(theta, np.float64)
    for block in blocks:
        if block.is_half_life:
            np.log2(block.of(result), out=block.of(result))
        elif block.columns:
            matrix, columns = block.of(result), list(block.columns)
            weights = matrix[: len(columns)]
            if block.centred:
                matrix[-1] += _at_mean(weights, scale, columns)
            weights *= scale.std[columns, None]
    with np.errstate(over="ignore"):
        single = result.astype(np.float32)
    if not np.isfinite(single).all():
        raise ProgramError("parameters are too large to compute with in 32 bits")
    return single


def without_constant(
    blocks: tuple[Block, ...], theta: NDArray[np.float32], scale: Scale
) -> NDArray[np.float32]:
    """Parameters for standardised features, without weights for features that are constant.

    These are 0 in the data of the scale, so that any weight gives the same there. In other data,
    and in a bias that has to make up for a mean of 1e18, only 0 does no harm.
    """
    if not scale.constant:
        return theta
    result = theta.copy()
    for block in blocks:
        rows = [row for row, column in enumerate(block.columns) if column in scale.constant]
        block.of(result)[rows] = 0.0
    return result


def unscaled(blocks: tuple[Block, ...], theta: NDArray[np.float32], scale: Scale) -> Theta:
    """Parameters for the data's own units, from those for standardised features; features that are
    constant in the data of the scale have weight 0."""
    result = without_constant(blocks, theta, scale).astype(np.float64)
    for block in blocks:
        if block.is_half_life:
            matrix = block.of(result)
            matrix[:] = np.exp2(np.clip(matrix, -_MOST_DOUBLINGS, _MOST_DOUBLINGS))
        elif block.columns:
            matrix, columns = block.of(result), list(block.columns)
            weights = matrix[: len(columns)]
            weights /= scale.std[columns, None]
            if block.centred:
                matrix[-1] -= _at_mean(weights, scale, columns)
    return result


def rounded(blocks: tuple[Block, ...], theta: Theta, scale: Scale, digits: int) -> Theta:
    """Parameters with few digits that still do what they did on data of this scale.

    Where features are far from 0, a bias outweighs what it decides: it is rounded to digits of the
    leaf's variation rather than of its own, after taking up what rounding the weights shifted.
    """
    if type(digits) is not int or not 1 <= digits <= MOST_DIGITS:
        raise ProgramError(f"digits must be from 1 to {MOST_DIGITS}, not {digits!r}")
    result = np.array(theta, np.float64)
    for block in blocks:
        matrix, columns = block.of(result), list(block.columns)
        given = matrix.copy()
        matrix[:] = [[float(f"{value:.{digits}g}") for value in row] for row in given]
        if columns and block.centred:
            before, after = given[: len(columns)], matrix[: len(columns)]
            bias = given[-1] + _at_mean(before - after, scale, columns)
            spread = (np.abs(after) * scale.std[columns, None]).sum(axis=0)
            effect = np.maximum(spread, np.abs(given[-1] + _at_mean(before, scale, columns)))
            matrix[-1] = [
                round(float(b), digits - 1 - math.floor(math.log10(e))) if e > 0 else b
                for b, e in zip(bias, effect, strict=True)
            ]
    return result


def _at_mean(weights: NDArray[np.floating], scale: Scale, columns: list[int]) -> Theta:
    """What weights give at the mean of the data; not by BLAS, whose bits depend on its threads."""
    return np.asarray((scale.mean[columns, None] * weights).sum(axis=0))


def check(blocks: tuple[Block, ...], theta: Theta) -> None:
    """Raise unless θ has the right length and finite values, half-lives positive ones."""
    if theta.shape != (size_of(blocks),):
        raise ProgramError(
            f"the program has {size_of(blocks)} parameters, but {theta.shape} were given"
        )
    if not np.isfinite(theta).all():
        raise ProgramError("parameters must be finite numbers")
    for block in blocks:
        if block.absent and theta[block.held].any():
            raise ProgramError("weights of features that an output does not read must be 0")
        if block.is_half_life:
            check_half_life(float(theta[block.offset]))


def check_half_life(value: float) -> None:
    """Raise unless a memory can have this half-life."""
    if not value > 0:
        raise ProgramError(
            f"the half-life of a memory is a number of frames above 0, as in memory[12.5], "
            f"not {value:g}"
        )
