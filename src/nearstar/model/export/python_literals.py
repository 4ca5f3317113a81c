"""Values as Python source. Whatever stands in a text, it stays a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_WIDTH = 96


def quoted(value: str | int | float | bool | None) -> str:
    """A label or a name, in double quotes if it is a plain text."""
    if isinstance(value, str) and value.isprintable() and not {'"', "\\"} & set(value):
        return f'"{value}"'
    return repr(value)


def listed(items: Sequence[str], brackets: str = "[]") -> str:
    """Items in brackets, on one line or on one for each."""
    line = brackets[0] + ", ".join(items) + brackets[1]
    if len(line) <= _WIDTH - 10 or len(items) < 2:
        return line
    return "\n".join([brackets[0], *(f"    {item}," for item in items), brackets[1]])


def table(rows: Mapping[str, Sequence[float]]) -> str:
    """A dictionary from names to lists of numbers, in lines for itself if it is long."""
    return listed([f"{quoted(name)}: {list(row)}" for name, row in rows.items()], "{}")
