"""Random completions of partial programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nearstar.language.program import Program, is_complete
from nearstar.search.space import Space

Place = Program | None
"""Where a sampling search stands; None: before the first step, which goes to one of the starts."""


def beginning(space: Space) -> Place:
    """Where sampling begins: at the start, or, of several, before the choice of one."""
    return space.starts[0] if len(space.starts) == 1 else None


def steps(space: Space, place: Place) -> list[Program]:
    """Where one step leads to."""
    return list(space.starts) if place is None else space.expansions(place)


def draw(space: Space, children: Sequence[Program], random: np.random.Generator) -> Program:
    """One of the children, drawn with probability proportional to its cumulative structural cost.

    The cost of a rule alone would not do: that of a leaf is often 0. Uniform if all costs are 0.
    """
    costs = np.array([space.grammar.cost(child) for child in children])
    total = costs.sum()
    return children[random.choice(len(children), p=costs / total if total > 0 else None)]


def completion(space: Space, program: Place, random: np.random.Generator) -> Program:
    """A random completion within the space: one drawn child after the other."""
    while program is None or not is_complete(program):
        program = draw(space, steps(space, program), random)
    return program
