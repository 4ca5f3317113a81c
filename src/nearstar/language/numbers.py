"""Numbers to read: how many of them a program asks its reader to understand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nearstar.language.deciding import names_class
from nearstar.language.operation import Operation
from nearstar.language.operators import Affine, Terms
from nearstar.language.parameters import Theta, layout
from nearstar.language.program import Apply, Hole, Program, applied, is_complete, walk
from nearstar.language.types import Signature


def numbers_of(program: Program, theta: Theta | None = None) -> int | None:
    """Every weight that is not 0, every bias and every number of a constant or a memory; what a
    hard ``if`` asks of one feature is a threshold, and one number, and so is a class that is named.

    Without parameters, every weight counts. None for a program with holes: nobody can read the
    networks in them.
    """
    if not is_complete(program):
        return None
    if theta is None:
        return least_numbers(program)
    asked = {(*path, 0) for path, node in walk(program) if _asks_of_one(node)}
    count = 0
    for block in layout(program):
        weights = int(np.count_nonzero(block.of(theta)[:-1]))
        if names_class(program, block.path):
            count += 1
            continue
        # A weight and a bias are one threshold; without the weight, the bias is a number.
        count += weights + block.outputs - (block.path in asked and weights == 1)
    return count


def least_numbers(program: Program) -> int:
    """The same without parameters, of all that is no hole; where terms are to be chosen, the fewest
    that there can be."""
    found = sum(node.operation.numbers(node.signature) for node in applied(program))
    return found - thresholds(program)


def thresholds(program: Program) -> int:
    """Conditions of a hard ``if`` that are, or may become, a threshold of one feature."""
    closed = sum(
        is_threshold(each.operation, each.signature)
        for each in _conditions(program)
        if not isinstance(each, Hole)
    )
    return closed + open_thresholds(program)


def open_thresholds(program: Program) -> int:
    """Those that are holes still."""
    holes = (each for each in _conditions(program) if isinstance(each, Hole))
    return sum(hole.signature.maps_vectors for hole in holes)


def is_threshold(operation: Operation, signature: Signature) -> bool:
    """Whether it is, or may become, one as the condition of a hard ``if``."""
    if not isinstance(operation, Affine) or signature.carried:
        return False
    few = isinstance(operation.group, Terms) and len(operation.columns(signature)) == 1
    return operation.chooses_terms or few


def _asks_of_one(node: Program) -> bool:
    """Whether it is a hard ``if`` whose condition is a threshold."""
    if not isinstance(node, Apply) or not node.operation.is_hard:
        return False
    condition = node.arguments[0]
    return isinstance(condition, Apply) and is_threshold(condition.operation, condition.signature)


def _conditions(program: Program) -> Iterator[Program]:
    return (node.arguments[0] for node in applied(program) if node.operation.is_hard)
