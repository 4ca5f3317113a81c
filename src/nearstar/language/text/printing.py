"""Programs to text, in the paper's notation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nearstar.language.notation import text_of
from nearstar.language.parameters import check, layout
from nearstar.language.program import Program
from nearstar.language.text.numbers import shape, written


def to_text(program: Program, theta: NDArray[np.float64] | None = None) -> str:
    """The program in the paper's notation, which ``parse`` reads back.

    With ``theta``, the parameters of its affine and constant leaves in the order of the
    derivation, the leaves print with them, exactly (``parameters.rounded`` makes them shorter).
    The networks of holes are no part of it: a hole prints as ``??``.
    """
    if theta is None:
        return text_of(program)
    theta, blocks = np.asarray(theta, np.float64), layout(program)
    check(blocks, theta)
    # A block has a column for each output; text goes output by output.
    leaves = (written(block.of(theta).T.ravel().tolist(), shape(block)) for block in blocks)
    return text_of(program, 0, leaves)
