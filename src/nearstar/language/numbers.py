"""Numbers to read: how many of them a program asks its reader to understand."""

from __future__ import annotations

import numpy as np

from nearstar.language.parameters import Theta, layout
from nearstar.language.program import Program, is_complete


def numbers_of(program: Program, theta: Theta | None = None) -> int | None:
    """Every weight that is not 0, every bias and every number of a constant or a memory.

    Without parameters, every weight counts. None for a program with holes: nobody can read the
    networks in them.
    """
    if not is_complete(program):
        return None
    blocks = layout(program)
    if theta is None:
        return sum(block.rows * block.outputs for block in blocks)
    return sum(int(np.count_nonzero(block.of(theta)[:-1])) + block.outputs for block in blocks)
