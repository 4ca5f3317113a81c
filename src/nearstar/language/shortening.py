"""Parameters as they are printed: thresholds as one number, and all with few digits."""

from __future__ import annotations

import numpy as np

from nearstar.data.scale import Scale
from nearstar.language.deciding import with_names
from nearstar.language.parameters import Theta, layout, rounded
from nearstar.language.program import Program
from nearstar.language.thresholds import with_thresholds

DIGITS = 4
"""Digits of parameters where they are for reading."""


def shortened(program: Program, theta: Theta, scale: Scale, digits: int = DIGITS) -> Theta:
    """The parameters of a complete program with few digits, that still do what they did on data of
    this scale; those that are not finite stay as they are."""
    if not np.isfinite(theta).all():
        return theta
    short = rounded(layout(program), as_printed(program, theta), scale, digits)
    return with_thresholds(program, short)  # rounding may have left a -0


def as_printed(program: Program, theta: Theta) -> Theta:
    """The same parameters, all digits, without what is not printed: of conditions of one term all
    but their threshold, of leaves that name a class all but that."""
    return with_thresholds(program, with_names(program, theta))
