"""Numbers with the fewest digits with which a program does as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np

from nearstar.data.scale import Scale
from nearstar.language.parameters import Block, Theta, rounded
from nearstar.model.simplify.sparsity import Keeps


def rounded_together(
    blocks: Sequence[Block], theta: Theta, scale: Scale, keeps: Keeps, digits: Iterable[int]
) -> tuple[Theta, int] | None:
    """θ with the first of these numbers of digits that will do; None if none does."""
    for each in digits:
        # A zero stays one: no bias takes up what rounding shifts if it was done without.
        short = np.where(theta == 0, 0.0, rounded(tuple(blocks), theta, scale, each)) + 0.0
        if keeps(short):
            return short, each
    return None


def rounded_further(blocks: Sequence[Block], theta: Theta, scale: Scale, keeps: Keeps) -> Theta:
    """θ with fewer digits in each number by itself, where that will do."""
    for block in blocks:
        for place in range(block.offset, block.end):
            for digits in range(1, digits_of(theta[place])):
                tried = _with_digits(block, theta, scale, place, digits)
                if keeps(tried):
                    theta = tried
                    break
    return theta


def _with_digits(block: Block, theta: Theta, scale: Scale, place: int, digits: int) -> Theta:
    """θ with one number rounded; a bias takes up the shift, with the decimals that it has."""
    result = theta.copy()
    result[place] = float(f"{theta[place]:.{digits}g}")
    row, output = divmod(place - block.offset, block.outputs)
    bias = block.end - block.outputs + output
    if block.centred and row < len(block.columns) and theta[bias] != 0:
        shift = (theta[place] - result[place]) * scale.mean[block.columns[row]]
        result[bias] = round(float(theta[bias] + shift), _decimals_of(theta[bias])) + 0.0
    return result


def digits_of(value: float) -> int:
    """Significant digits of a number as it is written; 0 has none."""
    return len(_normal(value).as_tuple().digits) if value else 0


def _decimals_of(value: float) -> int:
    exponent = _normal(value).as_tuple().exponent
    assert isinstance(exponent, int)
    return -exponent


def _normal(value: float) -> Decimal:
    return Decimal(repr(float(value))).normalize()
