"""Numbers for reading."""

from __future__ import annotations

import math

from nearstar.language.shortening import DIGITS


def shown(value: float) -> str:
    """All digits of a number, with a true minus sign."""
    return repr(float(value)).removesuffix(".0").replace("-", "−")


def significant(value: float, digits: int = DIGITS) -> float:
    """A number with few digits."""
    return float(f"{value:.{digits}g}")


def near(value: float, centre: float, spread: float) -> float:
    """A threshold with the digits that it needs among data of this mean and deviation."""
    effect = max(abs(value - centre), spread)
    return round(value, DIGITS - 1 - math.floor(math.log10(effect))) + 0.0  # never -0.0
