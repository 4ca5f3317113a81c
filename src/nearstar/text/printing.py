"""Programs to text, in the paper's notation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearstar.parameters import Block, check, layout
from nearstar.program import Hole, Program, node_at
from nearstar.template import VARIABLES
from nearstar.text.forms import form
from nearstar.text.numbers import shape, written

HOLE = "??"


def to_text(program: Program, theta: NDArray[np.float64] | None = None) -> str:
    """The program in the paper's notation, which ``parse`` reads back.

    With ``theta``, the parameters of its affine and constant leaves in the order of the
    derivation, the leaves print with them, exactly (``parameters.rounded`` makes them shorter).
    The networks of holes are no part of it: a hole prints as ``??``.
    """
    leaves: Iterator[str] | None = None
    if theta is not None:
        theta, blocks = np.asarray(theta, np.float64), layout(program)
        check(blocks, theta)
        leaves = (_leaf(program, block, theta) for block in blocks)
    text: list[str] = []
    _write(program, 0, leaves, text)
    return "".join(text)


def _write(program: Program, level: int, leaves: Iterator[str] | None, text: list[str]) -> None:
    """Append the text of a program that stands inside of this many lambdas."""
    if isinstance(program, Hole):
        text.append(HOLE)
        return
    arguments, inner = iter(program.arguments), level
    for piece in form(program.operation):
        if piece.spaced:
            text.append(" ")
        match piece.kind:
            case "argument":
                _write(next(arguments), inner, leaves, text)
            case "variable":
                text.append(VARIABLES[level])
            case "binder":
                inner = level + 1
                text.append(VARIABLES[inner])
            case "numbers":
                text.append(next(leaves) if leaves else "")
            case _:
                # Words and signs, and the start of a fold: all as they are.
                text.append(piece.text)


def _leaf(program: Program, block: Block, theta: NDArray[np.float64]) -> str:
    node = node_at(program, block.path)
    assert not isinstance(node, Hole)
    # A block has a column for each output; text goes output by output.
    values: list[float] = block.of(theta).T.ravel().tolist()
    return written(values, shape(node.operation, node.signature))
