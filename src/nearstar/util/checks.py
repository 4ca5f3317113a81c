"""Checks of settings: what was given and what is expected, before any work starts."""

from __future__ import annotations

import math
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

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


def check_settings(settings: Any, called: str = "{}") -> None:
    """Raise unless the numbers and switches of a dataclass are what its fields say.

    By their types: whole numbers from 1, numbers from 0, True or False; None where a type has it.
    By their metadata: ``least`` of a whole number, ``most`` of a number, ``positive`` (above 0),
    ``infinite`` (may be so). In messages a field is ``called`` as this says.
    """
    for field in fields(settings):
        name, value, demands = (
            called.format(field.name),
            getattr(settings, field.name),
            field.metadata,
        )
        kind, _, optional = str(field.type).partition(" | ")
        if (optional and value is None) or (demands.get("infinite") and value == math.inf):
            continue
        if kind == "bool":
            check_switch(name, value)
        elif kind == "int":
            check_whole(name, value, demands.get("least", 1))
        elif kind == "float" and demands.get("positive"):
            check_positive(name, value)
        elif kind == "float":
            check_number(name, value, least=0)
            if value > demands.get("most", math.inf):
                most = demands["most"]
                raise NearstarError(f"{name} must be a number from 0 to {most}, not {value!r}")
