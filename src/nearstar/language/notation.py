"""Programs as text in the paper's notation, by the templates of their operations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from nearstar.language.template import VARIABLES

if TYPE_CHECKING:
    from nearstar.language.program import Production, Program

HOLE = "??"


class Whole(str):
    """A text with the parameters of a leaf that is all there is to say of it."""

    __slots__ = ()


class Comparison(Whole):
    """The text of a condition that has its own number to be compared with, not 0."""

    __slots__ = ()


def text_of(program: Program, level: int = 0, leaves: Iterator[str] | None = None) -> str:
    """The text of a program that stands inside of this many lambdas.

    ``leaves`` are the texts of its parameters, in the order of the derivation, if they are shown.
    """
    if program.production is None:
        return HOLE
    pattern, inner, numbered = pattern_of(program.production, level)
    parts: list[str] = []
    if numbered:  # in text as in the derivation, what is an operation's own comes first
        numbers = next(leaves) if leaves else ""
        if isinstance(numbers, Whole):
            return numbers
        parts.append(numbers)
    parts += [
        _part(argument, inner) if leaves is None else text_of(argument, inner, leaves)
        for argument in program.arguments
    ]
    if parts and isinstance(parts[0], Comparison):
        pattern = pattern.replace(_ABOVE_0, "%s", 1)
    return pattern % tuple(parts)


_ABOVE_0 = "%s > 0"
"""What stands in the pattern of an ``if`` for its condition."""


@lru_cache(maxsize=1 << 14)
def _part(program: Program, level: int) -> str:
    """The text of a part, without parameters: programs of a search have most parts in common."""
    return text_of(program, level)


class _Pattern(NamedTuple):
    """The form of an operation with its variables written."""

    text: str
    """With %s for the parameters, if there are some, and then for each argument."""
    inner: int
    """Lambdas around the arguments."""
    numbered: bool
    """Whether it has parameters."""


@lru_cache(maxsize=4096)
def pattern_of(made_by: Production, level: int) -> _Pattern:
    """The form of an operation inside of this many lambdas."""
    text, inner, numbered = "", level, False
    for piece in made_by.operation.form:
        text += " " * piece.spaced
        match piece.kind:
            case "argument":
                text += "%s"
            case "variable":
                text += VARIABLES[level]
            case "binder":
                inner = level + 1
                text += VARIABLES[inner]
            case "numbers":
                text, numbered = text + "%s", True
            case _:
                # Words and signs, and the start of a fold: all as they are.
                text += piece.text.replace("%", "%%")
    return _Pattern(text, inner, numbered)
