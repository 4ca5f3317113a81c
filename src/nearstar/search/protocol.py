"""How searches and those who drive them talk.

A search is a generator. It yields an ``Ask``: nodes whose programs it wants scored, and where it
stands; it is sent their scores, in the same order; it returns the bound it ends with. It never
trains, prints, times or saves, and what it asks depends on the scores and its seed alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nearstar.language.program import Hole, Program, is_complete
from nearstar.search.space import Space


@dataclass(frozen=True, slots=True)
class Score:
    """What training a program gave."""

    error: float
    """Validation error ζ of a complete program, h of a partial one."""
    diverged: bool = False


@dataclass(eq=False, slots=True)
class Node:
    """A program in the search graph, with what is known of the best that it leads to."""

    program: Program
    parent: Node | None
    g: float
    """λ × the structural cost so far."""
    closing: float = 0.0
    """λ × the least structural cost that any completion adds; 0 where this is switched off."""
    h: float = 0.0
    """Least error of any completion, as far as known: from its own training if there was one, else
    from its nearest ancestor's; of a complete program, once trained, its error."""
    trained: bool = False
    bounded: bool = False
    """Whether h says anything: it is trained, or an ancestor's h is a bound for it."""
    goal: float | None = None
    """An error that its training may end at: a lower one would not change what the search does."""
    warm_from: Node | None = None
    """The node whose parameters its training starts from, as far as they share parts."""

    @property
    def f(self) -> float:
        """The path cost of a trained complete program; for others a bound on what they lead to."""
        return self.g + self.closing + self.h

    @property
    def complete(self) -> bool:
        return is_complete(self.program)


def is_root(node: Node | None) -> bool:
    """Whether a node is that of a single hole."""
    return node is not None and isinstance(node.program, Hole)


@dataclass(frozen=True, slots=True)
class Ask:
    """Nodes to score, and where the search stands before their scores are known."""

    nodes: tuple[Node, ...]
    bound: float | None = None
    """No program that is not yet explored can have a lower path cost, if h is admissible; None for
    searches that know no bound."""
    waiting: int = 0
    """Nodes in the frontier."""
    ahead: Iterable[Node] = ()
    """What may well be asked for next, the likeliest first, to be trained by workers who would be
    idle. It is right until the scores are sent."""


Search = Generator[Ask, Sequence[Score], float | None]


class Algorithm(Protocol):
    """The settings of a search: an immutable value that starts it."""

    def search(self, space: Space, seed: int) -> Search:
        """The search over a space, with all its random choices made from the seed."""
