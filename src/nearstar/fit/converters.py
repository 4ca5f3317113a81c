"""Values as they are written on the command line and in config files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from nearstar.data.labels import Label
from nearstar.util.errors import NearstarError

T = TypeVar("T")

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MOST_UNITS = 10_000
_OUTER_COMMA = re.compile(r",(?![^()]*\))")
"""A comma that stands in no parentheses."""
_DURATION = re.compile(r"(?:(?:\d+(?:\.\d*)?|\.\d+)[smhd])+")


def duration(value: str | float) -> float:
    """Seconds: ``90``, ``90s``, ``5m``, ``1h30m``, ``2d``."""
    text = str(value).strip().lower().replace(" ", "")
    if _DURATION.fullmatch(text):
        seconds = sum(
            float(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+)([smhd])", text)
        )
    else:
        seconds = _number(text, "a time is seconds, or 90s, 5m, 1h30m, 2d")
    if not (seconds > 0 and math.isfinite(seconds)):
        raise NearstarError(f"a time must be above 0, not {value!r}")
    return seconds


def share(value: str | float) -> float:
    """A number from 0 to below 1."""
    number = _number(str(value), "expected a share such as 0.25")
    if not 0 <= number < 1:
        raise NearstarError(f"a share is from 0 to below 1, not {value!r}")
    return number


def share_or_file(value: Any) -> str:
    """A share from 0 to below 1, or the path of a file, as it is written."""
    written = text(value)
    try:
        float(written)
    except ValueError:
        return written
    share(written)
    return written


def number(value: str | float) -> float:
    """Any finite number."""
    result = _number(str(value), "expected a number")
    if not math.isfinite(result):
        raise NearstarError(f"expected a finite number, not {value!r}")
    return result


def positive(value: str | float) -> float:
    """A number above 0."""
    if number(value) <= 0:
        raise NearstarError(f"expected a number above 0, not {value!r}")
    return number(value)


def not_negative(value: str | float) -> float:
    """A number from 0."""
    if number(value) < 0:
        raise NearstarError(f"expected a number from 0, not {value!r}")
    return number(value)


def whole(least: int, most: int = 1_000_000_000) -> Callable[[Any], int]:
    """A converter to whole numbers within bounds."""

    def convert(value: Any) -> int:
        written = re.fullmatch(r"[+-]?[0-9]{1,18}", str(value).strip())
        if isinstance(value, bool) or written is None or not least <= int(value) <= most:
            raise NearstarError(f"expected a whole number from {least} to {most}, not {value!r}")
        return int(value)

    return convert


def text(value: Any) -> str:
    """Any text; numbers in a config file will do."""
    if isinstance(value, list | dict):
        raise NearstarError(f"expected text, not {value!r}")
    return str(value)


def switch(value: Any) -> bool:
    """True or false in a config file; a flag without a value on the command line."""
    if not isinstance(value, bool):
        raise NearstarError(f"expected true or false, not {value!r}")
    return value


def names(value: Any) -> tuple[str, ...]:
    """Names or patterns with commas between, ``mean(gap, 31)`` among them; in a config file also a
    list."""
    if isinstance(value, dict):
        raise NearstarError(f"expected names with commas between, not {value!r}")
    parts = value if isinstance(value, list) else _OUTER_COMMA.split(text(value))
    found = tuple(part.strip() for part in map(text, parts) if part.strip())
    if not found and value != []:
        raise NearstarError(f"expected names with commas between, not {value!r}")
    return found


def numbers(value: Any) -> tuple[float, ...]:
    """Numbers with commas between, or ``none``; in a config file also a list."""
    if value in ("none", []):
        return ()
    parts = value if isinstance(value, list) else names(str(value))
    return tuple(number(part) for part in parts)


def units(value: Any) -> tuple[int, int]:
    """Two sizes of networks with a comma between."""
    parts = names(value)
    if len(parts) != 2:
        raise NearstarError(f"expected two whole numbers with a comma between, not {value!r}")
    return whole(1, _MOST_UNITS)(parts[0]), whole(1, _MOST_UNITS)(parts[1])


def label(value: Any) -> Label:
    """A label: a whole number where it reads as one, else text."""
    if isinstance(value, bool | int | float):
        return value
    if not isinstance(value, str):
        raise NearstarError(f"expected a label, not {value!r}")
    return int(value) if re.fullmatch(r"-?\d{1,18}", value) else value


def labels(value: Any) -> tuple[Label, ...]:
    """Labels with commas between; in a config file also a list."""
    if isinstance(value, str):
        return tuple(label(part) for part in names(value))
    return tuple(label(each) for each in (value if isinstance(value, list) else [value]))


def assigned(kind: Callable[[str], T]) -> Callable[[Any], dict[str, T]]:
    """A converter of ``name=value``; in a config file also of a table of them."""

    def convert(value: Any) -> dict[str, T]:
        if isinstance(value, dict):
            return {str(name): kind(each) for name, each in value.items()}
        name, sign, rest = str(value).partition("=")
        if not sign or not name.strip() or not rest.strip():
            raise NearstarError(f"expected NAME=VALUE, not {value!r}")
        return {name.strip(): kind(rest.strip())}

    return convert


def class_weight(value: Any) -> str | dict[str, float]:
    """``balanced``, or weights such as ``sniff=3,other=1``; in a config file also a table."""
    if value == "balanced":
        return "balanced"
    weights = assigned(number)
    if isinstance(value, dict):
        return weights(value)
    return {name: each for part in names(value) for name, each in weights(part).items()}


def _number(text: str, expected: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise NearstarError(f"{expected}; not {text!r}") from None
