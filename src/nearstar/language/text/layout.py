"""Programs of several choices in lines: each ``else`` below its ``if``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nearstar.language.notation import Comparison, pattern_of, text_of
from nearstar.language.parameters import Theta
from nearstar.language.program import Program, applied
from nearstar.language.text.printing import leaf_texts

_INDENT = "  "


def in_lines(program: Program, theta: Theta | None = None) -> str:
    """The program's text, as ``to_text`` gives it, but where it has several ifs in lines, so that
    one sees which belongs to which. It parses as the other does."""
    leaves = None if theta is None else leaf_texts(program, np.asarray(theta, np.float64))
    if _choices(program) < 2:
        return text_of(program, 0, leaves)
    return _text(program, 0, leaves, "")


def _choices(program: Program) -> int:
    return sum(node.operation.beta is not None for node in applied(program))


def _text(program: Program, level: int, leaves: Iterator[str] | None, indent: str) -> str:
    """The text of a program whose first line is indented already."""
    if program.production is None or not _choices(program):
        return text_of(program, level, leaves)
    if program.production.operation.beta is not None:
        return _choice(program, level, leaves, indent)
    if len(program.arguments) > 1:
        return text_of(program, level, leaves)  # what has a choice in a sum is read as one
    text, inner, _ = pattern_of(program.production, level)
    before, after = text.split("%s")
    deeper = indent + _INDENT
    body = _text(program.arguments[0], inner, leaves, deeper)
    before, after = (each.replace("%%", "%") for each in (before, after))
    return f"{before.rstrip()}\n{deeper}{body}{after}"


def _choice(program: Program, level: int, leaves: Iterator[str] | None, indent: str) -> str:
    condition, then, otherwise = program.arguments
    asked = text_of(condition, level, leaves)
    above = "" if isinstance(asked, Comparison) else " > 0"
    deeper = indent + _INDENT
    taken = _text(then, level, leaves, deeper)
    joint = f"\n{deeper}" if _choices(then) else " "
    rest = _text(otherwise, level, leaves, indent)
    return f"if {asked}{above} then{joint}{taken}\n{indent}else {rest}"
