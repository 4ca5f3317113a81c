"""Pointing at a place in a text, for errors."""

from __future__ import annotations

_SHOWN = 96  # characters of a long line that an error shows
_BEFORE = 64  # of these, before the caret


def pointing(text: str, position: int, problem: str) -> str:
    """The problem, with the line of text where it is and a caret under the place."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    column = position - start
    # Long lines are cut before anything else looks at them.
    first = max(column - _BEFORE, 0)
    stop = start + first + _SHOWN
    line = text[start + first : stop if end < 0 else min(stop, end)]
    # Tabs and unprintable characters become one space each, to keep the caret in its column.
    line = "".join(character if character.isprintable() else " " for character in line)
    before = "…" if first else ""
    after = "…" if stop < (len(text) if end < 0 else end) else ""
    caret = " " * (column - first + len(before)) + "^"
    where = f"line {text.count(chr(10), 0, position) + 1}, column {column + 1}"
    return f"{where}: {problem}\n  {before}{line}{after}\n  {caret}"
