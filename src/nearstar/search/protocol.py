"""How searches and those who drive them talk.

A search is a generator. It yields an ``Ask``: nodes whose programs it wants scored, and where it
stands; it is sent their scores, in the same order; it returns the bound it ends with. It never
trains, prints, times or saves, and what it asks depends on the scores and its seed alone.
"""

from __future__ import annotations

import math
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
    stages: tuple[float, ...] = ()
    """The least error until the end of each stage of the training."""
    cut: bool = False
    """Whether the training was ended by a cutoff."""


@dataclass(eq=False, slots=True)
class Node:
    """A program in the search graph, with what is known of the best that it leads to."""

    program: Program
    parent: Node | None
    g: float
    """λ × the structural cost so far."""
    closing: float = 0.0
    """λ × the least structural cost that any completion adds; 0 where this is switched off."""
    error: float | None = None
    """What its own training gave, if it was trained and did not diverge."""
    above: Node | None = None
    """Its parent, if the h of that is a bound for it, too."""
    known: float = math.inf
    """The least error of a completion that was trained: h cannot be higher."""
    trained: bool = False
    estimate: float | None = None
    """The error that its completions are expected to reach, where its place among others is not to
    be decided by h: that with a leaf over everything in each hole."""
    probe: bool = False
    """Whether its program is but an estimate of a partial one, and no answer."""
    goal: float | None = None
    """An error that its training may end at: a lower one would not change what the search does."""
    cutoffs: tuple[float, ...] = ()
    """Errors after the first stages of its training at which, if it is above them, it ends: it is
    then not likely to come to what would change what the search does."""
    warm_from: Node | None = None
    """The node whose parameters its training starts from, as far as they share parts."""

    @property
    def h(self) -> float:
        """Least error of any completion, as far as known: that of its own training, or, where that
        is higher, what it has from above; of a complete program, once trained, its error."""
        own = 0.0 if self.error is None else self.error
        return min(own if self.above is None else max(own, self.above.h), self.known)

    @property
    def bounded(self) -> bool:
        """Whether h says anything."""
        return self.error is not None or (self.above is not None and self.above.bounded)

    @property
    def f(self) -> float:
        """The path cost of a trained complete program; for others a bound on what they lead to."""
        return self.g + self.closing + self.h

    @property
    def rank(self) -> float:
        """What its place among others goes by: the path cost that it is expected to lead to."""
        return self.f if self.estimate is None else self.g + self.closing + self.estimate

    @property
    def complete(self) -> bool:
        return is_complete(self.program) and not self.probe


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
