"""What is dropped, and what of it counts for the bound."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from nearstar.search.frontier import Frontier, least_f
from nearstar.search.protocol import Node

TOLERANCE = 1e-9
"""Costs are sums of the same numbers in different orders: less than this is no difference."""


class Bounds:
    """What a search knows of the optimum: no more than one number, no less than the other."""

    def __init__(self) -> None:
        self.incumbent = math.inf
        """Least path cost of a complete program so far."""
        self.discarded = math.inf
        """Least f of what was given up unexplored."""

    def discard(self, nodes: Sequence[Node]) -> None:
        """Give nodes up unexplored: they count for the bound."""
        if nodes:
            self.discarded = min(self.discarded, least_f(nodes))


class OpenList:
    """The frontier of A*, and what was pruned from it if the search persists, else nothing."""

    def __init__(
        self, bounds: Bounds, capacity: int | None, *, margin: float, persist: bool
    ) -> None:
        self.bounds = bounds
        self.frontier = Frontier(capacity)
        self.pruned = Frontier(capacity)
        self._margin = margin
        self._persist = persist

    def add(self, nodes: Iterable[Node]) -> None:
        """Let nodes wait."""
        self.bounds.discard(self.frontier.add(nodes))

    def prune(self) -> None:
        """Drop what cannot be better than the best program, by f."""
        hopeless = self.frontier.cut(self.bounds.incumbent + self._margin - TOLERANCE)
        self.bounds.discard(self.pruned.add(hopeless) if self._persist else hopeless)
