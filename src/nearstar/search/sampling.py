"""Random completions of partial programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nearstar.language.program import Program, is_complete
from nearstar.search.space import Space

State = Program | None
"""Where a sampling search stands; None: before the first step, which goes to one of the roots."""


def initial_state(space: Space) -> State:
    """Where sampling begins: at the root, or, of several, before the choice of one."""
    return space.roots[0] if len(space.roots) == 1 else None


def successors(space: Space, state: State) -> list[Program]:
    """Where one step leads to."""
    return list(space.roots) if state is None else space.expansions(state)


def draw(space: Space, children: Sequence[Program], random: np.random.Generator) -> Program:
    """One of the children, drawn with probability proportional to its cumulative structural cost.

    The cost of a rule alone would not do: that of a leaf is often 0. Uniform if all costs are 0.
    """
    costs = np.array([space.grammar.cost(child) for child in children])
    total = costs.sum()
    return children[random.choice(len(children), p=costs / total if total > 0 else None)]


def completion(space: Space, state: State, random: np.random.Generator) -> Program:
    """A random completion within the space: one drawn child after the other."""
    while state is None or not is_complete(state):
        state = draw(space, successors(space, state), random)
    return state
