"""A program as a numbered list of its parts, to be read beside the table of their values."""

from __future__ import annotations

import numpy as np

from nearstar.explain.nodes import DIGITS, Node, nodes_of
from nearstar.function import Function
from nearstar.model import Model
from nearstar.template import VARIABLES
from nearstar.text.forms import form, outline
from nearstar.text.numbers import shape, written


def numbered(model: Model) -> str:
    """The program, a line for each part: its number, and what it is, below what it is part of."""
    return "\n".join(
        f"{'  ' * len(node.path)}{node.number} {heading(node)}"
        for node in nodes_of(model, DIGITS).values()
    )


def heading(node: Node) -> str:
    """A part of a program without what it is made of: ``if … > 0 then … else …``."""
    operation = node.operation
    if isinstance(operation, Function):
        return outline(form(operation), VARIABLES[1])
    if node.leaf is None:
        return operation.name
    rows = np.vstack([node.leaf.weights, node.leaf.accumulator, node.leaf.bias])
    return operation.name + written(rows.T.ravel().tolist(), shape(operation, node.signature))
