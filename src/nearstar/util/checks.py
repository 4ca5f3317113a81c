"""Checks of settings: what was given and what is expected, before any work starts."""

from __future__ import annotations

import math
from numbers import Integral, Real

from nearstar.util.errors import NearstarError


def check_whole(name: str, value: object, least: int = 1) -> None:
    """Raise unless a setting is a whole number."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise NearstarError(f"{name} must be a whole number from {least}, not {value!r}")


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def check_number(name: str, value: object, least: float) -> None:
    """Raise unless a setting is a finite number."""
    if not is_number(value) or value < least:  # type: ignore[operator]
        raise NearstarError(f"{name} must be a number from {least}, not {value!r}")


def check_positive(name: str, value: object) -> None:
    """Raise unless a setting is a finite number above 0."""
    if not is_number(value) or value <= 0:  # type: ignore[operator]
        raise NearstarError(f"{name} must be above 0, not {value!r}")


def check_switch(name: str, value: object) -> None:
    """Raise unless a setting is True or False."""
    if not isinstance(value, bool):
        raise NearstarError(f"{name} is True or False, not {value!r}")
