"""Programs to text, in the paper's notation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearstar.language.parameters import Block, check, layout
from nearstar.language.program import Hole, Production, Program, node_at
from nearstar.language.template import VARIABLES
from nearstar.language.text.forms import form
from nearstar.language.text.numbers import shape, written

HOLE = "??"


def to_text(program: Program, theta: NDArray[np.float64] | None = None) -> str:
    """The program in the paper's notation, which ``parse`` reads back.

    With ``theta``, the parameters of its affine and constant leaves in the order of the
    derivation, the leaves print with them, exactly (``parameters.rounded`` makes them shorter).
    The networks of holes are no part of it: a hole prints as ``??``.
    """
    if theta is None:
        return _text(program, 0, None)
    theta, blocks = np.asarray(theta, np.float64), layout(program)
    check(blocks, theta)
    return _text(program, 0, (_leaf(program, block, theta) for block in blocks))


def _text(program: Program, level: int, leaves: Iterator[str] | None) -> str:
    """The text of a program that stands inside of this many lambdas."""
    if isinstance(program, Hole):
        return HOLE
    pattern, inner, numbered = _pattern(program.production, level)
    parts = [
        _part(argument, inner) if leaves is None else _text(argument, inner, leaves)
        for argument in program.arguments
    ]
    if numbered:
        parts.append(next(leaves) if leaves else "")
    return pattern % tuple(parts)


@lru_cache(maxsize=1 << 14)
def _part(program: Program, level: int) -> str:
    """The text of a part, without parameters: programs of a search have most parts in common."""
    return _text(program, level, None)


class _Pattern(NamedTuple):
    """The form of an operation with its variables written."""

    text: str
    """With %s for each argument, or, in leaves, for the parameters."""
    inner: int
    """Lambdas around the arguments."""
    numbered: bool
    """Whether it has parameters."""


@lru_cache(maxsize=4096)
def _pattern(made_by: Production, level: int) -> _Pattern:
    text, inner, numbered = "", level, False
    for piece in form(made_by.operation):
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


def _leaf(program: Program, block: Block, theta: NDArray[np.float64]) -> str:
    node = node_at(program, block.path)
    assert not isinstance(node, Hole)
    # A block has a column for each output; text goes output by output.
    values: list[float] = block.of(theta).T.ravel().tolist()
    return written(values, shape(node.operation, node.signature))
