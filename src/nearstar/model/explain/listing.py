"""A program as a numbered list of its parts, to be read beside the table of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nearstar.language.deciding import written_class
from nearstar.language.function import Function
from nearstar.language.shortening import DIGITS
from nearstar.language.template import VARIABLES, outline
from nearstar.language.text.printing import comparison, number, shape, written
from nearstar.model.explain.program_parts import Leaf, Part, parts_of

if TYPE_CHECKING:
    from nearstar.model.model import Model

_INLINE = 6
"""Most features of a leaf with one output whose numbers stand in its own line."""


def numbered(model: Model) -> str:
    """The program, a line for each part: its number, and what it is, below what it is part of."""
    return "\n".join(
        f"{'  ' * len(node.path)}{node.number} {heading(node)}"
        for node in parts_of(model, DIGITS).values()
    )


def in_parts(model: Model, digits: int = DIGITS) -> str:
    """The program as in ``numbered``; what larger leaves have learned in a table of its own.

    A table has a row for each feature and a column for each output: the classes, where there are
    as many.
    """
    lines: list[str] = []
    for node in parts_of(model, digits).values():
        indent = "  " * len(node.path)
        leaf = node.learned
        if leaf is None or (node.outputs == 1 and len(leaf.columns) <= _INLINE):
            lines.append(f"{indent}{node.number} {heading(node)}")
        else:
            lines.append(f"{indent}{node.number} {node.operation.name}")
            lines += [f"{indent}    {line}" for line in _table(node, leaf, model)]
    return "\n".join(lines)


def _table(node: Part, leaf: Leaf, model: Model) -> list[str]:
    """What a leaf has learned."""
    features = [model.domain.features[column] for column in leaf.columns]
    rows = np.vstack([leaf.weights, leaf.accumulator, leaf.bias])
    cells = [[*node.called(model.class_names)] if node.outputs > 1 else [""]]
    cells += [[number(value) for value in row] for row in rows.tolist()]
    titles = ["", *features, *leaf.carried, leaf.own]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    title_width = max(map(len, titles))
    return [
        f"{title:{title_width}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for title, row in zip(titles, cells, strict=True)
        if title or node.outputs > 1
    ]


def heading(node: Part) -> str:
    """A part of a program without what it is made of: ``if … > 0 then … else …``."""
    operation = node.operation
    if node.threshold is not None:
        return comparison(node.threshold)
    if node.says is not None:
        return written_class(node.says)
    if isinstance(operation, Function):
        form = outline(operation.form, VARIABLES[1])
        return form.replace(" > 0", "") if node.compares else form
    if node.half_life is not None:
        return f"{operation.name}[{number(node.half_life)}]"
    if node.leaf is None:
        return operation.name
    rows = np.vstack([node.leaf.weights, node.leaf.accumulator, node.leaf.bias])
    (matrix,) = operation.matrices(node.signature)
    return operation.name + written(rows.T.ravel().tolist(), shape(matrix))
